//! In which inputs does an answer end, and what is in its way?
//!
//! Inputs by name, and the number that follows where they are numbers; else why there
//! is no answer. Cost: linear in the answer.

use opcost_index::IdMap;

use super::evaluate::{Number, library, operate};
use super::explanation::{Argument, ExplanationId, Link, LinkCertainty, OutsideInput, UnknownReason, What};
use super::resolution::Resolution;
use super::rule_set::RuleSet;

/// What is read into memory from outside, where no number is given for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reads {
    /// Anything.
    #[default]
    Open,
    /// Nothing: no read is reached, and memory holds what the program itself stores there.
    Absent,
    /// Nothing from files, as with [`Reads::Absent`]; anything from text that the program has, for there are
    /// arguments that it may read.
    OnlyText,
}

impl Reads {
    /// Whether nothing is read from files.
    pub fn is_without_files(self) -> bool {
        self != Reads::Open
    }
}

impl Resolution<'_, '_> {
    /// The number that the value certainly is where inputs are these numbers: by name. `given` is asked whether the
    /// input is memory, too, whose name the program chose. `reads` says
    /// what other inputs are that are read into memory. None where a link is only possible. Cost:
    /// linear in the answer.
    pub fn number_given(&self, given: &dyn Fn(&str, bool) -> Option<i128>, reads: Reads) -> Option<i128> {
        let mut numbers: IdMap<ExplanationId, Option<Number>> = IdMap::filled(self.nodes.len(), None);
        for &id in &self.facts.order {
            numbers[id] = match self.is_input(id) {
                true => self.given_number(id, given).or_else(|| {
                    if reads == Reads::Open || !self.facts.named[id] {
                        return None;
                    }
                    self.left_number(id, reads, &numbers)
                }),
                false => self.facts.exact[id].or_else(|| self.number_of_links(id, &numbers)),
            };
        }
        numbers[self.root()].map(Number::by_convention)
    }

    fn given_number(&self, id: ExplanationId, given: &dyn Fn(&str, bool) -> Option<i128>) -> Option<Number> {
        let value = given(&self.input_name(id), matches!(self.nodes[id].what, What::Cell(_)))?;
        let bits = self.names.bits(self.nodes[id].ty?)?;
        let number = Number::of(value as u128, bits)?;
        (number.signed() == value || i128::try_from(number.value) == Ok(value)).then_some(number)
    }

    /// What a cell holds where nothing is read into it.
    fn left_number(
        &self,
        id: ExplanationId,
        reads: Reads,
        numbers: &IdMap<ExplanationId, Option<Number>>,
    ) -> Option<Number> {
        let is_read = |link: &&Link| {
            matches!(self.nodes[self.only_end(link.to)].what, What::Input(OutsideInput::Read { .. }))
        };
        let held = || self.nodes[id].links.iter().filter(|link| !is_read(link));
        let is_stored = |link: &&Link| {
            link.argument != Argument::Initial
                && !matches!(self.nodes[self.only_end(link.to)].what, What::Undefined)
        };
        let mut reads_in = self.nodes[id].links.iter().filter(is_read);
        if reads == Reads::OnlyText && reads_in.any(|link| self.reads_text(self.only_end(link.to))) {
            return None;
        }
        // What was there at the start is overwritten where the program stores what it goes on with.
        let stored_only = reads.is_without_files() && held().any(|link| is_stored(&link));
        let mut left = held().filter(|link| !stored_only || is_stored(link)).map(|link| numbers[link.to]);
        let first = left.next()??;
        left.all(|other| other == Some(first)).then_some(first)
    }

    /// Whether a read is, or may be, from text in memory.
    fn reads_text(&self, id: ExplanationId) -> bool {
        let What::Input(OutsideInput::Read { function, call, .. }) = self.nodes[id].what else {
            return false;
        };
        let callee = self.names.callee(function, call);
        if !callee.starts_with("_FortranAio") {
            return callee.contains("sscanf");
        }
        let mut sources = self.nodes[id].links.iter().filter(|link| link.argument == Argument::Source);
        !sources.any(|link| match self.nodes[self.only_end(link.to)].what {
            What::Input(OutsideInput::Read { function, call, .. }) => {
                let begin = self.names.callee(function, call);
                begin.starts_with("_FortranAioBegin") && !begin.starts_with("_FortranAioBeginInternal")
            }
            _ => false,
        })
    }

    fn number_of_links(
        &self,
        id: ExplanationId,
        numbers: &IdMap<ExplanationId, Option<Number>>,
    ) -> Option<Number> {
        let node = &self.nodes[id];
        if node.links.is_empty() || node.links.iter().any(|link| link.certainty == LinkCertainty::Possible) {
            return None;
        }
        let links: Vec<Number> = node.links.iter().map(|link| numbers[link.to]).collect::<Option<_>>()?;
        match &node.what {
            What::Operation => {
                let (function, at) = node.at?;
                let module = self.names.module;
                operate(module, &module.functions[function].instructions[at], &links)
            }
            What::Library(name) => library(name, &links),
            What::Loaded(_) => None,
            _ if node.is_one_of_its_links() => {
                links.iter().all(|other| *other == links[0]).then_some(links[0])
            }
            _ => None,
        }
    }

    /// Whether it depends on memory that is an input.
    pub fn depends_on_memory(&self) -> bool {
        self.reached(true)
            .into_iter()
            .any(|id| self.is_input(id) && matches!(self.nodes[id].what, What::Cell(_)))
    }

    /// The inputs that it depends on: `name: what is known of it`.
    pub fn inputs(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for id in self.reached(true) {
            let is_written = |link: &Link| matches!(link.argument, Argument::Written(..));
            let is_array = matches!(self.nodes[id].what, What::Element(_))
                && self.facts.closed[id]
                && self.nodes[id].links.iter().any(is_written);
            let line = match (self.is_input(id), is_array) {
                (true, _) => self.describe_input(id),
                (false, true) => self.describe_array(id),
                (false, false) => continue,
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// The names of inputs that are integers, which a number can be given for.
    pub fn integer_inputs(&self) -> Vec<String> {
        let is_integer = |id: &ExplanationId| {
            self.is_input(*id) && self.nodes[*id].ty.is_some_and(|ty| self.names.bits(ty).is_some())
        };
        self.reached(true).into_iter().filter(is_integer).map(|id| self.input_name(id)).collect()
    }

    /// What prevents an answer.
    pub fn blockers(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for id in self.reached(true) {
            let line = match &self.nodes[id].what {
                What::Unknown(reason) => self.names.reason(*reason),
                What::Text(text) => format!("the constant {text}"),
                What::Foreign if !self.facts.closed[id] => format!("memory at {}", self.input_name(id)),
                What::Operation if self.is_read(&self.nodes[id]) => {
                    let Some((function, at)) = self.nodes[id].at else { continue };
                    self.names.reason(UnknownReason::Memory(function, at))
                }
                What::Loaded(RuleSet::UseOnly) => "stores found by uses only".to_owned(),
                What::Loaded(_) => "stores that one run saw".to_owned(),
                _ => continue,
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }
}

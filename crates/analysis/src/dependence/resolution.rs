//! What follows from an answer? Is it closed, how sure is it, which inputs
//! does it name, what stands in the way, which number is it.
//!
//! One pass over the nodes, each behind those that it links to. A cell of
//! memory of which all writers are known, and of which one is an input, is an
//! input with a name of its own; what it may hold is told once. Cost: linear
//! in the answer.

use rustc_hash::FxHashSet as HashSet;

use opcost_index::{Id, IdMap};
use opcost_ir::Layout;

use super::evaluate::{Number, library, operate};
use super::explanation::{Argument, Certainty, Explanation, ExplanationId, Input, Link, Reason, What};
use super::names::Names;
use super::{Parts, Resolution, RuleSet};

/// The most alternatives that are listed as numbers.
const MOST_NUMBERS: usize = 64;

/// How sure an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Every link is certain, and all ends are constants or named inputs.
    Exact,
    /// The same if these hold.
    Assuming(Vec<&'static str>),
    /// All ends are known, but some link is only possible, or was found by a
    /// rule that does not see all.
    Possible,
    /// Some end is not known.
    Unknown,
}

/// What is known of each node.
pub(super) struct Facts {
    pub(super) closed: IdMap<ExplanationId, bool>,
    certain: IdMap<ExplanationId, bool>,
    numbers: IdMap<ExplanationId, Option<Vec<Number>>>,
    exact: IdMap<ExplanationId, Option<Number>>,
    /// Cells that are named inputs.
    pub(super) named: IdMap<ExplanationId, bool>,
    /// Nodes, each behind those that it links to.
    pub(super) order: Vec<ExplanationId>,
}

impl<'r, 'a> Resolution<'r, 'a> {
    pub(super) fn new(
        Parts { nodes, assumptions, opens }: Parts,
        names: &'r Names<'a>,
        layout: &'r Layout,
    ) -> Self {
        let count = nodes.len();
        let facts = Facts {
            closed: IdMap::filled(count, false),
            certain: IdMap::filled(count, false),
            numbers: IdMap::filled(count, None),
            exact: IdMap::filled(count, None),
            named: IdMap::filled(count, false),
            order: order(&nodes),
        };
        let mut resolution = Resolution { nodes, assumptions, opens, names, layout, facts };
        for id in resolution.facts.order.clone() {
            resolution.settle(id);
        }
        resolution
    }

    /// What was asked.
    pub fn root(&self) -> ExplanationId {
        ExplanationId::new(0)
    }

    /// All nodes; some may not be linked to any more.
    pub fn nodes(&self) -> &IdMap<ExplanationId, Explanation> {
        &self.nodes
    }

    fn settle(&mut self, id: ExplanationId) {
        let node = &self.nodes[id];
        let links = &node.links;
        let all_closed = links.iter().all(|link| self.facts.closed[link.to]);
        let closed = match &node.what {
            What::Unknown(_) | What::Text(_) => false,
            What::Foreign => self.program_argument(id).is_some() || self.is_by_reference(id),
            What::Input(_) | What::Again(_) | What::Undefined => true,
            What::Loaded(_) => all_closed && !links.is_empty(),
            What::Operation if self.is_read(node) => false,
            _ if node.is_one_of_its_links() => all_closed && !links.is_empty(),
            _ => all_closed,
        };
        let is_input = |link: &Link| {
            let end = self.only_end(link.to);
            matches!(self.nodes[end].what, What::Input(Input::Read { .. }))
        };
        let named = closed
            && matches!(node.what, What::Cell(_))
            && links.iter().any(is_input)
            && (links.len() > 1 || links.iter().any(|link| link.certainty == Certainty::Possible));
        let certain = match &node.what {
            _ if named => true,
            What::Loaded(_) | What::Unknown(_) => false,
            _ => {
                links.iter().all(|link| link.certainty != Certainty::Possible && self.facts.certain[link.to])
            }
        };
        let numbers = self.numbers_of(id);
        let exact = numbers.as_ref().filter(|list| certain && list.len() == 1).map(|list| list[0]);
        self.facts.closed[id] = closed;
        self.facts.named[id] = named;
        self.facts.certain[id] = certain;
        self.facts.numbers[id] = numbers;
        self.facts.exact[id] = exact;
    }

    /// A load that was left to its address.
    fn is_read(&self, node: &Explanation) -> bool {
        node.at.is_some_and(|(function, at)| {
            self.names.module.functions[function].instructions[at].opcode == opcost_ir::Opcode::Load
        })
    }

    /// All numbers that a node may be, if it can be nothing else.
    fn numbers_of(&self, id: ExplanationId) -> Option<Vec<Number>> {
        let node = &self.nodes[id];
        match &node.what {
            What::Integer { value, bits } => Number::of(*value, *bits).map(|number| vec![number]),
            What::Operation => self.operated(node),
            What::Library(name) => self.combined(&node.links, |numbers| library(name, numbers)),
            What::Element(_) => self.looked_up(node),
            _ if node.is_one_of_its_links() && !node.links.is_empty() => {
                let mut all: Vec<Number> = Vec::new();
                for link in &node.links {
                    all.extend(self.facts.numbers[link.to].as_ref()?);
                }
                all.sort();
                all.dedup();
                (all.len() <= MOST_NUMBERS).then_some(all)
            }
            _ => None,
        }
    }

    fn operated(&self, node: &Explanation) -> Option<Vec<Number>> {
        let (function, at) = node.at?;
        let module = self.names.module;
        let instruction = &module.functions[function].instructions[at];
        self.combined(&node.links, |numbers| operate(module, instruction, numbers))
    }

    /// What a function makes of the links; at most one of them may have
    /// alternatives, or those that do are the same one.
    fn combined(&self, links: &[Link], made: impl Fn(&[Number]) -> Option<Number>) -> Option<Vec<Number>> {
        let lists: Option<Vec<&Vec<Number>>> =
            links.iter().map(|link| self.facts.numbers[link.to].as_ref()).collect();
        let lists = lists?;
        let mut several =
            links.iter().zip(&lists).filter(|(_, list)| list.len() > 1).map(|(link, _)| link.to);
        let varied = several.next();
        if lists.is_empty() || several.any(|other| Some(other) != varied) {
            return None;
        }
        let count = lists.iter().map(|list| list.len()).max()?;
        let mut all = Vec::new();
        for choice in 0..count {
            let numbers: Vec<Number> = lists.iter().map(|list| list[choice.min(list.len() - 1)]).collect();
            all.push(made(&numbers)?);
        }
        all.sort();
        all.dedup();
        Some(all)
    }

    /// An element of data that nothing writes.
    fn looked_up(&self, node: &Explanation) -> Option<Vec<Number>> {
        use opcost_ir::{ConstantValue, ScalarValue};
        let What::Element(elements) = node.what else { return None };
        let super::memory::Object::Global(global) = elements.object else { return None };
        let [index] = node.links.as_slice() else { return None };
        let bits = self.names.bits(node.ty?)?;
        let contents = self.names.module.globals[global].contents.as_ref().filter(|all| all.is_complete)?;
        if !matches!(index.argument, Argument::Index(_)) {
            return None;
        }
        let found = self.facts.numbers[index.to].as_ref()?.iter().map(|number| {
            let way = number.signed().checked_mul(i128::from(elements.stride))?;
            let offset = u64::try_from(way.checked_add(i128::from(elements.offset))?).ok()?;
            match contents.at(offset) {
                None => Number::of(0, bits),
                Some((ty, ScalarValue::Constant(ConstantValue::Integer(value)))) => {
                    (self.names.bits(ty) == Some(bits)).then_some(())?;
                    Number::of(value, bits)
                }
                Some(_) => None,
            }
        });
        let mut all: Vec<Number> = found.collect::<Option<_>>()?;
        all.sort();
        all.dedup();
        Some(all)
    }

    /// Through nodes that are the same as their only link.
    pub(super) fn only_end(&self, mut id: ExplanationId) -> ExplanationId {
        while !self.facts.named[id]
            && self.nodes[id].is_one_of_its_links()
            && let [only] = self.nodes[id].links.as_slice()
            && only.certainty != Certainty::Possible
            && !matches!(self.nodes[only.to].what, What::Unknown(_))
        {
            id = only.to;
        }
        id
    }

    /// Whether all ends are constants and named inputs.
    pub fn is_closed(&self) -> bool {
        self.facts.closed[self.root()]
    }

    /// How sure the answer is.
    pub fn quality(&self) -> Quality {
        match (self.is_closed(), self.facts.certain[self.root()]) {
            (false, _) => Quality::Unknown,
            (true, false) => Quality::Possible,
            (true, true) if self.assumptions.is_empty() => Quality::Exact,
            (true, true) => Quality::Assuming(self.assumptions.clone()),
        }
    }

    /// The number that the value certainly is, as a signed one.
    pub fn as_constant(&self) -> Option<i128> {
        self.facts.exact[self.root()].map(Number::signed)
    }

    /// The number that the value certainly is where inputs are these numbers:
    /// by name. With `defaults`, what a read into memory leaves when it fails
    /// stands for other inputs that are read into memory. None where a link is
    /// only possible. Cost: linear in the answer.
    pub fn number_given(&self, given: &dyn Fn(&str) -> Option<i128>, defaults: bool) -> Option<i128> {
        let mut numbers: IdMap<ExplanationId, Option<Number>> = IdMap::filled(self.nodes.len(), None);
        for &id in &self.facts.order {
            numbers[id] = match self.is_input(id) {
                true => self.given_number(id, given).or_else(|| {
                    if defaults && self.facts.named[id] { self.left_number(id, &numbers) } else { None }
                }),
                false => self.facts.exact[id].or_else(|| self.number_of_links(id, &numbers)),
            };
        }
        numbers[self.root()].map(Number::signed)
    }

    fn given_number(&self, id: ExplanationId, given: &dyn Fn(&str) -> Option<i128>) -> Option<Number> {
        let value = given(&self.input_name(id))?;
        let bits = self.names.bits(self.nodes[id].ty?)?;
        let number = Number::of(value as u128, bits)?;
        (number.signed() == value || i128::try_from(number.value) == Ok(value)).then_some(number)
    }

    /// What a cell holds where nothing is read into it.
    fn left_number(
        &self,
        id: ExplanationId,
        numbers: &IdMap<ExplanationId, Option<Number>>,
    ) -> Option<Number> {
        let is_read =
            |link: &&Link| matches!(self.nodes[self.only_end(link.to)].what, What::Input(Input::Read { .. }));
        let mut left = self.nodes[id].links.iter().filter(|link| !is_read(link)).map(|link| numbers[link.to]);
        let first = left.next()??;
        left.all(|other| other == Some(first)).then_some(first)
    }

    fn number_of_links(
        &self,
        id: ExplanationId,
        numbers: &IdMap<ExplanationId, Option<Number>>,
    ) -> Option<Number> {
        let node = &self.nodes[id];
        if node.links.is_empty() || node.links.iter().any(|link| link.certainty == Certainty::Possible) {
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

    /// The numbers that it can be, if it can be nothing else; signed, sorted.
    pub fn constants(&self) -> Option<Vec<i128>> {
        let mut all: Vec<i128> =
            self.facts.numbers[self.root()].as_ref()?.iter().map(|number| number.signed()).collect();
        all.sort();
        Some(all)
    }

    /// The number that a node certainly is.
    pub(super) fn number_at(&self, id: ExplanationId) -> Option<Number> {
        self.facts.exact[id]
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

    /// Whether a node has a name of its own: what it comes from is told with it.
    pub(super) fn is_input(&self, id: ExplanationId) -> bool {
        match self.nodes[id].what {
            What::Input(_) => true,
            What::Foreign => self.facts.closed[id],
            _ => self.facts.named[id],
        }
    }

    /// What stands in the way of an answer.
    pub fn blockers(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for id in self.reached(true) {
            let line = match &self.nodes[id].what {
                What::Unknown(reason) => self.names.reason(*reason),
                What::Text(text) => format!("the constant {text}"),
                What::Foreign if !self.facts.closed[id] => format!("memory at {}", self.input_name(id)),
                What::Operation if self.is_read(&self.nodes[id]) => {
                    let Some((function, at)) = self.nodes[id].at else { continue };
                    self.names.reason(Reason::Memory(function, at))
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

    /// Where the search was cut off: as deep, or as large, as it may be.
    pub fn is_cut(&self) -> bool {
        let is_limit = |what: &What| matches!(what, What::Unknown(Reason::Deep | Reason::Large));
        self.reached(false).into_iter().any(|id| is_limit(&self.nodes[id].what))
    }

    /// Nodes from the root on, nearest first; `stops` at named inputs.
    pub(super) fn reached(&self, stops: bool) -> Vec<ExplanationId> {
        let mut seen: HashSet<ExplanationId> = HashSet::from_iter([self.root()]);
        let mut order = vec![self.root()];
        let mut position = 0;
        while let Some(&id) = order.get(position) {
            position += 1;
            if stops && self.is_input(id) {
                continue;
            }
            for link in &self.nodes[id].links {
                if seen.insert(link.to) {
                    order.push(link.to);
                }
            }
        }
        order
    }
}

/// Each node behind those that it links to (there are no cycles).
pub(super) fn order(nodes: &IdMap<ExplanationId, Explanation>) -> Vec<ExplanationId> {
    let mut order = Vec::new();
    let mut seen: IdMap<ExplanationId, bool> = IdMap::filled(nodes.len(), false);
    for root in nodes.ids() {
        let mut stack = vec![(root, 0usize)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((id, position)) = stack.pop() {
            match nodes[id].links.get(position) {
                Some(link) => {
                    stack.push((id, position + 1));
                    if !std::mem::replace(&mut seen[link.to], true) {
                        stack.push((link.to, 0));
                    }
                }
                None => order.push(id),
            }
        }
    }
    order
}

//! What is known of one program's work? A table of facts.
//!
//! A [`Fact`] says of a [`Subject`] (the program, a function, a line, a block,
//! an edge, a path, what is called, how runs ended) one number in one [`Column`], with its unit, where it comes from
//! and how sure it is. Subjects carry the names, hashes and skeleton that a
//! later reader needs, so that two ledgers compare without their maps.
//!
//! A [`Ledger`] is always in one order (subjects, then columns), without
//! doubles, so equal facts are equal ledgers and equal files. Values are
//! `u64`; a sum that does not fit is an error, never a wrapped number. What is no
//! count (trip counts, ranges, formulas) stands beside the facts, as [`Answers`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use opcost_key::{Anchor, BuildFacts, CostFacts, FunctionKey, Hash128, ModuleMap};
use thiserror::Error;

use crate::answers::Answers;
use crate::place::SourcePlace;
use crate::texts::LineTexts;
use crate::words::{Column, Origin, Quality, Unit, Way, World};

/// A table of facts and what they were measured on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Build, machine, model, commands.
    pub about: About,
    facts: Vec<Fact>,
    /// What is known that is no count.
    pub answers: Answers,
}

/// What the facts were measured on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The modules of the program.
    pub modules: Vec<ModuleFacts>,
    /// Code that answers are about, where nothing was counted and so no map describes it.
    pub code: Vec<CodeFacts>,
    /// The cost model of all `instructions` columns; without such columns one that is called `none`.
    pub cost: CostFacts,
    /// The machines it ran on, each once, in order.
    pub machines: Vec<String>,
    /// The commands that were run, each once, in order.
    pub commands: Vec<Vec<String>>,
    /// How many runs the facts are the sum of; 0 where only code was looked at.
    pub runs: u64,
    /// What is written on lines that have a cost.
    pub texts: LineTexts,
}

/// Code that was looked at or recorded, and not counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeFacts {
    /// What it is called: sources that are one program, or a module of a program.
    pub name: String,
    /// The hash of what was looked at in it. Of an analysis all of the linked code; of a program
    /// that records values the list of what it records.
    pub hash: Hash128,
}

/// One module of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFacts {
    /// Its path, relative to the project root.
    pub module: String,
    /// The hash of its map.
    pub map: Hash128,
    /// Where its instructions got their identity.
    pub anchor: Anchor,
    /// How it was built.
    pub build: BuildFacts,
}

/// A function, as far as ledgers compare it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionFacts {
    /// Linkage name.
    pub name: String,
    /// The module that holds it.
    pub module: String,
    /// Whether the name is local to the module.
    pub is_local: bool,
    /// Hash of its control-flow graph and call positions.
    pub shape: Hash128,
    /// Hash of shape, opcodes and types.
    pub body: Hash128,
    /// What a local function was called before its module was linked to others, where that is
    /// known.
    pub home: Option<FunctionKey>,
}

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// All of the program.
    Program,
    /// A function.
    Function {
        /// Which.
        function: Arc<FunctionFacts>,
        /// Where it is written.
        place: Option<SourcePlace>,
    },
    /// A line of the source.
    Line(SourcePlace),
    /// A block of a function.
    Block {
        /// The function.
        function: Arc<FunctionFacts>,
        /// Position in the function.
        block: u32,
        /// Its first line.
        place: Option<SourcePlace>,
    },
    /// An edge of a function's flow graph.
    Edge {
        /// The function.
        function: Arc<FunctionFacts>,
        /// Position in the function.
        edge: u32,
        /// Which way it is.
        edge_kind: Way,
        /// The block it comes from; `None`: from outside.
        from: Option<u32>,
        /// The block it leads to; `None`: to the outside.
        to: Option<u32>,
        /// Successor slot of a branch.
        slot: Option<u32>,
    },
    /// A path through a function, from its entry or a cut edge to its end or
    /// the next cut edge (Ball and Larus 1996).
    Path {
        /// The function.
        function: Arc<FunctionFacts>,
        /// Its number in the function.
        path: u32,
        /// The edges along it, by position in the function; one that is cut
        /// belongs to the path that it ends.
        edges: Arc<[u32]>,
    },
    /// Calls through pointers that a function makes on one line.
    Pointers {
        /// The function that calls.
        function: Arc<FunctionFacts>,
        /// The line, when there is one.
        place: Option<SourcePlace>,
    },
    /// A line of the source, as far as it is in one function: what is inlined there is under its own
    /// file.
    FunctionLine {
        /// The function.
        function: Arc<FunctionFacts>,
        /// The line.
        place: SourcePlace,
    },
    /// Other calls of the program, by what is called.
    Called(Called),
    /// Why counts are not exact: position among the reasons of a run, and words.
    Doubt(u32, Arc<str>),
    /// Runs that ended in one way.
    Ending(ProcessEnding),
}

/// What a program calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Called {
    /// A function that no module of it defines, by linkage name.
    External(Arc<str>),
    /// A memory intrinsic that becomes a library call (`memcpy`).
    Memory(Arc<str>),
    /// Inline assembly.
    Assembly,
    /// Functions that it defines, all of them.
    Internal,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessEnding {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Called::External(name) | Called::Memory(name) => f.write_str(name),
            Called::Assembly => f.write_str("inline assembly"),
            Called::Internal => f.write_str("functions of the program"),
        }
    }
}

impl fmt::Display for ProcessEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessEnding::Exited(status) => write!(f, "exit status {status}"),
            ProcessEnding::Killed(signal) => write!(f, "signal {signal}"),
        }
    }
}

impl ModuleFacts {
    /// What a ledger says of the module of a map of this hash. Where counters go is no part of what was counted.
    pub fn of(map: &ModuleMap, hash: Hash128) -> Self {
        let hash = map.by_code.unwrap_or(hash);
        Self { module: map.module.clone(), map: hash, anchor: map.anchor, build: map.build.clone() }
    }
}

impl FunctionFacts {
    /// What it is called in answers: one key for one function of the program, whatever else was
    /// linked.
    pub fn key(&self) -> FunctionKey {
        if !self.is_local {
            return FunctionKey { module: None, name: self.name.as_str().into() };
        }
        let own =
            || FunctionKey { module: Some(self.module.as_str().into()), name: self.name.as_str().into() };
        self.home.clone().unwrap_or_else(own)
    }
}

impl Subject {
    /// The function that the subject is or belongs to.
    pub fn function(&self) -> Option<&Arc<FunctionFacts>> {
        match self {
            Subject::Program
            | Subject::Line(_)
            | Subject::Called(_)
            | Subject::Doubt(..)
            | Subject::Ending(_) => None,
            Subject::Function { function, .. }
            | Subject::Pointers { function, .. }
            | Subject::FunctionLine { function, .. }
            | Subject::Block { function, .. }
            | Subject::Edge { function, .. }
            | Subject::Path { function, .. } => Some(function),
        }
    }

    /// The line that the subject is or begins on.
    pub fn place(&self) -> Option<&SourcePlace> {
        match self {
            Subject::Program
            | Subject::Edge { .. }
            | Subject::Path { .. }
            | Subject::Called(_)
            | Subject::Doubt(..)
            | Subject::Ending(_) => None,
            Subject::Line(place) | Subject::FunctionLine { place, .. } => Some(place),
            Subject::Function { place, .. }
            | Subject::Block { place, .. }
            | Subject::Pointers { place, .. } => place.as_ref(),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Program => f.write_str("the program"),
            Subject::Function { function, .. } => write!(f, "function {}", function.name),
            Subject::Line(place) => write!(f, "{}:{}", place.file, place.line),
            Subject::Block { function, block, .. } => {
                write!(f, "block {block} of function {}", function.name)
            }
            Subject::Edge { function, edge, .. } => write!(f, "edge {edge} of function {}", function.name),
            Subject::Path { function, path, .. } => write!(f, "path {path} of function {}", function.name),
            Subject::Pointers { function, .. } => write!(f, "calls through pointers in {}", function.name),
            Subject::FunctionLine { function, place } => {
                write!(f, "{}:{} in function {}", place.file, place.line, function.name)
            }
            Subject::Called(called) => write!(f, "calls of {called}"),
            Subject::Doubt(_, words) => write!(f, "runs with a doubt: {words}"),
            Subject::Ending(ending) => write!(f, "runs that ended with {ending}"),
        }
    }
}

/// One number, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub subject: Subject,
    /// Which question it answers.
    pub column: Column,
    /// The answer, in the column's unit; `None` when the quality is unknown.
    pub value: Option<u64>,
    /// How it was had.
    pub origin: Origin,
    /// How sure it is.
    pub quality: Quality,
    /// Under which assumption about callers.
    pub world: World,
}

impl Fact {
    /// The value, if it is a number of calls that is known. Samples say where time is spent, and not
    /// how often something was entered.
    pub fn known_calls(&self) -> Option<u64> {
        let is_of_samples = self.quality == Quality::Estimate && self.origin != Origin::Predicted;
        self.value.filter(|_| !is_of_samples)
    }

    /// The unit of the value.
    pub fn unit(&self) -> Unit {
        self.column.unit()
    }
}

/// Why facts do not make a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LedgerError {
    /// A number that is too large.
    #[error(
        "{column} of {subject} is {value}, more than the 64 bits of a ledger: split the run, or add ledgers in \
         a database, where sums are wider"
    )]
    TooLarge {
        /// What it is about.
        subject: String,
        /// Which question.
        column: Column,
        /// The number, or the part of it that was added up so far.
        value: u128,
    },
    /// One subject's column comes from two kinds of source.
    #[error("{column} of {subject} is {first} here and {second} there: such facts cannot be added")]
    MixedOrigin {
        /// What it is about.
        subject: String,
        /// Which question.
        column: Column,
        /// Its origin.
        first: Origin,
        /// The other.
        second: Origin,
    },
}

impl Ledger {
    /// The ledger of these facts, in any order. Facts of one subject and
    /// column are added; the sum is as sure as the least sure of them.
    pub fn new(about: About, facts: impl IntoIterator<Item = Fact>) -> Result<Self, LedgerError> {
        let facts = add_up(facts)?.into_iter().map(|Sum { mut fact, total }| {
            fact.value = total.map(u64::try_from).transpose().map_err(|_| LedgerError::TooLarge {
                subject: fact.subject.to_string(),
                column: fact.column,
                value: total.unwrap_or(0),
            })?;
            Ok(fact)
        });
        let facts = facts.collect::<Result<_, LedgerError>>()?;
        Ok(Self { about, facts, answers: Answers::default() })
    }

    /// The ledger of facts that are in order and without doubles already.
    pub(crate) fn of_ordered(about: About, facts: Vec<Fact>) -> Self {
        debug_assert!(facts.is_sorted_by_key(|fact| (&fact.subject, fact.column)));
        Self { about, facts, answers: Answers::default() }
    }

    /// Whether anything was counted or sampled; without, there are answers at most.
    pub fn has_counts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// The facts, by subject, then column.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The value that one subject has in a column.
    pub fn value(&self, subject: &Subject, column: Column) -> Option<u64> {
        let key = |fact: &Fact| (&fact.subject, fact.column).cmp(&(subject, column));
        let position = self.facts.binary_search_by(key).ok()?;
        self.facts[position].value
    }

    /// The sum of a column over all facts that `wanted` keeps.
    pub fn sum(&self, column: Column, wanted: impl Fn(&Subject) -> bool) -> u128 {
        let facts = self.facts.iter().filter(|fact| fact.column == column && wanted(&fact.subject));
        facts.filter_map(|fact| fact.value).map(u128::from).sum()
    }
}

/// Facts of one subject and column, added.
pub(crate) struct Sum {
    /// What they say together but the value.
    pub(crate) fact: Fact,
    /// Their values; 2^64 of the largest fit. `None`: one is unknown.
    pub(crate) total: Option<u128>,
}

/// Adds facts of one subject and column; the result is in a ledger's order.
pub(crate) fn add_up(facts: impl IntoIterator<Item = Fact>) -> Result<Vec<Sum>, LedgerError> {
    let mut sums: BTreeMap<(Subject, Column), Sum> = BTreeMap::new();
    for fact in facts {
        match sums.get_mut(&(fact.subject.clone(), fact.column)) {
            Some(sum) => sum.add(fact)?,
            None => {
                let total = fact.value.map(u128::from);
                sums.insert((fact.subject.clone(), fact.column), Sum { fact, total });
            }
        }
    }
    Ok(sums.into_values().collect())
}

impl Sum {
    fn add(&mut self, other: Fact) -> Result<(), LedgerError> {
        let sum = &mut self.fact;
        if sum.origin != other.origin {
            return Err(LedgerError::MixedOrigin {
                subject: sum.subject.to_string(),
                column: sum.column,
                first: sum.origin,
                second: other.origin,
            });
        }
        self.total = self.total.zip(other.value).map(|(ours, theirs)| ours + u128::from(theirs));
        sum.quality = sum.quality.clone().and(other.quality);
        sum.world = sum.world.max(other.world);
        Ok(())
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;

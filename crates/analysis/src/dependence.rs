//! What decides a value, and who changes an object?
//!
//! From a value back, through registers, memory, parameters and results, to
//! constants and named inputs ([`Resolver::resolve`]); and from an object
//! forward to every store that can change it ([`Resolver::stores_to`]). The
//! method is the resolver of llvm-pred (Xie, 2014) with its known losses
//! mended: questions are keyed by the use (the call site and the argument),
//! not by the variable; the search goes on past writes that are only possible;
//! and all rules share what they found.
//!
//! | question | file |
//! |---|---|
//! | what is asked of memory, and who answers? | [`memory`], `binding` |
//! | what is an answer made of? | [`explanation`] |
//! | how did control come here? | `contexts`, `calls` |
//! | which bytes does a pointer point to here? | `places`, `steps` |
//! | which writes can a read see? | `reaching`, `search` |
//! | what decides a value, one step back? | `expand`, `library`, `rules` |
//! | the whole answer | `build` |
//! | what follows from it? | `resolution`, `evaluate`, `numbers` |
//! | how does it read? | [`text`], `names`, [`graph`] |
//! | who changes an object? | [`forward`] |
//!
//! Cost: an answer is bounded in depth and size ([`Limits`]) and says where it
//! stopped; writers of a cell and events of a function are found once for all
//! answers. Limits of what is claimed: see [`Quality`].

pub mod binding;
mod build;
mod calls;
mod contexts;
mod evaluate;
mod expand;
pub mod explanation;
pub mod graph;
mod inputs;
mod library;
pub mod memory;
mod names;
mod numbers;
mod places;
mod reaching;
mod resolution;
mod rules;
mod search;
mod steps;
pub mod text;

use rustc_hash::FxHashMap as HashMap;

use opcost_index::IdMap;
use opcost_ir::{Module, Value};
use opcost_key::{FunctionId, InstructionId};

pub use explanation::{Argument, Certainty, Elements, Explanation, ExplanationId, Input, Link, Reason, What};
pub use memory::{Cell, Memory, Object};
pub use resolution::Quality;

use build::{Builder, Question};
use contexts::ContextId;
use names::Names;
use rules::Uses;
use search::{Search, Shared};

/// A way to find what a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleSet {
    /// `UseOnlyResolve`: the nearest store among the uses of the same pointer,
    /// no aliases. Quick, and never certain.
    UseOnly,
    /// `MDAResolve`: every write that can reach the load.
    MemoryAnalysis,
    /// `SLGResolve`: the stores that a recorded run saw for it.
    Profile,
    /// `NoResolve`: full dependence. The load depends on its address and is
    /// done with; closes what others leave open.
    Full,
}

impl RuleSet {
    /// The name that the source document has for it.
    pub fn name(self) -> &'static str {
        match self {
            RuleSet::UseOnly => "UseOnlyResolve",
            RuleSet::MemoryAnalysis => "MDAResolve",
            RuleSet::Profile => "SLGResolve",
            RuleSet::Full => "NoResolve",
        }
    }
}

/// How far an answer may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Links from the question on.
    pub depth: u32,
    /// Nodes.
    pub nodes: usize,
    /// Steps of all searches for one answer.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 64, nodes: 512, steps: 1 << 16 }
    }
}

/// An instruction of the module.
pub type Spot = (FunctionId, InstructionId);

/// Which stores a recorded run saw for which loads of global data.
pub type StoreLoadProfile = HashMap<Spot, Vec<Spot>>;

/// A value where it is used.
#[derive(Clone, Copy, Debug)]
pub struct Use<'c> {
    /// The function that it is a value of.
    pub function: FunctionId,
    /// The value.
    pub value: Value,
    /// The calls that led there, outermost first, as far as they are to count.
    /// None: any.
    pub calls: &'c [Spot],
}

/// What rules look things up in.
struct Tables<'a> {
    uses: Uses<'a>,
    profile: StoreLoadProfile,
}

/// Answers questions about one module.
pub struct Resolver<'a, M: Memory> {
    shared: Shared<'a, M>,
    names: Names<'a>,
    rules: Vec<RuleSet>,
    tables: Tables<'a>,
    limits: Limits,
}

impl<'a, M: Memory> Resolver<'a, M> {
    /// A resolver that asks memory analysis only. Cost: linear in the calls.
    pub fn new(module: &'a Module, memory: &'a M) -> Self {
        Resolver {
            shared: Shared::new(module, memory),
            names: Names::new(module),
            rules: vec![RuleSet::MemoryAnalysis],
            tables: Tables { uses: Uses::new(module), profile: HashMap::default() },
            limits: Limits::default(),
        }
    }

    /// These rules instead, each for what those before it leave open.
    #[must_use]
    pub fn with_rules(mut self, rules: &[RuleSet]) -> Self {
        self.rules = rules.to_vec();
        self
    }

    /// What a recorded run saw, for [`RuleSet::Profile`].
    #[must_use]
    pub fn with_profile(mut self, profile: StoreLoadProfile) -> Self {
        self.tables.profile = profile;
        self
    }

    /// Other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What decides a value.
    pub fn resolve(&self, asked: &Use<'_>) -> Resolution<'_, 'a> {
        let mut context = ContextId::empty();
        let callees = asked.calls.iter().skip(1).map(|&(function, _)| function).chain([asked.function]);
        for (&(function, call), callee) in asked.calls.iter().zip(callees) {
            context = self.shared.enter(context, function, call, callee);
        }
        let search = Search::new(&self.shared, self.limits.steps);
        let builder = Builder::new(search, &self.rules, &self.tables, self.limits);
        let (nodes, assumptions) = builder.answer(Question::Value(asked.function, asked.value, context));
        Resolution::new(nodes, assumptions, &self.names, &self.shared.layout)
    }
}

/// An answer: a graph of explanations, the first of which is what was asked.
pub struct Resolution<'r, 'a> {
    nodes: IdMap<ExplanationId, Explanation>,
    assumptions: Vec<&'static str>,
    names: &'r Names<'a>,
    layout: &'r opcost_ir::Layout,
    facts: resolution::Facts,
}

#[cfg(test)]
mod tests;

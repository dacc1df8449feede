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
//! | which writes can a read see? | `reaching`, `search`, `earlier` |
//! | what decides a value, one step back? | `expand`, `recall`, `library`, `rules` |
//! | the whole answer | `build` |
//! | what follows from it? | `resolution`, `evaluate`, `numbers` |
//! | what are inputs called? | `inputs`, `units` |
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
mod earlier;
mod evaluate;
mod expand;
pub mod explanation;
pub mod forward;
pub mod graph;
mod inputs;
mod library;
pub mod memory;
mod names;
mod numbers;
mod places;
mod reaching;
mod recall;
mod resolution;
mod rules;
mod search;
mod steps;
pub mod text;
mod units;

use rustc_hash::FxHashMap as HashMap;
use std::cell::OnceCell;
use std::rc::Rc;

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
use units::Open;

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
        Limits { depth: 48, nodes: 256, steps: 1 << 14 }
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
    opens: OnceCell<Rc<Vec<Open>>>,
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
            opens: OnceCell::new(),
        }
    }

    /// The `OPEN` statements of the module.
    fn opens(&self) -> Rc<Vec<Open>> {
        let made = || Rc::new(Search::new(&self.shared, self.limits.steps).opens());
        self.opens.get_or_init(made).clone()
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

    /// What decides what the bytes that a load reads hold right behind an
    /// instruction of the same function. None where the load's address is no
    /// place that is known, or nothing stands behind the instruction.
    pub fn resolve_behind(
        &self,
        function: FunctionId,
        load: InstructionId,
        at: InstructionId,
    ) -> Option<Resolution<'_, 'a>> {
        let search = Search::new(&self.shared, self.limits.steps);
        let mut builder = Builder::new(search, &self.rules, &self.tables, self.limits);
        let question = builder.cell_behind(function, load, at)?;
        Some(self.answered(builder, question))
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
        self.answered(builder, Question::Value(asked.function, asked.value, context))
    }

    fn answered(&self, builder: Builder<'_, 'a, M>, question: Question) -> Resolution<'_, 'a> {
        let (nodes, assumptions) = builder.answer(question);
        let reads = nodes.values().any(|node| matches!(node.what, What::Input(Input::Read { .. })));
        let opens = if reads { self.opens() } else { Rc::default() };
        let parts = Parts { nodes, assumptions, opens };
        Resolution::new(parts, &self.names, &self.shared.layout)
    }
}

/// What a search comes back with.
struct Parts {
    nodes: IdMap<ExplanationId, Explanation>,
    assumptions: Vec<&'static str>,
    opens: Rc<Vec<Open>>,
}

/// An answer: a graph of explanations, the first of which is what was asked.
pub struct Resolution<'r, 'a> {
    nodes: IdMap<ExplanationId, Explanation>,
    assumptions: Vec<&'static str>,
    opens: Rc<Vec<Open>>,
    names: &'r Names<'a>,
    layout: &'r opcost_ir::Layout,
    facts: resolution::Facts,
}

#[cfg(test)]
mod tests;

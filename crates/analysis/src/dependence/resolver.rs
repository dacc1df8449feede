//! Who answers what decides a value?
//!
//! A resolver of one module, with its rules, tables and limits. Each question is
//! followed to its end by [`build`](super::build). Cost: see there.

use rustc_hash::FxHashMap as HashMap;
use std::cell::OnceCell;
use std::rc::Rc;

use opcost_ir::{Module, Value};
use opcost_key::{FunctionId, InstructionId};

use super::build::Builder;
use super::contexts::ContextId;
use super::expander::Expander;
use super::explanation::{OutsideInput, What};
use super::memory::MemoryQueries;
use super::names::Names;
use super::question::Question;
use super::resolution::{Parts, Resolution};
use super::rule_set::{InstructionSite, Limits, RuleSet, StoreLoadProfile};
use super::search::{Search, Shared};
use super::units::Open;
use super::uses::{Tables, Uses};

/// A value where it is used.
#[derive(Clone, Copy, Debug)]
pub struct Use<'c> {
    /// The function that it is a value of.
    pub function: FunctionId,
    /// The value.
    pub value: Value,
    /// The calls that led there, outermost first, as far as they are to count.
    /// None: any.
    pub calls: &'c [InstructionSite],
}

/// Answers questions about one module.
pub struct Resolver<'a, M: MemoryQueries> {
    pub(super) shared: Shared<'a, M>,
    names: Names<'a>,
    rules: Vec<RuleSet>,
    tables: Tables<'a>,
    pub(super) limits: Limits,
    opens: OnceCell<Rc<Vec<Open>>>,
}

impl<'a, M: MemoryQueries> Resolver<'a, M> {
    /// A resolver that asks memory analysis only. Cost: linear in the calls.
    pub fn new(module: &'a Module, memory: &'a M) -> Self {
        Resolver {
            shared: Shared::new(module, memory),
            names: Names::new(module, memory),
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

    /// What decides what the bytes that a load reads hold right after an instruction of the same
    /// function. None where the load's address is no place that is known, or nothing follows the
    /// instruction.
    pub fn resolve_behind(
        &self,
        function: FunctionId,
        load: InstructionId,
        at: InstructionId,
    ) -> Option<Resolution<'_, 'a>> {
        let search = Search::new(&self.shared, self.limits.steps);
        let mut builder = self.builder(search);
        let question = builder.expander.cell_behind(function, load, at)?;
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
        let builder = self.builder(search);
        self.answered(builder, Question::Value(asked.function, asked.value, context))
    }

    fn builder<'s>(&'s self, search: Search<'s, 'a, M>) -> Builder<'s, 'a, M> {
        Builder::new(Expander::new(search, &self.rules, &self.tables), self.limits)
    }

    fn answered(&self, builder: Builder<'_, 'a, M>, question: Question) -> Resolution<'_, 'a> {
        let (nodes, assumptions) = builder.answer(question);
        let reads = nodes.values().any(|node| matches!(node.what, What::Input(OutsideInput::Read { .. })));
        let opens = if reads { self.opens() } else { Rc::default() };
        let parts = Parts { nodes, assumptions, opens };
        Resolution::new(parts, &self.names, &self.shared.layout)
    }
}

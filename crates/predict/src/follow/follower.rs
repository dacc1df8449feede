//! What is known while a program is followed?
//!
//! The state that all parts of the evaluation share: models, what is left of the budget, the log of
//! what happened, and summaries of loops.

use std::collections::BTreeMap;
use std::rc::Rc;

use opcost_analysis::memory::{MemoryModel, ObjectId};
use opcost_analysis::rounding::changes_rounding;
use opcost_claims::Bindings;
use opcost_graph::loops::LoopId;
use opcost_ir::{CalleeRef, Module};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use super::content::InstanceId;
use super::facts::Facts;
use super::log::{Event, Log};
use super::memory::{Memory, Rest};
use super::summary::{Summary, SummaryKey};
use super::writes::WritesOf;
use crate::contexts::{Context, Contexts};
use crate::evaluate::Belief;

/// Instructions that are evaluated, in all.
const STEPS: i64 = 3_000_000;

/// Evaluates a program.
pub(crate) struct Follower<'f, 'a> {
    pub(super) model: &'a MemoryModel<'a>,
    pub(super) contexts: &'f mut Contexts<'a>,
    pub(super) belief: Belief,
    pub(super) writes: WritesOf<'a>,
    pub(super) facts: HashMap<FunctionId, Rc<Facts>>,
    pub(super) log: Log,
    /// What is left of them, and how far the loop at hand may go.
    pub(super) steps: i64,
    pub(super) floor: i64,
    pub(super) instances: u32,
    /// How often a loop was iterated in vain.
    pub(super) failures: HashMap<(FunctionId, LoopId), u32>,
    pub(super) summaries: HashMap<SummaryKey, Rc<Summary>>,
    pub(super) closed: HashMap<(FunctionId, Context), bool>,
    pub(super) is_rounded_to_nearest: bool,
    /// Words of the command line that are numbers; 1 is the first after the program's name.
    pub(super) words: BTreeMap<u32, i128>,
}

/// The loop at hand costs too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl<'f, 'a> Follower<'f, 'a> {
    /// None if the program may do what an evaluation from `main` on does not see.
    pub(crate) fn new(
        model: &'a MemoryModel<'a>,
        contexts: &'f mut Contexts<'a>,
        bindings: &Bindings,
        belief: Belief,
    ) -> Option<Follower<'f, 'a>> {
        if !is_sequential(model) {
            return None;
        }
        Some(Follower {
            model,
            contexts,
            belief,
            writes: WritesOf::new(model, bindings.reads),
            facts: HashMap::default(),
            log: Log::new(model.module),
            steps: STEPS,
            floor: 0,
            instances: model.module.globals.len() as u32,
            failures: HashMap::default(),
            summaries: HashMap::default(),
            closed: HashMap::default(),
            words: bindings.fortran_words(),
            is_rounded_to_nearest: !changes_rounding(model.module),
        })
    }

    pub(super) fn facts(&mut self, id: FunctionId) -> Rc<Facts> {
        if let Some(facts) = self.facts.get(&id) {
            return facts.clone();
        }
        let modelled = self.contexts.models[id].clone();
        let facts = Rc::new(Facts::of(self.model, id, modelled.as_deref(), &self.writes));
        self.facts.insert(id, facts.clone());
        facts
    }

    /// Whether an activation of the function can be followed.
    pub(super) fn is_followable(&mut self, id: FunctionId) -> bool {
        !self.contexts.cycle[id]
            && self.contexts.models[id].is_some()
            && self.model.is_final_body(id)
            && self.facts(id).is_followable
    }

    /// A new instance of what an instruction makes.
    pub(super) fn instance(&mut self, memory: &mut Memory, made: Made, rest: Rest) -> InstanceId {
        let id = InstanceId::new(self.instances as usize);
        self.instances += 1;
        let object: Option<ObjectId> = self.model.addresses.objects().of_site(made.function, made.at);
        memory.add(id, object, rest);
        id
    }

    pub(super) fn note(&mut self, event: Event) {
        self.log.add(event);
    }
}

/// The position of the code that makes an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) function: FunctionId,
    pub(super) at: InstructionId,
}

/// Whether nothing runs but `main` and what it calls, in order.
fn is_sequential(model: &MemoryModel<'_>) -> bool {
    let module: &Module = model.module;
    if module.initializers.iter().any(|one| !one.at_end) || module.has_module_assembly {
        return false;
    }
    module.functions.values().all(|function| {
        function.calls.iter().all(|&(at, ref call)| {
            let is_later = match call.callee {
                CalleeRef::Declaration(declared) => {
                    let effect = model.externals.effect(function, at, declared);
                    effect.callbacks.iter().any(|one| one.is_later)
                }
                _ => false,
            };
            !is_later && !call.returns_twice
        })
    })
}

//! What do values hold, followed forwards from the start of `main`?
//!
//! Resolution backwards answers what one value is. A program that works its sizes out first, in arrays
//! by level, in COMMON, in functions that are handed addresses, is better followed forwards. This is
//! an evaluation of the program with contents that may be unknown. Where a branch is decided, it goes
//! that way; where it is not, it goes both ways with their probabilities, and joins what holds of
//! both. A loop that formulas count is not iterated: its blocks are counted by the evaluator, and what
//! it writes is forgotten. Other loops are iterated while values decide their exits. A loop whose exit
//! is not decided is taken back and counted as without this room.
//!
//! | question | file |
//! |---|---|
//! | what is a value? | `content` |
//! | what does memory hold? | `memory` |
//! | what does an instruction give? | `compute` |
//! | which memory may be written? | `writes` |
//! | what of a function does not change? | `facts` |
//! | what happened? | `log` |
//! | what does an activation do? | `activation` |
//! | what does a call do? | `calls` |
//! | what does a loop do? | `loops` |
//!
//! Input: a closed program, models of its functions. Output: [`Followed`], which has counts of
//! what was followed and the calls that were not. Cost: at most [`STEPS`] instructions.
//! Limits: nothing is followed in a program with constructors, other threads, handlers of signals or
//! functions that return twice; nor in functions with exceptions or cycles that are no loops.

mod activation;
mod calls;
mod compute;
mod content;
mod facts;
mod log;
mod loops;
mod memory;
mod writes;

use std::rc::Rc;

use opcost_analysis::dependence::Reads;
use opcost_analysis::memory::{MemoryModel, ObjectId};
use opcost_graph::loops::LoopId;
use opcost_ir::{CalleeRef, Module};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use crate::contexts::Contexts;
use crate::evaluate::Belief;
use crate::prediction::Class;
use content::InstanceId;
use facts::Facts;
use log::{Event, Log, Path, Weight};
use memory::{Memory, Rest};
use writes::WritesOf;

pub(crate) use log::Followed;

/// Instructions that are evaluated, in all.
const STEPS: i64 = 3_000_000;

/// Evaluates a program.
pub(crate) struct Follower<'f, 'a> {
    model: &'a MemoryModel<'a>,
    contexts: &'f mut Contexts<'a>,
    belief: Belief,
    writes: WritesOf<'a>,
    facts: HashMap<FunctionId, Rc<Facts>>,
    log: Log,
    /// What is left of them, and how far the loop at hand may go.
    steps: i64,
    floor: i64,
    instances: u32,
    /// How often a loop was iterated in vain.
    failures: HashMap<(FunctionId, LoopId), u32>,
    summaries: HashMap<loops::SummaryKey, Rc<loops::Summary>>,
    closed: HashMap<(FunctionId, crate::contexts::Context), bool>,
    is_rounded_to_nearest: bool,
}

/// The loop at hand costs too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl<'f, 'a> Follower<'f, 'a> {
    /// None if the program may do what an evaluation from `main` on does not see.
    pub(crate) fn new(
        model: &'a MemoryModel<'a>,
        contexts: &'f mut Contexts<'a>,
        reads: Reads,
        belief: Belief,
    ) -> Option<Follower<'f, 'a>> {
        if !is_sequential(model) {
            return None;
        }
        let names = model.module.declarations.values().map(|one| &*one.name);
        let changes_rounding = |name: &str| {
            matches!(name, "fesetround" | "fesetenv" | "feupdateenv") || name.contains("rounding")
        };
        Some(Follower {
            model,
            contexts,
            belief,
            writes: WritesOf::new(model, reads),
            facts: HashMap::default(),
            log: Log::new(model.module),
            steps: STEPS,
            floor: 0,
            instances: model.module.globals.len() as u32,
            failures: HashMap::default(),
            summaries: HashMap::default(),
            closed: HashMap::default(),
            is_rounded_to_nearest: !names.clone().any(changes_rounding)
                && !model.module.module_assembly_may_round,
        })
    }

    /// Follows `main`; none if it cannot be.
    pub(crate) fn main(mut self, main: FunctionId) -> Option<Followed> {
        if !self.is_followable(main) {
            return None;
        }
        let path = Path { weight: Rc::new(Weight::one()), class: Class::StaticBlock, reason: None };
        let parameters = self.model.module.functions[main].parameters;
        let arguments: Vec<content::Content> =
            (0..parameters).map(|position| self.parameter_of_main(main, position)).collect();
        let start = activation::Start { id: main, arguments, chain: Vec::new(), path };
        self.activation(start, Memory::default()).ok()?;
        Some(self.log.finish(self.contexts))
    }

    /// How many words there are, if a user says so.
    fn parameter_of_main(&mut self, main: FunctionId, position: u32) -> content::Content {
        let value = opcost_ir::Value::Argument(position);
        let module = self.model.module;
        let ty = module.type_of(&module.functions[main], value).map(|ty| &module.types[ty]);
        match (ty, self.contexts.number_where_called(main, value, &Vec::new())) {
            (Some(&opcost_ir::Type::Integer(bits @ 1..=64)), Some(number)) => {
                content::Content::Word(number as u128 & (u128::MAX >> (128 - bits)))
            }
            _ => content::Content::Unknown,
        }
    }

    fn facts(&mut self, id: FunctionId) -> Rc<Facts> {
        if let Some(facts) = self.facts.get(&id) {
            return facts.clone();
        }
        let modelled = self.contexts.models[id].clone();
        let facts = Rc::new(Facts::of(self.model, id, modelled.as_deref(), &self.writes));
        self.facts.insert(id, facts.clone());
        facts
    }

    /// Whether an activation of the function can be followed.
    fn is_followable(&mut self, id: FunctionId) -> bool {
        !self.contexts.cycle[id]
            && self.contexts.models[id].is_some()
            && self.model.is_final_body(id)
            && self.facts(id).is_followable
    }

    /// A new instance of what an instruction makes.
    fn instance(&mut self, memory: &mut Memory, made: Made, rest: Rest) -> InstanceId {
        let id = InstanceId::new(self.instances as usize);
        self.instances += 1;
        let object: Option<ObjectId> = self.model.addresses.objects().of_site(made.function, made.at);
        memory.add(id, object, rest);
        id
    }

    fn note(&mut self, event: Event) {
        self.log.add(event);
    }
}

/// The place of the code that makes an object.
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

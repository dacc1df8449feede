//! What does an activation hold while it runs, and what goes into its parts and leaves them?
//!
//! Values only: what happens is in `activation`, `calls` and `loops`.

use std::rc::Rc;

use opcost_analysis::memory::MemoryModel;
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_ir::Value;
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use super::compute::{Computing, Contents};
use super::content::{Content, InstanceId};
use super::facts::Facts;
use super::log::{Path, Weight};
use super::memory::{Memory, Results};
use crate::contexts::{Chain, Modelled};

/// With what a function is entered.
pub(super) struct Start {
    pub(super) id: FunctionId,
    pub(super) arguments: Vec<Content>,
    pub(super) chain: Chain,
    pub(super) path: Path,
}

/// An activation while it runs.
pub(super) struct Frame {
    pub(super) id: FunctionId,
    pub(super) modelled: Rc<Modelled>,
    pub(super) facts: Rc<Facts>,
    pub(super) arguments: Vec<Content>,
    pub(super) results: Results,
    pub(super) chain: Chain,
    /// How what is executed now is known.
    pub(super) path: Path,
    /// Of loops that are being iterated.
    pub(super) iterations: IdMap<LoopId, Option<i128>>,
    /// What phis at the heads of loops held in the first iteration.
    pub(super) entries: HashMap<InstructionId, Content>,
    pub(super) locals: Vec<InstanceId>,
    pub(super) returned: Option<Arrival>,
}

impl Frame {
    /// The path at hand, taken so often.
    pub(super) fn path(&self, weight: &Rc<Weight>) -> Path {
        Path { weight: weight.clone(), ..self.path.clone() }
    }
}

/// What arrives at a block, or at the end.
#[derive(Clone)]
pub(super) struct Arrival {
    pub(super) weight: Rc<Weight>,
    pub(super) memory: Memory,
    /// Of the block's phis, or the value that is returned.
    pub(super) contents: Vec<Content>,
}

impl Arrival {
    pub(super) fn join(self, model: &MemoryModel<'_>, other: Arrival) -> Arrival {
        let contents = self.contents.iter().zip(&other.contents).map(|(&one, &two)| one.join(two)).collect();
        Arrival {
            weight: Rc::new(self.weight.plus(&other.weight)),
            memory: self.memory.join(model, &other.memory),
            contents,
        }
    }
}

/// What leaves a unit by an edge.
#[derive(Clone)]
pub(super) struct Departure {
    pub(super) edge: Edge<BlockId>,
    pub(super) arrival: Arrival,
}

/// What leaves a region.
#[derive(Default)]
pub(super) struct Leaving {
    pub(super) exits: Vec<Departure>,
    pub(super) back: Option<Arrival>,
}

/// The contents of an activation's values.
pub(super) struct View<'v> {
    pub(super) computing: Computing<'v>,
    pub(super) frame: &'v Frame,
}

impl Contents for View<'_> {
    fn content(&self, value: Value) -> Content {
        match value {
            Value::Instruction(at) => self.frame.results[at],
            Value::Argument(position) => {
                self.frame.arguments.get(position as usize).copied().unwrap_or(Content::Unknown)
            }
            other => self.computing.constant(other),
        }
    }
}

/// How a call ends.
pub(super) enum CallEnd {
    Returns(Content),
    Never,
}

/// Adds what leaves to what left by the same edge.
pub(super) fn add_departure(model: &MemoryModel<'_>, all: &mut Vec<Departure>, more: Departure) {
    match all.iter().position(|one| one.edge == more.edge) {
        Some(position) => {
            let before = all.swap_remove(position);
            let arrival = before.arrival.join(model, more.arrival);
            all.push(Departure { edge: more.edge, arrival });
        }
        None => all.push(more),
    }
}

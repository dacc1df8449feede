//! What is one activation of a loop that formulas count, for one set of numbers?

use opcost_graph::loops::LoopId;
use opcost_key::{BlockId, FunctionId};

use crate::evaluate::LoopCounts;

/// Numbers that decide the counts of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SummaryKey {
    pub(super) function: FunctionId,
    pub(super) id: LoopId,
    pub(super) numbers: Vec<Option<i128>>,
}

/// One activation of a loop as formulas count it.
pub(super) struct Summary {
    pub(super) id: LoopId,
    /// In the order of the counts.
    pub(super) members: Vec<BlockId>,
    pub(super) counts: LoopCounts,
    pub(super) is_exact: bool,
    /// Instructions.
    pub(super) cost: f64,
}

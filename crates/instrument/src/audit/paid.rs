//! What carries no metering because it was paid for elsewhere?
//!
//! Functions whose cost is part of their calls (`folded` finds them), and loops that
//! were paid for where they are entered (`prepaid` finds these).

use std::collections::{BTreeMap, BTreeSet};

use opcost_index::{IdMap, IdSet};
use opcost_ir::Value;
use opcost_key::{BlockId, FunctionId, InstructionId};

/// What such functions cost.
pub(super) type Folded = IdMap<FunctionId, Option<i64>>;

/// All that was paid for elsewhere, of a module.
#[derive(Clone, Copy)]
pub(super) struct PaidElsewhere<'a> {
    pub(super) folded: &'a Folded,
    pub(super) prepaid: &'a IdMap<FunctionId, Prepaid>,
}

/// The loops of a function that were paid for when they were entered.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepaid {
    /// All their blocks.
    pub(super) blocks: IdSet<BlockId>,
    /// Their edges that go back.
    pub(super) back_edges: BTreeSet<(BlockId, BlockId)>,
    /// By the branch that leads into each.
    pub(super) entries: BTreeMap<InstructionId, Entry>,
}

/// A way into such a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) counter: Counter,
    /// What an iteration costs.
    pub(super) turn: i64,
    /// What the branch costs in addition to its weight.
    pub(super) at_entry: i64,
    /// Whether the program computes the rest, and is charged for it.
    pub(super) is_computed: bool,
}

/// The counter of a loop, as its code moves and tests it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub(super) start: Value,
    pub(super) bound: Value,
    pub(super) step: i64,
    pub(super) is_next_tested: bool,
    pub(super) width: u32,
}

impl Prepaid {
    pub(super) fn contains(&self, block: BlockId) -> bool {
        self.blocks.contains(block)
    }

    pub(super) fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.back_edges.contains(&(from, to))
    }

    /// What the loop costs at the branch that leads into it.
    pub(super) fn at_entry(&self, at: InstructionId) -> i64 {
        self.entries.get(&at).map_or(0, |entry| entry.at_entry)
    }

    /// Whether what is after this branch must be charged by a computation.
    pub(super) fn is_computed(&self, at: InstructionId) -> bool {
        self.entries.get(&at).is_some_and(|entry| entry.is_computed)
    }
}

//! When does everything happen? The schedule as data.

use opcost_index::IdMap;
use opcost_key::BlockId;

use crate::kernel::NodeId;

/// When everything happens.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// By block.
    pub blocks: IdMap<BlockId, BlockSchedule>,
    /// Of each node that is in a block.
    pub slots: IdMap<NodeId, Option<Slot>>,
    /// Innermost loops of several blocks that stay so many states.
    pub states: Vec<StateLoop>,
}

/// A loop of several blocks that was not made one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLoop {
    /// Its first block.
    pub block: BlockId,
    /// Why it stays as it is.
    pub reason: StateReason,
    /// Cycles of an iteration on the shortest way through it; none if it has no order.
    pub shortest: Option<u32>,
    /// Cycles on the longest way.
    pub longest: Option<u32>,
}

/// Why a loop of several blocks is not made one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateReason {
    /// Control comes to blocks of it in a circle without its header.
    Entries,
    /// It is too large.
    Large,
    /// Nothing ends it.
    Endless,
    /// As one block it would begin an iteration only every so many cycles, and on its shortest way it takes fewer.
    Slower(u32),
}

/// When a node works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The cycle of its block, from 0.
    pub cycle: u32,
    /// Picoseconds after the clock at which it begins.
    pub begin: u32,
    /// The cycle in which its result is there: of a read the next one.
    pub ready_cycle: u32,
    /// Picoseconds after that clock at which it is there.
    pub ready: u32,
    /// Which unit or port of its kind it uses.
    pub unit: u32,
}

/// A block's cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSchedule {
    /// How many cycles; of a pipeline those of one iteration.
    pub length: u32,
    /// How iterations overlap, if they do.
    pub pipeline: Option<Pipeline>,
}

/// A loop of one block whose iterations overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Cycles from one iteration to the next.
    pub interval: u32,
    /// No schedule has fewer.
    pub bound: u32,
    /// What that comes from.
    pub limited_by: IntervalLimit,
    /// The cycle in which it is known whether another iteration follows.
    pub decided: u32,
}

/// Why iterations cannot follow each other faster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntervalLimit {
    /// Nothing: each cycle begins one.
    Nothing,
    /// What an iteration needs of an earlier one.
    Recurrence,
    /// Whether another iteration follows is known no earlier.
    Condition,
    /// The ports of this memory.
    Ports(String),
    /// Shared multipliers.
    Multipliers,
    /// Shared dividers.
    Dividers,
}

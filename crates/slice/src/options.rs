//! What is asked of a slice: how much may go, and what for.

use opcost_index::IdSet;

use crate::marks::LoopNumber;
use crate::site::SliceSite;

/// How much may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing; what would stay at `Calls` is found.
    Nothing,
    /// What is not control flow: every branch stays.
    Flow,
    /// The call graph stays: every call of a function of the program.
    #[default]
    Calls,
    /// A call stays only where something in its callee stays, and a loop that iterates equally often each
    /// time only where something in it does.
    Needed,
}

/// Instructions whose values are asked for, in place of loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criterion {
    /// Which.
    pub sites: Vec<SliceSite>,
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct SliceOptions {
    /// How much may go.
    pub level: Level,
    /// Loops whose events may go, with those of the loops inside them.
    pub waived: IdSet<LoopNumber>,
    /// Loops that need no events, as their counts are known otherwise or are not wanted. Those inside of them
    /// have theirs.
    pub unmarked: IdSet<LoopNumber>,
    /// Whether `main` may return another number.
    pub any_status: bool,
    /// Whether a run counts executions of blocks, to predict those of the program.
    pub counts_blocks: bool,
    /// If it is not loops that are asked for.
    pub criterion: Option<Criterion>,
}

//! What is recorded in a module, and what does each point mean?

use opcost_index::IdMap;
use opcost_ir::{CheckStep, Recording};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::claims::Claimed;
use crate::unchecked::Unchecked;

/// What is recorded in a module.
#[derive(Clone, Debug)]
pub struct RecordedPoints {
    /// What to change.
    pub recording: Recording,
    /// What the points mean, in their order.
    pub points: IdMap<opcost_ir::PointId, PointFacts>,
    /// Loops that are not recorded.
    pub refused: Vec<RefusedLoop>,
    /// Cycles with several entries, which are no loops: a block of each.
    pub irreducible: Vec<(FunctionId, BlockId)>,
}

/// What a point means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointFacts {
    /// Its function.
    pub function: FunctionId,
    /// A loop or a value.
    pub subject: RecordedSubject,
}

/// What is recorded at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedSubject {
    /// A loop.
    Loop {
        /// Its header.
        header: BlockId,
        /// The header of the loop around it.
        parent: Option<BlockId>,
        /// 1 for an outermost one.
        depth: u32,
        /// The instruction whose place is the loop's.
        placed_by: InstructionId,
        /// What is claimed.
        claim: Option<ClaimFacts>,
    },
    /// A value.
    Value {
        /// The instruction that computes, stores or returns it.
        instruction: InstructionId,
        /// Which of its operands; none: its result.
        operand: Option<u32>,
    },
    /// A parameter, each time the function is entered.
    Parameter(u32),
}

/// A claim, and how it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimFacts {
    /// What it says.
    pub what: Claimed,
    /// The same for a reader.
    pub text: String,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// The check, or why there is none.
    pub check: Result<Vec<CheckStep>, Unchecked>,
}

/// A loop that is not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLoop {
    /// Its function.
    pub function: FunctionId,
    /// Its header.
    pub header: BlockId,
    /// Why not.
    pub reason: &'static str,
}

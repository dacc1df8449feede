//! What can happen in a run? How it ends, what each loop does, who writes what
//! is read.
//!
//! Everything is kept in the order in which it happened. A loop's *activation*
//! begins where control comes to its header from outside and ends where control
//! leaves its members; one that ends so is complete, and its numbers are what an
//! exact claim must say. One that was cut off (by an exception, a `longjmp`, the
//! end of the run) is partial: its numbers are what a claim must not be below.

use opcost_index::define_id;
use opcost_ir::Value;
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::scalar::{Pointer, Scalar};

define_id!(
    /// One call of a function during a run, in the order of the calls.
    pub struct FrameId, "frame"
);

/// An instruction of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The function.
    pub function: FunctionId,
    /// The instruction of it.
    pub instruction: InstructionId,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The function returned, with its result if it has one.
    Returned(Option<Scalar>),
    /// Something was done that no program may do, or that stops it.
    Trapped {
        /// Where.
        at: Site,
        /// What.
        trap: Trap,
    },
    /// Poison decided something: a promise was broken.
    PoisonUsed {
        /// Where.
        at: Site,
        /// What it decided.
        how: ObservedUse,
    },
    /// An undefined value decided something.
    UndefinedUsed {
        /// Where.
        at: Site,
        /// What it decided.
        how: ObservedUse,
    },
    /// An exception left the function.
    Unwound,
    /// `exit`, `abort`, or [`Reply::Stop`](crate::Reply::Stop).
    Stopped,
    /// As many instructions as were allowed have been executed.
    StepsUsedUp,
    /// More memory or deeper calls than this interpreter has room for.
    RoomUsedUp,
    /// Something that the interpreter cannot do.
    Unsupported {
        /// Where.
        at: Site,
        /// What.
        what: String,
    },
}

/// What no program may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// By zero, or the rest of it.
    DivisionByZero,
    /// The least number by -1, or the rest of it.
    DivisionOverflow,
    /// `unreachable`, `llvm.trap`.
    Unreachable,
    /// An access that is not all inside the object of its pointer.
    OutOfBounds,
    /// An access to memory that was freed, or of a function that returned.
    DeadObject,
    /// An access through null.
    NullAccess,
    /// A store to constant data.
    ConstantWritten,
    /// `llvm.assume` of what is false.
    AssumptionFalse,
    /// A call of what is no function.
    NoFunction,
    /// A `longjmp` to a function that returned.
    JumpToDeadFrame,
}

/// What a value decides, so that it must be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedUse {
    /// Which way control goes.
    Branch,
    /// Which memory is accessed.
    Address,
    /// What is divided by.
    Divisor,
    /// What is called.
    Callee,
    /// How much is allocated or copied.
    Length,
    /// Whether an assumption holds.
    Assumption,
}

/// A loop to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopShape {
    /// The function that it is in.
    pub function: FunctionId,
    /// Where it is entered.
    pub header: BlockId,
    /// Its blocks, the header among them.
    pub members: Vec<BlockId>,
    /// Values of the function to be noted each time the header is executed.
    pub watched: Vec<Value>,
}

/// One time that a loop was entered.
#[derive(Clone, Debug, PartialEq)]
pub struct Activation {
    /// Position of the loop among those that the interpreter was given.
    pub shape: usize,
    /// The call of its function.
    pub frame: FrameId,
    /// The smallest activation around it in the same call, by position.
    pub parent: Option<usize>,
    /// The loops around it in the same call, outer ones first, by position, and how often each went
    /// back before this one began.
    pub outer_back_edges: Vec<(usize, u64)>,
    /// Where control came from.
    pub entered_from: BlockId,
    /// How often control came back to the header from inside.
    pub back_edges: u64,
    /// How often the header was executed: once more than that.
    pub header_executions: u64,
    /// How it ended.
    pub end: LoopEnd,
    /// For each execution of the header, after its phis: the values of [`LoopShape::watched`];
    /// `None` of one that was not computed yet.
    pub watched: Vec<Vec<Option<Scalar>>>,
}

/// How an activation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEnd {
    /// By an edge to a block outside.
    Exit {
        /// The member that the edge leaves.
        from: BlockId,
        /// The block outside.
        to: BlockId,
    },
    /// Its function or the run ended, or control was taken elsewhere.
    Abandoned,
}

impl Activation {
    /// Whether it was left by an exit of its own.
    pub fn is_complete(&self) -> bool {
        matches!(self.end, LoopEnd::Exit { .. })
    }
}

/// One execution of a store, a call, or whatever wrote memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObservedWrite {
    /// The call of the function that it is in.
    pub frame: FrameId,
    /// The instruction.
    pub at: Site,
    /// Instructions executed before it.
    pub step: u64,
}

/// Who gave a byte its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObservedWriter {
    /// Nobody in this run: it held that at the start, or was never written.
    Initial,
    /// This one, last.
    Instruction(ObservedWrite),
}

/// One execution of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedLoad {
    /// The call of the function that it is in.
    pub frame: FrameId,
    /// The load.
    pub at: Site,
    /// Instructions executed before it.
    pub step: u64,
    /// Where it read.
    pub address: Pointer,
    /// What it read.
    pub value: Scalar,
    /// Who wrote the bytes that it read, in order.
    pub writers: Vec<ObservedWriter>,
}

/// One call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedFrame {
    /// The function.
    pub function: FunctionId,
    /// The call of it; `None` for the first.
    pub caller: Option<(FrameId, InstructionId)>,
    /// Instructions executed before it.
    pub step: u64,
}

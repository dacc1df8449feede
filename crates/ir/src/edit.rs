//! What is to be changed in a module? A sorted list of edits.
//!
//! A [`Plan`] is made by looking at a [`Module`](crate::Module) and carried
//! out by the `llvm` room on the very module that the snapshot was taken of.
//! All ids are those of the snapshot; an edit never refers to what another
//! edit made. Plans are data: they can be printed, compared and checked.

use opcost_index::define_id;
use opcost_key::{BlockId, CallSiteId, CounterId, FunctionId, InstructionId};

use crate::{DeclarationId, Length};

define_id!(
    /// A counter that is in a register while a loop runs. It is a cell of the function's own, added
    /// to its counter when the loop is left.
    pub struct RegisterId, "register"
);

/// All changes to one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Cells of the module's counter array.
    pub counter_count: u32,
    /// Changes to function bodies, by function, in program order.
    pub edits: Vec<(FunctionId, Edit)>,
    /// Declared functions that go by another name: calls of `exit` lead to the
    /// runtime's wrapper.
    pub renames: Vec<(DeclarationId, String)>,
    /// Functions whose frames must be noted when an exception passes.
    pub watched: Vec<FunctionId>,
    /// Calls at which a frame can be left; their return addresses are tabled.
    pub call_sites: Vec<(FunctionId, InstructionId, CallSiteId)>,
    /// Whether every thread has counters of its own.
    pub per_thread: bool,
}

/// One change to one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// One more each time control passes the spot.
    Count {
        /// Where.
        spot: EditPoint,
        /// Which counter.
        counter: CounterId,
    },
    /// One more in `counters[n]` each time `target` is entered from
    /// `sources[n]`: for edges that cannot be cut. No two sources are equal.
    CountByPredecessor {
        /// The block entered.
        target: BlockId,
        /// The blocks it is entered from, with the counter of each.
        sources: Vec<(BlockId, CounterId)>,
    },
    /// One more each time the `returns_twice` call returns again, not the first time. The runtime
    /// also learns which frames no longer exist.
    CountAgain {
        /// The call.
        call: InstructionId,
        /// Which counter.
        counter: CounterId,
    },
    /// As `Count`, into a register.
    CountInRegister {
        /// Where.
        spot: EditPoint,
        /// Which register.
        register: RegisterId,
    },
    /// Sets the register to zero. Every way to a count or flush passes one.
    Clear {
        /// Where.
        spot: EditPoint,
        /// Which register.
        register: RegisterId,
    },
    /// Adds the register to its counter.
    Flush {
        /// Where.
        spot: EditPoint,
        /// Which register.
        register: RegisterId,
        /// Which counter.
        counter: CounterId,
    },
    /// Adds to a counter how often a loop went back. That is the distance of its induction variable from its
    /// start, in steps. If the loop is left where the variable meets a bound, the bound is read in its place.
    CountIterations {
        /// Where the loop is left.
        exit: EditPoint,
        /// The variable: `next` from where the loop goes back, one other value from everywhere else.
        phi: InstructionId,
        /// The variable after its step.
        next: InstructionId,
        /// Whether `next` is read and not `phi`, or is what meets the bound. It is known at the exit.
        is_next: bool,
        /// The comparison with the bound and the operand that is the bound, if the loop has this exit alone.
        bound: Option<(InstructionId, u32)>,
        /// The step: plus or minus a power of two.
        step: i64,
        /// Whether the step may overflow and no branch depends on it: what promises otherwise is taken off it.
        may_overflow: bool,
        /// Which counter.
        counter: CounterId,
    },
    /// A path through the function begins: its number so far is `value`.
    BeginPath {
        /// Where.
        spot: EditPoint,
        /// What the number starts with; it may be below zero on the way.
        value: i64,
    },
    /// Adds to the number of the path. Every way to it passes a beginning.
    AddToPath {
        /// Where.
        spot: EditPoint,
        /// How much.
        value: i64,
    },
    /// A path ends: one more in the counter whose distance from `first` is its
    /// number and `value`.
    CountPath {
        /// Where.
        spot: EditPoint,
        /// What is added to the number before.
        value: i64,
        /// The counter of path 0.
        first: CounterId,
    },
    /// What the instruction is about to work on is added, in units.
    AddLength {
        /// The instruction.
        instruction: InstructionId,
        /// Where the number of bytes is to be had.
        length: Length,
        /// Which counter.
        counter: CounterId,
    },
    /// The block ends in a branch to one that only returns: it gets that
    /// block's `ret` in place of the branch.
    ReturnHere {
        /// The block that branches.
        block: BlockId,
    },
    /// The call must keep this frame on the stack: it is marked `notail`.
    PreserveFrame {
        /// The call.
        call: InstructionId,
    },
}

/// A spot in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditPoint {
    /// After the phis and the landing pad of a block.
    Start(BlockId),
    /// Directly before an instruction that is no phi.
    Before(InstructionId),
    /// On an edge that can be cut: successor `slot` of the block.
    Edge(BlockId, u32),
}

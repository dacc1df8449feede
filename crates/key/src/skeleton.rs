//! What is the shape of a function, as far as counting is concerned?
//!
//! A block is cut into *segments* behind each call that is not proven to
//! return. Segments are the nodes of the function's flow graph; the outside
//! world is one more node, written as `None`. Edges carry flow, and flow is
//! conserved at every segment as soon as frames that never return leave by a
//! [`EdgeKind::Left`] edge and the second return of a `setjmp` comes in by an
//! [`EdgeKind::Again`] edge. Therefore `entries = returns + left` holds in
//! every function, whatever the program does.

use opcost_index::define_id;
use serde::{Deserialize, Serialize};

define_id!(
    /// A function of a module, in module order (declarations are not numbered).
    pub struct FunctionId, "function"
);
define_id!(
    /// A block of a function, in program order.
    pub struct BlockId, "block"
);
define_id!(
    /// A segment of a function, in program order.
    pub struct SegmentId, "segment"
);
define_id!(
    /// An edge of a function's flow graph.
    pub struct EdgeId, "edge"
);
define_id!(
    /// An instruction of a function, in program order, phis included, debug records not.
    pub struct InstructionId, "i"
);
define_id!(
    /// A counter of a module: a 64-bit cell of its counter array.
    pub struct CounterId, "counter"
);
define_id!(
    /// A call site of a module at which a frame can be left. Its number travels through code
    /// generation in place of a source line.
    pub struct CallSiteId, "site"
);
define_id!(
    /// A source file of a module.
    pub struct FileId, "file"
);
define_id!(
    /// A place in the source, of a module's table of places.
    pub struct PlaceId, "place"
);

/// One block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockMap {
    /// Its segments: this one and those after it up to the next block's first.
    pub first_segment: SegmentId,
    /// Its first instruction (a phi, perhaps).
    pub first_instruction: InstructionId,
}

/// A run of instructions that start equally often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentMap {
    /// The block it belongs to.
    pub block: BlockId,
    /// Its first instruction; it runs to the next segment's first.
    pub first_instruction: InstructionId,
    /// Sum of the weights of its instructions under the map's cost model.
    pub weight: u64,
}

/// One way that control can take between segments, or between a segment and
/// the outside (`None`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeMap {
    /// Where it comes from; `None`: from outside.
    pub from: Option<SegmentId>,
    /// Where it leads; `None`: to the outside.
    pub to: Option<SegmentId>,
    /// Which way it is.
    pub kind: EdgeKind,
    /// How its count becomes known.
    pub meter: Meter,
}

/// Which way an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EdgeKind {
    /// The function is called.
    Enter,
    /// Successor number `slot` of the terminator of `block`. Parallel edges
    /// (two cases of a switch with one target) have slots of their own.
    Branch {
        /// The block that ends in the branch.
        block: BlockId,
        /// The successor's position in the terminator.
        slot: u32,
    },
    /// The call at the end of the segment returned.
    Fall,
    /// The function is done: it returned, resumed unwinding, left by
    /// `musttail`, or reached `unreachable`.
    Return,
    /// The frame was left for good during the call at the end of the segment:
    /// an exception, `longjmp`, `exit`, `exec`, the end of the thread.
    /// Negative in a child process for frames it inherited by `fork`.
    Left(CallSiteId),
    /// A `setjmp` (any `returns_twice` call) returned once more.
    Again,
}

/// How the count of an edge becomes known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meter {
    /// A counter is incremented whenever it is taken.
    Counter(CounterId),
    /// The runtime notes each frame that is left, by return address.
    LeftFrames,
    /// From the others, by conservation of flow.
    Derived,
}

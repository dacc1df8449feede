//! What is a place where a pointer may lead? A memory, a position in it, and a bit.
//!
//! Plain data of [`candidates`](super::candidates), which makes and uses it.

use opcost_key::InstructionId;

use crate::kernel::{KernelOperand, MemoryId, NodeId};

/// Where a pointer may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) memory: MemoryId,
    /// Bytes.
    pub(crate) position: KernelOperand,
    /// Whether it leads there.
    pub(crate) is_taken: KernelOperand,
}

/// A phi of pointers to several memories, to be filled in.
#[derive(Clone, Debug)]
pub(crate) struct CandidatePhi {
    pub(crate) at: InstructionId,
    /// Of each memory the position and the bit.
    pub(crate) candidates: Vec<(MemoryId, NodeId, NodeId)>,
}

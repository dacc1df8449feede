//! What is noted of a call that fills or moves memory?
//!
//! Its memories and operands, and the two blocks between which its loop will be. Elements are
//! known when all accesses are; `transfers` makes the loop then.

use opcost_key::BlockId;

use crate::kernel::{KernelLocation, KernelOperand, MemoryId};

/// What is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// This byte, again and again.
    Byte(KernelOperand),
    /// What is at a position of a memory.
    Memory(KernelOperand, MemoryId),
}

/// Bytes that are written by one call.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) to: KernelOperand,
    pub(crate) memory: MemoryId,
    pub(crate) source: Source,
    pub(crate) bytes: KernelOperand,
    /// Control comes from here, and goes on there.
    pub(crate) before: BlockId,
    pub(crate) behind: BlockId,
    pub(crate) location: Option<KernelLocation>,
}

impl Transfer {
    /// The memory that is read.
    pub(crate) fn read(&self) -> Option<MemoryId> {
        match self.source {
            Source::Memory(_, memory) => Some(memory),
            Source::Byte(_) => None,
        }
    }
}

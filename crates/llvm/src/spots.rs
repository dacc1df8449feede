//! Where in LLVM's function is a spot of the snapshot?
//!
//! All handles are taken before the first edit, so that no edit moves the
//! ground under another; an edge is cut when the first edit asks for it.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::IdMap;
use opcost_ir::{EditPoint, Length, LengthWork};
use opcost_key::{BlockId, InstructionId};
use rustc_hash::FxHashMap;

use crate::ffi;
use crate::session::FunctionHandles;

/// The spots of one function.
pub(crate) struct Spots<'a> {
    handles: &'a FunctionHandles,
    /// Where each block's own code starts.
    starts: IdMap<BlockId, LLVMValueRef>,
    pub(crate) terminators: IdMap<BlockId, LLVMValueRef>,
    edges: FxHashMap<(BlockId, u32), LLVMValueRef>,
}

impl<'a> Spots<'a> {
    /// Looks up all handles of a function that was not edited yet.
    pub(crate) fn new(handles: &'a FunctionHandles) -> Self {
        // SAFETY: blocks of the live function; a verified block has a terminator.
        let starts =
            handles.blocks.values().map(|&block| unsafe { ffi::opcost_start_of_block(block) }).collect();
        let terminators = handles
            .blocks
            .values()
            // SAFETY: as above.
            .map(|&block| unsafe { llvm_sys::core::LLVMGetBasicBlockTerminator(block) })
            .collect();
        Self { handles, starts, terminators, edges: FxHashMap::default() }
    }

    pub(crate) fn instruction(&self, instruction: InstructionId) -> LLVMValueRef {
        self.handles.instructions[instruction]
    }

    /// The instruction before which code for this spot goes.
    pub(crate) fn before(&mut self, spot: EditPoint) -> LLVMValueRef {
        match spot {
            EditPoint::Start(block) => self.starts[block],
            EditPoint::Before(instruction) => self.instruction(instruction),
            EditPoint::Edge(block, slot) => {
                let terminator = self.terminators[block];
                *self
                    .edges
                    .entry((block, slot))
                    // SAFETY: a terminator of the live function with that many successors.
                    .or_insert_with(|| unsafe { ffi::opcost_split_edge(terminator, slot) })
            }
        }
    }
}

/// A length as the shim takes it: positions of arguments, -1 for none, and whether all of it is moved.
pub(crate) fn arguments(length: Length) -> (i32, i32, bool) {
    match length {
        Length::Arguments(first, second, work) => {
            (first as i32, second.map_or(-1, |second| second as i32), work == LengthWork::Moved)
        }
        Length::Allocated => (-1, -1, false),
    }
}

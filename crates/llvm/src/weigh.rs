//! Writes how often everything ran into a module, where LLVM looks for it.
//!
//! Branch weights, entries of functions, counts of the headers of loops with several ways in, and
//! the summary by which LLVM tells hot from cold (`shim/weigh.cpp`). The code itself stays as it is.
//! Cost: linear, but for loops with several ways in, whose frequencies LLVM estimates.

use llvm_sys::core::{LLVMGetBasicBlockTerminator, LLVMGetNumSuccessors};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use opcost_index::IdMap;
use opcost_key::{BlockId, FunctionId};

use crate::pgo::LARGEST_COUNT;
use crate::session::{LlvmError, Session};

/// How often a function's entry and branches were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// Which function.
    pub function: FunctionId,
    /// How often it was called.
    pub entries: u64,
    /// How often successors were taken: block, position of the successor, count. What
    /// is not named, of a block that is, was not taken by itself (it is another's double).
    pub branches: Vec<(BlockId, u32, u64)>,
    /// How often each block ran.
    pub blocks: IdMap<BlockId, u64>,
}

unsafe extern "C" {
    pub(crate) fn opcost_weigh_branch(terminator: LLVMValueRef, counts: *const u64, count: u32);
    fn opcost_weigh_entry(function: LLVMValueRef, count: u64);
    fn opcost_weigh_headers(
        function: LLVMValueRef,
        blocks: *const LLVMBasicBlockRef,
        counts: *const u64,
        count: usize,
    );
    fn opcost_weigh_program(module: LLVMModuleRef, counts: *const u64, ends: *const usize, functions: usize);
}

impl Session {
    /// Weighs functions of the last snapshot. `program` holds the counts of all
    /// functions of the program, of each its entries first.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn weigh(&mut self, functions: &[Weighed], program: &[Vec<u64>]) -> Result<(), LlvmError> {
        self.weigh_functions(functions);
        let counted = || program.iter().filter(|counts| !counts.is_empty());
        let all: Vec<u64> = counted().flatten().map(|&count| count.min(LARGEST_COUNT)).collect();
        let ends: Vec<usize> = counted()
            .scan(0, |end, counts| {
                *end += counts.len();
                Some(*end)
            })
            .collect();
        // SAFETY: as above; both arrays live for the call.
        unsafe { opcost_weigh_program(self.module, all.as_ptr(), ends.as_ptr(), ends.len()) };
        self.verify()
    }

    /// Weighs functions of the last snapshot, and leaves the summary of the program as it is.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn weigh_branches(&mut self, functions: &[Weighed]) -> Result<(), LlvmError> {
        self.weigh_functions(functions);
        self.verify()
    }

    fn weigh_functions(&self, functions: &[Weighed]) {
        for one in functions {
            let handles = &self.functions[one.function];
            // SAFETY: handles of the live module, here and below.
            unsafe { opcost_weigh_entry(handles.function, one.entries.min(LARGEST_COUNT)) };
            for taken in one.branches.chunk_by(|a, b| a.0 == b.0) {
                // SAFETY: as above; a block of a verified function has a terminator.
                let (end, successors) = unsafe {
                    let end = LLVMGetBasicBlockTerminator(handles.blocks[taken[0].0]);
                    (end, LLVMGetNumSuccessors(end))
                };
                if successors < 2 {
                    continue;
                }
                let mut counts = vec![0; successors as usize];
                for &(_, slot, count) in taken {
                    counts[slot as usize] = count;
                }
                // SAFETY: as above; one count per successor.
                unsafe { opcost_weigh_branch(end, counts.as_ptr(), successors) };
            }
            // What never ran has no weights to mend.
            if one.blocks.values().any(|&count| count > 0) {
                let of_block =
                    |(&block, &count): (&LLVMBasicBlockRef, &u64)| (block, count.min(LARGEST_COUNT));
                let (blocks, counts): (Vec<_>, Vec<_>) =
                    handles.blocks.values().zip(one.blocks.values()).map(of_block).unzip();
                // SAFETY: as above; one count per block.
                unsafe {
                    opcost_weigh_headers(handles.function, blocks.as_ptr(), counts.as_ptr(), blocks.len());
                };
            }
        }
    }
}

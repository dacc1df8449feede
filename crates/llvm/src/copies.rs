//! Copies blocks of a module between the reading of its profile and the rest of the optimiser.
//!
//! [`Session::use_profile`] writes the counts of a profile into the module as clang does. Then blocks get copies for
//! their ways in ([`Session::copy_blocks`]), and [`Session::finish`] runs what clang's pipeline has after the
//! profile (`shim/finish.cpp`, `shim/copies.cpp`). Which blocks get copies, and how often these run, is the caller's.
//!
//! Cost: that of the optimiser.

use std::ffi::c_char;
use std::path::Path;

use llvm_sys::core::{LLVMGetBasicBlockTerminator, LLVMGetNumSuccessors};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef};
use opcost_index::IdMap;
use opcost_ir::{BlockCopy, Copyable, FunctionCopies};
use opcost_key::{BlockId, FunctionId};

use crate::emit::Emission;
use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Session, c_path};
use crate::unrolling::LoopRequest;
use crate::weigh::opcost_weigh_branch;

unsafe extern "C" {
    fn opcost_pgo_use(module: LLVMModuleRef, profile: *const c_char) -> *mut c_char;
    fn opcost_pgo_finish(
        module: LLVMModuleRef,
        how: *const RawEmission,
        level: i32,
        profile: *const c_char,
        loops: *mut LoopRequest,
        count: usize,
    ) -> *mut c_char;
    fn opcost_copyable(block: LLVMBasicBlockRef) -> u8;
    fn opcost_copy_blocks(
        blocks: *mut LLVMBasicBlockRef,
        count: usize,
        copies: *const BlockCopy,
        copy_count: usize,
    );
    pub(crate) fn opcost_block_positions(blocks: *const LLVMBasicBlockRef, count: usize, positions: *mut u32);
}

impl Session {
    /// What can be done with each block of a function.
    pub fn copyable(&self, function: FunctionId) -> IdMap<BlockId, Copyable> {
        let blocks = self.functions[function].blocks.values();
        let of = |&block: &LLVMBasicBlockRef| {
            // SAFETY: a block of the live module.
            let bits = unsafe { opcost_copyable(block) };
            Copyable { can_copy: bits & 1 != 0, can_lead_elsewhere: bits & 2 != 0 }
        };
        blocks.map(of).collect()
    }

    /// Writes the counts of an indexed profile into the module, which is where such profiles are read.
    ///
    /// # Errors
    /// The profile cannot be read.
    pub fn use_profile(&mut self, profile: &Path) -> Result<(), LlvmError> {
        let profile = c_path(profile)?;
        // SAFETY: the module is alive, the path terminated.
        let wrong = unsafe { opcost_pgo_use(self.module, profile.as_ptr()) };
        ffi::take_message(wrong).map_or(Ok(()), |message| Err(LlvmError::Unreadable(message)))
    }

    /// Makes copies of blocks of the last snapshot. By function: of each block, copies last, its position among the
    /// blocks that the function has then.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    ///
    /// # Panics
    /// A number is of no block, or counts are not one for each successor.
    pub fn copy_blocks(&mut self, functions: &[FunctionCopies]) -> Result<Vec<Vec<u32>>, LlvmError> {
        let mut positions = Vec::new();
        for one in functions {
            let mut blocks: Vec<LLVMBasicBlockRef> =
                self.functions[one.function].blocks.values().copied().collect();
            let count = blocks.len();
            let is_earlier = |(made, copy): (usize, &BlockCopy)| {
                [copy.of, copy.from].iter().all(|&number| (number as usize) < count + made)
            };
            assert!(one.copies.iter().enumerate().all(is_earlier), "copies are made of what is there");
            blocks.resize(count + one.copies.len(), std::ptr::null_mut());
            // SAFETY: blocks of one function of the live module, with room for the copies; `opcost_copyable` allowed
            // all; copies are laid out as in `copies.cpp`.
            unsafe {
                opcost_copy_blocks(blocks.as_mut_ptr(), count, one.copies.as_ptr(), one.copies.len());
            }
            for (block, counts) in &one.branches {
                // SAFETY: as above; a block of a verified function has a terminator.
                let (end, successors) = unsafe {
                    let end = LLVMGetBasicBlockTerminator(blocks[*block as usize]);
                    (end, LLVMGetNumSuccessors(end))
                };
                assert_eq!(successors as usize, counts.len(), "one count for each successor");
                if successors > 1 {
                    // SAFETY: as above; one count per successor.
                    unsafe { opcost_weigh_branch(end, counts.as_ptr(), successors) };
                }
            }
            let mut own = vec![0; blocks.len()];
            // SAFETY: as above; one position for each block.
            unsafe { opcost_block_positions(blocks.as_ptr(), blocks.len(), own.as_mut_ptr()) };
            positions.push(own);
        }
        self.verify().map(|()| positions)
    }

    /// Runs what clang's pipeline has after the profile that was read. Numbered loops are unrolled as `loops` says,
    /// which gets what was done.
    ///
    /// # Errors
    /// There is no such machine.
    pub fn finish(
        &mut self,
        how: Emission,
        level: u8,
        profile: &Path,
        loops: &mut [LoopRequest],
    ) -> Result<(), LlvmError> {
        let profile = c_path(profile)?;
        // SAFETY: the module is alive, the path terminated, options and loops live for the call.
        let wrong = unsafe {
            let (first, count) = (loops.as_mut_ptr(), loops.len());
            opcost_pgo_finish(self.module, &how.raw(), i32::from(level), profile.as_ptr(), first, count)
        };
        ffi::take_message(wrong).map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
    }
}

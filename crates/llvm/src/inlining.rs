//! Puts called functions in place of chosen calls of a module (`shim/inlining.cpp`).
//!
//! Which calls are replaced is the caller's. The mechanics are those of LLVM's inliner. Cost: linear in what is
//! copied, and the block frequencies of the functions that change.

use std::ffi::c_char;

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use opcost_ir::{CallAt, ReplacedCall};

use crate::copies::opcost_block_positions;
use crate::emit::Emission;
use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Session};

/// As `shim/inlining.cpp` has it.
#[repr(C)]
struct RawReplaced {
    call: LLVMValueRef,
    executions: u64,
}

unsafe extern "C" {
    fn opcost_can_inline(
        module: LLVMModuleRef,
        how: *const RawEmission,
        calls: *const LLVMValueRef,
        count: usize,
        can: *mut u8,
    ) -> *mut c_char;
    fn opcost_inline(
        module: LLVMModuleRef,
        how: *const RawEmission,
        calls: *const RawReplaced,
        count: usize,
        heads: *mut LLVMBasicBlockRef,
    ) -> *mut c_char;
}

impl Session {
    /// Of calls whether each can be replaced by the function that it calls.
    ///
    /// # Errors
    /// There is no such machine.
    pub fn can_inline(&self, how: Emission, sites: &[CallAt]) -> Result<Vec<bool>, LlvmError> {
        let calls: Vec<LLVMValueRef> = sites.iter().map(|&site| self.call(site)).collect();
        let mut can = vec![0; calls.len()];
        // SAFETY: instructions of the live module, with room for one answer each.
        let wrong = unsafe {
            opcost_can_inline(self.module, &how.raw(), calls.as_ptr(), calls.len(), can.as_mut_ptr())
        };
        match ffi::take_message(wrong) {
            Some(message) => Err(LlvmError::Emission(message)),
            None => Ok(can.into_iter().map(|one| one != 0).collect()),
        }
    }

    /// Replaces calls of the last snapshot, in this order. Of each: the position of the block before the inlined code
    /// among the blocks that its function has then; none if LLVM refused it.
    ///
    /// # Errors
    /// There is no such machine; the module does not verify after it, which is a defect of ours.
    pub fn inline_calls(
        &mut self,
        how: Emission,
        calls: &[ReplacedCall],
    ) -> Result<Vec<Option<u32>>, LlvmError> {
        let raw: Vec<RawReplaced> = calls
            .iter()
            .map(|one| RawReplaced { call: self.call(one.site), executions: one.executions })
            .collect();
        let mut heads: Vec<LLVMBasicBlockRef> = vec![std::ptr::null_mut(); raw.len()];
        // SAFETY: calls of the live module that `opcost_can_inline` allowed, with room for one block each.
        let wrong =
            unsafe { opcost_inline(self.module, &how.raw(), raw.as_ptr(), raw.len(), heads.as_mut_ptr()) };
        if let Some(message) = ffi::take_message(wrong) {
            return Err(LlvmError::Emission(message));
        }
        let position = |head: &LLVMBasicBlockRef| {
            let mut position = 0;
            // SAFETY: a block of the live module, with room for its position.
            unsafe { opcost_block_positions(head, 1, &raw mut position) };
            position
        };
        let positions = heads.iter().map(|head| (!head.is_null()).then(|| position(head))).collect();
        self.verify().map(|()| positions)
    }

    fn call(&self, site: CallAt) -> LLVMValueRef {
        self.functions[site.function].instructions[site.instruction]
    }
}

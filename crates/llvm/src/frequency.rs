//! How often does LLVM think that blocks run?
//!
//! `BlockFrequencyInfo` of each function by itself (`shim/frequency.cpp`), what predictions are
//! compared with. Cost: linear.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::IdMap;
use opcost_key::{BlockId, FunctionId};

use crate::session::Session;

unsafe extern "C" {
    fn opcost_block_frequencies(function: LLVMValueRef, into: *mut u64, count: u32);
}

impl Session {
    /// LLVM's frequencies of the blocks of a function of the last snapshot, in units of its own; the
    /// entry's is among them. Empty where there is no body.
    pub fn block_frequencies(&self, function: FunctionId) -> IdMap<BlockId, u64> {
        let handles = &self.functions[function];
        let mut all = vec![0; handles.blocks.len()];
        if !all.is_empty() {
            let count = u32::try_from(all.len()).expect("ids are 32 bits wide");
            // SAFETY: a function of the live module that has these blocks, and room for each.
            unsafe { opcost_block_frequencies(handles.function, all.as_mut_ptr(), count) };
        }
        all.into_iter().collect()
    }
}

//! Numbers loops before the optimiser runs, and says how often their bodies are to be copied (`shim/unrolling.cpp`).

use llvm_sys::prelude::LLVMBasicBlockRef;
use opcost_key::{BlockId, FunctionId};

use crate::session::{LlvmError, Session};

/// How many counts may be requested.
pub const UNROLL_CHOICES: usize = 3;

/// A numbered loop, and what is requested of the unroller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LoopRequest {
    /// How many copies of its body; the first that fits is taken.
    pub counts: [u32; UNROLL_CHOICES],
    /// The most instructions that its body has then, each.
    pub sizes: [u32; UNROLL_CHOICES],
    /// What was requested; 0 is nothing.
    pub requested: u32,
    /// What was done; 0 is nothing.
    pub done: u32,
}

unsafe extern "C" {
    fn opcost_number_loop(header: LLVMBasicBlockRef, number: u32);
}

impl Session {
    /// Numbers loops of the last snapshot in their order, each by its function and its header. A header of what LLVM
    /// takes for no loop gets none.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn number_loops(&mut self, loops: &[NumberedLoop]) -> Result<(), LlvmError> {
        for (number, one) in loops.iter().enumerate() {
            let header = self.functions[one.function].blocks[one.header];
            // SAFETY: a block of the live module.
            unsafe { opcost_number_loop(header, number as u32) };
        }
        self.verify()
    }
}

/// A loop of the last snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedLoop {
    /// Its function.
    pub function: FunctionId,
    /// Its header.
    pub header: BlockId,
}

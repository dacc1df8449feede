//! Which instruction was which before a module was metered?

use opcost_index::IdMap;
use opcost_ir::Module;
use opcost_key::{FunctionId, InstructionId};

use crate::ffi;
use crate::session::Session;

/// By function and instruction: what it was before, or nothing.
pub type RecordedOrigins = IdMap<FunctionId, IdMap<InstructionId, Vec<InstructionId>>>;

impl Session {
    /// Numbers all instructions, so that they can be found again after edits. Cost: a metadata node
    /// each.
    pub fn tag_origins(&mut self) {
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_tag_origins(self.module) };
    }

    /// The module as the edits left it, and what was what; once, after all edits.
    pub fn snapshot_with_origins(&mut self) -> (Module, RecordedOrigins) {
        use opcost_index::Id;
        let module = self.snapshot();
        let origins_of = |&handle: &llvm_sys::prelude::LLVMValueRef| {
            let mut numbers = [0u32; 8];
            // SAFETY: an instruction of the live module, and room for eight.
            let count = unsafe { ffi::opcost_origins(handle, numbers.as_mut_ptr(), 8) } as usize;
            assert!(count <= numbers.len(), "few instructions become one");
            numbers[..count].iter().map(|&number| InstructionId::new(number as usize)).collect()
        };
        let origins = self.functions.values();
        let origins =
            origins.map(|handles| handles.instructions.values().map(origins_of).collect()).collect();
        (module, origins)
    }
}

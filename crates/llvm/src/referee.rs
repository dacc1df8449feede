//! What does LLVM say where a snapshot has an answer of its own?
//!
//! For tests: sizes of types and the rule of alias tags are computed without
//! LLVM, and LLVM is the referee. Ids are those of the last snapshot.

use opcost_key::{FunctionId, InstructionId};

use crate::Session;
use crate::facts_ffi;
use crate::sizes::LlvmSizes;

impl Session {
    /// Sizes of the type that an `alloca` takes; `None` of a scalable one.
    pub fn referee_sizes(&self, function: FunctionId, alloca: InstructionId) -> Option<LlvmSizes> {
        let mut sizes = LlvmSizes::default();
        let handle = self.functions[function].instructions[alloca];
        // SAFETY: an instruction of the live module; the shim checks that it is an `alloca`.
        unsafe { facts_ffi::opcost_referee_sizes(handle, &mut sizes) }.then_some(sizes)
    }

    /// Offset of a field of the struct that an `alloca` takes, in bytes.
    pub fn referee_field(&self, function: FunctionId, alloca: InstructionId, field: u32) -> u64 {
        let handle = self.functions[function].instructions[alloca];
        // SAFETY: as above; the field is one of the struct's.
        unsafe { facts_ffi::opcost_referee_field(handle, field) }
    }

    /// Whether two accesses may overlap by their alias tags alone.
    pub fn referee_overlap(&self, function: FunctionId, left: InstructionId, right: InstructionId) -> bool {
        let handles = &self.functions[function].instructions;
        // SAFETY: accesses of the live module.
        unsafe { facts_ffi::opcost_referee_overlap(handles[left], handles[right]) }
    }
}

//! Declarations of the shim that tell what a snapshot says beside code
//! (`shim/facts.cpp`, `contents.cpp`, `detail.cpp`, `referee.cpp`); each is
//! described there.

use std::ffi::{c_char, c_void};

use llvm_sys::prelude::{LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::target::LLVMTargetDataRef;

use crate::sizes::LlvmSizes;

/// What a constant is; mirrors `Facts` in `contents.cpp`.
#[repr(C)]
pub(crate) struct RawConstant {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) base: LLVMValueRef,
    pub(crate) offset: i64,
    pub(crate) kind: u8,
}

impl Default for RawConstant {
    fn default() -> Self {
        Self { low: 0, high: 0, base: std::ptr::null_mut(), offset: 0, kind: 0 }
    }
}

impl RawConstant {
    /// Whether it is the address of a function.
    pub(crate) fn is_function(&self) -> bool {
        self.kind == 8
    }
}

/// One scalar of data; mirrors `Scalar` in `contents.cpp`.
#[repr(C)]
pub(crate) struct RawScalar {
    pub(crate) constant: RawConstant,
    pub(crate) offset: u64,
    pub(crate) ty: LLVMTypeRef,
}

/// A type on the way of a tag; mirrors `Step` in `detail.cpp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawStep {
    pub(crate) ty: LLVMMetadataRef,
    pub(crate) offset: u64,
}

unsafe extern "C" {
    pub(crate) fn opcost_flags(instruction: LLVMValueRef) -> u32;
    pub(crate) fn opcost_case_value(switch: LLVMValueRef, position: u32) -> LLVMValueRef;
    pub(crate) fn opcost_latch_facts(terminator: LLVMValueRef) -> u32;
    pub(crate) fn opcost_call_effects(call: LLVMValueRef) -> u32;
    pub(crate) fn opcost_function_facts(function: LLVMValueRef) -> u32;
    pub(crate) fn opcost_parameter_facts(
        function: LLVMValueRef,
        position: u32,
        copied: *mut LLVMTypeRef,
    ) -> u32;
    pub(crate) fn opcost_data_facts(global: LLVMValueRef) -> u32;
    pub(crate) fn opcost_constant(layout: LLVMTargetDataRef, value: LLVMValueRef, facts: *mut RawConstant);
    pub(crate) fn opcost_contents(
        global: LLVMValueRef,
        most: u64,
        context: *mut c_void,
        told: extern "C" fn(*mut c_void, *const RawScalar),
    ) -> u32;
    pub(crate) fn opcost_tag(instruction: LLVMValueRef) -> LLVMMetadataRef;
    pub(crate) fn opcost_tag_steps(
        tag: LLVMMetadataRef,
        steps: *mut RawStep,
        room: u32,
        access: *mut u32,
        is_constant: *mut bool,
    ) -> u32;
    pub(crate) fn opcost_tag_type_name(ty: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_source_name(function: LLVMValueRef, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_source_names(
        function: LLVMValueRef,
        context: *mut c_void,
        named: extern "C" fn(*mut c_void, LLVMValueRef, *const c_char, usize, bool),
    );
    pub(crate) fn opcost_data_names(
        global: LLVMValueRef,
        context: *mut c_void,
        shared: extern "C" fn(*mut c_void, bool, u64, *const c_char, usize),
    );
    pub(crate) fn opcost_referee_sizes(alloca: LLVMValueRef, sizes: *mut LlvmSizes) -> bool;
    pub(crate) fn opcost_referee_field(alloca: LLVMValueRef, field: u32) -> u64;
    pub(crate) fn opcost_referee_overlap(left: LLVMValueRef, right: LLVMValueRef) -> bool;
}

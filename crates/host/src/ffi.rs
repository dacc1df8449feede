//! Declarations of the C side; each is described in `c/interface.h`.

use std::ffi::{c_char, c_int, c_void};

/// `opcost_instance`
#[repr(C)]
pub(crate) struct RawInstance {
    private: [u8; 0],
}

/// `opcost_options`
#[repr(C)]
pub(crate) struct RawOptions {
    pub(crate) stack_bytes: usize,
    pub(crate) memory_bytes: usize,
    pub(crate) allowed: *const *const c_char,
}

/// `opcost_verdict`
#[repr(C)]
pub(crate) struct RawVerdict {
    pub(crate) kind: c_int,
    pub(crate) spent: u64,
    pub(crate) spent_in_all: u64,
    pub(crate) beyond: u64,
    pub(crate) is_exact: c_int,
    pub(crate) signal: c_int,
    pub(crate) function: *const c_char,
    pub(crate) file: *const c_char,
    pub(crate) line: u32,
    pub(crate) reason: *const c_char,
}

/// `opcost_function`
pub(crate) type RawFunction = unsafe extern "C" fn(*mut c_void);

unsafe extern "C" {
    pub(crate) fn opcost_load(
        path: *const c_char,
        options: *const RawOptions,
        reason: *mut c_char,
        reason_size: usize,
    ) -> *mut RawInstance;
    pub(crate) fn opcost_find(instance: *const RawInstance, name: *const c_char) -> Option<RawFunction>;
    pub(crate) fn opcost_run(
        instance: *mut RawInstance,
        function: Option<RawFunction>,
        argument: *mut c_void,
        fuel: u64,
        deadline: u64,
    ) -> RawVerdict;
    pub(crate) fn opcost_resume(instance: *mut RawInstance, fuel: u64, deadline: u64) -> RawVerdict;
    pub(crate) fn opcost_left(instance: *const RawInstance) -> i64;
    pub(crate) fn opcost_set_memory(instance: *mut RawInstance, bytes: usize) -> c_int;
    pub(crate) fn opcost_memory(instance: *const RawInstance) -> u64;
    pub(crate) fn opcost_memory_peak(instance: *const RawInstance) -> u64;
    pub(crate) fn opcost_output(
        instance: *const RawInstance,
        bytes: *mut usize,
        lost: *mut u64,
    ) -> *const c_char;
    pub(crate) fn opcost_overshoot(instance: *const RawInstance) -> u64;
    pub(crate) fn opcost_cost_model(instance: *const RawInstance) -> *const c_char;
    pub(crate) fn opcost_drop(instance: *mut RawInstance);
}

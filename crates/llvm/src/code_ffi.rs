//! Declarations of the shim's parts that work on machine code; each is described
//! in its file (`shim/life/{machine,object,assembly,again}.cpp`).

use std::ffi::{c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;

use crate::ffi::RawEmission;
use crate::operation_ffi::RawOperation;

/// Mirrors `opcost_code_sink` in `object.cpp`.
#[repr(C)]
pub(crate) struct RawCodeSink {
    pub(crate) context: *mut c_void,
    pub(crate) section: extern "C" fn(*mut c_void, *const c_char, *const u8, usize),
    pub(crate) symbol: extern "C" fn(*mut c_void, *const c_char, u64, u64),
    pub(crate) relocation: extern "C" fn(*mut c_void, u64, *const c_char, *const c_char, i64, u8),
    pub(crate) features: extern "C" fn(*mut c_void, *const c_char, *const c_char),
}

/// Mirrors `opcost_assembly` in `assembly.cpp`.
#[repr(C)]
pub(crate) struct RawAssembly {
    pub(crate) triple: *const c_char,
    pub(crate) cpu: *const c_char,
    pub(crate) features: *const c_char,
    pub(crate) abi: *const c_char,
    pub(crate) position_independent: u8,
    pub(crate) intel: u8,
}

pub(crate) type Assembled = extern "C" fn(*mut c_void, *const c_char, *const RawOperation, u64, u64);
pub(crate) type Taken = extern "C" fn(*mut c_void, *const c_char, *const u8, usize);

/// The shim's `Machine`.
#[repr(C)]
pub(crate) struct RawMachine {
    _private: [u8; 0],
}

unsafe extern "C" {
    pub(crate) fn opcost_machine_create(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        dialect: i32,
        message: *mut *mut c_char,
    ) -> *mut RawMachine;
    pub(crate) fn opcost_machine_free(machine: *mut RawMachine);
    pub(crate) fn opcost_machine_decode(
        machine: *mut RawMachine,
        bytes: *const u8,
        count: usize,
        address: u64,
        operation: *mut RawOperation,
        pieces: *mut *const u32,
        piece_count: *mut u32,
    ) -> u32;
    pub(crate) fn opcost_machine_print(
        machine: *mut RawMachine,
        operation: *const RawOperation,
    ) -> *mut c_char;
    pub(crate) fn opcost_machine_print_at(
        machine: *mut RawMachine,
        operation: *const RawOperation,
        address: u64,
        size: u64,
        target: *mut u64,
        leads: *mut u8,
    ) -> *mut c_char;
    pub(crate) fn opcost_machine_encode(
        machine: *mut RawMachine,
        operation: *const RawOperation,
        bytes: *mut u8,
        room: u32,
    ) -> u32;
    pub(crate) fn opcost_machine_opcode(machine: *mut RawMachine, opcode: u32) -> *const c_char;
    pub(crate) fn opcost_machine_register(machine: *mut RawMachine, number: u32) -> *mut c_char;

    pub(crate) fn opcost_object_read(path: *const c_char, sink: *const RawCodeSink) -> *mut c_char;
    pub(crate) fn opcost_assemble(
        text: *const u8,
        length: usize,
        name: *const c_char,
        how: *const RawAssembly,
        object: *const c_char,
        told: Option<Assembled>,
        context: *mut c_void,
    ) -> *mut c_char;
    pub(crate) fn opcost_write_assembly(
        bitcode: *const c_char,
        path: *const c_char,
        how: *const RawEmission,
        names: *const *const c_char,
        count: usize,
    ) -> *mut c_char;
    pub(crate) fn opcost_jit(
        bitcode: *const c_char,
        object: *const c_char,
        how: *const RawEmission,
        names: *const *const c_char,
        count: usize,
        sink: Taken,
        context: *mut c_void,
    ) -> *mut c_char;
    pub(crate) fn opcost_optimise(module: LLVMModuleRef, how: *const RawEmission, level: i32) -> *mut c_char;
    pub(crate) fn opcost_host_triple() -> *const c_char;
}

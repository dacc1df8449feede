//! What does LLVM promise of functions, calls and instructions?
//!
//! Attributes and flags, asked for as bits (`shim/facts.cpp`) and told in the
//! snapshot's words. Cost: one call into the shim for each instruction, call
//! and parameter.

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use opcost_ir::{
    Call, CalleeRef, Declaration, Flags, LatchFacts, Linkage, MemoryEffects, ParameterFacts, TailKind, Value,
};

use crate::reader::Reader;
use crate::{facts_ffi, ffi};

/// What is said of a function, whether it is defined or declared.
pub(crate) struct FunctionFacts {
    pub(crate) is_nounwind: bool,
    pub(crate) is_willreturn: bool,
    pub(crate) is_noreturn: bool,
    pub(crate) is_must_progress: bool,
    pub(crate) returns_noalias: bool,
    pub(crate) memory: MemoryEffects,
}

impl FunctionFacts {
    pub(crate) fn of(function: LLVMValueRef) -> Self {
        // SAFETY: a function of the live module.
        let facts = unsafe { facts_ffi::opcost_function_facts(function) };
        Self {
            is_nounwind: facts & 1 != 0,
            is_willreturn: facts & 2 != 0,
            is_noreturn: facts & 4 != 0,
            is_must_progress: facts & 8 != 0,
            returns_noalias: facts & 16 != 0,
            memory: MemoryEffects::from_bits(facts >> 8),
        }
    }
}

impl Reader {
    pub(crate) fn declaration(&mut self, handle: LLVMValueRef, is_intrinsic: bool) -> Declaration {
        let facts = FunctionFacts::of(handle);
        Declaration {
            name: name_of(handle),
            is_intrinsic,
            is_nounwind: facts.is_nounwind,
            is_willreturn: facts.is_willreturn,
            is_noreturn: facts.is_noreturn,
            // SAFETY: a function of the live module.
            is_address_taken: unsafe { ffi::opcost_is_address_taken(handle) },
            memory: facts.memory,
            returns_noalias: facts.returns_noalias,
            parameter_facts: self.parameter_facts(handle),
        }
    }

    pub(crate) fn parameter_facts(&mut self, function: LLVMValueRef) -> Vec<ParameterFacts> {
        // SAFETY: a function of the live module.
        let count = unsafe { LLVMCountParams(function) };
        let mut fact = |position| {
            let mut copied = std::ptr::null_mut();
            // SAFETY: below the parameter count; room for a type.
            let facts = unsafe { facts_ffi::opcost_parameter_facts(function, position, &mut copied) };
            ParameterFacts {
                is_noalias: facts & 1 != 0,
                is_nocapture: facts & 2 != 0,
                is_readonly: facts & 4 != 0,
                is_writeonly: facts & 8 != 0,
                is_readnone: facts & 16 != 0,
                is_noundef: facts & 32 != 0,
                is_sret: facts & 64 != 0,
                byval: (!copied.is_null()).then(|| self.interned.ty(copied)),
            }
        };
        (0..count).map(&mut fact).collect()
    }

    pub(crate) fn call(&self, handle: LLVMValueRef) -> Call {
        // SAFETY: a call instruction of the live module.
        let (facts, called) =
            unsafe { (ffi::opcost_call_facts(handle), ffi::opcost_called_function(handle)) };
        let callee = match self.globals.get(&called) {
            _ if facts & 16 != 0 => CalleeRef::Assembly,
            Some(&Value::Function(id)) => CalleeRef::Function(id),
            Some(&Value::Declaration(id)) => CalleeRef::Declaration(id),
            _ => CalleeRef::Indirect,
        };
        Call {
            callee,
            is_nounwind: facts & 1 != 0,
            is_willreturn: facts & 2 != 0,
            is_noreturn: facts & 4 != 0,
            returns_twice: facts & 8 != 0,
            tail: [TailKind::None, TailKind::Tail, TailKind::MustTail, TailKind::NoTail]
                [(facts >> 8 & 3) as usize],
            // SAFETY: as above.
            is_empty_assembly: facts & 16 != 0 && unsafe { ffi::opcost_is_empty_assembly(handle) },
            assembly_may_leave: facts & 16 != 0 && assembly_may_leave(handle),
            assembly_may_round: facts & 16 != 0 && opcost_ir::assembly_may_round(&assembly(handle, false)),
            is_nobuiltin: facts & 64 != 0,
            // SAFETY: as above.
            copied_bytes: if facts & 32 != 0 { unsafe { ffi::opcost_copied_bytes(handle) } } else { 0 },
            // SAFETY: as above.
            memory: MemoryEffects::from_bits(unsafe { facts_ffi::opcost_call_effects(handle) }),
        }
    }
}

/// Whether control may leave inline assembly otherwise than at its end.
fn assembly_may_leave(call: LLVMValueRef) -> bool {
    opcost_ir::inline_assembly_may_leave(&assembly(call, false), &assembly(call, true))
}

/// The text of inline assembly, or its constraints.
fn assembly(call: LLVMValueRef, constraints: bool) -> String {
    let mut length = 0;
    // SAFETY: a live call of inline assembly; the text is copied.
    unsafe {
        let text = ffi::opcost_assembly_text(call, constraints, &mut length);
        ffi::borrowed(text, length)
    }
}

/// What an instruction promises.
pub(crate) fn flags_of(instruction: LLVMValueRef) -> Flags {
    // SAFETY: an instruction of the live module.
    Flags::from_bits(unsafe { facts_ffi::opcost_flags(instruction) } as u16)
}

/// What is said of the loop that a terminator closes.
pub(crate) fn latch_of(terminator: LLVMValueRef) -> LatchFacts {
    // SAFETY: a terminator of the live module.
    let facts = unsafe { facts_ffi::opcost_latch_facts(terminator) };
    LatchFacts { must_progress: facts & 1 != 0, is_vectorized: facts & 2 != 0, is_unrolled: facts & 4 != 0 }
}

pub(crate) fn name_of(handle: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: a live global; the name is copied.
    unsafe {
        let name = LLVMGetValueName2(handle, &mut length);
        ffi::borrowed(name, length)
    }
}

pub(crate) fn linkage(handle: LLVMValueRef) -> Linkage {
    use LLVMLinkage::*;
    // SAFETY: a live global.
    match unsafe { LLVMGetLinkage(handle) } {
        LLVMInternalLinkage | LLVMPrivateLinkage => Linkage::Local,
        LLVMAvailableExternallyLinkage => Linkage::Elsewhere,
        // Of a COMDAT the linker may take another module's copy, optimised in
        // another way: what was found out about this body does not hold there.
        LLVMExternalLinkage => Linkage::Exact,
        _ => Linkage::Replaceable,
    }
}

pub(crate) fn has_attribute(function: LLVMValueRef, name: &str) -> bool {
    // SAFETY: a live function and a valid name; the index is "of the function".
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        !LLVMGetEnumAttributeAtIndex(function, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
    }
}

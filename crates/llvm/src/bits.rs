//! How wide is each integer of a function by LLVM's own analyses?
//!
//! LazyValueInfo, ScalarEvolution, ValueTracking and DemandedBits of each function by itself
//! (`shim/bits.cpp`), at the place where a value is defined. It is what proven widths are compared with.
//! Cost: that of these analyses.

use llvm_sys::core::LLVMGetParam;
use llvm_sys::prelude::LLVMValueRef;
use opcost_index::Id;
use opcost_ir::Value;
use opcost_key::{FunctionId, InstructionId};

use crate::session::Session;

/// What LLVM knows of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlvmBits {
    /// Bits that it fits into, at least 1.
    pub width: u32,
    /// Whether the highest of them is the sign.
    pub has_sign: bool,
    /// How many low bits anybody looks at.
    pub demanded: u32,
}

/// What each caller passes for a parameter, from the one to the other, in the bits of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterPromise {
    /// The function.
    pub function: FunctionId,
    /// Position of the parameter.
    pub position: u32,
    /// The least.
    pub low: u64,
    /// The greatest.
    pub high: u64,
}

/// Mirrors `Bits` in `bits.cpp`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawBits {
    width: u32,
    demanded: u32,
    has_sign: u8,
}

unsafe extern "C" {
    fn opcost_promise_range(function: LLVMValueRef, position: u32, low: u64, high: u64);
    fn opcost_bits(function: LLVMValueRef, values: *const LLVMValueRef, into: *mut RawBits, count: u32);
}

impl Session {
    /// Promises LLVM what callers pass. The module has the promise from now on.
    pub fn promise(&mut self, promise: ParameterPromise) {
        let handle = self.functions[promise.function].function;
        // SAFETY: a function of the live module, and the position of one of its parameters.
        unsafe { opcost_promise_range(handle, promise.position, promise.low, promise.high) };
    }

    /// What LLVM knows of the parameters and results of a function of the last snapshot that are
    /// integers of at most 64 bits. Empty where there is no body.
    pub fn bits(&self, function: FunctionId, parameters: u32) -> Vec<(Value, LlvmBits)> {
        let handles = &self.functions[function];
        if handles.blocks.is_empty() {
            return Vec::new();
        }
        let mut values = Vec::new();
        let mut all = Vec::new();
        for position in 0..parameters {
            values.push(Value::Argument(position));
            // SAFETY: a function of the live module, and the position of one of its parameters.
            all.push(unsafe { LLVMGetParam(handles.function, position) });
        }
        for (position, &handle) in handles.instructions.values().enumerate() {
            values.push(Value::Instruction(InstructionId::new(position)));
            all.push(handle);
        }
        let mut into = vec![RawBits::default(); all.len()];
        let count = u32::try_from(all.len()).expect("ids are 32 bits wide");
        // SAFETY: parameters and instructions of one function with a body, and room for each.
        unsafe { opcost_bits(handles.function, all.as_ptr(), into.as_mut_ptr(), count) };
        let bits = into.into_iter().map(|raw| LlvmBits {
            width: raw.width,
            has_sign: raw.has_sign != 0,
            demanded: raw.demanded,
        });
        values.into_iter().zip(bits).filter(|(_, bits)| bits.width > 0).collect()
    }
}

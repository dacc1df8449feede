//! In which form are the parameters and the result of a function passed?
//!
//! A struct of the source may be a number in one register, or two of them. Debug data has its members;
//! LLVM's parameters say how a number is extended. Which parameters belong together follows from
//! their order and sizes, as the ABI of x86-64 has it (`shim/shape.cpp`).
//!
//! Input: a function of the last snapshot. Output: [`FunctionShape`]. Cost: linear in members. Limit:
//! without debug data no members are known.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};

use llvm_sys::LLVMOpcode;
use llvm_sys::core::{LLVMGetIndices, LLVMGetInstructionOpcode, LLVMGetNumIndices};
use llvm_sys::prelude::LLVMValueRef;
use opcost_key::{FunctionId, InstructionId};

use crate::ffi;
use crate::session::Session;

/// The form of a function's parameters and result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionShape {
    /// Whether it is known what the source has of each parameter.
    pub is_known: bool,
    /// Whether a parameter of the source is not passed.
    pub is_dropped: bool,
    /// Parameters that are extended: whether with their sign.
    pub extended: BTreeMap<u32, bool>,
    /// Parameters that are words of structs, with the members in them.
    pub words: BTreeMap<u32, Vec<ShapeMember>>,
    /// Members of the result, if it is a struct in registers; places are those of memory.
    pub result: Option<Vec<ShapeMember>>,
}

/// A number of a struct in a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeMember {
    /// The variable and the fields: `p.x`.
    pub name: String,
    /// The lowest bit.
    pub offset: u32,
    /// How many bits.
    pub bits: u32,
    /// Whether it is a `bool`.
    pub is_boolean: bool,
}

/// Mirrors `Part` in `shape.cpp`.
#[repr(C)]
struct RawPart {
    argument: u32,
    kind: u32,
    offset: u64,
    bits: u64,
    name: *const c_char,
    length: usize,
}

unsafe extern "C" {
    fn opcost_shape(
        function: LLVMValueRef,
        context: *mut c_void,
        told: extern "C" fn(*mut c_void, *const RawPart),
    ) -> bool;
}

/// What `argument` is of the result.
const RESULT: u32 = u32::MAX;

impl Session {
    /// The form of a function's parameters and result.
    pub fn shape(&self, function: FunctionId) -> FunctionShape {
        let mut shape = FunctionShape::default();
        let context = (&raw mut shape).cast::<c_void>();
        // SAFETY: a function of the live module; the shape outlives the call.
        let is_known = unsafe { opcost_shape(self.functions[function].function, context, add_part) };
        shape.is_known = is_known;
        shape
    }
}

impl Session {
    /// Which part of an aggregate an `extractvalue` or `insertvalue` is about, the outermost index first.
    pub fn indices(&self, function: FunctionId, at: InstructionId) -> Vec<u32> {
        let handle = self.functions[function].instructions[at];
        // SAFETY: an instruction of the live module; what has no indices is not asked for them.
        unsafe {
            if !matches!(
                LLVMGetInstructionOpcode(handle),
                LLVMOpcode::LLVMExtractValue | LLVMOpcode::LLVMInsertValue
            ) {
                return Vec::new();
            }
            let count = LLVMGetNumIndices(handle) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(handle), count).to_vec()
        }
    }
}

extern "C" fn add_part(context: *mut c_void, part: *const RawPart) {
    // SAFETY: the shape that `shape` handed over, and a part for this call.
    let (shape, part) = unsafe { (&mut *context.cast::<FunctionShape>(), &*part) };
    if part.kind == 5 {
        shape.is_dropped = true;
        return;
    }
    if part.kind > 2 {
        shape.extended.insert(part.argument, part.kind == 3);
        return;
    }
    let members = match part.argument {
        RESULT => shape.result.get_or_insert_default(),
        argument => shape.words.entry(argument).or_default(),
    };
    if part.kind == 2 {
        return;
    }
    // SAFETY: text of the shim's, copied at once.
    let name = unsafe { ffi::borrowed(part.name, part.length) };
    let [offset, bits] = [part.offset, part.bits].map(|bits| u32::try_from(bits).unwrap_or(u32::MAX));
    members.push(ShapeMember { name, offset, bits, is_boolean: part.kind == 1 });
}

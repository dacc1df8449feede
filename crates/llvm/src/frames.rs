//! Which lines does an instruction come from, as readers of profiles name them?
//!
//! The function that a line was written in, the line, how far it is from the
//! function's first, and the discriminator that keeps blocks on one line apart; then
//! the same of the call that it was inlined at, and so on outwards. Cost: the depth of
//! inlining per instruction.

use std::ffi::c_char;

use llvm_sys::prelude::LLVMValueRef;
use opcost_key::{FunctionId, InstructionId};

use crate::ffi;
use crate::session::Session;

/// A line in a function, and which part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Linkage name of the function that the line was written in.
    pub function: String,
    /// The file, as the debug information names it.
    pub file: String,
    /// The line, from 1; 0 when the compiler gives none.
    pub line: u32,
    /// First line of the function.
    pub first_line: u32,
    /// Keeps blocks on one line apart.
    pub discriminator: u32,
    /// How many copies of the source's instruction it represents (a vectorised loop's).
    pub copies: u32,
}

/// Mirrors `opcost_frame` in `frames.cpp`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawFrame {
    function: *const c_char,
    function_length: usize,
    file: *const c_char,
    file_length: usize,
    line: u32,
    first_line: u32,
    discriminator: u32,
    copies: u32,
}

const NO_FRAME: RawFrame = RawFrame {
    function: std::ptr::null(),
    function_length: 0,
    file: std::ptr::null(),
    file_length: 0,
    line: 0,
    first_line: 0,
    discriminator: 0,
    copies: 0,
};

/// Room for so many at first.
const USUAL: usize = 16;

unsafe extern "C" {
    fn opcost_frames(instruction: LLVMValueRef, frames: *mut RawFrame, room: u32) -> u32;
}

impl Session {
    /// Where an instruction of the last snapshot comes from, innermost first; nothing
    /// without debug information.
    pub fn frames(&self, function: FunctionId, instruction: InstructionId) -> Vec<Frame> {
        let handle = self.functions[function].instructions[instruction];
        let mut raw = vec![NO_FRAME; USUAL];
        loop {
            // SAFETY: an instruction of the live module, and room for as many frames as said.
            let count = unsafe { opcost_frames(handle, raw.as_mut_ptr(), raw.len() as u32) } as usize;
            if count <= raw.len() {
                raw.truncate(count);
                break;
            }
            raw.resize(count, NO_FRAME);
        }
        let frame = |raw: &RawFrame| Frame {
            // SAFETY: names belong to the live module's metadata, here and below.
            function: unsafe { ffi::borrowed(raw.function, raw.function_length) },
            // SAFETY: as above.
            file: unsafe { ffi::borrowed(raw.file, raw.file_length) },
            line: raw.line,
            first_line: raw.first_line,
            discriminator: raw.discriminator,
            copies: raw.copies,
        };
        raw.iter().map(frame).collect()
    }
}

//! The same code on other ways: as assembly text and back, and by a just-in-time
//! compiler.
//!
//! Bitcode is the optimised module, written by [`Session::write`] (which keeps
//! the order of uses, or code generation would see another module). With names,
//! other functions lose their bodies, so that the cost is that of these alone
//! beside reading the module.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

use crate::code_ffi::{self, RawAssembly};
use crate::emit::Emission;
use crate::ffi;
use crate::machine::{MachineOperation, Syntax, operation};
use crate::operation_ffi::RawOperation;
use crate::session::{LlvmError, Session, c_path};

/// What an assembler must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembler {
    /// The machine and system.
    pub triple: String,
    /// As LLVM writes them: `+c,+m`.
    pub features: String,
    /// RISC-V's calling convention: `lp64d`; empty for the usual one.
    pub abi: String,
    /// Whether the code may be at any address.
    pub position_independent: bool,
    /// The syntax in which the text begins.
    pub syntax: Syntax,
}

/// An instruction of assembly text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledInstruction {
    /// The section's name.
    pub section: String,
    /// Its first byte in the section.
    pub from: u64,
    /// The byte after its last.
    pub to: u64,
    /// What the parser made of it, with its line.
    pub operation: MachineOperation,
}

impl Assembler {
    /// Makes an object of text, in process; `name` is used in messages. Reports the instructions in
    /// the order of the text, if they are `wanted` (which takes the linker's hooks).
    ///
    /// # Errors
    /// The assembler's words, with line and caret.
    pub fn assemble(
        &self,
        text: &[u8],
        name: &str,
        object: &Path,
        wanted: bool,
    ) -> Result<Vec<AssembledInstruction>, LlvmError> {
        let c_text = |text: &str| CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
        let (triple, features) = (c_text(&self.triple)?, c_text(&self.features)?);
        let (abi, name, object) = (c_text(&self.abi)?, c_text(name)?, c_path(object)?);
        let raw = RawAssembly {
            triple: triple.as_ptr(),
            cpu: c"".as_ptr(),
            features: features.as_ptr(),
            abi: abi.as_ptr(),
            position_independent: u8::from(self.position_independent),
            intel: u8::from(self.syntax == Syntax::Intel),
        };
        let mut instructions: Vec<AssembledInstruction> = Vec::new();
        // SAFETY: all texts outlive the call; the context is the list.
        let message = ffi::take_message(unsafe {
            code_ffi::opcost_assemble(
                text.as_ptr(),
                text.len(),
                name.as_ptr(),
                &raw,
                object.as_ptr(),
                wanted.then_some(on_assembled),
                (&raw mut instructions).cast(),
            )
        });
        match message {
            None => Ok(instructions),
            Some(message) => Err(LlvmError::Unreadable(message.trim_end().to_owned())),
        }
    }
}

impl Session {
    /// The optimiser's passes, as clang runs them.
    ///
    /// # Errors
    /// No code generation for the module's machine.
    pub fn optimise(&mut self, how: Emission, level: u8) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        let message = ffi::take_message(unsafe {
            code_ffi::opcost_optimise(self.module, &how.raw(), i32::from(level))
        });
        message.map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
    }
}

/// Writes assembly text of optimised bitcode; of these functions alone, if any
/// are named.
///
/// # Errors
/// The bitcode cannot be read, or the text not written.
pub fn write_assembly(
    bitcode: &Path,
    text: &Path,
    how: Emission,
    functions: &[String],
) -> Result<(), LlvmError> {
    let (bitcode, text) = (c_path(bitcode)?, c_path(text)?);
    let message = with_names(functions, |names| {
        // SAFETY: all texts outlive the call.
        ffi::take_message(unsafe {
            code_ffi::opcost_write_assembly(
                bitcode.as_ptr(),
                text.as_ptr(),
                &how.raw(),
                names.as_ptr(),
                names.len(),
            )
        })
    })?;
    message.map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
}

/// Names and bytes of functions, as a just-in-time compiler (LLJIT) has them in
/// memory; nothing is run. All functions that are wanted are named. What was
/// compiled, before it was linked, goes to `object`.
///
/// # Errors
/// LLJIT's words: the module is not for this machine, or something in it cannot
/// be linked.
pub fn compile_in_memory(
    bitcode: &Path,
    object: &Path,
    how: Emission,
    functions: &[String],
) -> Result<Vec<(String, Vec<u8>)>, LlvmError> {
    let (bitcode, object) = (c_path(bitcode)?, c_path(object)?);
    let mut taken: Vec<(String, Vec<u8>)> = Vec::new();
    let context = (&raw mut taken).cast();
    let message = with_names(functions, |names| {
        // SAFETY: all texts outlive the call; the context is the list.
        ffi::take_message(unsafe {
            code_ffi::opcost_jit(
                bitcode.as_ptr(),
                object.as_ptr(),
                &how.raw(),
                names.as_ptr(),
                names.len(),
                on_taken,
                context,
            )
        })
    })?;
    message.map_or(Ok(taken), |message| Err(LlvmError::Emission(message)))
}

/// The machine on which this runs, as LLVM calls it.
pub fn host_triple() -> String {
    // SAFETY: a constant text.
    unsafe { CStr::from_ptr(code_ffi::opcost_host_triple()) }.to_string_lossy().into_owned()
}

fn with_names<T>(names: &[String], f: impl FnOnce(&[*const c_char]) -> T) -> Result<T, LlvmError> {
    let text = |name: &String| CString::new(name.as_str()).map_err(|_| LlvmError::Path(name.clone()));
    let names = names.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    Ok(f(&pointers))
}

extern "C" fn on_assembled(
    context: *mut c_void,
    section: *const c_char,
    raw: *const RawOperation,
    from: u64,
    to: u64,
) {
    // SAFETY: the context is the list of `assemble`, which waits.
    let instructions: &mut Vec<AssembledInstruction> = unsafe { &mut *context.cast() };
    // SAFETY: text and operation live as long as the call.
    let (section, operation) = unsafe { (CStr::from_ptr(section), operation(&*raw)) };
    let section = section.to_string_lossy().into_owned();
    instructions.push(AssembledInstruction { section, from, to, operation });
}

extern "C" fn on_taken(context: *mut c_void, name: *const c_char, bytes: *const u8, count: usize) {
    // SAFETY: the context is the list of `compile_in_memory`, which waits.
    let taken: &mut Vec<(String, Vec<u8>)> = unsafe { &mut *context.cast() };
    // SAFETY: the name is terminated.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    // SAFETY: so many bytes lie there.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, count) }.to_vec();
    taken.push((name, bytes));
}

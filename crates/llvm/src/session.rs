//! One module in LLVM's hands, from reading to emission.
//!
//! A session keeps LLVM's handles beside the snapshot's ids, so that a plan
//! made on the snapshot can be replayed. It is used once, in this order:
//! read, snapshot, apply, emit.

use std::ffi::CString;
use std::path::Path;

use llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMDisposeModule, LLVMGetNamedFunction, LLVMIsDeclaration,
};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMContextRef, LLVMModuleRef, LLVMValueRef};
use opcost_index::IdMap;
use opcost_ir::DeclarationId;
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::ffi;

/// What can go wrong at the fence.
#[derive(Debug, thiserror::Error)]
pub enum LlvmError {
    /// The file is not a module that LLVM can read: the input's fault.
    #[error("{0}")]
    Unreadable(String),
    /// The module breaks LLVM's rules: the fault of what produced it.
    #[error("the module is not well-formed: {0}")]
    Malformed(String),
    /// The module cannot become a plug-in.
    #[error("it cannot be a plug-in: {0}")]
    NoPlugin(String),
    /// A plan broke the module: our fault.
    #[error("opcost broke the module while instrumenting it (a defect of opcost, please report it): {0}")]
    Broken(String),
    /// Code generation failed.
    #[error("code generation failed: {0}")]
    Emission(String),
    /// Two of the modules that are linked define one thing: the fault of who chose them.
    #[error("{0} is defined more than once")]
    DefinedTwice(String),
    /// A path with a zero byte in it.
    #[error("the path contains a zero byte: {0}")]
    Path(String),
}

/// Handles of one function, by the snapshot's ids.
pub(crate) struct FunctionHandles {
    pub(crate) function: LLVMValueRef,
    pub(crate) blocks: IdMap<BlockId, LLVMBasicBlockRef>,
    pub(crate) instructions: IdMap<InstructionId, LLVMValueRef>,
}

/// Who made a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// A compiler of the same LLVM, just now: it is taken to keep LLVM's rules.
    FrontEnd,
    /// Anyone: it is verified.
    Anyone,
}

/// LLVM's words on a file. Of text they name the line; of bitcode they name a bit, and here is what to do.
fn with_advice(path: &Path, message: &str) -> String {
    match message.starts_with(&format!("{}: error: ", path.display())) {
        true => format!(
            "{message}; it is cut off, damaged, or bitcode of a newer LLVM: make it again with LLVM 22"
        ),
        false => message.to_owned(),
    }
}

/// The name in what LLVM's linker says of one that two modules define.
fn defined_twice(message: &str) -> Option<&str> {
    let name = message.trim().strip_prefix("Linking globals named '")?;
    name.strip_suffix("': symbol multiply defined!")
}

/// A module that LLVM holds, and the handles of its snapshot.
pub struct Session {
    pub(crate) context: LLVMContextRef,
    pub(crate) maker: Maker,
    /// Whether the module is metered as one that nobody trusts.
    pub(crate) is_hardened: bool,
    pub(crate) module: LLVMModuleRef,
    pub(crate) functions: IdMap<FunctionId, FunctionHandles>,
    pub(crate) declarations: IdMap<DeclarationId, LLVMValueRef>,
}

impl Session {
    /// Reads bitcode (`.bc`) or text (`.ll`).
    ///
    /// # Errors
    /// The file cannot be read, is no module, is of a newer LLVM, or breaks
    /// LLVM's rules; in LLVM's own words.
    pub fn read(path: &Path, maker: Maker) -> Result<Session, LlvmError> {
        let text = c_path(path)?;
        // SAFETY: plain creation; disposed in drop.
        let context = unsafe { LLVMContextCreate() };
        let mut message = std::ptr::null_mut();
        // SAFETY: all pointers are valid for the call.
        let module = unsafe { ffi::opcost_read(context, text.as_ptr(), &mut message) };
        let session = Session {
            context,
            maker,
            is_hardened: false,
            module,
            functions: IdMap::new(),
            declarations: IdMap::new(),
        };
        if module.is_null() {
            let message = ffi::take_message(message).unwrap_or_default();
            return Err(LlvmError::Unreadable(with_advice(path, message.trim_end())));
        }
        if maker == Maker::Anyone
            // SAFETY: the module is alive.
            && let Some(message) = ffi::take_message(unsafe { ffi::opcost_admit(module) })
        {
            return Err(LlvmError::Malformed(message.trim_end().to_owned()));
        }
        Ok(session)
    }

    /// The machine that it is for.
    pub fn target(&self) -> String {
        // SAFETY: the module is alive; the text is copied at once.
        unsafe { std::ffi::CStr::from_ptr(llvm_sys::core::LLVMGetTarget(self.module)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Whether the module has a function of this name with a body.
    pub fn defines(&self, name: &str) -> bool {
        let Ok(name) = CString::new(name) else { return false };
        // SAFETY: the module is alive, the name terminated; a function that was found lives as long.
        unsafe {
            let function = LLVMGetNamedFunction(self.module, name.as_ptr());
            !function.is_null() && LLVMIsDeclaration(function) == 0
        }
    }

    /// Whether its assembly may have the assembler read further files (`.incbin`).
    pub fn assembly_reads_files(&self) -> bool {
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_assembly_reads_files(self.module) }
    }

    /// Adds another module to this one, before a snapshot is taken.
    ///
    /// # Errors
    /// It cannot be read, or both define the same; in LLVM's own words.
    pub fn link(&mut self, path: &Path) -> Result<(), LlvmError> {
        let text = c_path(path)?;
        // SAFETY: the module and its context are alive, the path terminated.
        match ffi::take_message(unsafe {
            ffi::opcost_link(self.context, self.module, text.as_ptr(), self.maker == Maker::FrontEnd)
        }) {
            None => Ok(()),
            Some(message) => Err(match defined_twice(&message) {
                Some(name) => LlvmError::DefinedTwice(name.to_owned()),
                None => LlvmError::Unreadable(message.trim_end().to_owned()),
            }),
        }
    }

    /// Functions of a library that this module only declares get names with `prefix` before. What
    /// the bitcode at `library` defines under these names becomes part of the module. Addresses of
    /// those and of the `charged` ones lead through functions of the module, remainders become
    /// calls, and what copies much is charged more. Before a snapshot is taken.
    ///
    /// # Errors
    /// The library cannot be read or linked.
    pub fn use_library(
        &mut self,
        functions: &[&str],
        charged: &[&str],
        prefix: &str,
        library: &Path,
    ) -> Result<(), LlvmError> {
        let text = |text: &str| CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
        let names = functions.iter().map(|name| text(name)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let charged = charged.iter().map(|name| text(name)).collect::<Result<Vec<_>, _>>()?;
        let addressed: Vec<_> = names.iter().chain(&charged).map(|name| name.as_ptr()).collect();
        let (prefix, library) = (text(prefix)?, c_path(library)?);
        // SAFETY: the module and its context are alive, all texts terminated.
        let message = unsafe {
            let count = pointers.len() as u32;
            ffi::opcost_make_calls(self.module, addressed.as_ptr(), addressed.len() as u32);
            let renamed = ffi::opcost_rename_declared(self.module, pointers.as_ptr(), count, prefix.as_ptr());
            match renamed {
                0 => None,
                _ => ffi::take_message(ffi::opcost_link_needed(
                    self.context,
                    self.module,
                    library.as_ptr(),
                    prefix.as_ptr(),
                )),
            }
        };
        message.map_or(Ok(()), |message| Err(LlvmError::Unreadable(message)))
    }

    /// Whether the module still keeps LLVM's rules; if not, it is opcost that broke it.
    pub(crate) fn verify(&self) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        match ffi::take_message(unsafe { ffi::opcost_verify(self.module) }) {
            None => Ok(()),
            Some(message) => Err(LlvmError::Broken(message.trim_end().to_owned())),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: each handle is disposed of once, the module before its context.
        unsafe {
            if !self.module.is_null() {
                LLVMDisposeModule(self.module);
            }
            LLVMContextDispose(self.context);
        }
    }
}

/// A path for LLVM.
pub(crate) fn c_path(path: &Path) -> Result<CString, LlvmError> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).map_err(|_| LlvmError::Path(path.display().to_string()))
}

//! A module that means the same on every machine, with its library inside.
//!
//! What is said of machines is spelt out in `shim/portable.cpp`. Input: a
//! session that has read and linked all of a program. Output: the same module
//! with one function that the outside may call, `opc_portable_start`, and calls
//! of the world's functions only; unless the program uses what the library
//! lacks, which a snapshot shows.

use std::ffi::{CString, c_char};
use std::path::Path;

use crate::ffi;
use crate::session::{LlvmError, Session, c_path};

/// The library that a portable program brings along.
#[derive(Clone, Copy, Debug)]
pub struct PortableLibrary<'a> {
    /// Names of functions that it defines with the prefix before them.
    pub functions: &'a [&'a str],
    /// The same of functions with variable arguments, which it takes as slots.
    pub variadic: &'a [&'a str],
    /// What comes before both.
    pub prefix: &'a str,
    /// Bitcode, each once; none needs another.
    pub bitcode: &'a [&'a Path],
}

impl Session {
    /// Makes the module portable. Once, before a snapshot is taken.
    ///
    /// # Errors
    /// It has no `main`; a library cannot be read or linked.
    pub fn make_portable(&mut self, library: &PortableLibrary<'_>) -> Result<(), LlvmError> {
        let text = |text: &str| CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
        let names = |names: &[&str]| names.iter().map(|name| text(name)).collect::<Result<Vec<_>, _>>();
        let (functions, variadic) = (names(library.functions)?, names(library.variadic)?);
        let pointers =
            |names: &[CString]| names.iter().map(|name| name.as_ptr()).collect::<Vec<*const c_char>>();
        let (functions, variadic, prefix) =
            (pointers(&functions), pointers(&variadic), text(library.prefix)?);
        // SAFETY: the module and its context are alive, all texts terminated
        // and alive in the vectors that they came from.
        unsafe {
            ffi::opcost_spell_out(self.module);
            if !ffi::opcost_portable_start(self.module) {
                return Err(LlvmError::Unreadable(
                    "it has no main, so nothing could start it; a portable program is whole".to_owned(),
                ));
            }
            ffi::opcost_pack_variadic(self.module, variadic.as_ptr(), variadic.len() as u32, prefix.as_ptr());
            ffi::opcost_rename_declared(
                self.module,
                functions.as_ptr(),
                functions.len() as u32,
                prefix.as_ptr(),
            );
        }
        for path in library.bitcode {
            let path = c_path(path)?;
            // SAFETY: as above.
            let message =
                unsafe { ffi::opcost_link_needed(self.context, self.module, path.as_ptr(), prefix.as_ptr()) };
            if let Some(message) = ffi::take_message(message) {
                return Err(LlvmError::Unreadable(message));
            }
        }
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_enclose(self.module) };
        self.verify()
    }

    /// Makes code generation generate for another machine, by its triple. What
    /// is said of the module must not depend on the machine from here on.
    ///
    /// # Errors
    /// There is no code generation for it.
    pub fn retarget(&mut self, triple: &str) -> Result<(), LlvmError> {
        let text = CString::new(triple).map_err(|_| LlvmError::Path(triple.to_owned()))?;
        // SAFETY: the module is alive, the text terminated.
        match ffi::take_message(unsafe { ffi::opcost_retarget(self.module, text.as_ptr()) }) {
            None => Ok(()),
            Some(message) => Err(LlvmError::Emission(message)),
        }
    }
}

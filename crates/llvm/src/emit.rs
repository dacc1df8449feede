//! Turns the module into an object file, as clang would.
//!
//! The options are clang's for the same target. With a plan's call sites the
//! object carries a table of return addresses in a section that is not loaded.

use std::path::Path;

use opcost_ir::Plan;
use opcost_key::Hash128;

use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Session, c_path};

/// Where the code may be loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// As the module's flags say.
    #[default]
    AsModule,
    /// Anywhere.
    Independent,
    /// At its link address.
    Fixed,
}

/// How an object is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Emission {
    /// Optimisation level of code generation, 0 to 3.
    pub level: u8,
    /// Where the code may be loaded.
    pub position: Position,
    /// `-ffunction-sections`
    pub function_sections: bool,
    /// `-fdata-sections`
    pub data_sections: bool,
    /// Whether registers are allocated as with optimisation, at level 0 too. On SQLite that takes 1.4 s more (1.0 and
    /// 2.4 s), and its code 0.6 times as long.
    pub allocate_registers: bool,
}

impl Emission {
    /// As the shim has it, without a call table.
    pub(crate) fn raw(self) -> RawEmission {
        RawEmission {
            level: i32::from(self.level),
            position: self.position as u8,
            function_sections: u8::from(self.function_sections),
            data_sections: u8::from(self.data_sections),
            keep_calls_apart: 0,
            map_hash: std::ptr::null(),
            call_sites: std::ptr::null(),
            call_site_count: 0,
            code_table: 0,
            block_of: std::ptr::null(),
            numbered: 0,
            allocate_registers: u8::from(self.allocate_registers),
        }
    }
}

impl Session {
    /// Puts a file's bytes into the object's map section when it is emitted.
    /// The file must still be there then.
    ///
    /// # Errors
    /// A path with a zero byte.
    pub fn embed_map(&self, map_file: &Path) -> Result<(), LlvmError> {
        let path = c_path(map_file)?;
        // SAFETY: the module is alive, the path terminated.
        unsafe { ffi::opcost_embed_map(self.module, path.as_ptr()) };
        Ok(())
    }

    /// Puts a few bytes into a section of the object that is not loaded.
    ///
    /// # Panics
    /// When the section's name has a zero byte.
    pub fn embed(&self, section: &str, bytes: &[u8]) {
        let section = std::ffi::CString::new(section).expect("a section's name has no zero byte");
        // SAFETY: the module is alive, the name terminated, the bytes outlive the call.
        unsafe { ffi::opcost_embed(self.module, section.as_ptr(), bytes.as_ptr(), bytes.len()) };
    }

    /// Numbers all instructions in their debug locations. [`Session::apply`]
    /// does this itself; alone it serves to show that numbers change no code.
    pub fn identify(&self) {
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_identify(self.module) };
    }

    /// The same for [`Session::emit_sampled`]: of functions that a map has, which are those that become code and
    /// are not in assembly. If the module is optimised before it is emitted ([`Session::optimise`]), what the
    /// optimiser copies says how many executions of its instruction it represents.
    pub fn identify_mapped(&self, is_optimised: bool) {
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_identify_mapped(self.module, is_optimised) };
    }

    /// Drops all debug information.
    pub fn strip_debug(&self) {
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_strip_debug(self.module) };
    }

    /// Writes a plain object file.
    ///
    /// # Errors
    /// Code generation fails or the file cannot be written.
    pub fn emit(self, path: &Path, how: Emission) -> Result<(), LlvmError> {
        self.emit_with(path, how, None)
    }

    /// Writes an object file with a table of the plan's call sites.
    ///
    /// # Errors
    /// Code generation fails or the file cannot be written.
    pub fn emit_counted(
        self,
        path: &Path,
        how: Emission,
        plan: &Plan,
        map_hash: Hash128,
    ) -> Result<(), LlvmError> {
        let sites = self.sites_by_number(plan);
        self.emit_with(path, how, Some((map_hash.0.to_le_bytes(), sites)))
    }

    /// Writes an object file with a table of its machine code: which bytes are executed for which
    /// instruction and block. The instructions must be numbered ([`Session::identify_mapped`]); the code
    /// is the one without a table. `block_of` is empty if the module is as it was then. Where it
    /// was optimised since, it has the block of each instruction, in the order of their numbers.
    /// Blocks are numbered through the module.
    ///
    /// # Errors
    /// Code generation fails or the file cannot be written.
    pub fn emit_sampled(
        self,
        path: &Path,
        how: Emission,
        map_hash: Hash128,
        block_of: &[u32],
    ) -> Result<(), LlvmError> {
        let hash = map_hash.0.to_le_bytes();
        let raw = RawEmission {
            map_hash: hash.as_ptr(),
            code_table: 1,
            block_of: if block_of.is_empty() { std::ptr::null() } else { block_of.as_ptr() },
            numbered: block_of.len() as u32,
            ..how.raw()
        };
        self.emit_as(path, raw)
    }

    /// For each instruction of the module, in the order of its numbers, its
    /// call site plus one, or 0.
    pub(crate) fn sites_by_number(&self, plan: &Plan) -> Vec<u32> {
        use opcost_index::{Id, IdMap};
        let mut starts: IdMap<opcost_key::FunctionId, usize> = IdMap::new();
        let mut total = 0;
        for function in self.functions.values() {
            starts.push(total);
            total += function.instructions.len();
        }
        let mut sites = vec![0; total];
        for (function, instruction, site) in &plan.call_sites {
            sites[starts[*function] + instruction.index()] = site.index() as u32 + 1;
        }
        sites
    }

    pub(crate) fn emit_with(
        self,
        path: &Path,
        how: Emission,
        table: Option<([u8; 16], Vec<u32>)>,
    ) -> Result<(), LlvmError> {
        let (hash, sites) = match &table {
            Some((hash, sites)) => (hash.as_ptr(), sites.as_slice()),
            None => (std::ptr::null(), [].as_slice()),
        };
        let raw = RawEmission {
            keep_calls_apart: u8::from(table.is_some()),
            map_hash: hash,
            call_sites: sites.as_ptr(),
            call_site_count: sites.len() as u32,
            ..how.raw()
        };
        self.emit_as(path, raw)
    }

    /// What `raw` points to must live.
    fn emit_as(self, path: &Path, raw: RawEmission) -> Result<(), LlvmError> {
        let text = c_path(path)?;
        // SAFETY: our callers' hash, sites and blocks outlive the call; the struct mirrors the shim's.
        match ffi::take_message(unsafe { ffi::opcost_emit(self.module, text.as_ptr(), &raw) }) {
            None => Ok(()),
            Some(message) => Err(LlvmError::Emission(message)),
        }
    }
}

//! Carries out a metering on the module its snapshot was taken of.
//!
//! As in `apply`, all handles are looked up before the first edit. Registers
//! are cells of the frame until the end, when LLVM's own promotion turns them
//! into values.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::IdMap;
use opcost_ir::{FuelEdit, Metering, SiteId};
use opcost_key::FunctionId;

use crate::ffi;
use crate::session::{FunctionHandles, LlvmError, Maker, Session};
use crate::spots::Spots;

impl Session {
    /// Carries out a metering.
    ///
    /// # Errors
    /// A name with a zero byte; or the edited module does not verify, which is
    /// a defect of ours.
    pub fn meter(&mut self, metering: &Metering) -> Result<(), LlvmError> {
        // SAFETY: the module is alive, here and below.
        let cell = unsafe {
            let hidden =
                if self.is_hardened { ffi::opcost_hidden_cell(self.module) } else { std::ptr::null_mut() };
            if hidden.is_null() { ffi::opcost_fuel_cell(self.module) } else { hidden }
        };
        let sites = self.sites(metering)?;
        for edits in metering.edits.chunk_by(|a, b| a.0 == b.0) {
            FunctionMeter::new(self, edits[0].0, cell, &sites).run(edits);
        }
        if cfg!(debug_assertions) || self.maker == Maker::Anyone {
            self.verify().map_err(LlvmError::Broken)?;
        }
        Ok(())
    }

    /// Meters the module as one that nobody trusts: its counter lies where it
    /// cannot find it, where the machine has a place for that, its frames do
    /// not step over the end of the stack, and what must not be reached ends the
    /// program. Call it before `meter`.
    pub fn harden(&mut self) {
        self.is_hardened = true;
        // SAFETY: the module is alive.
        unsafe {
            ffi::opcost_probe_stacks(self.module);
            ffi::opcost_trap_unreachable(self.module);
        }
    }

    fn sites(&self, metering: &Metering) -> Result<IdMap<SiteId, LLVMValueRef>, LlvmError> {
        let mut sites = IdMap::new();
        for site in metering.sites.values() {
            let text =
                |text: &str| std::ffi::CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
            let (function, file) = (text(&site.function)?, text(&site.file)?);
            // SAFETY: both texts are terminated and copied.
            sites.push(unsafe {
                ffi::opcost_fuel_site(self.module, function.as_ptr(), file.as_ptr(), site.line)
            });
        }
        Ok(sites)
    }
}

struct FunctionMeter<'a> {
    session: &'a Session,
    handles: &'a FunctionHandles,
    sites: &'a IdMap<SiteId, LLVMValueRef>,
    spots: Spots<'a>,
    cell: LLVMValueRef,
    register: LLVMValueRef,
}

impl<'a> FunctionMeter<'a> {
    fn new(
        session: &'a Session,
        function: FunctionId,
        cell: LLVMValueRef,
        sites: &'a IdMap<SiteId, LLVMValueRef>,
    ) -> Self {
        let handles = &session.functions[function];
        let spots = Spots::new(handles);
        // SAFETY: a live function.
        let register = unsafe {
            ffi::opcost_relax(handles.function);
            ffi::opcost_make_register(handles.function)
        };
        Self { session, handles, sites, spots, cell, register }
    }

    fn run(mut self, edits: &[(FunctionId, FuelEdit)]) {
        for (_, edit) in edits {
            self.edit(edit);
        }
        // SAFETY: an alloca that we made in this function.
        unsafe { ffi::opcost_promote(self.handles.function, &self.register, 1) };
    }

    fn edit(&mut self, edit: &FuelEdit) {
        let before = edit.spot().map(|spot| self.spots.before(spot));
        let before = before.unwrap_or(std::ptr::null_mut());
        let (register, cell, module) = (self.register, self.cell, self.session.module);
        // SAFETY: handles of the live module; `before` is null for the one edit
        // that has no spot and takes none.
        unsafe {
            match *edit {
                FuelEdit::Load { advance, .. } => ffi::opcost_fuel_load(before, register, cell, advance),
                FuelEdit::Store { advance, .. } => ffi::opcost_fuel_store(before, register, cell, advance),
                FuelEdit::Charge { amount, .. } => ffi::opcost_fuel_charge(before, register, amount),
                FuelEdit::Check { advance, site, .. } => {
                    ffi::opcost_fuel_check(module, before, register, cell, advance, self.sites[site]);
                }
                FuelEdit::ReturnHere { block } => ffi::opcost_return_here(self.spots.terminators[block]),
            }
        }
    }
}

//! A module becomes a plug-in's: before its snapshot, and after its metering.
//!
//! What is done to it stands in `shim/plugin.cpp`.

use std::ffi::CString;

use crate::ffi;
use crate::session::{LlvmError, Session};

impl Session {
    /// Whether the module can be a plug-in's, asked before anything of ours is
    /// linked to it.
    ///
    /// # Errors
    /// The module has something that would run outside of a host's calls, or names of the runtime;
    /// in words that name it.
    pub fn admit_plugin(&self) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        match ffi::take_message(unsafe { ffi::opcost_plugin_objection(self.module) }) {
            None => Ok(()),
            Some(message) => Err(LlvmError::NoPlugin(message)),
        }
    }

    /// Makes the tables of constructors and of functions that a host may call,
    /// before a snapshot is taken. How many such functions there are.
    pub fn open_plugin(&mut self) -> usize {
        // SAFETY: the module is alive.
        unsafe { ffi::opcost_plugin_open(self.module) as usize }
    }

    /// Finishes it when it is metered: nothing is shown to other images, and
    /// nothing belongs to a thread.
    ///
    /// # Errors
    /// The module does not verify any more, which is a defect of ours.
    ///
    /// # Panics
    /// When the cost model's name has a zero byte.
    pub fn close_plugin(&mut self, cost_model: &str, overshoot: u64) -> Result<(), LlvmError> {
        let cost_model = CString::new(cost_model).expect("a cost model's name has no zero byte");
        // SAFETY: the module is alive, the name terminated; both are only read.
        unsafe { ffi::opcost_plugin_close(self.module, cost_model.as_ptr(), overshoot) };
        self.verify()
    }
}

//! Writes a module as bitcode: as it was read, or counted, for machine code
//! to be made of it another time.
//!
//! A counted module carries what [`Session::emit_kept`] needs, so that the
//! two ways (emit at once; write, read and emit) give one object. An
//! optimiser may work on it in between: counters are memory that escapes, and
//! instructions keep their numbers wherever they are moved to.

use std::path::Path;

use opcost_ir::Plan;
use opcost_key::Hash128;

use crate::emit::Emission;
use crate::ffi::{self, RawBytes};
use crate::session::{LlvmError, Session, c_path};

/// What a counted module carries.
pub struct Kept {
    /// The map, as it was given to [`Session::write_counted`].
    pub map: Vec<u8>,
    hash: Hash128,
    sites: Vec<u32>,
}

impl Session {
    /// Writes the module as bitcode.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), LlvmError> {
        let text = c_path(path)?;
        // SAFETY: the module is alive, the path terminated.
        match ffi::take_message(unsafe { ffi::opcost_write(self.module, text.as_ptr()) }) {
            None => Ok(()),
            Some(message) => Err(LlvmError::Emission(message)),
        }
    }

    /// Writes the module, to which `plan` was applied, with what emission needs.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_counted(
        &self,
        path: &Path,
        map: &[u8],
        plan: &Plan,
        map_hash: Hash128,
    ) -> Result<(), LlvmError> {
        let hash = map_hash.0.to_le_bytes();
        let sites: Vec<u8> = self.sites_by_number(plan).into_iter().flat_map(u32::to_le_bytes).collect();
        let strings = [map, &hash, &sites].map(RawBytes::of);
        // SAFETY: the strings outlive the call.
        unsafe { ffi::opcost_keep(self.module, strings.as_ptr(), strings.len() as u32) };
        self.write(path)
    }

    /// What a module written by [`Session::write_counted`] carries; `None` for
    /// any other.
    ///
    /// # Errors
    /// Several counted modules were linked to this one, or what is kept is not
    /// what was written.
    pub fn kept(&self) -> Result<Option<Kept>, LlvmError> {
        // SAFETY: the module is alive, here and below.
        match unsafe { ffi::opcost_kept(self.module) } {
            0 => return Ok(None),
            1 => {}
            parts => {
                return Err(LlvmError::Malformed(format!(
                    "it was linked of {parts} counted modules; link them before counting, or as objects"
                )));
            }
        }
        let mut strings = [const { RawBytes::of(&[]) }; 3];
        // SAFETY: the shim fills exactly the strings it is told of.
        let is_whole = unsafe { ffi::opcost_kept_strings(self.module, strings.as_mut_ptr(), 3) };
        // SAFETY: the strings live as long as the module's context.
        let [map, hash, sites] = strings.map(|string| unsafe { string.bytes() }.to_vec());
        match <[u8; 16]>::try_from(hash) {
            Ok(hash) if is_whole && sites.len().is_multiple_of(4) => Ok(Some(Kept {
                map,
                hash: Hash128(u128::from_le_bytes(hash)),
                sites: sites.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect(),
            })),
            _ => Err(LlvmError::Malformed("its node !opcost.counted was changed".to_owned())),
        }
    }

    /// Writes an object of a counted module that was read back.
    ///
    /// # Errors
    /// Code generation fails or the file cannot be written.
    pub fn emit_kept(self, path: &Path, how: Emission, kept: Kept) -> Result<(), LlvmError> {
        self.emit_with(path, how, Some((kept.hash.0.to_le_bytes(), kept.sites)))
    }
}

//! Where does the repository lie?
//!
//! The crate lies in a folder of the root, and was told its own place when it was
//! compiled; so every verb works wherever it is started. It sits below all other modules,
//! and imports none but `failure`.

use crate::failure::{Failure, Result};
use std::path::PathBuf;

/// The root of the repository: the parent of this crate's own folder.
pub(crate) fn repository() -> Result<PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    own.parent().map(PathBuf::from).ok_or_else(|| Failure::new("xtask has no parent folder"))
}

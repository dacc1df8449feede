//! What is the hash of a set of files?
//!
//! SHA-256 over the files in the order of their names; of each, its name, a zero, its
//! length in eight bytes (low byte first) and its content. So it says nothing of how
//! the files are packed. Shared by the build script and the crate.

use sha2::{Digest, Sha256};

/// The hash of files in the order of their names, in hexadecimal digits.
pub(crate) fn of_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, content) in files {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

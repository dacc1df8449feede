//! What decides what is made?
//!
//! A recipe is a sequence of parts, each with its length, so that no two sequences read alike. Its key is
//! their SHA-256.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Names an entry: the SHA-256 of its recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecipeHash([u8; 32]);

impl fmt::Display for RecipeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What decides what is made, part by part.
pub struct Recipe(Sha256);

impl Recipe {
    /// Nothing but what kind of thing is made.
    pub fn new(kind: &str) -> Recipe {
        let mut recipe = Recipe(Sha256::new());
        recipe.bytes(kind.as_bytes());
        recipe
    }

    /// One part more.
    pub fn bytes(&mut self, part: &[u8]) -> &mut Recipe {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// The contents of a file; none if it cannot be read.
    pub fn file(&mut self, path: &Path) -> Option<&mut Recipe> {
        let content = std::fs::read(path).ok()?;
        Some(self.bytes(&content))
    }

    /// A program, by its path, length and last change; none if it is not there.
    pub fn program(&mut self, path: &Path) -> Option<&mut Recipe> {
        let about = path.metadata().ok()?;
        let changed = format!("{} {} {}", about.len(), about.mtime(), about.mtime_nsec());
        Some(self.bytes(path.as_os_str().as_bytes()).bytes(changed.as_bytes()))
    }

    /// Variables of the environment, set or not.
    pub fn variables(&mut self, names: &[&str]) -> &mut Recipe {
        for name in names {
            let value = std::env::var_os(name);
            let word = value.as_ref().map_or(&b"-"[..], |_| b"=");
            self.bytes(word).bytes(value.unwrap_or_default().as_bytes());
        }
        self
    }

    /// The key of all parts.
    pub fn finish(self) -> RecipeHash {
        RecipeHash(self.0.finalize().into())
    }
}

/// The hash of a content, as an entry has it.
pub(crate) fn hash(content: &[u8]) -> String {
    RecipeHash(Sha256::digest(content).into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Recipe, hash};

    #[test]
    fn parts_do_not_run_together() {
        let key = |parts: &[&str]| {
            let mut recipe = Recipe::new("a test");
            parts.iter().for_each(|part| {
                recipe.bytes(part.as_bytes());
            });
            recipe.finish().to_string()
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a", ""]), key(&["a"]));
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
    }

    /// The example of FIPS 180-2.
    #[test]
    fn hashes_are_sha_256() {
        assert_eq!(hash(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}

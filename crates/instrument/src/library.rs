//! Which names may a metered program use, besides those that the table of the room `library` admits?
//!
//! A host adds names of its own; they are taken to run any code of the program.

use std::collections::BTreeSet;

use opcost_key::{Hash128, Hasher128};
use opcost_library::FUEL_TABLE;

/// The table, and what a host adds to it.
#[derive(Clone, Debug, Default)]
pub struct Library {
    allowed: BTreeSet<String>,
}

impl Library {
    /// The table with names that the host allows too.
    pub fn with(allowed: impl IntoIterator<Item = String>) -> Library {
        Library { allowed: allowed.into_iter().collect() }
    }

    /// Whether the host allows this name.
    pub(crate) fn adds(&self, name: &str) -> bool {
        self.allowed.contains(name)
    }

    /// Over the table and what was added to it.
    pub fn hash(&self) -> Hash128 {
        let mut hasher = Hasher128::new();
        hasher.text(FUEL_TABLE).number(self.allowed.len() as u64);
        for name in &self.allowed {
            hasher.text(name);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_changes_with_what_is_added() {
        let own = Library::default().hash();
        let one = Library::with(["a".to_owned()]).hash();
        assert!(own != one && one == Library::with(["a".to_owned()]).hash());
    }
}

//! What outlives a run: which functions were hot, and which way their branches went?
//!
//! One file a module, under the hash of its map. So another build of a module has another file, and nothing of one is
//! used for the other. A file is written whole or not at all. Runs are added up.
//!
//! Input and output: a folder. Cost: a file for each module. Limit: a file that cannot be read counts as none, and is
//! written anew at the end of the run.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_key::Hash128;
use opcost_key::live::FunctionWeights;
use opcost_profile::formats::write_whole;
use serde::{Deserialize, Serialize};

/// What files begin with.
const SCHEMA: &str = "opcost.run-profile/1";

/// A function in an earlier run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredFunction {
    /// Its symbol.
    pub symbol: String,
    /// Samples of all runs.
    pub samples: u64,
    /// Its branches, if they are known.
    pub weights: Option<FunctionWeights>,
}

#[derive(Serialize, Deserialize)]
struct StoredModule {
    schema: String,
    module: String,
    functions: Vec<StoredFunction>,
}

/// A folder of files.
#[derive(Clone, Debug)]
pub(super) struct Store {
    folder: PathBuf,
}

impl Store {
    /// The folder, which is made.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn open(folder: &Path) -> Result<Store, Failure> {
        std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
        Ok(Store { folder: folder.to_owned() })
    }

    /// What is there of a module.
    pub(super) fn load(&self, hash: Hash128) -> Vec<StoredFunction> {
        let read = std::fs::read(self.path(hash)).ok();
        let stored = read.and_then(|bytes| serde_json::from_slice::<StoredModule>(&bytes).ok());
        stored.filter(|stored| stored.schema == SCHEMA).map_or_else(Vec::new, |stored| stored.functions)
    }

    /// Adds what a run said of a module.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&self, hash: Hash128, module: &str, run: Vec<StoredFunction>) -> Result<(), Failure> {
        let mut functions = self.load(hash);
        for one in run {
            match functions.iter_mut().find(|function| function.symbol == one.symbol) {
                Some(function) => {
                    function.samples = function.samples.saturating_add(one.samples);
                    function.weights = one.weights.or_else(|| function.weights.take());
                }
                None => functions.push(one),
            }
        }
        let stored = StoredModule { schema: SCHEMA.to_owned(), module: module.to_owned(), functions };
        let text = serde_json::to_vec(&stored).expect("plain data");
        Ok(write_whole(&self.path(hash), &text)?)
    }

    fn path(&self, hash: Hash128) -> PathBuf {
        self.folder.join(format!("{:032x}.json", hash.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(symbol: &str, samples: u64) -> StoredFunction {
        StoredFunction { symbol: symbol.to_owned(), samples, weights: None }
    }

    #[test]
    fn runs_are_added_and_damage_counts_as_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("new")).expect("it is made");
        let (hash, other) = (Hash128(7), Hash128(8));
        store.add(hash, "a.c", vec![function("f", 3)]).expect("room");
        store.add(hash, "a.c", vec![function("f", 4), function("g", 1)]).expect("room");
        assert_eq!(store.load(hash), [function("f", 7), function("g", 1)]);
        assert!(store.load(other).is_empty());
        for damage in [&b""[..], b"{", b"{\"schema\":\"other/1\",\"module\":\"\",\"functions\":[]}"] {
            std::fs::write(store.path(hash), damage).expect("room");
            assert!(store.load(hash).is_empty());
        }
        store.add(hash, "a.c", vec![function("f", 1)]).expect("room");
        assert_eq!(store.load(hash), [function("f", 1)]);
    }
}

//! What outlives a run: where was each module sampled?
//!
//! One ledger of samples a module, under the hash of its map. So another build of a module has another file, and nothing
//! of one is used for the other. Runs are added up, under a lock, and a file is written whole or not at all. Other verbs
//! read the folder, too: [`crate::ledgers`].
//!
//! A ledger has functions that were sampled, and what they call: others say little, and most of a module is of that kind.
//!
//! Input and output: a folder. Cost: a file for each module. Limits: a file that cannot be read counts as none, which is
//! reported, and is written anew at the end of the run. Runs at two rates count by their samples.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_key::Hash128;
use opcost_profile::Ledger;
use opcost_profile::formats::opc::{OpcError, load_ledger, save_ledger};
use opcost_recover::join_raw;
use thiserror::Error;

use crate::ledgers::STORE_LOCK;

/// Why there is nothing of a module.
#[derive(Debug, Error)]
enum StoreFault {
    /// It never ran.
    #[error("there is no file")]
    Nothing,
    /// The file has another module.
    #[error("it is of another build")]
    Other,
    /// The file is no ledger.
    #[error(transparent)]
    Damaged(#[from] OpcError),
}

/// A folder of ledgers.
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

    /// What is there of a module. If that is no use, a message has the reason.
    pub(super) fn load(&self, hash: Hash128) -> Option<Ledger> {
        let read = self.read(hash);
        if let Err(why @ (StoreFault::Other | StoreFault::Damaged(_))) = &read {
            opcost_answer::tell!("opcost: {} counts as none: {why}", self.path(hash).display());
        }
        read.ok()
    }

    /// Adds what a run sampled of a module.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&self, hash: Hash128, run: Ledger) -> Result<(), Failure> {
        // A file system without locks has none: then two runs that end at one time may count as one.
        let lock = File::create(self.folder.join(STORE_LOCK));
        let _locked = lock.and_then(|file| file.lock().map(|()| file));
        // What somebody put there may be a ledger that is no sum of samples.
        let sum = self.read(hash).ok().and_then(|earlier| {
            let runs = earlier.about.runs.saturating_add(run.about.runs);
            join_raw(&[earlier, run.clone()], runs).ok().flatten()
        });
        Ok(save_ledger(&self.path(hash), &sum.unwrap_or(run))?)
    }

    fn read(&self, hash: Hash128) -> Result<Ledger, StoreFault> {
        match load_ledger(&self.path(hash)) {
            Ok(ledger) if ledger.about.modules.iter().map(|facts| facts.map).eq([hash]) => Ok(ledger),
            Ok(_) => Err(StoreFault::Other),
            Err(OpcError::Unreadable { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Err(StoreFault::Nothing)
            }
            Err(error) => Err(StoreFault::Damaged(error)),
        }
    }

    fn path(&self, hash: Hash128) -> PathBuf {
        self.folder.join(format!("{:032x}.opc", hash.0))
    }
}

//! What do several runs of one build add up to?
//!
//! Facts are added subject by subject; a sum is as sure as its least sure
//! part. Only ledgers of the same maps add: counts of two builds mean
//! different things. The result does not depend on the order of the ledgers.
//! Cost: facts * log facts. Limit: sums of 64 bits, checked.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::{About, Ledger, LedgerError};

/// Why ledgers cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// There is nothing to add.
    #[error("no ledgers to merge: name at least one")]
    Nothing,
    /// They come from different builds.
    #[error(
        "ledger {position} (from 0) comes from another build than the first ({what} differ): merge runs of one \
         build, and compare builds with `opcost diff`"
    )]
    OtherBuild {
        /// Which ledger.
        position: usize,
        /// What differs.
        what: &'static str,
    },
    /// More runs than can be numbered.
    #[error("the ledgers hold more than 2^64 runs")]
    TooManyRuns,
    /// A sum does not fit or makes no sense.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// The sum of ledgers of one build.
pub fn merge(ledgers: &[Ledger]) -> Result<Ledger, MergeError> {
    let first = ledgers.first().ok_or(MergeError::Nothing)?;
    for (position, ledger) in ledgers.iter().enumerate() {
        if let Some(what) = other_build(&first.about, &ledger.about) {
            return Err(MergeError::OtherBuild { position, what });
        }
    }
    let abouts = || ledgers.iter().map(|ledger| &ledger.about);
    let runs = abouts().try_fold(0u64, |sum, about| sum.checked_add(about.runs));
    let machines: BTreeSet<_> = abouts().flat_map(|about| &about.machines).cloned().collect();
    let commands: BTreeSet<_> = abouts().flat_map(|about| &about.commands).cloned().collect();
    let about = About {
        modules: first.about.modules.clone(),
        cost: first.about.cost.clone(),
        machines: machines.into_iter().collect(),
        commands: commands.into_iter().collect(),
        runs: runs.ok_or(MergeError::TooManyRuns)?,
    };
    Ok(Ledger::new(about, ledgers.iter().flat_map(|ledger| ledger.facts().iter().cloned()))?)
}

fn other_build(ours: &About, theirs: &About) -> Option<&'static str> {
    if ours.cost != theirs.cost {
        Some("cost models")
    } else if ours.modules != theirs.modules {
        Some("maps")
    } else {
        None
    }
}

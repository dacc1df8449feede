//! How near are the runs of one folder to those of another?
//!
//! What `dirdiff` did in llvm-pred (Xie, 2014). Ledgers of one name in both folders are compared, block by
//! block. The second folder is the truth. Ledgers of different builds are listed and not compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::predict::{FoldersOfRuns, PairOfRuns};
use opcost_profile::overlap::overlap;

use crate::ledgers;
use crate::nearness::between;

/// Compares the ledgers of two folders.
///
/// # Errors
/// A folder cannot be read or has no ledger; no name is in both; a ledger cannot be read.
pub fn compare_folders(folders: &[PathBuf]) -> Result<FoldersOfRuns, Failure> {
    let [first, second] = folders else {
        return Err(Failure::Usage("--diff takes two folders: --diff PREDICTED COUNTED".to_owned()));
    };
    let (own, others) = (ledgers_in(first)?, ledgers_in(second)?);
    let mut answer = FoldersOfRuns::default();
    for (name, path) in &own {
        let Some(other) = others.get(name) else {
            answer.alone.push(path.display().to_string());
            continue;
        };
        let (one, two) = (ledgers::counts(path, None)?, ledgers::counts(other, None)?);
        let agreement = overlap(&one, &two);
        let is_comparable = agreement.blocks > 0 && agreement.refused.is_empty();
        let measures = is_comparable.then(|| between(&one, &two));
        answer.pairs.push(PairOfRuns { name: name.clone(), measures });
    }
    answer.alone.extend(
        others
            .iter()
            .filter(|(name, _)| !own.contains_key(*name))
            .map(|(_, path)| path.display().to_string()),
    );
    if answer.pairs.is_empty() {
        return Err(Failure::Usage(format!(
            "no ledger of {} has the name of one of {}; give ledgers of the same program the same name in both folders",
            first.display(),
            second.display()
        )));
    }
    Ok(answer)
}

/// The ledgers of a folder, by name.
fn ledgers_in(folder: &Path) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let unreadable = |error: std::io::Error| Failure::Usage(format!("--diff: {}: {error}", folder.display()));
    let mut ledgers = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "opc")
            && let Some(name) = path.file_name()
        {
            ledgers.insert(name.to_string_lossy().into_owned(), path);
        }
    }
    if ledgers.is_empty() {
        return Err(Failure::Usage(format!(
            "--diff: {} has no ledger (.opc); make one with: opcost count --ledger {}/NAME.opc …",
            folder.display(),
            folder.display()
        )));
    }
    Ok(ledgers)
}

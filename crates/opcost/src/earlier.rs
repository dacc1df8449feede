//! By which earlier run are counters placed?
//!
//! By the one whose ledger was named, else by the last one of these sources: the cache has its branches by the
//! paths of the sources, and the next build of one of them that changed puts counters where little ran.
//! Numbers are the same with and without.
//!
//! Cost: a small file for each program that was counted. Limit: without a cache there is no last run.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use opcost_answer::Failure;
use opcost_cache::choice::cache;
use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash};
use opcost_job::module::EarlierRun;
use opcost_key::BranchCounts;
use opcost_recover::branches_of_run;
use opcost_toolchain::build::Build;

use crate::counting::Measurement;
use crate::ledgers;

/// The run of a ledger that was named.
///
/// # Errors
/// It is no ledger of counts.
pub fn named_run(ledger: &Path) -> Result<EarlierRun, Failure> {
    ledgers::counts(ledger, None)?;
    std::path::absolute(ledger).map(EarlierRun::Ledger).map_err(Failure::file("find", ledger))
}

/// The last run of these inputs, written to `file`; none if the cache has none.
pub fn last_run(inputs: &[PathBuf], file: &Path) -> Option<EarlierRun> {
    let (cache, key) = entry(inputs)?;
    let made = cache.find(key)?;
    std::fs::write(file, made.products.first()?).ok()?;
    Some(EarlierRun::Last(file.to_owned()))
}

/// Informs the listener if the run that was named says nothing of this program.
pub(crate) fn note_unlike_run(build: &Build, listener: fn(&str)) {
    if let (Some(EarlierRun::Ledger(ledger)), 0) = (&build.options.earlier, build.weighed.get()) {
        listener(&format!(
            "opcost: the run of {} does not say which way branches of this program go: the code alone says where \
             counters are",
            ledger.display()
        ));
    }
}

/// Stores where branches went in this run of the inputs, for the next build. What cannot be stored is no loss.
pub fn store_run(inputs: &[PathBuf], run: &Measurement) {
    let counts = branches_of_run(&run.modules());
    if !counts.is_empty() {
        let _ = store(inputs, &counts);
    }
}

fn store(inputs: &[PathBuf], counts: &BranchCounts) -> Option<()> {
    let (cache, key) = entry(inputs)?;
    let text = serde_json::to_vec(counts).ok()?;
    if cache.find(key).is_some_and(|made| made.products.first() == Some(&text)) {
        return Some(());
    }
    let made = Made { products: vec![text], report: Vec::new() };
    cache.store(key, &made, &Evidence::default(), SystemTime::now())
}

fn entry(inputs: &[PathBuf]) -> Option<(Cache, RecipeHash)> {
    let mut recipe = Recipe::new("branches of the last run");
    for input in inputs {
        recipe.bytes(std::path::absolute(input).ok()?.as_os_str().as_bytes());
    }
    Some((cache()?, recipe.finish()))
}

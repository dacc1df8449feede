//! By which earlier run are counters placed?
//!
//! By the one whose ledger was named, else by the last one of these sources: the cache has its branches by the
//! paths of the sources, and the next build of one of them that changed puts counters where little ran. A program
//! that did not change is built again by it once, if that pays (`PAYS_FROM`). Numbers are the same with and without.
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
    Some(EarlierRun::Last { branches: file.to_owned(), is_long: made.report == LONG })
}

/// How often each instruction of a program was carried out, on average, in a run by which it is built again. To build
/// an instruction takes as long as to carry out a hundred thousand. Of these a twenty-fifth is spared, so ten
/// runs pay for it.
const PAYS_FROM: u128 = 250_000;

/// What the cache has with the branches of such a run.
const LONG: &[u8] = b"long";

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

/// Stores where branches went in this run of the inputs, for the next build; all together it carried out so many
/// instructions. What cannot be stored is no loss.
pub fn store_run(inputs: &[PathBuf], run: &Measurement, executed: u128) {
    let modules = run.modules();
    let counts = branches_of_run(&modules);
    let functions = modules.iter().flat_map(|module| module.map.functions.values());
    let size: usize = functions.map(|function| function.instructions.len()).sum();
    if !counts.is_empty() {
        let _ = store(inputs, &counts, executed / size.max(1) as u128 >= PAYS_FROM);
    }
}

fn store(inputs: &[PathBuf], counts: &BranchCounts, is_long: bool) -> Option<()> {
    let (cache, key) = entry(inputs)?;
    let report = if is_long { LONG.to_vec() } else { Vec::new() };
    let made = Made { products: vec![serde_json::to_vec(counts).ok()?], report };
    if cache.find(key).as_ref() == Some(&made) {
        return Some(());
    }
    cache.store(key, &made, &Evidence::default(), SystemTime::now())
}

fn entry(inputs: &[PathBuf]) -> Option<(Cache, RecipeHash)> {
    let mut recipe = Recipe::new("branches of the last run");
    for input in inputs {
        recipe.bytes(std::path::absolute(input).ok()?.as_os_str().as_bytes());
    }
    Some((cache()?, recipe.finish()))
}

//! The builds of SQLite that are compared, in the order of the page.

use std::ops::Range;
use std::path::PathBuf;

/// One way to build SQLite.
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) program: PathBuf,
    /// Why it is not there.
    pub(super) missing: Option<String>,
    pub(super) seconds: Vec<f64>,
}

pub(super) const PLAIN: usize = 0;
/// clang's own counters.
pub(super) const COUNTERS: Range<usize> = 2..5;
/// Its inference from samples.
pub(super) const PROFI: usize = 5;
/// Five runs of the way that is asked of.
pub(super) const SAMPLED: Range<usize> = 7..12;

/// Titles and files of the builds.
pub(super) const COLUMNS: [(&str, &str); 15] = [
    ("clang -O2", "plain"),
    ("the same again", "plain"),
    ("clang -fprofile-generate, -fprofile-use", "counters"),
    ("the same, trained a tenth less", "counters-less"),
    ("the same, trained a tenth more", "counters-more"),
    ("clang -fprofile-sample-use, profi, samples of perf", "profi"),
    ("opcost count --anchor pgo, profdata", "counted-profdata"),
    ("opcost sample --anchor pgo, profdata", "sampled-profdata"),
    ("a second run of it", "sampled-profdata-2"),
    ("a third", "sampled-profdata-3"),
    ("a fourth", "sampled-profdata-4"),
    ("a fifth", "sampled-profdata-5"),
    ("opcost sample --anchor pgo --optimised, profdata", "optimised-profdata"),
    ("opcost sample, bitcode", "sampled-bitcode"),
    ("opcost sample, llvm-sample", "sampled-lines"),
];

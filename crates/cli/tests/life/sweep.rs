//! Is watched code the compiler's own, in a fair part of the corpus?
//!
//! Every second hostile program (signals, jumps, forks, exceptions, assembly), each
//! at one level by turns. All of the corpus at all levels is `cargo xtask bench
//! life --sweep`; its figures stand in benchmarks/life.md.

use std::path::{Path, PathBuf};

use opcost_testkit::command::corpus;

use super::{is_checked, life};

fn programs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus(folder)).expect("a folder of the corpus");
    let is_source = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "c" || kind == "cpp");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(is_source)
        .filter(|path| has_main(path))
        .collect();
    paths.sort();
    paths
}

fn has_main(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.contains("int main("))
}

#[test]
fn hostile_programs_are_what_clang_makes_of_them() {
    let mut checked = 0;
    for (turn, path) in programs("hostile").iter().step_by(2).enumerate() {
        let level = ["-O0", "-O1", "-O2", "-O3"][turn % 4];
        let standard = if path.extension().is_some_and(|kind| kind == "cpp") { "c++20" } else { "gnu17" };
        let source = path.to_string_lossy();
        let found = life(&[level, &format!("--cflag=-std={standard}"), "--function", "main", &source]);
        is_checked(&found);
        let coverage = &found["coverage"];
        assert_eq!(coverage["explained"], coverage["instructions"], "{} {level}: {coverage}", path.display());
        checked += 1;
    }
    assert!(checked > 25, "{checked}");
}

/// Passes go past a function marked `optnone`, whatever the level.
#[test]
fn a_function_that_must_not_be_optimised_is_not() {
    let source = corpus("life/slow.c");
    for level in ["-O2", "-O3"] {
        is_checked(&life(&[level, "--function", "slow", &source]));
    }
}

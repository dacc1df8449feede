//! Are the files of a corpus those that were frozen?
//!
//! A list `frozen.sha256` in the folder pins every file, so that a benchmark of today and
//! one of next year are about the same programs.

use crate::command;
use crate::failure::{Failure, Result};
use std::path::Path;
use std::process::Command;

/// An error that names the corpus, if a file is another than its list says.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let arguments = ["--check", "--strict", "--quiet", "frozen.sha256"];
    command::output_of(Command::new("sha256sum").args(arguments).current_dir(folder)).map(|_| ()).map_err(
        |failure| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            Failure::new(format!("the frozen list of {name} has changed: {failure}"))
        },
    )
}

/// Every file of the folder but two is in its list.
#[cfg(test)]
pub(crate) fn assert_pinned(folder: &Path) {
    use std::collections::BTreeSet;
    use std::fs;
    let pinned = fs::read_to_string(folder.join("frozen.sha256")).unwrap();
    let pinned: BTreeSet<&str> =
        pinned.lines().filter_map(|line| line.split_once("  ")).map(|row| row.1).collect();
    let mut there = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                there.insert(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    for words in ["README.md", "frozen.sha256"] {
        assert!(there.remove(words), "{words}");
    }
    let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
    assert_eq!(pinned, there, "the folder's README.md says how to freeze again");
}

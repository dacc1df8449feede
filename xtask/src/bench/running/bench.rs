//! What do all parts of the page need? opcost, what is chosen, how often it is run, and where.

use super::contender::Job;
use crate::bench::timed;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What all parts need.
pub(super) struct Bench {
    pub(super) opcost: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) rounds: usize,
    /// A cache that has what opcost makes once for all programs.
    pub(super) installed: PathBuf,
    /// Programs to measure; all if there are none.
    pub(super) chosen: Vec<String>,
    /// Whether all work is small.
    pub(super) is_small: bool,
    /// What opcost reports of its adaptive runs, by program.
    pub(super) documents: RefCell<BTreeMap<String, Value>>,
}

/// Has opcost make in a folder what it makes once for all programs, by a run of one that does nothing.
pub(super) fn install(opcost: &Path, folder: &Path) -> Result<PathBuf> {
    let (source, cache) = (folder.join("nothing.c"), folder.join("installed"));
    fs::write(&source, "int main(void) { return 0; }\n")
        .map_err(|error| Failure::at("write", &source, error))?;
    timed::run(Command::new(opcost).arg("run").arg(&source).env("OPCOST_CACHE", &cache), &[], folder)?;
    Ok(cache)
}

impl Bench {
    /// Whether a program is to be measured.
    pub(super) fn is_chosen(&self, name: &str) -> bool {
        self.chosen.is_empty() || self.chosen.iter().any(|one| one == name)
    }

    /// What is run of a program, in a folder that is made: with these arguments, or the small ones of the corpus.
    pub(super) fn job(&self, name: &str, program: Program, arguments: &[&str]) -> Result<Job> {
        let given = arguments.iter().map(|word| (*word).to_owned());
        let arguments = if self.is_small { program.small.clone() } else { given.collect() };
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
        Ok(Job { opcost: self.opcost.clone(), program, arguments, folder, installed: self.installed.clone() })
    }
}

//! Where SQLite is built: its sources, a folder, and clang and opcost with its flags.
//!
//! The judge is compiled once, when the workshop is made ready.

use super::options::Options;
use crate::bench::setup;
use crate::command;
use crate::failure::Result;
use crate::root::repository;
use std::path::PathBuf;
use std::process::Command;

/// All that building needs.
pub(super) struct Workshop {
    pub(super) opcost: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) sqlite: PathBuf,
    /// The judge, compiled once.
    pub(super) driver: PathBuf,
    pub(super) training: PathBuf,
    pub(super) flags: Vec<String>,
    pub(super) rows: u64,
    pub(super) rate: String,
    pub(super) is_built: bool,
}

impl Workshop {
    /// Compiles the judge.
    pub(super) fn prepare(options: &Options, opcost: PathBuf, folder: PathBuf) -> Result<Workshop> {
        let program = setup::program("sqlite")?;
        let workshop = Workshop {
            opcost,
            sqlite: setup::source(&program, "sqlite3.c")?.to_owned(),
            driver: folder.join("driver.o"),
            training: repository()?.join("corpus/sqlite/training.c"),
            flags: [program.flags.clone(), vec!["-w".to_owned()]].concat(),
            rows: options.training,
            rate: options.rate.clone(),
            is_built: options.as_built,
            folder,
        };
        let driver = setup::source(&program, "driver.c")?.display().to_string();
        let object = workshop.driver.display().to_string();
        workshop.clang(&["-c", &driver, "-o", &object])?;
        Ok(workshop)
    }

    /// A file of the folder.
    pub(super) fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// clang -O2 with SQLite's flags, and these.
    pub(super) fn clang(&self, words: &[&str]) -> Result<String> {
        command::output_of(
            Command::new("clang-22").arg("-O2").args(&self.flags).args(words).current_dir(&self.folder),
        )
    }

    /// opcost, with these words.
    pub(super) fn opcost(&self, words: &[&str]) -> Result<String> {
        command::output_of(Command::new(&self.opcost).args(words).current_dir(&self.folder))
    }
}

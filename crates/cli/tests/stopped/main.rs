//! What is left behind, and what is told, when it is enough?
//!
//! Programs that go on behind their parents, that end without a word, and an opcost that is told
//! to end at any moment of any verb. Whatever the moment: no folder stays, no process stays, and a
//! program that had begun has its report (`moments`).
//!
//! Cost: each verb runs five times, about a minute and a half in all. `OPCOST_MOMENTS=100` tries as many moments of each verb.

mod moments;
mod orphans;

use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_testkit::command::Workplace;

/// A folder with the sources, and a folder for all that opcost makes for itself.
struct Place {
    sources: Workplace,
    scratch: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let sources = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
        for (name, text) in files {
            sources.write(name, text);
        }
        Place { sources, scratch: tempfile::tempdir().expect("a folder") }
    }

    /// The command; what it leaves lies in `scratch`.
    fn opcost(&self, words: &[&str]) -> Command {
        let mut command = self.sources.command(words);
        command.env("TMPDIR", self.scratch.path());
        command
    }

    /// What lies in the folder for temporary files, and beside the sources under a hidden name.
    fn left(&self) -> Vec<PathBuf> {
        let names = |folder: &Path| {
            let entries = std::fs::read_dir(folder).expect("it is there");
            entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
        };
        let is_hidden =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        let mut left = names(self.scratch.path());
        left.extend(names(&self.sources.path(".")).into_iter().filter(is_hidden));
        left
    }

    /// Processes that opcost or its programs began: they have the folder in their environment.
    fn running(&self) -> Vec<String> {
        let marker = format!("TMPDIR={}", self.scratch.path().display());
        let entries = std::fs::read_dir("/proc").expect("there is one").flatten();
        let numbers = entries.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok());
        let is_ours = |path: &PathBuf| {
            let environment = std::fs::read(path.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == marker.as_bytes())
        };
        let ours = numbers.map(|entry| entry.path()).filter(is_ours);
        ours.map(|path| std::fs::read_to_string(path.join("comm")).unwrap_or_default()).collect()
    }
}

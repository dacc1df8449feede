//! What is written on a line of the source, and is it still what was built?
//!
//! Files are named as the debug information names them: relative to where
//! the program was built, or absolute. They are looked for here, then beside
//! the program. A file that is newer than the program (or ledger) is not
//! shown: its lines would stand beside counts that are not theirs. Limit: a
//! file that was changed and given its old time is not noticed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::kit::files::{is_of_rust, rust_source, toolchains};

/// What is known of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceText {
    /// Its lines.
    Lines(Vec<String>),
    /// Why it is not shown: `was changed since the program was built`.
    Unusable(String),
}

/// Source files, each read once.
pub struct Sources {
    folders: Vec<PathBuf>,
    /// When the program was built, and what that is called.
    built: Option<(SystemTime, &'static str)>,
    files: BTreeMap<String, SourceText>,
}

impl Sources {
    /// Sources of a program or ledger (`what`) that is at `origin`.
    pub fn of(origin: Option<&Path>, what: &'static str) -> Sources {
        let built = origin.and_then(|path| path.metadata().ok()?.modified().ok()).map(|time| (time, what));
        let beside = origin.and_then(Path::parent).map(Path::to_owned);
        Sources {
            folders: std::iter::once(PathBuf::new()).chain(beside).collect(),
            built,
            files: BTreeMap::new(),
        }
    }

    /// One file.
    pub fn file(&mut self, name: &str) -> &SourceText {
        if !self.files.contains_key(name) {
            let read = self.read(name);
            self.files.insert(name.to_owned(), read);
        }
        &self.files[name]
    }

    /// A line of a file, when it can be shown.
    pub fn line(&mut self, name: &str, line: u32) -> Option<String> {
        match self.file(name) {
            SourceText::Lines(lines) => lines.get((line as usize).checked_sub(1)?).cloned(),
            SourceText::Unusable(_) => None,
        }
    }

    fn read(&self, name: &str) -> SourceText {
        if is_of_rust(name) {
            // It is of the commit that the program was built with, whenever it was installed.
            return match toolchains().and_then(|toolchains| rust_source(name, &toolchains)) {
                Some(path) => lines_of(&path),
                None => SourceText::Unusable(
                    "is not installed in this version (rustup component add rust-src)".to_owned(),
                ),
            };
        }
        let candidates = self.folders.iter().map(|folder| folder.join(name));
        let Some(path) = candidates.into_iter().find(|path| path.is_file()) else {
            return SourceText::Unusable("was not found here".to_owned());
        };
        let newer = self.built.and_then(|(built, what)| {
            let changed = path.metadata().ok()?.modified().ok()?;
            (changed > built).then_some(what)
        });
        if let Some(what) = newer {
            return SourceText::Unusable(format!("was changed after the {what} was made"));
        }
        lines_of(&path)
    }
}

fn lines_of(path: &Path) -> SourceText {
    match std::fs::read(path) {
        Ok(bytes) => SourceText::Lines(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()),
        Err(error) => SourceText::Unusable(format!("cannot be read ({error})")),
    }
}

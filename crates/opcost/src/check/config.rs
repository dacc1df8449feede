//! What does `opcost.toml` ask for?
//!
//! A wrong file is an error that names the line. Unknown keys are wrong: a
//! misspelt limit must not pass for a kept one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml_edit::DocumentMut;

use super::limit::{CountLimit, FunctionLimit, Tolerance};
use opcost_answer::Failure;
use opcost_answer::check::RecordedCheck;

/// Comes above what functions did.
pub(super) const SELF_COST: &str =
    "# What each function does by itself, without the functions that it calls.";

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// By how much counts may be above limits, where a run or a function has no tolerance.
    pub tolerance: Option<Tolerance>,
    /// The runs, by name.
    #[serde(default)]
    pub run: BTreeMap<String, Spanned<RunConfig>>,
}

/// One named run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// A command for the shell that builds what `inputs` names.
    pub build: Option<String>,
    /// Sources, or one program built by opcost.
    pub inputs: Vec<PathBuf>,
    /// Flags of `opcost count`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Arguments of the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// What the program reads; none: nothing.
    pub stdin: Option<PathBuf>,
    /// Whether the program may fail.
    #[serde(default)]
    pub ignore_status: bool,
    /// Limit of the whole run.
    pub limit: Option<Spanned<CountLimit>>,
    /// By how much its counts may be above its limits.
    pub tolerance: Option<Tolerance>,
    /// Limits of functions, by any of their names.
    #[serde(default)]
    pub functions: BTreeMap<String, Spanned<FunctionLimit>>,
    /// What the limits were recorded with.
    pub recorded: Option<RecordedCheck>,
}

/// The file's text and what it asks for.
pub struct ConfigFile {
    /// Its path, as it was named.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What it asks for.
    pub config: Config,
}

impl ConfigFile {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<ConfigFile, Failure> {
        let text = std::fs::read_to_string(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => {
                let words = "there is no such file; write one (opcost check --help shows how), or name it with --file";
                Failure::file("read", path)(std::io::Error::new(source.kind(), words))
            }
            _ => Failure::file("read", path)(source),
        })?;
        let config: Config = toml::from_str(&text).map_err(|error| {
            Failure::Usage(format!("{}: {}", path.display(), error.to_string().trim_end()))
        })?;
        let file = ConfigFile { path: path.to_owned(), text, config };
        if file.config.run.is_empty() {
            return Err(Failure::Usage(format!(
                "{} names no run; add [run.NAME] with inputs = [\"…\"]",
                path.display()
            )));
        }
        Ok(file)
    }

    /// Whether a run's numbers of functions were written by an earlier version of opcost, which put
    /// this comment above them. Then numbers alone are what functions did, and no limits.
    pub fn has_recorded_functions(&self, run: &str) -> bool {
        let Ok(document) = self.text.parse::<DocumentMut>() else { return false };
        let functions = document.get("run").and_then(|runs| runs.get(run)?.get("functions")?.as_table());
        let prefix = functions.and_then(|table| table.decor().prefix()?.as_str());
        prefix.is_some_and(|prefix| prefix.contains(SELF_COST))
    }

    /// The line of a place in the text, from 1.
    pub fn line(&self, span: &Range<usize>) -> u32 {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }
}

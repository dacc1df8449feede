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
pub(crate) struct Config {
    /// By how much counts may be above limits, where a run or a function has no tolerance.
    pub(crate) tolerance: Option<Tolerance>,
    /// The runs, by name.
    #[serde(default)]
    pub(crate) run: BTreeMap<String, Spanned<RunConfig>>,
}

/// One named run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunConfig {
    /// A command for the shell that builds what `inputs` names.
    pub(crate) build: Option<String>,
    /// Sources, or one program built by opcost.
    pub(crate) inputs: Vec<PathBuf>,
    /// Flags of `opcost count`.
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    /// Arguments of the program.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    pub(crate) stdin: Option<PathBuf>,
    /// Whether the program may fail.
    #[serde(default)]
    pub(crate) ignore_status: bool,
    /// Limit of the whole run.
    pub(crate) limit: Option<Spanned<CountLimit>>,
    /// By how much its counts may be above its limits.
    pub(crate) tolerance: Option<Tolerance>,
    /// Limits of functions, by any of their names.
    #[serde(default)]
    pub(crate) functions: BTreeMap<String, Spanned<FunctionLimit>>,
    /// What the limits were recorded with.
    pub(crate) recorded: Option<RecordedCheck>,
}

/// The file's text and what it asks for.
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) config: Config,
}

impl ConfigFile {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<ConfigFile, Failure> {
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
    pub(crate) fn has_recorded_functions(&self, run: &str) -> bool {
        let Ok(document) = self.text.parse::<DocumentMut>() else { return false };
        let functions = document.get("run").and_then(|runs| runs.get(run)?.get("functions")?.as_table());
        let prefix = functions.and_then(|table| table.decor().prefix()?.as_str());
        prefix.is_some_and(|prefix| prefix.contains(SELF_COST))
    }

    /// The line of a place in the text, from 1.
    pub(crate) fn line(&self, span: &Range<usize>) -> u32 {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }
}

//! What does `opcost.toml` ask for?
//!
//! A wrong file is an error that names the line. Unknown keys are wrong: a
//! misspelt limit must not pass for a kept one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::arguments::{BudgetError, parse_budget};
use opcost_answer::Failure;
use opcost_answer::check::RecordedCheck;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
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
    /// Limits of functions, by any of their names.
    #[serde(default)]
    pub(crate) functions: BTreeMap<String, Spanned<CountLimit>>,
    /// What the limits were recorded with.
    pub(crate) recorded: Option<RecordedCheck>,
}

/// A number of instructions: `2_500_000_000` or `"2.5G"`.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "LimitText")]
pub(crate) struct CountLimit(pub(crate) u128);

#[derive(Deserialize)]
#[serde(untagged, expecting = "a limit is a number of instructions: 2_500_000_000 or \"2.5G\"")]
enum LimitText {
    Number(u64),
    Text(String),
}

impl TryFrom<LimitText> for CountLimit {
    type Error = BudgetError;
    fn try_from(text: LimitText) -> Result<CountLimit, BudgetError> {
        match text {
            LimitText::Number(number) => Ok(CountLimit(number.into())),
            LimitText::Text(text) => parse_budget(&text).map(CountLimit),
        }
    }
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

    /// The line of a place in the text, from 1.
    pub(crate) fn line(&self, span: &Range<usize>) -> u32 {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }
}

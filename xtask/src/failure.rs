//! What goes wrong in a chore: a sentence for a person, and an exit status.
//!
//! Nobody matches on these errors, they are only read; so there is one type
//! with a text, and every place that fails says what it did, what happened
//! and what mends it.

use std::fmt;
use std::path::Path;

/// The result of everything in this crate.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A chore that could not be done, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    sentence: String,
    status: u8,
}

impl Failure {
    /// A failure of the chore itself.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), status: 1 }
    }

    /// A command line that means nothing.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), status: 2 }
    }

    /// A chore that was done, and whose answer is no.
    pub(crate) fn verdict(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), status: 3 }
    }

    /// A file or folder with which `doing` did not work.
    pub(crate) fn at(doing: &str, path: &Path, error: impl fmt::Display) -> Self {
        Self::new(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// The exit status of the process.
    pub(crate) fn status(&self) -> u8 {
        self.status
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

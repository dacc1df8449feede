//! Where is it written?
//!
//! A line of a file, as debug information names both.

use std::sync::Arc;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The file, as the debug information names it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

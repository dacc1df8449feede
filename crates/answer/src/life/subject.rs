//! Whose life is asked for?

use serde::{Deserialize, Serialize};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LifeSubject {
    /// All instructions of a line, or those of one column of it.
    Line {
        /// End of the file's path.
        file: String,
        /// From 1.
        line: u32,
        /// From 1.
        column: Option<u32>,
    },
    /// Instructions of a function: one value, or all.
    Value {
        /// Linkage name.
        function: String,
        /// `%div`, with or without the sign.
        value: Option<String>,
    },
}

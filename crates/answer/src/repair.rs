//! What had to move so that sampled counts are consistent.

use schemars::JsonSchema;
use serde::Serialize;

use crate::document::define_document;

define_document!(
    /// Which document it is.
    pub struct RepairDocumentName = "opcost.repair/1"
);

/// What a repair moved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "opcost.repair/1")]
pub struct RepairAnswers {
    /// `opcost.repair/1`.
    pub schema: RepairDocumentName,
    /// `likeliest` or `classic`.
    pub solver: String,
    /// Whether no other counts are likelier (cheaper), up to the solver's tolerance.
    pub is_optimal: bool,
    /// Samples in the program.
    pub samples: u64,
    /// Sum of all counts by their own samples.
    pub before: f64,
    /// Sum of the same places' consistent counts.
    pub after: f64,
    /// Sum of the distances.
    pub moved: f64,
    /// Calls of functions.
    pub calls: u64,
    /// Those that go through pointers or come from elsewhere: no known call site made them.
    pub calls_from_outside: u64,
    /// Frames that were left by calls that did not return, or are still there.
    pub left: u64,
    /// Functions by how much their counts moved, most first.
    pub functions: Vec<MovedFunction>,
    /// Functions of the ledger that the program does not have as they were.
    pub refused: Vec<String>,
}

/// One function.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MovedJson")]
pub struct MovedFunction {
    /// Its linkage name.
    pub name: String,
    /// Its module.
    pub module: String,
    /// As of the whole.
    pub before: f64,
    /// As of the whole.
    pub after: f64,
    /// As of the whole.
    pub moved: f64,
    /// The block that moved most.
    pub block: u32,
    /// Where it is written.
    pub file: Option<String>,
    /// Its line there.
    pub line: Option<u32>,
    /// Its count by its own samples.
    pub block_before: f64,
    /// Its consistent count.
    pub block_after: u64,
}

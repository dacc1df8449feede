//! What became of a program whose functions were replaced while it ran?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::define_document;

define_document!(
    /// Which document it is.
    pub struct RunDocumentName = "opcost.run/1"
);

/// How a program is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunMode {
    /// Compiled once, before it begins.
    Compile,
    /// Hot functions are replaced where they are entered.
    TwoPass,
    /// So are loops that run.
    #[default]
    Adaptive,
}

/// A program that ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "opcost.run/1")]
pub struct LiveAnswers {
    /// `opcost.run/1`.
    pub schema: RunDocumentName,
    /// How it was run.
    pub mode: RunMode,
    /// The status that it exited with, if it did.
    pub status: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Milliseconds until it was started.
    pub milliseconds_to_start: f64,
    /// Milliseconds that it ran.
    pub milliseconds: f64,
    /// Its functions.
    pub functions: u64,
    /// Versions, in the order in which they were made.
    pub versions: Vec<LiveVersion>,
    /// Versions that were not made, or not taken.
    pub refused: Vec<RefusedVersion>,
    /// Functions that have no versions, or whose loops are not left, and why.
    pub excluded: Vec<ExcludedFunction>,
    /// Where samples were.
    pub samples: LiveSamples,
    /// Bytes of all versions.
    pub bytes: u64,
}

/// A version of a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveVersion {
    /// Linkage name of the function.
    pub function: String,
    /// Its module.
    pub module: String,
    /// Milliseconds after the start, when it was there to be entered.
    pub at: f64,
    /// Samples of the function until then.
    pub samples: u64,
    /// Numbers of the loops' blocks at which running activations are left for it.
    pub loops: Vec<u32>,
    /// Values of a running activation that are constants in it.
    pub constants: u64,
    /// Milliseconds of processor time that it took to make it.
    pub compile: f64,
    /// Bytes of its code and data.
    pub bytes: u64,
    /// Samples in it.
    pub later_samples: u64,
}

/// A version that was not made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedVersion {
    /// Linkage name of the function.
    pub function: String,
    /// Why.
    pub why: String,
}

/// A function that stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExcludedFunction {
    /// Linkage name.
    pub function: String,
    /// Whether it is entered by a word; then its running activations alone stay.
    pub is_entered: bool,
    /// Why.
    pub why: String,
}

/// Where samples were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveSamples {
    /// In first versions.
    pub first: u64,
    /// In later ones.
    pub later: u64,
    /// All of them.
    pub all: u64,
}

//! What is known of a training run besides the counts in its ledger?

use std::collections::BTreeMap;

use opcost_key::Hash128;
use serde::{Deserialize, Serialize};

/// A loop, and how often it went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainedLoop {
    /// Linkage name of its function.
    pub function: String,
    /// The number of its header among the blocks of the function.
    pub header: u32,
    /// Where it is written: file and line.
    pub location: Option<String>,
    /// Activations by their iterations.
    pub activations: BTreeMap<u64, u64>,
}

/// The paths that a function took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionPaths {
    /// Linkage name.
    pub name: String,
    /// Hash of its flow: a function with another one has other paths.
    pub shape: Hash128,
    /// Its paths.
    pub paths: Vec<TakenPath>,
}

/// A path, and how often it was taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TakenPath {
    /// The numbers of the edges along it.
    pub edges: Vec<u32>,
    /// How often.
    pub count: u64,
}

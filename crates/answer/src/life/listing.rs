//! A stage in full, behind each pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One state in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// After which pass.
    pub pass: String,
    /// Linkage name.
    pub function: String,
    /// In order.
    pub lines: Vec<Line>,
}

/// One instruction or node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Whether it was asked for.
    pub is_chosen: bool,
    /// The block in which it is.
    pub block: String,
    /// All of it.
    pub text: String,
}

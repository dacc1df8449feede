//! How much of the machine code is explained, and what telling it cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of the machine code is explained.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Machine instructions of the module that have bytes.
    pub instructions: u64,
    /// Those that lead to an IR instruction.
    pub keyed: u64,
    /// Those of them that LLVM made of several, and said so.
    #[serde(default)]
    pub merged: u64,
    /// Those of them of which that was argued.
    #[serde(default)]
    pub inferred: u64,
    /// Those that do, or have a reason.
    pub explained: u64,
    /// How many have each reason.
    pub reasons: BTreeMap<String, u64>,
    /// How inference answers where the truth is known.
    #[serde(default)]
    pub referee: Referee,
    /// What watching took.
    #[serde(default)]
    pub work: Work,
}

/// Copies and constants that LLVM gave a location, asked for without it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Referee {
    /// Inferred as LLVM has it.
    pub right: u64,
    /// Inferred otherwise.
    pub wrong: u64,
    /// Nothing was inferred.
    pub silent: u64,
}

/// What watching took, in instructions and nodes after all passes together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Compared with the state before.
    pub compared: u64,
    /// Of these printed, since they were another.
    pub printed: u64,
    /// CPU time of optimiser and code generation while they are watched, without reading, choosing
    /// and reporting.
    pub milliseconds: u64,
}

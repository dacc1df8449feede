//! What is asked of code that is replaced while it runs: a later version?

use std::path::PathBuf;

use opcost_key::live::VersionPlan;
use serde::{Deserialize, Serialize};

use crate::module::CodeOptions;

/// A version of one function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VersionJob {
    /// Bitcode of its module.
    pub basis: PathBuf,
    /// Which one.
    pub plan: VersionPlan,
    /// The optimiser's level.
    pub level: u8,
    /// How machine code is generated.
    pub code: CodeOptions,
    /// The object file.
    pub output: PathBuf,
}

/// A version that was made: an object with `opc.entry`, and `opc.rest` with the number of each header.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeVersion {
    /// Seconds of processor time that it took.
    pub seconds: f64,
}

//! What is asked of a ledger whose time is to be worked out?

use std::path::PathBuf;

use opcost_instrument::CostModel;
use serde::{Deserialize, Serialize};

use crate::module::CodeOptions;
use crate::profile::ExportModule;

/// What did the program of a ledger do?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkJob {
    /// The ledger's file.
    pub ledger: PathBuf,
    /// Its modules, compiled again.
    pub modules: Vec<WorkModule>,
    /// Weights of instructions.
    pub cost: CostModel,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// The processor whose model is asked, as LLVM calls it.
    pub processor: String,
    /// Bytes that each level of the cache holds, from the first.
    pub capacities: Vec<u64>,
}

/// A module of the ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkModule {
    /// At its anchor.
    pub module: ExportModule,
    /// How machine code was generated.
    pub code: CodeOptions,
}

/// Which processor is this, as LLVM calls it?
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ProcessorJob {}

/// A processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorAnswer {
    /// As LLVM calls it: `znver4`.
    pub name: String,
    /// Target triple of programs for this machine.
    pub target: String,
}

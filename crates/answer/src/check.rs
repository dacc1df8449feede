//! What limits of a program were recorded with: numbers mean something only there.

mod change;
mod verdicts;

pub use change::{RecordedTotal, WorkChange};
pub use verdicts::{
    CheckLimit, CheckVerdict, CheckedFunction, CheckedRun, CheckedRuns, CountToCheck, FunctionFate,
};

use std::collections::BTreeMap;

use serde::Deserialize;

/// What limits were recorded with; numbers mean something only there.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct RecordedCheck {
    /// Compiler with its version, of the first module: `clang 22.1.8`.
    pub compiler: String,
    /// Its flags that shape the code, in order: `-O2`, `-DNDEBUG`.
    pub flags: Vec<String>,
    /// Target triple, as LLVM writes it.
    pub target: String,
    /// Name of the weights: `unit/1`.
    pub cost_model: String,
    /// Why the limits are what they are.
    #[serde(default)]
    pub reason: String,
    /// What the whole run did; none in a file of an earlier version, whose limit is that number.
    #[serde(default)]
    pub instructions: Option<u64>,
    /// Modules by the ways that they were built in, where these are several.
    #[serde(default)]
    pub builds: Vec<RecordedBuild>,
    /// What functions did that do much of the work, or have a limit of their own. These are no
    /// limits.
    #[serde(default)]
    pub functions: BTreeMap<String, RecordedWork>,
}

/// What one function did.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct RecordedWork {
    /// Instructions that it did by itself, without its callees.
    pub instructions: u64,
    /// Hash of its body, by which it is found under another name; none where several functions
    /// had one body.
    #[serde(default)]
    pub body: Option<String>,
}

/// Modules that were built in one way.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct RecordedBuild {
    /// Their names.
    pub modules: Vec<String>,
    /// Compiler with its version.
    pub compiler: String,
    /// Flags that shape the code.
    pub flags: Vec<String>,
}

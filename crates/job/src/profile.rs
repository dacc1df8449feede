//! Which profile is wanted of a ledger?

use std::path::PathBuf;

use opcost_instrument::CostModel;
use opcost_key::Anchor;
use opcost_optimise::{FunctionPaths, TrainedLoop};
use serde::{Deserialize, Serialize};

use crate::module::CodeOptions;

/// A module as the front end left it goes to a later anchor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnchorJob {
    /// The module.
    pub bitcode: PathBuf,
    /// Whether opcost's own front end made it.
    pub is_own: bool,
    /// Which one: that of clang's profile passes, or the one that takes little time.
    pub anchor: Anchor,
    /// The level at which machine code is generated.
    pub codegen: u8,
    /// The optimiser's level.
    pub level: u8,
    /// Where it is written.
    pub output: PathBuf,
}

/// A profile of a ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportJob {
    /// Who reads it.
    pub format: ExportFormat,
    /// The ledger's file.
    pub ledger: PathBuf,
    /// Its modules, compiled again.
    pub modules: Vec<ExportModule>,
    /// Whether other modules of the program are compiled by themselves. Then nothing need fit, and the counts of the
    /// others decide, too, what is hot.
    pub is_part: bool,
    /// Weights of instructions.
    pub cost: CostModel,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// Where the profile is written.
    pub output: PathBuf,
}

/// Who reads the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// The module at its anchor, branches weighed: clang -x ir, llc.
    Bitcode,
    /// clang -fprofile-use, rustc -Cprofile-use; of a ledger at the anchor pgo.
    Profdata,
    /// clang -fprofile-sample-use: by function and line.
    LlvmSample,
    /// go tool pprof and what reads its files.
    Pprof,
    /// Folded stacks of inlined functions, for flame graphs.
    Collapsed,
}

/// A module of the ledger, compiled again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportModule {
    /// Its name in the ledger.
    pub name: String,
    /// The state at which it was counted.
    pub anchor: Anchor,
    /// The module at that anchor.
    pub bitcode: PathBuf,
}

/// What was written, and what was not.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExportAnswers {
    /// How many functions have their counts in the file.
    pub functions: usize,
    /// Linkage names of functions that do not, and why.
    pub refused: Vec<(String, String)>,
}

/// A module becomes an object file, by the counts of a ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArrangeJob {
    /// The ledger's file; without it code is generated as it would be.
    pub ledger: Option<PathBuf>,
    /// The module at the anchor of the ledger.
    pub module: ExportModule,
    /// How machine code is generated.
    pub code: CodeOptions,
    /// Weights of instructions.
    pub cost: CostModel,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// Whether branches get weights of the ledger. A module that the optimiser made by a profile has its own.
    pub weighs: bool,
    /// Whether machine blocks are put in another order.
    pub orders: bool,
    /// The object file.
    pub output: PathBuf,
}

/// A module where clang's profile passes read gets its profile, and copies of code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyJob {
    /// What is known of it, and what is copied.
    pub request: CopyRequest,
    /// How machine code is generated.
    pub code: CodeOptions,
    /// Weights of instructions.
    pub cost: CostModel,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// Where the module is written.
    pub output: PathBuf,
}

/// What is known of a module that gets copies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyRequest {
    /// The ledger's file.
    pub ledger: PathBuf,
    /// The module.
    pub module: ExportModule,
    /// The same counts as a profile of clang's; none if the module has its profile already.
    pub profile: Option<PathBuf>,
    /// Linkage names of functions whose branches get the counts of the ledger first: they were counted again.
    pub open: Vec<String>,
    /// What is copied.
    pub what: CopiedCode,
    /// How many instructions the program carried out.
    pub executed: u64,
}

/// Which code is copied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum CopiedCode {
    /// None.
    Nothing,
    /// What hot calls call.
    Calls,
    /// Hot joins. The paths of all functions say how often each copy runs.
    Joins(Vec<FunctionPaths>),
}

/// The optimiser goes on with a module that has its profile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FinishJob {
    /// What is known of it.
    pub request: FinishRequest,
    /// How machine code is generated.
    pub code: CodeOptions,
    /// The optimiser's level.
    pub level: u8,
    /// Weights of instructions.
    pub cost: CostModel,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// Where the optimised module is written.
    pub output: PathBuf,
}

/// What is known of a module that is to be optimised.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FinishRequest {
    /// The module, with its profile.
    pub module: ExportModule,
    /// The profile of clang's that it has.
    pub profile: PathBuf,
    /// Counts of this very module, if it was counted again.
    pub ledger: Option<PathBuf>,
    /// Linkage names of functions whose branches get these counts.
    pub open: Vec<String>,
    /// Loops whose bodies may be copied.
    pub loops: Vec<TrainedLoop>,
    /// How many instructions the program carried out.
    pub executed: u64,
}

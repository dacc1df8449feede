//! How often will blocks run? What is predicted, as plain data.
//!
//! The child that analyses writes it; printers read it, and `opcost.predict/2` is made of it.

use std::fmt;

use opcost_key::FunctionKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number of times: as many digits as it has, never wrapped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Executions(pub String);

/// How it is known how often a block runs, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PredictedClass {
    /// It is in no loop.
    StaticBlock,
    /// All loops around iterate a constant number of times.
    Constant,
    /// The trip count of a loop around is a formula.
    Formula,
    /// A ledger gave how often a loop iterates.
    Run,
    /// A loop around has more than one exit: the number is a bound.
    Bound,
    /// Nothing is known of a loop around: static probabilities.
    StaticLoop,
    /// It is not known: recursion, calls through pointers and the like.
    Unknown,
}

/// A block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictedBlock {
    /// Position in the function.
    pub block: u32,
    /// The header of the innermost loop around it.
    pub header: Option<u32>,
    /// Its label in LLVM's text.
    pub label: String,
    /// Where it is written.
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<u32>,
    /// How often it runs, to the nearest whole number; none where that hangs on an input without a number.
    pub executions: Option<Executions>,
    /// The same as far as it can be shown, with guesses in place of what is open.
    pub near: f64,
    /// How that is known.
    pub class: PredictedClass,
    /// Whether it is exact, if what loops and branches rest on holds.
    pub is_exact: bool,
    /// The formula, for one call of the function.
    pub formula: Option<String>,
    /// Why it is not known better.
    pub reason: Option<String>,
    /// What one execution costs under the cost model.
    pub weight: u64,
    /// Executions for one call by LLVM's estimate.
    pub by_llvm: f64,
    /// Executions for one call by static probabilities alone.
    pub by_statics: f64,
}

/// A function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictedFunction {
    /// Its key.
    pub key: FunctionKey,
    /// Where it is written.
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<u32>,
    /// How often it is entered.
    pub entries: Option<Executions>,
    /// How that is known.
    pub class: PredictedClass,
    /// Why it is not known better.
    pub reason: Option<String>,
    /// Its blocks, in order.
    pub blocks: Vec<PredictedBlock>,
}

/// An input that would decide something and has no number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InputJson")]
pub struct OpenInput {
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub about: String,
    /// The flag that gives it a value.
    pub flag: String,
}

/// What a prediction was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PredictionSource {
    /// The code, and values that were given.
    #[default]
    Code,
    /// These, and how often loops iterated in a run.
    TripCounts,
    /// These, and what a run of the program's slice counted.
    Slice,
    /// Nothing is predicted: it is a run, counted.
    Count,
}

impl PredictionSource {
    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            PredictionSource::Code => "code",
            PredictionSource::TripCounts => "trip-counts",
            PredictionSource::Slice => "slice",
            PredictionSource::Count => "count",
        }
    }
}

/// A slice that was run in place of its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SliceRunJson")]
pub struct SliceRunFacts {
    /// Instructions of the program.
    pub instructions: u64,
    /// Those of them that the slice has.
    #[serde(rename = "kept")]
    pub retained: u64,
    /// Seconds that it ran.
    pub seconds: f64,
}

/// All of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PredictAnswers {
    /// `open` or `closed`.
    pub world: String,
    /// Whether it begins at a `main`.
    pub has_main: bool,
    /// By module order.
    pub functions: Vec<PredictedFunction>,
    /// Where it may end before its code is through, or return twice, if it may.
    pub early_end: Option<String>,
    /// Inputs without numbers.
    pub inputs: Vec<OpenInput>,
    /// Instructions that it executes, of what is not open.
    pub total: String,
    /// What it was made of.
    pub source: PredictionSource,
    /// The slice that was run for it, if one was.
    pub slice_run: Option<SliceRunFacts>,
    /// Whether something is open, so that the total is not all.
    pub is_open: bool,
    /// Why no ledger was written that was wanted.
    pub no_ledger: Option<String>,
    /// The hash of the code, in hexadecimal digits.
    pub code: String,
}

/// How near an estimate is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MeasuresJson")]
pub struct Measures {
    /// As of the prediction.
    pub within_1_percent: f64,
    /// As of the prediction.
    pub mean_error: Option<f64>,
    /// As of the prediction.
    pub mean_error_without_far: Option<f64>,
    /// Overlap of blocks over the program.
    pub program_block: f64,
}

/// Two ledgers of one name, in two folders.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOfRuns {
    /// The name, without folder.
    pub name: String,
    /// How near the first is to the second; none if they are of different builds.
    pub measures: Option<Measures>,
}

/// Two folders of ledgers, name by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoldersOfRuns {
    /// Those that both have.
    pub pairs: Vec<PairOfRuns>,
    /// Names that only one of both has.
    pub alone: Vec<String>,
}

/// A function or a loop whose executions are far off.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WorstJson")]
pub struct Worst {
    /// The key of the function.
    #[schemars(with = "String")]
    pub function: FunctionKey,
    /// The block that heads the loop, if it is one.
    pub header: Option<u32>,
    /// Where it is written.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// Executions of its blocks as predicted.
    pub predicted: f64,
    /// And in the run.
    pub counted: f64,
    /// Sum over its blocks of |p − r|, by all executions of the run.
    pub error: f64,
}

/// A prediction held against a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearness {
    /// The prediction.
    pub opcost: Measures,
    /// LLVM's BlockFrequencyInfo times counted entries.
    pub llvm: Measures,
    /// Static probabilities alone times counted entries.
    pub statics: Measures,
    /// Functions that are furthest off.
    pub functions: Vec<Worst>,
    /// Loops that are.
    pub loops: Vec<Worst>,
    /// Blocks that were compared.
    pub blocks: usize,
    /// The share of the run's executions in blocks whose class is unknown, or that have no number.
    pub left_out: f64,
    /// All other executions that are predicted, by those that were counted; none if nothing remains.
    pub scale_of_rest: Option<f64>,
}

impl PredictedClass {
    /// All of them.
    pub const ALL: [PredictedClass; 7] = [
        PredictedClass::StaticBlock,
        PredictedClass::Constant,
        PredictedClass::Formula,
        PredictedClass::Run,
        PredictedClass::Bound,
        PredictedClass::StaticLoop,
        PredictedClass::Unknown,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            PredictedClass::StaticBlock => "static_block",
            PredictedClass::Constant => "loop_constant",
            PredictedClass::Formula => "loop_formula",
            PredictedClass::Run => "run",
            PredictedClass::Bound => "loop_bound",
            PredictedClass::StaticLoop => "static_loop",
            PredictedClass::Unknown => "unknown",
        }
    }

    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            PredictedClass::StaticBlock => "static block",
            PredictedClass::Constant => "loop with a constant",
            PredictedClass::Formula => "loop with a formula",
            PredictedClass::Run => "loop from a run",
            PredictedClass::Bound => "loop with a bound",
            PredictedClass::StaticLoop => "static loop",
            PredictedClass::Unknown => "unknown",
        }
    }
}

impl Executions {
    /// The number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }
}

impl fmt::Display for Executions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! What values were recorded in a run, and how what is claimed of loops fared there.

use opcost_key::Key;
use opcost_profile::opcval::FailedPoint;
use schemars::JsonSchema;
use serde::Serialize;

use crate::points::{Meaning, RefusedText};
use crate::run::Finish;

/// All that was recorded.
#[derive(Clone, Debug)]
pub struct RecordedValues {
    /// What the user ran.
    pub command: String,
    /// Loops and values, in the order in which they are shown.
    pub rows: Vec<ValueRow>,
    /// Loops that could not be recorded, each with its reason.
    pub refused: Vec<RefusedText>,
    /// Why something may be missing or coarse, in sentences.
    pub remarks: Vec<String>,
    /// How many processes recorded.
    pub processes: usize,
    /// Every how many values one is in histograms and sequences.
    pub sample: u64,
    /// Bytes that sequences and histograms took, and might.
    pub memory: (u64, u64),
    /// How the program ended; none: it was not run now.
    pub finish: Option<Finish>,
    /// How all claims fared, if they were checked.
    pub verify: Option<VerifyTotals>,
    /// How the numbers of the whole program fared, or why nothing was held.
    pub whole: Option<Result<WholeTotals, NotHeld>>,
}

/// A loop or a value.
#[derive(Clone, Debug)]
pub struct ValueRow {
    /// Name of the module that holds it.
    pub module: String,
    /// Of a loop its header, of a value its parameter or instruction.
    pub key: Key,
    /// Linkage name of its function.
    pub function: String,
    /// Its file, as debug information says; none without it.
    pub file: Option<String>,
    /// Line there, from 1; 0 if it has none.
    pub line: u32,
    /// How its numbers are read.
    pub meaning: Meaning,
    /// The header of a loop, the instruction of a value.
    pub text: String,
    /// Header of the loop around it; none of an outermost loop and of a value.
    pub parent: Option<String>,
    /// 1 for an outermost loop, one more for each loop around it.
    pub depth: u32,
    /// Of a loop how often it was entered; of a value how often it was computed.
    pub entries: u64,
    /// Of a loop the activations that left by one of its exits; of a value how often it was
    /// computed.
    pub complete: u64,
    /// Left by a jump, an exception or the end of a thread: how many, the most iterations of one.
    pub left: (u64, u64),
    /// Open at the end: how many, the most iterations of one.
    pub open: (u64, u64),
    /// Activations of the parent of a fork that went on in it.
    pub inherited: u64,
    /// Iterations of all activations, whatever their end; of a value, nothing.
    pub back_edges: i128,
    /// How many values were recorded.
    pub recorded: u64,
    /// Least, middle and greatest recorded value.
    pub range: Option<[i64; 3]>,
    /// How often each value was recorded, ascending.
    pub values: Vec<(i64, u64)>,
    /// Values that are known by range only: least, greatest, how many.
    pub rough: Vec<(i64, i64, u64)>,
    /// Values over time, as runs of equal ones; every `stride`-th of them.
    pub runs: Vec<(i64, u64)>,
    /// Every how many recorded values one is in `runs`.
    pub stride: u64,
    /// Whether every value is in `values`.
    pub is_exact: bool,
    /// What is claimed of the loop, and how it fared; none of a value.
    pub claim: Option<ClaimRow>,
    /// What `opcost loops` says of it as a number.
    pub whole: Option<WholeRow>,
}

/// A number that the whole program decides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WholeJson")]
pub struct WholeRow {
    /// Back edges: `7`, `at most 9`.
    #[serde(rename = "says")]
    pub count_text: String,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// How it fared in this run.
    pub verdict: ClaimVerdict,
    /// What did not agree.
    pub failure: Option<String>,
}

/// How what `opcost loops` says of the whole program fared, in loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WholeTotals {
    /// `open` or `closed`.
    pub world: String,
    /// Numbers that held.
    pub held: u64,
    /// Numbers of loops that were never entered: not verified.
    pub not_entered: u64,
    /// Numbers that were wrong: a defect of opcost.
    pub wrong: u64,
    /// Wrong, but under assumptions or on named inputs.
    pub assumption_violated: u64,
    /// Could not be held against the run.
    pub not_checked: u64,
    /// Formulas with names: held in each module only.
    pub formulas: u64,
    /// Loops of which nothing is claimed.
    pub no_claim: u64,
    /// Loops that are not the same in the whole program, or share their function's name.
    #[serde(rename = "not_found")]
    pub unmatched: u64,
}

/// Why the numbers of the whole program were not held against the run, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotHeld(pub String);

/// A claim on a loop.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClaimJson")]
pub struct ClaimRow {
    /// `back_edges` (exactly so many) or `bound` (at most).
    #[schemars(with = "String")]
    pub kind: ClaimKind,
    /// The formula.
    pub text: String,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// How it fared in all activations together.
    pub verdict: ClaimVerdict,
    /// Activations in which it held.
    pub held: u64,
    /// Activations in which it did not.
    pub failed: u64,
    /// Activations in which it had no result: a value was not known, or a number too large.
    pub unchecked: u64,
    /// Activations in which its sums had too many terms to hold it.
    pub too_long: u64,
    /// The first activation in which it did not hold.
    pub first_failure: Option<FailedPoint>,
    /// Why it was not checked.
    pub reason: Option<String>,
}

/// What a formula claims of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// That it has so many back edges.
    BackEdges,
    /// That it has no more.
    Bound,
}

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// In every activation.
    Held,
    /// The loop was never entered.
    NotEntered,
    /// Not in some activation.
    Wrong,
    /// Not in some activation, and it rests on assumptions.
    AssumptionViolated,
    /// It could not be held against the run.
    NotChecked,
}

/// How all claims fared, in loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerifyTotals {
    /// Held in every activation.
    pub held: u64,
    /// Claims on loops that were never entered: not verified.
    pub not_entered: u64,
    /// Wrong in some activation: a defect of opcost.
    pub wrong: u64,
    /// Wrong, but under assumptions that the program may have broken.
    pub assumption_violated: u64,
    /// Could not be held against the run.
    pub not_checked: u64,
    /// Loops of which nothing is claimed.
    pub no_claim: u64,
}

impl ValueRow {
    /// Whether it is a loop and no single value.
    pub fn is_loop(&self) -> bool {
        self.meaning == Meaning::BackEdges
    }

    /// Activations that were not seen to their end.
    pub fn partial(&self) -> u64 {
        self.left.0 + self.open.0
    }
}

impl RecordedValues {
    /// Whether a claim was wrong.
    pub fn is_wrong(&self) -> bool {
        let whole = self.whole.as_ref().and_then(|whole| whole.as_ref().ok());
        self.verify.is_some_and(|totals| totals.wrong > 0) || whole.is_some_and(|totals| totals.wrong > 0)
    }
}

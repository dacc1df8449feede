//! What the points of a program that records values mean.
//!
//! The list travels in the program, in a section that is not loaded; its hash stands in what
//! the program records, so that a file of another build is known for one.

use opcost_ir::CheckStep;
use opcost_key::Key;
use serde::{Deserialize, Serialize};

/// Section of an image in which each module that records says what: a line of
/// JSON each. It is not loaded when the program runs.
pub const VALUES_SECTION: &str = ".opcost.values";

/// What the points of a module mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PointList {
    /// Of the rest, as text.
    pub hash: String,
    /// Name of the module.
    pub module: String,
    /// By their numbers in what the program records.
    pub points: Vec<PointText>,
    /// Loops that are not recorded, and cycles that are no loops.
    pub refused: Vec<RefusedText>,
}

/// What a point means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PointText {
    /// Linkage name of its function.
    pub function: String,
    /// Its file, as debug information says.
    pub file: Option<String>,
    /// Its line there, from 1; 0 if it has none.
    pub line: u32,
    /// How its numbers are read.
    pub kind: Meaning,
    /// The header of a loop; the instruction of a value.
    pub text: String,
    /// Of a loop its header, of a value its parameter or instruction; of what is stored or returned the
    /// instruction that does it.
    pub key: Key,
    /// Of a loop: the header of the one around it.
    pub parent: Option<String>,
    /// Of a loop: 1 for an outermost one.
    pub depth: u32,
    /// Of a loop: what is claimed of it.
    pub claim: Option<ClaimText>,
}

/// How the numbers of a point are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meaning {
    /// Back edges taken in one activation.
    #[serde(rename = "Turns")]
    BackEdges,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating point number, by its bits.
    Float,
}

/// What is claimed of a loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClaimText {
    /// Whether it is exact, and no bound.
    pub is_exact: bool,
    /// The formula.
    pub text: String,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// Why it is not checked.
    pub unchecked: Option<String>,
    /// The steps of the check, encoded; numbers as text, since JSON's are short.
    pub steps: Vec<(u32, u32, String)>,
}

/// A loop that is not recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RefusedText {
    /// Linkage name of its function.
    pub function: String,
    /// Its file, as debug information says.
    pub file: Option<String>,
    /// Its line there, from 1; 0 if it has none.
    pub line: u32,
    /// Its header, in the text of the module.
    pub text: String,
    /// Why it is not recorded.
    pub reason: String,
    /// Its function and header; none in what an earlier opcost built.
    #[serde(default)]
    pub key: Option<Key>,
}

impl ClaimText {
    /// The check, decoded; none if it is damaged.
    pub fn check(&self) -> Option<Vec<CheckStep>> {
        let step = |(operation, argument, constant): &(u32, u32, String)| {
            CheckStep::decode(*operation, *argument, constant.parse().ok()?)
        };
        self.steps.iter().map(step).collect()
    }
}

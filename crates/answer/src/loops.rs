//! What is known of loops before they run: trip counts, bounds, and when they are entered.
//!
//! The child that analyses writes it, printers read it, and `opcost.loops/1` is made of it.

use opcost_key::Key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All loops of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LoopAnswers {
    /// `open` or `closed`.
    pub world: String,
    /// Names that formulas are made of, those of `--set`.
    pub names: Vec<String>,
    /// Linkage names of the functions that the code defines, with loops or without.
    pub functions: Vec<String>,
    /// By function in module order, outer loops before inner ones.
    pub loops: Vec<LoopAnswer>,
    /// Of each of them, what of it is a number.
    pub numbers: Vec<LoopNumbers>,
    /// Of each of them, the formulas as they are kept.
    pub written: Vec<LoopFormulas>,
    /// The hash of the linked code, in hexadecimal digits.
    pub code: String,
}

/// Formulas of a loop in which every name is between backquotes, so that only one reading fits.
/// What is too large to be written whole has a `…`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopFormulas {
    /// How often it goes back, if that is exact.
    pub back_edges: Option<String>,
    /// How often its body runs, if that is exact.
    pub body_iterations: Option<String>,
    /// How often its body runs in all iterations of the loops around it.
    pub total: Option<String>,
    /// Its body runs no more often than this.
    pub bound: Option<String>,
    /// When it is entered.
    pub entered: Option<String>,
    /// What its counts rest on.
    pub rests: Vec<LoopRest>,
}

/// What a count rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopRest {
    /// An instruction keeps the promise that has this word.
    Promise(Key, String),
    /// This condition holds.
    Condition(String),
    /// This condition holds, else the loop does not end.
    EndsIf(String),
    /// The loop ends, as its language promises.
    Progress,
    /// It is not left after this block.
    NotLeft(Key),
    /// Numbers with a point are those of IEEE 754.
    Ieee,
    /// A rule about memory.
    Rule(String),
}

/// Back edges of a loop, where the program alone decides them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopNumbers {
    /// In one activation, exactly.
    pub exact: Option<i128>,
    /// In one activation, at most.
    pub bound: Option<i128>,
    /// In all activations of one of the outermost loop around it.
    pub total: Option<i128>,
}

/// How well it is known when a loop is entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// Whenever its function is, or the iteration of the loop around it begins.
    Always,
    /// Exactly where the condition holds.
    If,
    /// Only where the condition holds, and perhaps not always then.
    OnlyIf,
    /// It is never entered: no iteration runs.
    Never,
    /// That cannot be determined.
    #[default]
    Unknown,
}

/// When a loop is entered, once its function is, or an iteration of the loop around it begins; that
/// calls before it return is presumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryAnswer {
    /// How well that is known.
    pub kind: EntryKind,
    /// The condition, over the names of the formulas; of `if` and `only_if`.
    pub condition: Option<String>,
}

/// How much is known of a loop's iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerKind {
    /// A number.
    Constant,
    /// Exact, over named inputs only.
    Inputs,
    /// Exact, over other values of the program, too.
    Formula,
    /// No more than this.
    Bound,
    /// Nothing; the reason is said.
    #[default]
    Unknown,
}

/// What is known of one loop. Counts are those of one activation: the loop
/// entered once, and left by one of its own exits.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoopAnswer {
    /// The function, and the header of the loop: `@solve:loop3`, `a.c@work:loop1` of a function that only its
    /// module can name.
    #[schemars(with = "String")]
    pub key: Key,
    /// Name of the function in its own module.
    pub function: String,
    /// The header's number among the blocks of the function; of an irreducible region its first block.
    pub header: u32,
    /// The header's label in the text of the module.
    pub label: String,
    /// Where the loop is written, if the module says so.
    pub file: Option<String>,
    /// The line of its header there, from 1.
    pub line: Option<u32>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// The header of the loop around it.
    pub parent: Option<u32>,
    /// How it is built: `tested first`, `tested last`, `endless`, `irreducible`, `vector body`, …
    pub form: String,
    /// When it is entered: the counts are those of a loop that is.
    pub entered_if: EntryAnswer,
    /// How much is known.
    pub kind: AnswerKind,
    /// How often it goes back, as a formula.
    pub back_edges: Option<String>,
    /// How often its body runs, as a formula.
    pub body_iterations: Option<String>,
    /// What one wants to see first: the body's iterations, else the bound.
    pub expression: Option<String>,
    /// Body iterations over all iterations of the loops around it, where these change it.
    pub total: Option<String>,
    /// Named inputs that the answer is made of, as `name: what is known of it`.
    pub inputs: Vec<String>,
    /// The body runs no more often than this.
    pub bound: Option<String>,
    /// What an exact answer rests on: `nsw of %add (line 4)`.
    pub assumes: Vec<String>,
    /// Why there is no exact answer.
    pub reason: Option<String>,
    /// Of a vector body: the loop of the source, of which this one does most.
    pub vectorised: Option<VectorisedAnswer>,
    /// Of a body that was unrolled: the loop of the source, of which this one does most.
    pub unrolled: Option<UnrolledAnswer>,
    /// The header of the vector body or unrolled body that leaves this loop what it does.
    pub remainder_of: Option<u32>,
}

/// The loop of the source that the unroller split.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnrolledAnswer {
    /// Iterations of the source in one of the unrolled body.
    pub copies: u64,
    /// The header of the loop that does what is left.
    pub remainder: u32,
    /// How often the body of the source runs, as a formula, if that is exact.
    pub source_iterations: Option<String>,
}

/// The loop of the source that the vectoriser split.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VectorisedAnswer {
    /// Iterations of the source in one of the vector body.
    pub lanes: u64,
    /// The header of the loop that does what is left.
    pub remainder: Option<u32>,
    /// How often the body of the source runs, as a formula, if that is exact.
    pub source_iterations: Option<String>,
    /// When the source's loop is entered: by one of its parts.
    pub entered_if: EntryAnswer,
}

impl LoopAnswers {
    /// Leaves the loops that `is_wanted` keeps, and all that is said of each of them.
    pub fn retain(&mut self, is_wanted: impl Fn(&LoopAnswer) -> bool) {
        let kept: Vec<bool> = self.loops.iter().map(is_wanted).collect();
        only(&kept, &mut self.loops);
        only(&kept, &mut self.numbers);
        only(&kept, &mut self.written);
    }

    /// How many are of each kind, in the order of `kinds`.
    pub fn numbers(&self, kinds: &[AnswerKind]) -> Vec<usize> {
        kinds.iter().map(|kind| self.loops.iter().filter(|answer| answer.kind == *kind).count()).collect()
    }
}

/// Leaves the elements that are kept.
fn only<T>(kept: &[bool], all: &mut Vec<T>) {
    let mut kept = kept.iter();
    all.retain(|_| *kept.next().unwrap_or(&false));
}

//! What analyses say of a program, as plain data: the child writes it, the
//! printers read it, and `opcost.loops/1` is made of it.

use opcost_key::Key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All loops of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LoopAnswers {
    /// `open` or `closed`.
    pub(crate) world: String,
    /// Names that formulas are made of, those of `--set`.
    pub(crate) names: Vec<String>,
    /// By function in module order, outer loops before inner ones.
    pub(crate) loops: Vec<LoopAnswer>,
    /// Of each of them, what of it is a number.
    pub(crate) numbers: Vec<LoopNumbers>,
}

/// Back edges of a loop, where the program alone decides them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoopNumbers {
    /// In one activation, exactly.
    pub(crate) exact: Option<i128>,
    /// In one activation, at most.
    pub(crate) bound: Option<i128>,
    /// In all activations of one of the outermost loop around it.
    pub(crate) total: Option<i128>,
}

/// How well it is known when a loop is entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryKind {
    /// Whenever its function is, or the turn of the loop around it begins.
    Always,
    /// Exactly where the condition holds.
    If,
    /// Only where the condition holds, and perhaps not always then.
    OnlyIf,
    /// It is never entered: no turn runs.
    Never,
    /// That cannot be told.
    #[default]
    Unknown,
}

/// When a loop is entered, once its function is, or a turn of the loop around it begins; that
/// calls before it return is presumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct EntryAnswer {
    pub(crate) kind: EntryKind,
    /// The condition, over the names of the formulas; of `if` and `only_if`.
    pub(crate) condition: Option<String>,
}

/// How much is known of a loop's turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AnswerKind {
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
pub(crate) struct LoopAnswer {
    /// The function, and the header of the loop: `@solve:loop3`, `a.c@work:loop1` of a function that only its
    /// module can name.
    #[schemars(with = "String")]
    pub(crate) key: Key,
    /// Name of the function in its own module.
    pub(crate) function: String,
    /// The header's number among the blocks of the function; of an irreducible region its first block.
    pub(crate) header: u32,
    /// The header's label in the text of the module.
    pub(crate) label: String,
    /// Where the loop is written, if the module says so.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// 1 for an outermost loop.
    pub(crate) depth: u32,
    /// The header of the loop around it.
    pub(crate) parent: Option<u32>,
    /// How it is built: `tested first`, `tested last`, `endless`, `irreducible`, `vector body`, …
    pub(crate) form: String,
    /// When it is entered: the counts are those of a loop that is.
    pub(crate) entered_if: EntryAnswer,
    pub(crate) kind: AnswerKind,
    /// How often it goes back, as a formula.
    pub(crate) back_edges: Option<String>,
    /// How often its body runs, as a formula.
    pub(crate) body_iterations: Option<String>,
    /// What one wants to see first: the body's iterations, else the bound.
    pub(crate) expression: Option<String>,
    /// Body iterations over all turns of the loops around it, where these change it.
    pub(crate) total: Option<String>,
    /// Named inputs that the answer is made of, as `name: what is known of it`.
    pub(crate) inputs: Vec<String>,
    /// The body runs no more often than this.
    pub(crate) bound: Option<String>,
    /// What an exact answer rests on: `nsw of %add (line 4)`.
    pub(crate) assumes: Vec<String>,
    /// Why there is no exact answer.
    pub(crate) reason: Option<String>,
    /// Of a vector body: the loop of the source, of which this one does most.
    pub(crate) vectorised: Option<VectorisedAnswer>,
    /// Of a body that was unrolled: the loop of the source, of which this one does most.
    pub(crate) unrolled: Option<UnrolledAnswer>,
    /// The header of the vector body or unrolled body that leaves this loop what it does.
    pub(crate) remainder_of: Option<u32>,
}

/// The loop of the source that the unroller split.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct UnrolledAnswer {
    /// Iterations of the source in one of the unrolled body.
    pub(crate) copies: u64,
    /// The header of the loop that does what is left.
    pub(crate) remainder: u32,
    /// How often the body of the source runs, as a formula, if that is exact.
    pub(crate) source_iterations: Option<String>,
}

/// The loop of the source that the vectoriser split.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct VectorisedAnswer {
    /// Turns of the source in one of the vector body.
    pub(crate) lanes: u64,
    /// The header of the loop that does what is left.
    pub(crate) remainder: Option<u32>,
    /// How often the body of the source runs, as a formula, if that is exact.
    pub(crate) source_iterations: Option<String>,
    /// When the source's loop is entered: by one of its parts.
    pub(crate) entered_if: EntryAnswer,
}

impl LoopAnswers {
    /// How many are of each kind, in the order of `kinds`.
    pub(crate) fn numbers(&self, kinds: &[AnswerKind]) -> Vec<usize> {
        kinds.iter().map(|kind| self.loops.iter().filter(|answer| answer.kind == *kind).count()).collect()
    }
}

/// What decides the things that were asked about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ExplainAnswers {
    /// `open` or `closed`.
    pub(crate) world: String,
    /// In the order of the code.
    pub(crate) things: Vec<Explained>,
}

/// A value or a loop, and what decides it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Explained {
    /// `i`, `how often the loop turns`, `the result`.
    pub(crate) what: String,
    /// Linkage name of the function.
    pub(crate) function: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    /// The instruction, or the loop's header, in the text of the module.
    pub(crate) text: String,
    /// Of a loop: how often its body runs, as `opcost loops` has it.
    pub(crate) iterations: Option<String>,
    /// What it is, as in C; terms that occur several times are named in lines before.
    pub(crate) expression: String,
    /// `definite`, `definite, assuming …`, `possible` (other writers may come in between) or `outside`
    /// (it cannot all be seen).
    pub(crate) quality: String,
    /// Named inputs that it ends in, as `name: what is known of it`.
    pub(crate) inputs: Vec<String>,
    /// What is in the way of a full answer: unknown calls, pointers that are not understood.
    pub(crate) blockers: Vec<String>,
    /// The graph: what it is made of.
    pub(crate) nodes: Vec<DependenceNode>,
    /// From what is made to what it is made of.
    pub(crate) edges: Vec<DependenceEdge>,
}

/// A node of the graph of dependences; the first is the thing itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DependenceNode {
    /// `+`, `n`, `64`, `READ of inputbt.data`.
    pub(crate) label: String,
    /// `operation`, `constant`, `input`, `alternatives`, `again` (the value itself, a turn before), `unknown`.
    pub(crate) kind: String,
}

/// An edge of the graph of dependences.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DependenceEdge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Which operand, argument or writer.
    pub(crate) argument: String,
    /// `definite`, `possible` or `outside`.
    pub(crate) quality: String,
}

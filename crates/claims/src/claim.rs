//! What is said of one loop? The data of a claim.
//!
//! Numbers, formulas as text, and what they rest on. What is told of a loop that is a
//! part of one of the source's stands with it. Cost: constant.

use opcost_key::{BlockId, FunctionId, InstructionId, PlaceId};

use crate::names::Named;

/// How much is known of a loop's iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaimKind {
    /// A number.
    Constant,
    /// Exact, over named inputs only.
    Inputs,
    /// Exact, over other values of the program, too.
    Formula,
    /// No more than this.
    Bound,
    /// Nothing.
    Unknown,
}

/// What is said of one loop: counts are those of one activation that leaves by
/// one of the loop's own exits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopClaim {
    /// The function.
    pub function: FunctionId,
    /// The header; of an irreducible region its first block.
    pub header: BlockId,
    /// Its label in the text of the module.
    pub label: String,
    /// Where it is written.
    pub location: Option<PlaceId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// The header of the loop around it.
    pub parent: Option<BlockId>,
    /// How it is built, in words.
    pub form: String,
    /// When it is entered: the counts are those of a loop that is.
    pub entered: EntryClaim,
    /// How much is known.
    pub kind: ClaimKind,
    /// Back edges as text, if they are exact.
    pub back_edges: Option<String>,
    /// Iterations of the body as text, if they are exact.
    pub body_iterations: Option<String>,
    /// Iterations of the body over all iterations of the loops around it.
    pub total: Option<String>,
    /// The body runs no more often than this.
    pub bound: Option<String>,
    /// The named inputs in it: name and what is known of it.
    pub inputs: Vec<Named>,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// Why it is not exact.
    pub reason: Option<String>,
    /// A vector body: the loop of the source that it is a part of.
    pub vectorised: Option<Vectorised>,
    /// An unrolled body: the loop of the source that it is a part of.
    pub unrolled: Option<Unrolled>,
    /// It does what the vector body or unrolled body with this header leaves.
    pub remainder_of: Option<BlockId>,
    /// What of it is a number, so that a run can be held against it.
    pub numbers: Numbers,
    /// The same as it is kept, for readers that are programs.
    pub written: WrittenClaim,
}

impl LoopClaim {
    /// A loop at the top of its function of which nothing is known but its form.
    pub(super) fn unknown(
        function: FunctionId,
        header: BlockId,
        label: String,
        form: String,
        reason: Option<String>,
    ) -> LoopClaim {
        LoopClaim {
            function,
            header,
            label,
            location: None,
            depth: 1,
            parent: None,
            form,
            entered: EntryClaim::unknown(),
            kind: ClaimKind::Unknown,
            back_edges: None,
            body_iterations: None,
            total: None,
            bound: None,
            inputs: Vec::new(),
            assumes: Vec::new(),
            reason,
            vectorised: None,
            unrolled: None,
            remainder_of: None,
            numbers: Numbers::default(),
            written: WrittenClaim::default(),
        }
    }

    /// The same loop with no count of its own, and why.
    pub(super) fn uncounted(self, reason: Option<String>) -> LoopClaim {
        let LoopClaim { function, header, label, location: place, depth, parent, form, entered, .. } = self;
        let LoopClaim { vectorised, unrolled, remainder_of, .. } = self;
        let written = WrittenClaim { entered: self.written.entered, ..WrittenClaim::default() };
        let unknown = LoopClaim { written, ..LoopClaim::unknown(function, header, label, form, reason) };
        LoopClaim { location: place, depth, parent, entered, vectorised, unrolled, remainder_of, ..unknown }
    }
}

/// Back edges as numbers, where the program alone decides them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Taken in one activation, exactly.
    pub exact: Option<i128>,
    /// No more than these are taken.
    pub bound: Option<i128>,
    /// Taken in all activations of one of the outermost loop around it.
    pub total: Option<i128>,
}

/// Formulas in which every name is between backquotes, so that only one reading fits; what is too
/// large to be written whole has a `…`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenClaim {
    /// Back edges, if they are exact.
    pub back_edges: Option<String>,
    /// Iterations of the body, if they are exact.
    pub body_iterations: Option<String>,
    /// Iterations of the body over all iterations of the loops around it.
    pub total: Option<String>,
    /// The body runs no more often than this.
    pub bound: Option<String>,
    /// The condition of entering.
    pub entered: Option<String>,
    /// What the counts rest on.
    pub rests: Vec<Rest>,
}

/// What a count rests on; of `assumes` the same without words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// An instruction keeps the promise that has this word.
    Promise(InstructionId, &'static str),
    /// This condition holds.
    Condition(String),
    /// This condition holds, else the loop does not end.
    EndsIf(String),
    /// The loop ends, as its language promises.
    Progress,
    /// It is not left after this block.
    NotLeft(BlockId),
    /// Numbers with a point are those of IEEE 754.
    Ieee,
    /// A rule about memory.
    Rule(&'static str),
}

/// How well it is known when a loop is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryForm {
    /// Whenever its function is, or the iteration around it begins.
    Always,
    /// Exactly where the condition holds.
    If,
    /// Only where the condition holds, and perhaps not always then.
    OnlyIf,
    /// It is never entered.
    Never,
    /// That cannot be determined.
    Unknown,
}

/// When a loop is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryClaim {
    /// How well that is known.
    pub kind: EntryForm,
    /// The condition, over the names of the claim.
    pub condition: Option<String>,
}

impl EntryClaim {
    /// Nothing is known of it.
    pub fn unknown() -> EntryClaim {
        EntryClaim { kind: EntryForm::Unknown, condition: None }
    }
}

/// An unrolled body, and the loop of the source that it is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrolled {
    /// Iterations of the source in one of its own.
    pub copies: u64,
    /// The header of the loop that does what is left.
    pub remainder: BlockId,
    /// Iterations of the source's loop in one activation, if they are exact.
    pub source_iterations: Option<String>,
}

/// A vector body, and the loop of the source that it is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vectorised {
    /// Iterations of the source in one of its own.
    pub lanes: u64,
    /// The header of the loop that does what is left.
    pub remainder: Option<BlockId>,
    /// Iterations of the source's loop in one activation, if they are exact.
    pub source_iterations: Option<String>,
    /// When the source's loop is entered: by one of its parts.
    pub entered: EntryClaim,
}

//! Which words does a ledger use? Each set is closed and spelled in one place.
//!
//! A file holds the words as text, so that a database reads them; parsing a
//! word that this version does not know is an error that says so.

use std::fmt;
use std::str::FromStr;

/// A word in a ledger that this version of opcost does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{word}' is no {kind} that this opcost knows; a newer one may have written it")]
pub struct UnknownWord {
    /// What it should have been.
    pub kind: &'static str,
    /// What it is.
    pub word: String,
}

/// Defines an enum whose variants are words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $kind:literal: $($(#[doc = $meaning:literal])* $variant:ident = $word:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[doc = $meaning])* $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// What it means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($meaning),*).trim_ascii(),)*
                }
            }

            /// The word in a file.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(UnknownWord { kind: $kind, word: word.to_owned() }),
                }
            }
        }
    };
}

words! {
    /// Which question a fact answers.
    Column, "column":
    /// How often a function was called.
    Calls = "calls",
    /// What it cost under the ledger's cost model.
    Instructions = "instructions",
    /// How often a block ran, an edge was taken, code of a line was executed.
    Count = "count",
    /// How many frames a child process inherited by `fork` and abandoned at this
    /// edge. They are subtracted from the edge's `count`.
    Inherited = "inherited",
    /// How many samples are in its code.
    Samples = "samples",
    /// How many thousandths of a cycle one execution is expected to take. For the
    /// program: between two samples. For merged ledgers: the sum.
    Cycles = "cycles",
    /// How many of these its instructions take by themselves. The rest is waiting,
    /// which samples show. For merged ledgers: the sum.
    Busy = "busy",
    /// How many runs there were of a kind.
    Runs = "runs",
    /// How many runs had their world held fixed (`--deterministic`).
    HeldFixed = "held-fixed",
    /// How many processes counted.
    Processes = "processes",
}

words! {
    /// Which question an answer is to that is no count.
    AnswerColumn, "question":
    /// How often a loop takes its back edge, for each entry.
    BackEdges = "back-edges",
    /// How often a loop's body runs, for each entry.
    Iterations = "iterations",
    /// How often a loop's body runs in all iterations of the enclosing loops.
    IterationsInAll = "iterations-in-all",
    /// When a loop is entered: if this is not zero.
    EnteredIf = "entered-if",
    /// Which values it can have.
    Range = "range",
    /// How many bits its type has.
    Declared = "declared",
    /// How many bits hold all its values: those of an integer type, or significant ones.
    Needed = "needed",
    /// How many bits hold the part of it that is used.
    Demanded = "demanded",
    /// How many of the needed bits are constant or never used.
    DeadBits = "dead-bits",
    /// How often it was defined in the runs, or a loop entered.
    Observed = "observed",
    /// The least value that it had in the runs.
    ObservedLeast = "observed-least",
    /// The greatest value that it had in the runs.
    ObservedGreatest = "observed-greatest",
    /// Values that it had in the runs.
    ObservedValues = "observed-values",
    /// How many bits hold all that it was in the runs.
    ObservedNeeded = "observed-needed",
    /// How often a loop took its back edge in the runs, for each entry that ended at an exit of the loop.
    ObservedBackEdges = "observed-back-edges",
    /// How often a loop's body ran in the runs, for each entry.
    ObservedIterations = "observed-iterations",
}

words! {
    /// What an answer is.
    Form, "form":
    /// One integer, of any size: `42`.
    Number = "number",
    /// Integers between two ends: `0..255`, `0..252 in steps of 4`, `5..`.
    Interval = "interval",
    /// Integers: `{-1, 3, 9}`.
    Set = "set",
    /// A function of named things, as in C: `n*(n - 1) / 2`.
    Formula = "formula",
    /// Floating-point numbers: `0.0..255.0 or NaN`.
    Reals = "reals",
}

words! {
    /// How sure an answer is that there is.
    Certainty, "quality":
    /// It is exactly this.
    Exact = "exact",
    /// It is at least this.
    LowerBound = "lower bound",
    /// It is at most this.
    UpperBound = "upper bound",
    /// It is about this.
    Estimate = "estimate",
}

words! {
    /// What is assumed.
    Assumed, "assumption":
    /// The instruction `key` keeps the promise `words`: `nsw`.
    Promise = "promise",
    /// The formula `words` holds.
    Condition = "condition",
    /// The formula `words` holds, else a loop does not end.
    EndsIf = "ends-if",
    /// The loop `key` ends, because its language promises it for loops without effects.
    Progress = "progress",
    /// A loop is not left by the edge or at the block `key`.
    NotLeft = "not-left",
    /// Floating-point numbers follow IEEE 754, and nothing is contracted.
    Ieee = "ieee",
    /// The rule that is called `words`.
    Rule = "rule",
}

words! {
    /// What a value is counted in.
    Unit, "unit":
    /// Calls of a function.
    Calls = "calls",
    /// Instructions, weighted by the ledger's cost model.
    Instructions = "instructions",
    /// Executions.
    Executions = "executions",
    /// Frames of functions.
    Frames = "frames",
    /// Samples.
    Samples = "samples",
    /// Thousandths of cycles of the processor.
    Millicycles = "millicycles",
    /// Runs of the program.
    Runs = "runs",
    /// Processes of the system.
    Processes = "processes",
    /// Traversals of a loop's back edge.
    BackEdges = "back-edges",
    /// Executions of a loop's body.
    Iterations = "iterations",
    /// 1 for yes, 0 for no.
    Truth = "truth",
    /// Bits.
    Bits = "bits",
    /// What the value itself is in the program.
    Values = "values",
}

words! {
    /// How a fact was obtained.
    Origin, "origin":
    /// Every occurrence was counted.
    Counted = "counted",
    /// Some occurrences were sampled.
    Sampled = "sampled",
    /// Sampled, then made consistent.
    Repaired = "repaired",
    /// From the code alone.
    Predicted = "predicted",
    /// A bound from the code alone.
    Bound = "bound",
}

words! {
    /// Who may call exported functions. The weaker assumption is the larger.
    World, "world":
    /// Only the program itself.
    Closed = "closed",
    /// Anyone, with any values.
    Open = "open",
}

words! {
    /// Which way an edge is.
    Way, "way":
    /// The function is called.
    Enter = "enter",
    /// A successor of a terminator.
    Branch = "branch",
    /// A call returned.
    Fall = "fall",
    /// The function returns.
    Return = "return",
    /// The frame was abandoned during a call.
    Left = "left",
    /// A `setjmp` returned once more.
    Again = "again",
}

impl Column {
    /// What its values are counted in.
    pub fn unit(self) -> Unit {
        match self {
            Column::Calls => Unit::Calls,
            Column::Instructions => Unit::Instructions,
            Column::Count => Unit::Executions,
            Column::Inherited => Unit::Frames,
            Column::Samples => Unit::Samples,
            Column::Cycles | Column::Busy => Unit::Millicycles,
            Column::Runs | Column::HeldFixed => Unit::Runs,
            Column::Processes => Unit::Processes,
        }
    }
}

impl AnswerColumn {
    /// What its answers are counted in.
    pub fn unit(self) -> Unit {
        use AnswerColumn as Is;
        match self {
            Is::BackEdges | Is::ObservedBackEdges => Unit::BackEdges,
            Is::Iterations | Is::IterationsInAll | Is::ObservedIterations => Unit::Iterations,
            Is::EnteredIf => Unit::Truth,
            Is::Declared | Is::Needed | Is::Demanded | Is::DeadBits | Is::ObservedNeeded => Unit::Bits,
            Is::Range | Is::ObservedLeast | Is::ObservedGreatest | Is::ObservedValues => Unit::Values,
            Is::Observed => Unit::Executions,
        }
    }

    /// Whether it is about what runs did.
    pub fn is_observed(self) -> bool {
        self.word().starts_with("observed")
    }
}

/// How sure a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Exactly this.
    Exact,
    /// Exactly this, if the assumptions hold.
    ExactUnder(String),
    /// At least this.
    LowerBound,
    /// About this, by samples.
    Estimate,
    /// No value, for this reason.
    Unknown(String),
}

impl Quality {
    /// The quality of a sum of two values of these qualities.
    pub fn and(self, other: Quality) -> Quality {
        use Quality::{Estimate, Exact, ExactUnder, LowerBound, Unknown};
        match (self, other) {
            (Unknown(a), Unknown(b)) => Unknown(both(a, b)),
            (Unknown(reason), _) | (_, Unknown(reason)) => Unknown(reason),
            (Estimate, _) | (_, Estimate) => Estimate,
            (LowerBound, _) | (_, LowerBound) => LowerBound,
            (ExactUnder(a), ExactUnder(b)) => ExactUnder(both(a, b)),
            (ExactUnder(assumptions), Exact) | (Exact, ExactUnder(assumptions)) => ExactUnder(assumptions),
            (Exact, Exact) => Exact,
        }
    }
}

/// Two texts in one order, each part once.
fn both(a: String, b: String) -> String {
    let parts: std::collections::BTreeSet<&str> = a.split("; ").chain(b.split("; ")).collect();
    parts.into_iter().collect::<Vec<_>>().join("; ")
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quality::Exact => f.write_str("exact"),
            Quality::ExactUnder(assumptions) => write!(f, "exact-under({assumptions})"),
            Quality::LowerBound => f.write_str("lower bound"),
            Quality::Estimate => f.write_str("estimate"),
            Quality::Unknown(reason) => write!(f, "unknown({reason})"),
        }
    }
}

impl FromStr for Quality {
    type Err = UnknownWord;
    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let inside =
            |name: &str| Some(word.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?.to_owned());
        match word {
            "exact" => Ok(Quality::Exact),
            "lower bound" => Ok(Quality::LowerBound),
            "estimate" => Ok(Quality::Estimate),
            _ => inside("exact-under")
                .map(Quality::ExactUnder)
                .or_else(|| inside("unknown").map(Quality::Unknown))
                .ok_or_else(|| UnknownWord { kind: "quality", word: word.to_owned() }),
        }
    }
}

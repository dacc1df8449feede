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
    /// How often a block ran, an edge was taken, a line was executed.
    Count = "count",
    /// How many frames a child process took over by `fork` and left by this
    /// edge; they stand against the edge's `count`.
    Inherited = "inherited",
    /// How many samples lie in its code.
    Samples = "samples",
    /// How many thousandths of a cycle one execution is expected to take; of the
    /// program, those between two samples. Of merged ledgers the sum.
    Cycles = "cycles",
    /// How many thousandths of a cycle of these its instructions take by themselves; the
    /// rest is waiting, as samples tell. Of merged ledgers the sum.
    Busy = "busy",
    /// How many runs there were of a kind.
    Runs = "runs",
    /// How many runs had their world held fixed (`--deterministic`).
    HeldFixed = "held-fixed",
    /// How many processes counted.
    Processes = "processes",
}

words! {
    /// What a value is counted in.
    Unit, "unit":
    /// Calls of a function.
    Calls = "calls",
    /// Instructions, weighted by the ledger's cost model.
    Instructions = "instructions",
    /// Times that something ran.
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
}

words! {
    /// How a fact was had.
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
    /// Anyone, with anything.
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
    /// The function is done.
    Return = "return",
    /// The frame was left for good during a call.
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

/// How sure a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Exactly this.
    Exact,
    /// Exactly this, if the assumptions hold.
    ExactUnder(String),
    /// At least this.
    LowerBound,
    /// About this: a sample tells.
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

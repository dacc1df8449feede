//! What was counted, and in which files does it stand?
//!
//! [`formats::map`] holds the map of a module, [`formats::opc`] the ledger;
//! one file per format. [`Ledger`] is the table of facts in memory, [`answers`] are what of it is no count;
//! [`merge`] adds ledgers of one build, [`average`] takes their mean, [`subtract`] takes one
//! from another, [`reduce_to_blocks`] drops edges, [`diff`] compares two, [`overlap`] says how
//! near an estimate is to the truth.
//!
//! This room turns bytes into plain values and back. It is *not* for making
//! counts out of raw counters (that is the room `recover`), and it knows
//! neither the IR nor the flow of a function.

mod aligned;
pub mod answers;
mod builds;
mod cut_short;
pub mod diff;
pub mod formats;
mod functions;
mod joined;
mod ledger;
mod merge;
mod moved;
pub mod opcraw;
pub mod opcval;
pub mod overlap;
mod place;
mod reduce;
mod subtract;
mod texts;
pub mod wellformed;
mod words;

#[cfg(test)]
mod example;

pub use answers::{Answer, AnswerRow, AnswerState, Answers, Assumption};
pub use builds::{BuildGroup, BuildValues, build_values, unlike_builds};
pub use cut_short::cut_short;
pub use functions::{LedgerFunction, LedgerLine, LedgerTotal};
pub use ledger::{
    About, Called, CodeFacts, Fact, FunctionFacts, Ledger, LedgerError, ModuleFacts, ProcessEnding, Subject,
};
pub use merge::{MergeError, average, merge, saturated};
pub use place::SourcePlace;
pub use reduce::{ReduceError, reduce_to_blocks};
pub use subtract::{SubtractError, subtract};
pub use texts::LineTexts;
pub use words::{
    AnswerColumn, Assumed, Certainty, Column, Form, Origin, Quality, Unit, UnknownWord, Way, World,
};

//! What is known of a program that is no count?
//!
//! Trip counts and their bounds, ranges, needed bits, what was observed: numbers of any size
//! ([`Integer`]), intervals, sets, formulas and numbers with a point ([`Answer`]), each with
//! how sure it is and what it rests on, as data ([`AnswerRow`]). Whoever knows something pushes a
//! row; [`Answers::of`] lists them by key.

mod answer;
mod fault;
mod formula;
mod formula_text;
mod integer;
mod interval;
mod merged;
mod real;
mod row;
mod table;

#[cfg(test)]
pub(crate) mod example;

pub use answer::Answer;
pub use fault::AnswerError;
pub use formula::{DEEPEST, Formula, FormulaError, Function, Operator, Wrap};
pub use integer::Integer;
pub use interval::Interval;
pub(crate) use merged::merged;
pub use real::Reals;
pub use row::{AnswerRow, Assumption, Known};
pub use table::Answers;

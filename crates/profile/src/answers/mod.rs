//! What is known of a program that is no count?
//!
//! Trip counts and their bounds, ranges, needed bits, what was observed: numbers of any size
//! ([`Integer`]), intervals, sets, formulas and numbers with a point ([`Answer`]), each with
//! how sure it is and what it rests on, as data ([`AnswerRow`]). Whoever knows something pushes a
//! row; [`Answers::of`] lists them by key.
//!
//! ```
//! use opcost_key::Key;
//! use opcost_profile::answers::{Answer, AnswerRow, Answers, Assumption, Formula, AnswerState};
//! use opcost_profile::{AnswerColumn, Certainty, Origin, World};
//!
//! let key: Key = "@solve:loop3".parse()?;
//! let iterations = Formula::read("argv[1] - 1", &["argv[1]"])?;
//! let mut answers = Answers::default(); // `ledger.answers`
//! answers.push(AnswerRow {
//!     key: key.clone(),
//!     column: AnswerColumn::Iterations,
//!     state: AnswerState::Answer(Answer::Formula(iterations), Certainty::Exact),
//!     assumptions: [Assumption::Promise("nsw".into(), "@solve:i7".parse()?)].into(),
//!     origin: Origin::Predicted,
//!     world: World::Closed,
//!     place: None,
//! });
//! let told: Vec<String> = answers.of(&key).filter_map(|row| Some(row.state.answer()?.to_string())).collect();
//! assert_eq!(told, ["`argv[1]` - 1"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use formula::{DEEPEST, Formula, FormulaError, FormulaFunction, Operator, Wrap};
pub use integer::Integer;
pub use interval::AnswerInterval;
pub(crate) use merged::merged;
pub use real::Reals;
pub use row::{AnswerRow, AnswerState, Assumption};
pub use table::Answers;

//! What do instructions, calls and memory take, and what does a program take by that?
//!
//! ```text
//! c/measure.c ─lines▶ measured ─▶ Timing ─file▶ TOML ─file▶ Timing + ProgramWork ─price▶ Predicted
//! ```
//!
//! A timing file holds several *sources* of time ([`source::TimeSource`]), named as llvm-prof names them.
//! Each prices the blocks of a program in its own way; calls and mispredicted branches come on top.
//! This room reads, checks and applies them, and measures nothing: it carries the program that does
//! ([`MEASURE`]), which others compile and run.
//!
//! | question | file |
//! |---|---|
//! | which sources are there, and what do they price? | [`source`] |
//! | what stands in a timing file, and is it right? | [`file`](mod@file) |
//! | what did the measuring program measure, and was the machine quiet? | [`measured`] |
//! | what does a program take? | [`price`](mod@price) |
//! | how far is that from what was measured? | [`priced`] |

pub mod file;
pub mod measured;
pub mod price;
pub mod priced;
pub mod source;

pub use file::{MemoryTimes, Processor, Timing, TimingError};
pub use measured::{MeasureError, MeasuredLines, joined};
pub use price::{Factors, FunctionTime, Parts, Predicted, price};
pub use priced::Priced;
pub use source::TimeSource;

/// The program that measures, in C: its name and its text.
pub const MEASURE: (&str, &str) = ("measure.c", include_str!("../c/measure.c"));

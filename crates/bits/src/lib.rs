//! How many bits does each value of a program need?
//!
//! | question | file |
//! |---|---|
//! | how wide is each value declared, and how wide need it be? | [`widths`] |
//! | what forces it to be that wide? | [`mod@because`] |
//! | which one fact more would make it narrower? | [`helps`] |
//! | which results can be computed in fewer bits, and how? | [`narrow`] |
//! | how is a range written? | [`text`] |
//! | what is claimed, so that a checker can follow? | `claimed`, of two values `differences`, of shifted ones `growth` |
//! | what does the checker know besides? | [`mod@outside_facts`] |
//! | which of it does the checker believe? | [`certified`] |
//!
//! The ranges come from [`opcost_analysis::propagation`], what is looked at from
//! [`opcost_analysis::demand`]; this room turns them into widths, adds them up
//! and says why.
//!
//! **Width**: of a value's range the smaller of the unsigned and the two's
//! complement one; a constant needs no bit, anything else at least one. The
//! *type width* is what an `iN` needs that holds the value; the *slice width*
//! leaves out the bits inside it that are always the same, and those that
//! nobody looks at; the *demanded width* is the type width of what is looked at.
//! All hold at the definition, for executions in which the value is not poison.

pub mod because;
pub mod certified;
mod claimed;
mod differences;
mod growth;
pub mod helps;
pub mod narrow;
pub mod outside_facts;
pub mod text;
pub mod widths;

pub use because::{BecauseLink, Cause, Owners, because};
pub use narrow::{Left, NarrowPlan};
pub use widths::{FunctionWidths, ValueWidth, WidthTotal, Widths};

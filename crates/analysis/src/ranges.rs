//! Which values can an integer have, and how many bits does it need?
//!
//! The abstract domains and what each operation of the IR does to them. A value
//! is described by four domains at once, each of which sees what the others do
//! not, and by their reduced product:
//!
//! | question | file |
//! |---|---|
//! | what does an operation do to numbers? | [`operation`], [`concrete`] |
//! | in which arc of the circle of n bits is it? | [`interval`] |
//! | which of its bits are always the same? | [`known_bits`] |
//! | which remainder does it leave? | [`congruence`] |
//! | which few values can it be? | [`small_set`] |
//! | what is known when they inform each other? | [`product`] |
//! | which floating point numbers can it be? | [`floating`] |
//! | which values can an operand have, if the result is in a range? | [`mod@back`] |
//!
//! **What is claimed.** A range holds at the definition of a value, for
//! executions in which the value is not poison and in which nothing undefined
//! was done to get there. *Empty* (bottom) says that no execution gets there
//! so. Flags (`nsw`, `exact`, …) are therefore believed: what breaks them is
//! poison.
//!
//! **What is not.** Nothing here traverses a function: a step is one operation on ranges of its
//! operands, which are taken as unrelated (`x - x` is not 0). That both are one word is known to
//! who has the code: `x * x` is a step of its own. Undef operands are ranges that hold everything.
//! The smallest arc is not unique and joins of arcs are not monotone, so that a fixpoint over these
//! domains needs widening and a budget of steps.
//!
//! Widths of 1 to 128 bits. Cost of a step: linear in the width, but for what
//! is said in the files.

pub mod back;
pub mod concrete;
pub mod congruence;
pub mod floating;
pub mod interval;
pub mod known_bits;
pub mod operation;
pub mod product;
pub mod small_set;
pub(crate) mod word;

pub use concrete::evaluate;
pub use congruence::Congruence;
pub use floating::{FloatOperation, FloatRange, FloatStep, Format, significant_bits};
pub use interval::Interval;
pub use known_bits::KnownBits;
pub use operation::{Operation, RangeStep};
pub use product::{Budget, ValueRange};
pub use small_set::SmallSet;
pub use word::{Sign, Width, signed};

#[cfg(test)]
mod tests;

//! What did one image of one program count?
//!
//! Reads the raw counter file that the runtime writes (`layout.rs` says which
//! byte means what) and turns it into counts per module: the final counters,
//! less the baseline that a child of `fork` began with, plus the slabs of all
//! threads. The file may come from a program that was killed at any moment,
//! or from anywhere: nothing in it is trusted, every offset is checked, and a
//! sum that does not fit is an error and never wraps.
//!
//! Cost: one pass over the counters; memory as much as the counts.

mod file;
pub mod layout;
mod read;
#[cfg(test)]
mod tests;

pub use file::{EndState, Error, ImageFacts, LeftFrame, ProcessFacts, RawFile, RawFlags, RawModule, RawPart};

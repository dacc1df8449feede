//! Which values did one image of one program record?
//!
//! Reads the file that the runtime of `opcost values` writes (`layout.rs` says
//! which byte means what). The file may come from a program that was killed at
//! any moment, may be cut off, or be from anywhere: nothing in it is trusted,
//! every offset is checked. What lies behind a cut is missing, and said so.
//!
//! The threads' slabs are added: numbers and tables add, runs follow each other
//! slab by slab, in the order in which the threads came.
//!
//! Cost: one pass over what was recorded; memory as much as that.

mod file;
pub mod layout;
mod read;
#[cfg(test)]
mod tests;

pub use file::{Checks, Error, FailedPoint, OpenActivation, PointRecord, ValueFile, ValueModule};

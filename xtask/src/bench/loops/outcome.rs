//! What the comparison says of one set at one level.
//!
//! The bench gathers it and the page shows it; it lies below both and computes nothing.

use super::join::Comparison;
use super::marked::Marked;
use crate::bench::timed::Taken;

/// One set at one level.
pub(super) struct Outcome {
    pub(super) set: String,
    pub(super) level: String,
    pub(super) comparison: Comparison,
    /// How opcost's answers compare with marks; of the hard loops at -O0.
    pub(super) marked: Option<Marked>,
    /// What LLVM and opcost took for SQLite.
    pub(super) taken: Option<(Taken, Option<Taken>)>,
}

//! What is packed, and how? What both archives have in common.

use std::path::Path;

/// The programs of the package `opcost-cli`.
pub(super) const PROGRAMS: [&str; 2] = ["opcost", "cargo-opcost"];

/// What both archives are made with.
pub(super) struct Packing<'o> {
    /// Where they go.
    pub(super) out: &'o Path,
    /// How much `xz` does.
    pub(super) level: &'o str,
    /// The time of every file, in seconds.
    pub(super) time: String,
}

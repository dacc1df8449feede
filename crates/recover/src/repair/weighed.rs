//! How good are counts that a method found?

/// Counts, and how good they are.
pub(super) struct Weighed<C> {
    pub(super) counts: C,
    pub(super) is_optimal: bool,
    pub(super) gap: f64,
    pub(super) deviance: f64,
    /// Loops whose trip count is constant in the code, and those among them that what was seen
    /// contradicts.
    pub(super) loops: (usize, usize),
}

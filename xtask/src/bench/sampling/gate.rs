//! What was aimed at, and what became of it.
//!
//! Pages judge by gates of several measurements; those that measure make them, and the
//! page lists them.

/// One aim.
pub(super) struct Gate {
    pub(super) what: String,
    pub(super) required: String,
    pub(super) actual: String,
    pub(super) holds: bool,
}

/// Of the way from profi to its ceiling, what ours goes.
pub(super) fn closed(profi: f64, ours: f64, ceiling: f64) -> f64 {
    (ours - profi) / (ceiling - profi)
}

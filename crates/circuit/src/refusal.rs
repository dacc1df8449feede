//! Why can a function be no circuit? What stands where, and what to do.

use std::fmt;

use crate::kernel::KernelPlace;

/// Why there is no circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where the obstacle is in the source, if the compiler says so.
    pub place: Option<KernelPlace>,
    /// What it is.
    pub what: String,
    /// What to do about it.
    pub way_out: String,
}

impl Refusal {
    pub(crate) fn new(
        place: Option<KernelPlace>,
        what: impl Into<String>,
        way_out: impl Into<String>,
    ) -> Refusal {
        Refusal { place, what: what.into(), way_out: way_out.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}; {}", self.what, self.way_out)
    }
}

impl std::error::Error for Refusal {}

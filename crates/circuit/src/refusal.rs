//! Why can a function be no circuit? What stands where, and what to do.

use std::fmt;

use crate::kernel::{KernelLocation, MemoryId};

/// Why there is no circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitRefusal {
    /// Where the obstacle is in the source, if the compiler says so.
    pub location: Option<KernelLocation>,
    /// What it is.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
    /// A memory that may do with smaller elements, of so many bits.
    pub(crate) finer: Option<(MemoryId, u32)>,
}

impl CircuitRefusal {
    /// A refusal.
    pub fn new(
        location: Option<KernelLocation>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> CircuitRefusal {
        CircuitRefusal { location, what: what.into(), remedy: remedy.into(), finer: None }
    }
}

impl CircuitRefusal {
    /// The same, but for smaller elements of a memory.
    pub(crate) fn unless_finer(self, memory: MemoryId, bits: u32) -> CircuitRefusal {
        CircuitRefusal { finer: Some((memory, bits)), ..self }
    }
}

impl fmt::Display for CircuitRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for CircuitRefusal {}

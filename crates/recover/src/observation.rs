//! What do samples say of one segment?

/// What was seen of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Observation {
    /// Samples in its code.
    pub samples: u64,
    /// Cycles that one execution is expected to take; 0 where that is not known: without
    /// code, or with code for some executions only.
    pub cycles: f64,
    /// Those of these cycles that its instructions take by themselves; the rest it waits: to
    /// come there, and where its samples pile up.
    pub busy: f64,
}

impl Observation {
    /// Of a segment that waits for nothing.
    pub const fn busy(samples: u64, cycles: f64) -> Self {
        Self { samples, cycles, busy: cycles }
    }

    /// How often the segment ran, by itself; 0 where its cycles are not known.
    pub fn count(&self, cycles_per_sample: f64) -> f64 {
        if self.cycles > 0.0 { self.samples as f64 * cycles_per_sample / self.cycles } else { 0.0 }
    }
}

//! Bodies of hot loops, copied.

mod iterations;
mod plan;

pub use iterations::{BodyCopies, TripCounts, UnrollLimits, unroll};
pub use plan::{PlannedLoop, plan_unrolling};

//! One module is built: counted, metered, recorded, sampled or predicted.

pub(crate) mod build;
mod charge;
mod counted_live;
mod earlier;
pub(crate) mod live;
mod meter;
mod portable;
mod prepared;
mod sampled;
mod stopwatch;
mod texts;
mod values;

pub(crate) use prepared::emission;

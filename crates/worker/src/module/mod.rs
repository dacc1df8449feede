//! One module is built: counted, metered, recorded or sampled.

pub(crate) mod build;
mod meter;
mod portable;
mod prepared;
mod sampled;
mod stopwatch;
mod texts;
mod values;

pub(crate) use prepared::emission;

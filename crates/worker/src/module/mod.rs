//! One module is built: counted, metered, recorded or sampled.

pub(crate) mod build;
mod foretold;
mod foretold_steps;
#[cfg(test)]
mod foretold_tests;
mod meter;
mod portable;
mod prepared;
mod sampled;
mod stopwatch;
mod values;

pub(crate) use prepared::emission;

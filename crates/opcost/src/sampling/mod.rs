//! Sampling: samples are taken, led to code, and made consistent.

pub mod estimate;
pub mod locations;
pub mod take;

//! Sampling: samples are taken, led to code, and made consistent.

pub mod built;
pub mod estimate;
pub mod images;
pub mod locations;
pub mod take;

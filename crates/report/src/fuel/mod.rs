//! Fuel: what a metered program used, whether it may be metered, and whether it is the same elsewhere.

pub mod check;
pub mod portable;
pub mod run;

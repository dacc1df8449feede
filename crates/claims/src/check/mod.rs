//! How are claims held against a run? Each becomes a stack program over values of its function.

mod claims;
mod steps;
#[cfg(test)]
mod tests;

pub use claims::{claims, guarded_claims};

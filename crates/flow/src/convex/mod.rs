//! Counts that nobody measured exactly: which consistent ones cost least?
//!
//! A sampled profile says of each block about how often it ran, and its counts
//! contradict each other. Repair means: choose counts that obey all equations
//! (flow is conserved, callees are entered as often as they are called) and
//! deviate least from what was seen, each deviation priced by its likelihood.
//! This is a convex problem with sparse equations, no pure network flow, since
//! a block's count also feeds its callees.
//!
//! - a [`Problem`] says what is to be minimised;
//! - [`minimise`] does it: presolve, components, an interior-point method; a
//!   [`Series`] does it again with other costs, for less;
//! - [`certify`] is a checker that proves how good an answer is;
//! - [`round_flow`] makes integers that conserve flow exactly.

mod boundary;
mod certificate;
mod columns;
mod component;
mod components;
mod condensation;
mod condense;
mod elimination;
mod factor;
mod finish;
mod interior;
mod lists;
mod normal;
mod postsolve;
mod prepared;
mod presolve;
mod problem;
mod residuals;
mod rounding;
mod smooth;
mod solve;
mod start;
mod triangle;
mod work;

pub use certificate::{LARGEST_SHIFT, OptimalityCertificate, REACH, certify};
pub use problem::{Cost, Problem, RowId, VariableId};
pub use rounding::round_flow;
pub use solve::{Series, Settings, Solution, SolveStatus, minimise};
pub use work::SolveWork;

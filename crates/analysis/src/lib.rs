//! Facts about a function that follow from its code alone.
//!
//! One file per question. Each analysis is a function from a graph, and the
//! results it depends on, to a finished value; nothing is cached and nothing
//! can be stale. The graph is seen through [`opcost_index::Graph`], so that
//! control flow, its reverse and a call graph run through the same code.
//!
//! | question | file |
//! |---|---|
//! | which nodes lie on every way to a node? | [`dominators`] |
//! | where does it loop? | [`loops`] |
//! | how often does a counted loop go round? | [`trips`] |
//! | how often can a loop go back at most? | [`bounds`] |
//! | which way does a branch go, at a guess? | [`branches`] |
//! | how often, at a guess, is each edge taken? | [`frequency`] |
//! | what does a load read? (the question only) | [`cells`] |
//! | what lies in memory, and who writes it? | [`memory`] |
//! | which values can an integer have, and how many bits does it need? (one operation) | [`ranges`] |
//! | which values can every value of a module have? | [`propagation`] |
//! | which bits of each value can anybody notice? | [`demand`] |
//!
//! This room knows nothing of LLVM, of files or of measured counts.

pub mod bounds;
pub mod branches;
pub mod cells;
pub mod claims;
pub mod demand;
pub mod dependence;
pub mod dominators;
pub mod edge;
pub mod evolution;
pub mod expression;
pub mod frequency;
pub mod loops;
pub mod memory;
pub mod propagation;
pub mod ranges;
pub mod trips;

#[cfg(test)]
mod random_graphs;

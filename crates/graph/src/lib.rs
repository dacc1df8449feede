//! Facts that follow from the shape of a graph alone.
//!
//! One file per question. Each analysis is a function from a graph, and the
//! results it depends on, to a finished value; nothing is cached and nothing
//! can be stale. The graph is seen through [`opcost_index::Graph`], so that
//! control flow, its reverse and a call graph run through the same code.
//!
//! | question | file |
//! |---|---|
//! | what names an edge? | [`edge`] |
//! | which nodes lie on every way to a node? | [`dominators`] |
//! | where do values of different ways meet? | [`frontiers`] |
//! | where does it loop? | [`loops`] |
//! | which way does a branch go, at a guess? | [`branches`] |
//! | how often, at a guess, is each edge taken? | [`frequency`] |
//!
//! This room knows nothing of instructions, of keys or of what a node stands for.

pub mod branches;
pub mod dominators;
pub mod edge;
pub mod frequency;
pub mod frontiers;
pub mod loops;

#[cfg(test)]
mod random_graphs;

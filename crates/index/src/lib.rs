//! The floor of the house: dense ids, maps keyed by them, sets, and the few
//! graph algorithms that everything above shares.
//!
//! An id is a `u32` newtype made by [`define_id!`]; a wrong id is a compile
//! error. An [`IdMap`] is a vector that only its own id can index. Graphs are
//! seen through one trait, [`Graph`], so that a control-flow graph, its
//! reverse and a call graph all run through the same traversals.
//!
//! This room knows nothing of instructions, files or LLVM.

mod components;
mod graph;
mod id;
mod set;

pub use components::{Components, strongly_connected_components};
pub use graph::{AdjacencyGraph, Graph, postorder, reachable_from, reverse, reverse_postorder};
pub use id::{Id, IdMap};
pub use set::IdSet;

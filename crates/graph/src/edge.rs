//! What names an edge of a graph? Its source and the successor's position.
//!
//! The target alone would not do: two cases of a switch may share one.

use opcost_index::{Graph, Id};

/// Edge number `slot` out of `from`, in the order of [`Graph::successors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge<N: Id> {
    /// Its source.
    pub from: N,
    /// Its position among the successors of the source.
    pub slot: u32,
    /// Its target.
    pub to: N,
}

/// The edges out of `from`, in order of their slots.
pub fn edges_from<G: Graph>(graph: &G, from: G::Node) -> impl Iterator<Item = Edge<G::Node>> {
    (0..).zip(graph.successors(from)).map(move |(slot, to)| Edge { from, slot, to })
}

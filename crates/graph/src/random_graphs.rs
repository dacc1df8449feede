//! The graphs that the analyses' referees try them on: small, random, often
//! irreducible, with parallel edges, self-loops and unreachable nodes.

use opcost_index::{AdjacencyGraph, Id};
use proptest::prelude::*;

opcost_index::define_id!(pub(crate) struct Node, "n");

/// The graph with these edges, successors in the order given.
pub(crate) fn graph(nodes: usize, edges: &[(usize, usize)]) -> AdjacencyGraph<Node> {
    let mut graph = AdjacencyGraph::new(nodes);
    for &(from, to) in edges {
        graph.add_edge(Node::new(from), Node::new(to));
    }
    graph
}

/// Node number `position`.
pub(crate) fn n(position: usize) -> Node {
    Node::new(position)
}

/// Graphs of 1 to 10 nodes; the root is node 0.
pub(crate) fn graphs() -> impl Strategy<Value = AdjacencyGraph<Node>> {
    (1usize..=10).prop_flat_map(|nodes| {
        prop::collection::vec((0..nodes, 0..nodes), 0..22).prop_map(move |edges| graph(nodes, &edges))
    })
}

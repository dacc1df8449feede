//! How does one walk a graph? Through one small trait, in a fixed order.
//!
//! Depth-first search with an explicit stack (a function of 100,000 blocks in
//! a row must not overflow ours). Order of successors is the program's, so
//! results are the same on every machine. Cost: nodes + edges.

use crate::{Id, IdMap, IdSet};

/// A directed graph with dense nodes. Parallel edges are listed as often as
/// they occur.
pub trait Graph {
    /// The kind of node.
    type Node: Id;
    /// How many nodes there are; ids run from 0 to this.
    fn node_count(&self) -> usize;
    /// The successors of `node`, in program order.
    fn successors(&self, node: Self::Node) -> impl Iterator<Item = Self::Node> + '_;
}

/// A graph as lists of successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjacencyGraph<N: Id> {
    successors: IdMap<N, Vec<N>>,
}

impl<N: Id> AdjacencyGraph<N> {
    /// A graph of `nodes` nodes without edges.
    pub fn new(nodes: usize) -> Self {
        Self { successors: IdMap::filled(nodes, Vec::new()) }
    }

    /// Adds the edge `from` to `to` after the others of `from`.
    pub fn add_edge(&mut self, from: N, to: N) {
        self.successors[from].push(to);
    }
}

impl<N: Id> Graph for AdjacencyGraph<N> {
    type Node = N;
    fn node_count(&self) -> usize {
        self.successors.len()
    }
    fn successors(&self, node: N) -> impl Iterator<Item = N> + '_ {
        self.successors[node].iter().copied()
    }
}

/// The same graph with every edge turned round; serves as the list of
/// predecessors too, in order of their ids.
pub fn reverse<G: Graph>(graph: &G) -> AdjacencyGraph<G::Node> {
    let mut reversed = AdjacencyGraph::new(graph.node_count());
    for node in (0..graph.node_count()).map(G::Node::new) {
        for successor in graph.successors(node) {
            reversed.add_edge(successor, node);
        }
    }
    reversed
}

/// The nodes that `root` reaches, each after all that it reached first
/// (post-order of a depth-first search).
pub fn postorder<G: Graph>(graph: &G, root: G::Node) -> Vec<G::Node> {
    let mut order = Vec::new();
    let mut seen = IdSet::new();
    let mut stack = vec![(root, graph.successors(root))];
    seen.insert(root);
    while let Some((node, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if seen.insert(next) => stack.push((next, graph.successors(next))),
            Some(_) => {}
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

/// Post-order turned round: every node before its successors, back edges apart.
pub fn reverse_postorder<G: Graph>(graph: &G, root: G::Node) -> Vec<G::Node> {
    let mut order = postorder(graph, root);
    order.reverse();
    order
}

/// The set of nodes that `root` reaches, itself included.
pub fn reachable_from<G: Graph>(graph: &G, root: G::Node) -> IdSet<G::Node> {
    postorder(graph, root).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::define_id!(struct Node, "n");

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> AdjacencyGraph<Node> {
        let mut graph = AdjacencyGraph::new(nodes);
        for &(from, to) in edges {
            graph.add_edge(Node::new(from), Node::new(to));
        }
        graph
    }

    fn positions(nodes: Vec<Node>) -> Vec<usize> {
        nodes.into_iter().map(Id::index).collect()
    }

    #[test]
    fn a_diamond_in_reverse_postorder() {
        let diamond = graph(5, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(positions(reverse_postorder(&diamond, Node::new(0))), [0, 2, 1, 3]);
        assert!(!reachable_from(&diamond, Node::new(0)).contains(Node::new(4)));
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let edges: Vec<_> = (0..200_000).map(|n| (n, n + 1)).collect();
        assert_eq!(postorder(&graph(200_001, &edges), Node::new(0)).len(), 200_001);
    }

    #[test]
    fn reversing_twice_gives_the_edges_back() {
        let cycle = graph(3, &[(0, 1), (1, 2), (2, 0), (0, 2)]);
        let twice = reverse(&reverse(&cycle));
        for node in (0..3).map(Node::new) {
            let mut ours: Vec<_> = twice.successors(node).collect();
            let mut theirs: Vec<_> = cycle.successors(node).collect();
            ours.sort();
            theirs.sort();
            assert_eq!(ours, theirs);
        }
    }
}

//! Where do values of different ways meet? Dominance frontiers.
//!
//! A block is in the frontier of another that dominates one of its
//! predecessors but not, strictly, the block itself. Cooper, Harvey and
//! Kennedy (2001): from each predecessor of a join walk up the dominator tree
//! to the join's immediate dominator; a walk ends early at a block that an
//! earlier walk for the same join has passed, so that the work is the size of
//! the answer. The merges of a set of definitions are the frontier, iterated
//! (Cytron et al. 1991).
//!
//! Input: control flow and its dominators. Output: [`Frontiers`]. Cost: size of
//! the frontiers; where that is more than the limit, there are none.

use opcost_index::{AdjacencyGraph, Graph, Id, IdMap, reverse};

use crate::dominators::Dominators;

/// Dominance frontiers of all blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontiers<N: Id> {
    of: IdMap<N, Vec<N>>,
    /// Each node's predecessors, once each, that the root reaches.
    pub predecessors: IdMap<N, Vec<N>>,
}

impl<N: Id> Frontiers<N> {
    /// The frontiers, if they hold no more than `most` nodes together.
    pub fn compute<G: Graph<Node = N>>(graph: &G, dominators: &Dominators<N>, most: usize) -> Option<Self> {
        let reversed: AdjacencyGraph<N> = reverse(graph);
        let nodes = || (0..graph.node_count()).map(N::new);
        let predecessors = nodes().map(|node| {
            let mut before: Vec<N> =
                reversed.successors(node).filter(|&before| dominators.is_reachable(before)).collect();
            before.sort_unstable();
            before.dedup();
            before
        });
        let mut frontiers =
            Self { of: IdMap::filled(graph.node_count(), Vec::new()), predecessors: predecessors.collect() };
        let mut size = 0;
        let mut passed: IdMap<N, Option<N>> = IdMap::filled(graph.node_count(), None);
        for join in nodes().filter(|&node| dominators.is_reachable(node)) {
            let above = dominators.immediate(join);
            for position in 0..frontiers.predecessors[join].len() {
                let mut at = Some(frontiers.predecessors[join][position]);
                while let Some(node) = at.filter(|&node| Some(node) != above && passed[node] != Some(join)) {
                    passed[node] = Some(join);
                    frontiers.of[node].push(join);
                    size += 1;
                    at = dominators.immediate(node);
                }
            }
            if size > most {
                return None;
            }
        }
        Some(frontiers)
    }

    /// Where what is defined in a node first meets other definitions.
    pub fn of(&self, node: N) -> &[N] {
        &self.of[node]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random_graphs::{graphs, n};

    proptest! {
        /// By definition.
        #[test]
        fn agrees_with_the_definition(graph in graphs()) {
            let dominators = Dominators::compute(&graph, n(0));
            let frontiers = Frontiers::compute(&graph, &dominators, 1000).expect("small");
            let nodes = || (0..graph.node_count()).map(n).filter(|&node| dominators.is_reachable(node));
            for above in nodes() {
                let expected: Vec<_> = nodes().filter(|&join| {
                    let strictly = above != join && dominators.dominates(above, join);
                    let leads = |&before: &crate::random_graphs::Node| {
                        dominators.dominates(above, before) && graph.successors(before).any(|to| to == join)
                    };
                    !strictly && nodes().collect::<Vec<_>>().iter().any(leads)
                }).collect();
                prop_assert_eq!(&frontiers.of[above], &expected);
            }
        }
    }

    /// A thousand blocks with a shared way out: the walks do not repeat.
    #[test]
    fn a_shared_way_out_is_walked_once() {
        let edges: Vec<_> = (0..1000).flat_map(|node| [(node, node + 1), (node, 1001)]).collect();
        let graph = crate::random_graphs::graph(1002, &edges);
        let dominators = Dominators::compute(&graph, n(0));
        assert!(Frontiers::compute(&graph, &dominators, 1100).is_some());
        assert!(Frontiers::compute(&graph, &dominators, 900).is_none());
    }
}

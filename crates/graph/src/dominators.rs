//! Which nodes lie on every way from the root to a node? Its dominators.
//!
//! Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001):
//! in reverse postorder, the immediate dominator of a node is where the
//! dominator chains of its predecessors meet; repeat until nothing changes.
//! The tree is then numbered in preorder, so that a subtree is an interval and
//! a question costs two comparisons.
//!
//! Input: a graph and its root. Output: the dominator tree of what the root
//! reaches; other nodes neither dominate nor are dominated. On the reversed
//! graph, from its one exit, it gives postdominators. Cost: one pass over the
//! edges for reducible graphs and one to see that nothing changes, each with
//! walks along chains; quadratic at worst.

use opcost_index::{Graph, Id, IdMap, reverse_postorder};

/// The dominator tree of what a root reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators<N: Id> {
    immediate: IdMap<N, Option<N>>,
    /// `None` for nodes that the root does not reach.
    subtree: IdMap<N, Option<Subtree>>,
}

/// The preorder numbers `first..end` of the nodes that a node dominates; its
/// own is `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Subtree {
    first: u32,
    end: u32,
}

impl<N: Id> Dominators<N> {
    /// The dominator tree of `graph` from `root`.
    pub fn compute<G: Graph<Node = N>>(graph: &G, root: N) -> Self {
        let order = reverse_postorder(graph, root);
        let immediate = immediate_dominators(graph, &order);
        let subtree = number(&order, &immediate);
        Self { immediate, subtree }
    }

    /// The closest dominator of `node` other than itself; `None` for the root
    /// and for nodes that it does not reach.
    pub fn immediate(&self, node: N) -> Option<N> {
        self.immediate[node]
    }

    /// Whether the root reaches `node`.
    pub fn is_reachable(&self, node: N) -> bool {
        self.subtree[node].is_some()
    }

    /// Whether every way from the root to `below` goes through `above`; every
    /// reachable node dominates itself. False when either is not reachable.
    pub fn dominates(&self, above: N, below: N) -> bool {
        match (self.subtree[above], self.subtree[below]) {
            (Some(above), Some(below)) => (above.first..above.end).contains(&below.first),
            _ => false,
        }
    }

    /// The position of `node` in preorder of the tree: dominators come before
    /// what they dominate. `None` when the root does not reach it.
    pub fn preorder(&self, node: N) -> Option<u32> {
        self.subtree[node].map(|subtree| subtree.first)
    }
}

/// `order` is the reachable nodes in reverse postorder, the root first.
fn immediate_dominators<G: Graph>(graph: &G, order: &[G::Node]) -> IdMap<G::Node, Option<G::Node>> {
    let root = order[0];
    let predecessors = reachable_predecessors(graph, order);
    let mut rank = IdMap::filled(graph.node_count(), u32::MAX);
    for (position, &node) in (0..).zip(order) {
        rank[node] = position;
    }
    let mut immediate = IdMap::filled(graph.node_count(), None);
    // While the algorithm runs the root is its own, so that chains end there.
    immediate[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &order[1..] {
            let known = predecessors[node].iter().copied().filter(|&before| immediate[before].is_some());
            let meet = known.reduce(|a, b| nearest_common(a, b, &immediate, &rank));
            changed |= immediate[node] != meet;
            immediate[node] = meet;
        }
    }
    immediate[root] = None;
    immediate
}

/// Predecessors by descending rank. Where a thousand blocks in a row share an error exit, the
/// meeting point then climbs their chain once, not for each.
fn reachable_predecessors<G: Graph>(graph: &G, order: &[G::Node]) -> IdMap<G::Node, Vec<G::Node>> {
    let mut predecessors = IdMap::filled(graph.node_count(), Vec::new());
    for &node in order.iter().rev() {
        for successor in graph.successors(node) {
            predecessors[successor].push(node);
        }
    }
    predecessors
}

/// Where the chains of `a` and `b` meet: the one further from the root, which
/// has the larger rank, climbs.
fn nearest_common<N: Id>(mut a: N, mut b: N, immediate: &IdMap<N, Option<N>>, rank: &IdMap<N, u32>) -> N {
    while a != b {
        let lower = if rank[a] > rank[b] { &mut a } else { &mut b };
        *lower = immediate[*lower].expect("the chain of a visited node leads to the root");
    }
    a
}

/// Preorder without recursion: parents precede children in `order`, so sizes
/// are summed backwards and each child takes the next interval of its parent.
fn number<N: Id>(order: &[N], immediate: &IdMap<N, Option<N>>) -> IdMap<N, Option<Subtree>> {
    let mut size = IdMap::filled(immediate.len(), 1u32);
    for &node in order.iter().rev() {
        if let Some(parent) = immediate[node] {
            size[parent] += size[node];
        }
    }
    let mut subtree = IdMap::filled(immediate.len(), None);
    let mut next_child = IdMap::filled(immediate.len(), 0u32);
    for &node in order {
        let first = immediate[node].map_or(0, |parent| next_child[parent]);
        if let Some(parent) = immediate[node] {
            next_child[parent] += size[node];
        }
        next_child[node] = first + 1;
        subtree[node] = Some(Subtree { first, end: first + size[node] });
    }
    subtree
}

#[cfg(test)]
mod tests {
    use opcost_index::{AdjacencyGraph, reachable_from};
    use proptest::prelude::*;

    use super::*;
    use crate::random_graphs::{Node, graph, graphs, n};

    /// After the paper's irreducible example: 1 and 2 lead to each other, and
    /// 5 leads to both.
    #[test]
    fn an_irreducible_cycle_hangs_from_the_fork_above_it() {
        let graph = graph(6, &[(5, 4), (5, 3), (4, 1), (3, 2), (1, 2), (2, 1)]);
        let dominators = Dominators::compute(&graph, n(5));
        for node in 1..=4 {
            assert_eq!(dominators.immediate(n(node)), Some(n(5)));
        }
        assert!(!dominators.is_reachable(n(0)));
    }

    #[test]
    fn a_diamond_is_dominated_by_its_top() {
        let dominators = Dominators::compute(&graph(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), n(0));
        assert_eq!(dominators.immediate(n(3)), Some(n(0)));
        assert_eq!(dominators.immediate(n(4)), Some(n(3)));
        assert!(dominators.dominates(n(3), n(4)) && !dominators.dominates(n(1), n(3)));
    }

    /// 100,000 blocks in a row, each with a way to one error exit. In the order
    /// of their ids the exit's predecessors would take 5 * 10^9 steps.
    #[test]
    fn a_long_chain_with_a_shared_way_out() {
        let exit = 100_001;
        let edges: Vec<_> = (0..100_000).flat_map(|node| [(node, node + 1), (node, exit)]).collect();
        let dominators = Dominators::compute(&graph(exit + 1, &edges), n(0));
        assert_eq!(dominators.immediate(n(100_000)), Some(n(99_999)));
        assert_eq!(dominators.immediate(n(exit)), Some(n(0)));
    }

    /// By definition: `above` dominates what cannot be reached without it.
    fn dominates_naively(graph: &AdjacencyGraph<Node>, above: Node, below: Node) -> bool {
        let reachable = reachable_from(graph, n(0));
        if !reachable.contains(above) || !reachable.contains(below) {
            return false;
        }
        let mut without = AdjacencyGraph::new(graph.node_count());
        for from in (0..graph.node_count()).map(Node::new).filter(|&node| node != above) {
            graph.successors(from).for_each(|to| without.add_edge(from, to));
        }
        above == below || above == n(0) || !reachable_from(&without, n(0)).contains(below)
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(graph in graphs()) {
            let dominators = Dominators::compute(&graph, n(0));
            let nodes = || (0..graph.node_count()).map(Node::new);
            for (a, b) in nodes().flat_map(|a| nodes().map(move |b| (a, b))) {
                prop_assert_eq!(dominators.dominates(a, b), dominates_naively(&graph, a, b), "{} over {}", a, b);
            }
            for node in nodes() {
                // The immediate one is the strict dominator that all others dominate.
                let closest = nodes().filter(|&a| a != node && dominators.dominates(a, node)).max_by_key(|&a| {
                    nodes().filter(|&other| dominators.dominates(other, a)).count()
                });
                prop_assert_eq!(dominators.immediate(node), closest);
            }
        }
    }
}

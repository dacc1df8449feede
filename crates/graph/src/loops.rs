//! Where does it loop? The forest of natural loops.
//!
//! A *back edge* leads to a dominator of its source; its target is a *header*
//! and its source a *latch*. The natural loop of a header is the header and
//! all that reaches one of its latches without passing through it (Aho, Lam,
//! Sethi and Ullman, section 9.6). Back edges with one header make one loop.
//! Two natural loops are nested or disjoint, in any graph; so they form a
//! forest, found from the inside out by walking backwards from the latches and
//! stepping over inner loops whole.
//!
//! A cycle that can be entered at several nodes is no natural loop: no node of
//! it counts its turns. Such cycles are what remains cyclic when all back
//! edges are taken away; their nodes are listed apart, and no nesting is
//! invented for them (Havlak, "Nesting of reducible and irreducible loops",
//! 1997, does that). A graph is reducible exactly when there are none.
//!
//! Input: a graph and its dominators. Output: [`LoopForest`]. Cost: edges
//! times depth of nesting.

use opcost_index::{AdjacencyGraph, Graph, Id, IdMap, reverse, strongly_connected_components};

use crate::dominators::Dominators;
use crate::edge::{Edge, edges_from};

opcost_index::define_id!(
    /// A natural loop of a graph; a loop comes before those inside it.
    pub struct LoopId, "loop"
);

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop<N: Id> {
    /// The only node at which it is entered.
    pub header: N,
    /// The edges from inside to the header, in order.
    pub back_edges: Vec<Edge<N>>,
    /// Its nodes in order of their ids, header and inner loops included.
    pub members: Vec<N>,
    /// The edges from a member to a node outside, in order.
    pub exits: Vec<Edge<N>>,
    /// The loop right around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl<N: Id> Loop<N> {
    /// The sources of the back edges, in order of their ids.
    pub fn latches(&self) -> Vec<N> {
        let mut latches: Vec<N> = self.back_edges.iter().map(|edge| edge.from).collect();
        latches.dedup();
        latches
    }
}

/// All loops of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopForest<N: Id> {
    /// The natural loops, each after those around it.
    pub loops: IdMap<LoopId, Loop<N>>,
    /// The smallest natural loop that holds a node.
    pub innermost: IdMap<N, Option<LoopId>>,
    /// The nodes of each cyclic part that has several entries, sorted.
    pub irreducible: Vec<Vec<N>>,
}

impl<N: Id> LoopForest<N> {
    /// The loops of what the root of `dominators` reaches in `graph`.
    pub fn compute<G: Graph<Node = N>>(graph: &G, dominators: &Dominators<N>) -> Self {
        let loops = find_headers(graph, dominators);
        let innermost = IdMap::filled(graph.node_count(), None);
        let mut forest = Self { loops, innermost, irreducible: cycles_without_header(graph, dominators) };
        let predecessors = reverse(graph);
        for id in forest.loops.ids().rev() {
            forest.claim_members(id, &predecessors, dominators);
        }
        forest.set_depths();
        forest.list_members_and_exits(graph);
        forest
    }

    /// The loop, and then those around it, from the inside out.
    pub fn chain(&self, innermost: Option<LoopId>) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(innermost, |&id| self.loops[id].parent)
    }

    /// Whether `node` is a member of the loop. Cost: depth of nesting.
    pub fn contains(&self, id: LoopId, node: N) -> bool {
        self.chain(self.innermost[node]).any(|around| around == id)
    }

    /// The loop whose header `node` is.
    pub fn loop_with_header(&self, node: N) -> Option<LoopId> {
        self.innermost[node].filter(|&id| self.loops[id].header == node)
    }

    /// Whether the edge leads from inside a natural loop to its header.
    pub fn is_back_edge(&self, edge: Edge<N>) -> bool {
        self.loop_with_header(edge.to).is_some_and(|id| self.contains(id, edge.from))
    }

    /// Traverses the graph backwards from the latches. Inner loops are complete: what is in one is
    /// represented by its header.
    fn claim_members(&mut self, id: LoopId, predecessors: &AdjacencyGraph<N>, dominators: &Dominators<N>) {
        let header = self.loops[id].header;
        self.innermost[header] = Some(id);
        let mut work = self.loops[id].latches();
        while let Some(node) = work.pop() {
            let before = match self.chain(self.innermost[node]).last() {
                Some(outermost) if outermost == id => continue,
                Some(inner) => {
                    self.loops[inner].parent = Some(id);
                    self.loops[inner].header
                }
                None => {
                    self.innermost[node] = Some(id);
                    node
                }
            };
            work.extend(predecessors.successors(before).filter(|&node| dominators.is_reachable(node)));
        }
    }

    fn set_depths(&mut self) {
        for id in self.loops.ids() {
            self.loops[id].depth = 1 + self.loops[id].parent.map_or(0, |parent| self.loops[parent].depth);
        }
    }

    fn list_members_and_exits<G: Graph<Node = N>>(&mut self, graph: &G) {
        for node in self.innermost.ids() {
            let around: Vec<LoopId> = self.chain(self.innermost[node]).collect();
            for &id in &around {
                self.loops[id].members.push(node);
            }
            for edge in edges_from(graph, node) {
                let left = around.iter().take_while(|&&id| !self.contains(id, edge.to)).count();
                for &id in &around[..left] {
                    self.loops[id].exits.push(edge);
                }
            }
        }
    }
}

/// One loop per target of back edges, in preorder of the dominator tree, which
/// puts outer headers before inner ones.
fn find_headers<G: Graph>(graph: &G, dominators: &Dominators<G::Node>) -> IdMap<LoopId, Loop<G::Node>> {
    let mut back_edges: Vec<Edge<G::Node>> = (0..graph.node_count())
        .flat_map(|node| edges_from(graph, G::Node::new(node)))
        .filter(|edge| dominators.dominates(edge.to, edge.from))
        .collect();
    back_edges.sort_by_key(|edge| (dominators.preorder(edge.to), *edge));
    let same_header = back_edges.chunk_by(|a, b| a.to == b.to);
    let headed = |edges: &[Edge<G::Node>]| Loop {
        header: edges[0].to,
        back_edges: edges.to_vec(),
        members: Vec::new(),
        exits: Vec::new(),
        parent: None,
        depth: 0,
    };
    same_header.map(headed).collect()
}

/// The cycles left when the back edges are taken away.
fn cycles_without_header<G: Graph>(graph: &G, dominators: &Dominators<G::Node>) -> Vec<Vec<G::Node>> {
    let mut forward = AdjacencyGraph::new(graph.node_count());
    let nodes = (0..graph.node_count()).map(G::Node::new);
    for edge in nodes.filter(|&node| dominators.is_reachable(node)).flat_map(|node| edges_from(graph, node)) {
        if !dominators.dominates(edge.to, edge.from) {
            forward.add_edge(edge.from, edge.to);
        }
    }
    // A self-loop is a back edge, so cycles that are left have two nodes or more.
    let components = strongly_connected_components(&forward).members;
    let mut cycles: Vec<_> = components.into_iter().filter(|members| members.len() > 1).collect();
    cycles.iter_mut().for_each(|members| members.sort());
    cycles.sort();
    cycles
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use opcost_index::reachable_from;
    use proptest::prelude::*;

    use super::*;
    use crate::random_graphs::{Node, graph, graphs, n};

    fn forest(graph: &AdjacencyGraph<Node>) -> LoopForest<Node> {
        LoopForest::compute(graph, &Dominators::compute(graph, n(0)))
    }

    /// `for i { for j { if … continue; body } }`, the inner loop with two latches.
    #[test]
    fn a_nest_of_two() {
        let found =
            forest(&graph(6, &[(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (3, 2), (3, 2), (3, 4), (4, 1)]));
        let (outer, inner) = (LoopId::new(0), LoopId::new(1));
        assert_eq!(found.loops.len(), 2);
        assert_eq!(found.loops[outer].members, [n(1), n(2), n(3), n(4)]);
        assert_eq!(found.loops[outer].exits, [Edge { from: n(1), slot: 1, to: n(5) }]);
        assert_eq!(found.loops[inner].members, [n(2), n(3)]);
        assert_eq!(found.loops[inner].back_edges.len(), 2);
        assert_eq!(found.loops[inner].latches(), [n(3)]);
        assert_eq!((found.loops[inner].parent, found.loops[inner].depth), (Some(outer), 2));
        assert_eq!(found.innermost[n(4)], Some(outer));
        assert!(found.irreducible.is_empty());
    }

    #[test]
    fn a_cycle_with_two_entries_is_no_loop_but_the_one_around_it_is() {
        let found = forest(&graph(5, &[(0, 1), (1, 2), (1, 3), (2, 3), (3, 2), (3, 1), (1, 4)]));
        assert_eq!(found.loops.len(), 1);
        assert_eq!(found.loops[LoopId::new(0)].members, [n(1), n(2), n(3)]);
        assert_eq!(found.irreducible, [vec![n(2), n(3)]]);
    }

    /// By definition: header to the nodes that reach one of its latches without passing it.
    fn naive_loops(
        graph: &AdjacencyGraph<Node>,
        dominators: &Dominators<Node>,
    ) -> BTreeMap<Node, BTreeSet<Node>> {
        let mut loops: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        let nodes = || (0..graph.node_count()).map(Node::new).filter(|&node| dominators.is_reachable(node));
        for edge in nodes().flat_map(|node| edges_from(graph, node)) {
            let header = edge.to;
            if dominators.dominates(header, edge.from) {
                let mut without = AdjacencyGraph::new(graph.node_count());
                for from in nodes().filter(|&node| node != header) {
                    graph
                        .successors(from)
                        .filter(|&to| to != header)
                        .for_each(|to| without.add_edge(from, to));
                }
                let body = nodes().filter(|&node| reachable_from(&without, node).contains(edge.from));
                loops.entry(header).or_default().extend(body.chain([header]));
            }
        }
        // Of the header itself nothing but itself is reached without it.
        loops
    }

    /// Hecht and Ullman's T1 and T2: a graph is reducible when merging nodes
    /// into their only predecessor leaves one node.
    fn is_reducible(graph: &AdjacencyGraph<Node>) -> bool {
        let mut nodes: BTreeSet<Node> = reachable_from(graph, n(0)).iter().collect();
        let mut edges: BTreeSet<(Node, Node)> =
            nodes.iter().flat_map(|&from| graph.successors(from).map(move |to| (from, to))).collect();
        loop {
            edges.retain(|(from, to)| from != to);
            let only = |node: Node| {
                let mut before = edges.iter().filter(|edge| edge.1 == node).map(|edge| edge.0);
                before.next().filter(|_| before.next().is_none())
            };
            let Some((node, into)) = nodes.iter().filter(|&&x| x != n(0)).find_map(|&x| Some((x, only(x)?)))
            else {
                return nodes.len() == 1;
            };
            nodes.remove(&node);
            let renamed = |end| if end == node { into } else { end };
            edges = edges.iter().map(|&(from, to)| (renamed(from), renamed(to))).collect();
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(graph in graphs()) {
            let dominators = Dominators::compute(&graph, n(0));
            let found = LoopForest::compute(&graph, &dominators);
            let naive = naive_loops(&graph, &dominators);
            let ours: BTreeMap<Node, BTreeSet<Node>> =
                found.loops.values().map(|l| (l.header, l.members.iter().copied().collect())).collect();
            prop_assert_eq!(&ours, &naive);
            for (id, natural) in found.loops.iter() {
                // The parent is the smallest loop around, and comes first.
                let members = &naive[&natural.header];
                let around = naive.values().filter(|other| other.len() > members.len() && other.is_superset(members));
                let parent = around.min_by_key(|other| other.len());
                prop_assert_eq!(natural.parent.map(|p| &naive[&found.loops[p].header]), parent);
                prop_assert!(natural.parent.is_none_or(|parent| parent < id));
                let inside = |node| members.contains(&node);
                let edges = || members.iter().flat_map(|&node| edges_from(&graph, node));
                prop_assert_eq!(&natural.exits, &edges().filter(|e| !inside(e.to)).collect::<Vec<_>>());
                prop_assert_eq!(&natural.back_edges, &edges().filter(|e| e.to == natural.header).collect::<Vec<_>>());
            }
            for node in (0..graph.node_count()).map(Node::new) {
                let smallest = naive.iter().filter(|(_, m)| m.contains(&node)).min_by_key(|(_, m)| m.len());
                prop_assert_eq!(found.innermost[node].map(|id| found.loops[id].header), smallest.map(|(h, _)| *h));
                for edge in edges_from(&graph, node) {
                    prop_assert_eq!(found.is_back_edge(edge), dominators.dominates(edge.to, edge.from));
                }
            }
        }

        #[test]
        fn irreducible_parts_have_several_entries(graph in graphs()) {
            let found = forest(&graph);
            prop_assert_eq!(found.irreducible.is_empty(), is_reducible(&graph));
            let reachable = reachable_from(&graph, n(0));
            for part in &found.irreducible {
                let entered = |&&node: &&Node| {
                    let inside = |from: Node| part.contains(&from) || !reachable.contains(from);
                    node == n(0) || reverse(&graph).successors(node).any(|from| !inside(from))
                };
                prop_assert!(part.iter().filter(entered).count() > 1, "{:?}", part);
            }
        }
    }
}

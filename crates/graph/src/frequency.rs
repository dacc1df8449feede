//! How often, at a guess, is each edge taken? A static estimate.
//!
//! Wu and Larus, "Static branch frequency and program profile analysis"
//! (MICRO 27, 1994): branch probabilities are propagated, loops from the
//! inside out. With one entry into its header, what comes back over the back
//! edges is the loop's *cyclic probability* c, and the header runs 1 / (1 - c)
//! times per entry. Irreducible cycles have no header to do this at; regions
//! that may hold one are gone through `ROUNDS` times, which only approaches
//! the fixed point, from below.
//!
//! Input: a graph, its root and loops, [hints](Hint). Output: relative
//! frequencies. The arithmetic is f64 in a fixed order, additions,
//! multiplications and divisions only, rounded at the end, so it gives the
//! same on every machine. Cost: edges times depth of nesting.
//!
//! Limit: it is a guess. It chooses where counters go and is never reported.

use opcost_index::{Graph, Id, IdMap, reverse_postorder};

pub use crate::branches::Hint;
use crate::branches::branch_probabilities;
use crate::edge::{Edge, edges_from};
use crate::loops::{LoopForest, LoopId};

/// The frequency of the root; what is rarer than once in so many entries is not distinguished.
pub const ENTRY: u64 = 1 << 20;
/// No frequency exceeds this times that of the root, which is to fit 64 bits.
const MOST: f64 = (1u64 << 43) as f64;
/// A loop whose cyclic probability is nearer to 1 than this has no way out;
/// branch weights of 32 bits do not come so near.
const ENDLESS: f64 = 1.0 / (1u64 << 33) as f64;
/// How often an endless loop is taken to run per entry.
const ENDLESS_TURNS: f64 = 4096.0;
/// Passes over each region of a graph with irreducible cycles.
const ROUNDS: usize = 16;

/// Relative frequencies; the root has [`ENTRY`] (if it heads no loop), nodes
/// that it does not reach 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequencies<N: Id> {
    /// Of each node.
    pub nodes: IdMap<N, u64>,
    /// Of each edge, by source and slot: at least 1 when the root reaches it
    /// and no hint says cold.
    pub edges: IdMap<N, Vec<u64>>,
}

impl<N: Id> Frequencies<N> {
    /// Estimates the frequencies in `graph`, whose loops as seen from `root`
    /// are `loops`.
    pub fn estimate<G: Graph<Node = N>>(
        graph: &G,
        root: N,
        loops: &LoopForest<N>,
        hint: impl Fn(Edge<N>) -> Hint,
    ) -> Self {
        let order = reverse_postorder(graph, root);
        let probabilities = branch_probabilities(graph, loops, &hint);
        let frequency = propagate(graph, &order, loops, &probabilities);
        let mut edges = IdMap::filled(graph.node_count(), Vec::new());
        for &node in &order {
            let of = |edge: Edge<N>| {
                let floor = u64::from(hint(edge) != Hint::Cold);
                scale(frequency[node] * probabilities[node][edge.slot as usize]).max(floor)
            };
            edges[node] = edges_from(graph, node).map(of).collect();
        }
        Self { nodes: frequency.values().map(|&frequency| scale(frequency)).collect(), edges }
    }
}

/// Rounds to units of 1 / [`ENTRY`].
fn scale(frequency: f64) -> u64 {
    (frequency * ENTRY as f64).round() as u64
}

/// The frequency of each node per entry into the first of `order`, which is
/// the reachable nodes in reverse postorder.
fn propagate<G: Graph>(
    graph: &G,
    order: &[G::Node],
    loops: &LoopForest<G::Node>,
    probabilities: &IdMap<G::Node, Vec<f64>>,
) -> IdMap<G::Node, f64> {
    let mut state = Propagation::new(graph, order, loops, probabilities);
    let mut regions: IdMap<LoopId, Vec<G::Node>> = IdMap::filled(loops.loops.len(), Vec::new());
    for &node in order {
        for id in loops.chain(loops.innermost[node]) {
            regions[id].push(node);
        }
    }
    for id in regions.ids().rev() {
        state.close_loop(id, &regions[id]);
    }
    state.pass(order);
    state.frequency
}

struct Propagation<'a, N: Id> {
    loops: &'a LoopForest<N>,
    probabilities: &'a IdMap<N, Vec<f64>>,
    /// The edges into each node, back edges apart.
    incoming: IdMap<N, Vec<Edge<N>>>,
    /// Within the current region, per entry into it; 0 elsewhere.
    frequency: IdMap<N, f64>,
    /// How often the header runs per entry into the loop; 1 until it is closed.
    header_frequency: IdMap<LoopId, f64>,
    pass_count: usize,
}

impl<'a, N: Id> Propagation<'a, N> {
    fn new<G: Graph<Node = N>>(
        graph: &G,
        order: &[N],
        loops: &'a LoopForest<N>,
        probabilities: &'a IdMap<N, Vec<f64>>,
    ) -> Self {
        let mut incoming = IdMap::filled(graph.node_count(), Vec::new());
        for edge in order.iter().flat_map(|&node| edges_from(graph, node)) {
            if !loops.is_back_edge(edge) {
                incoming[edge.to].push(edge);
            }
        }
        Self {
            loops,
            probabilities,
            incoming,
            frequency: IdMap::filled(graph.node_count(), 0.0),
            header_frequency: IdMap::filled(loops.loops.len(), 1.0),
            pass_count: if loops.irreducible.is_empty() { 1 } else { ROUNDS },
        }
    }

    /// Finds the iterations of a loop whose inner loops are closed. `region` is its members, header
    /// first.
    fn close_loop(&mut self, id: LoopId, region: &[N]) {
        self.pass(region);
        let back: f64 = self.loops.loops[id].back_edges.iter().map(|&edge| self.flow(edge)).sum();
        self.header_frequency[id] = if back > 1.0 - ENDLESS { ENDLESS_TURNS } else { 1.0 / (1.0 - back) };
        // Ways from here into a region yet to be closed exist in irreducible graphs only.
        for &node in region {
            self.frequency[node] = 0.0;
        }
    }

    /// Sends one entry through a region, from its first node on.
    fn pass(&mut self, region: &[N]) {
        for _ in 0..self.pass_count {
            for &node in region {
                let entry = if node == region[0] { 1.0 } else { 0.0 };
                let into: f64 = self.incoming[node].iter().map(|&edge| self.flow(edge)).sum();
                let turns = self.loops.loop_with_header(node).map_or(1.0, |id| self.header_frequency[id]);
                self.frequency[node] = ((entry + into) * turns).min(MOST);
            }
        }
    }

    fn flow(&self, edge: Edge<N>) -> f64 {
        self.frequency[edge.from] * self.probabilities[edge.from][edge.slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::AdjacencyGraph;
    use proptest::prelude::*;

    use super::*;
    use crate::dominators::Dominators;
    use crate::random_graphs::{Node, graph, graphs, n};

    fn loops(graph: &AdjacencyGraph<Node>) -> LoopForest<Node> {
        LoopForest::compute(graph, &Dominators::compute(graph, n(0)))
    }

    fn estimate(graph: &AdjacencyGraph<Node>, hint: impl Fn(Edge<Node>) -> Hint) -> Frequencies<Node> {
        Frequencies::estimate(graph, n(0), &loops(graph), hint)
    }

    /// Rounded, in entries.
    fn entries(frequency: u64) -> u64 {
        (frequency + ENTRY / 2) / ENTRY
    }

    #[test]
    fn the_body_of_a_nest_runs_some_sixty_times() {
        // 1 and 2 are headers, 3 the inner body, 4 the outer latch.
        let found =
            estimate(&graph(6, &[(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (3, 2), (4, 1)]), |_| Hint::None);
        let nodes: Vec<u64> = found.nodes.values().map(|&frequency| entries(frequency)).collect();
        // 1 / 0.12 headers per entry, 0.88 / 0.12 bodies per header.
        assert_eq!(nodes, [1, 8, 61, 54, 7, 1]);
        assert_eq!(found.nodes[n(0)], ENTRY);
        assert_eq!(found.nodes[n(5)], ENTRY);
    }

    #[test]
    fn weights_say_how_long_a_loop_runs_and_cold_ways_are_cheap() {
        let graph = graph(4, &[(0, 1), (1, 1), (1, 2), (1, 3)]);
        let found = estimate(&graph, |edge| match (edge.from, edge.slot) {
            (from, 0) if from == n(1) => Hint::Weight(999),
            (from, 1) if from == n(1) => Hint::Weight(1),
            (from, _) if from == n(1) => Hint::Cold,
            _ => Hint::None,
        });
        // A thousand turns, of which one in a million goes the cold way.
        assert_eq!(entries(found.nodes[n(1)]), 999);
        assert_eq!(found.edges[n(1)][2], 999);
    }

    #[test]
    fn endless_loops_and_deep_nests_stay_in_range() {
        // 40 headers in a row, each with a way back from the last node, and no way out.
        let mut edges: Vec<_> = (0..40).map(|node| (node, node + 1)).collect();
        edges.extend((0..40).map(|node| (40, node)));
        let found = estimate(&graph(41, &edges), |_| Hint::None);
        assert!(found.nodes.values().all(|&frequency| frequency <= 1 << 63));
        assert!(found.nodes[n(40)] >= found.nodes[n(0)]);
    }

    #[test]
    fn an_irreducible_cycle_is_hotter_than_its_entries() {
        let found = estimate(&graph(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]), |_| Hint::None);
        // x1 = 1/2 + x2 / 2, x2 = 1/2 + x1: 2 and 1.5 at the fixed point.
        assert!(found.nodes[n(2)].abs_diff(2 * ENTRY) < ENTRY / 1000, "{}", found.nodes[n(2)]);
    }

    proptest! {
        #[test]
        fn every_way_is_possible_and_ways_out_sum_to_the_node(graph in graphs()) {
            let dominators = Dominators::compute(&graph, n(0));
            let found = estimate(&graph, |_| Hint::None);
            for (node, out) in found.edges.iter() {
                prop_assert_eq!(dominators.is_reachable(node), found.nodes[node] > 0);
                prop_assert!(out.iter().all(|&frequency| frequency > 0));
                let sum: u64 = out.iter().sum();
                let rounding = out.len() as u64 + found.nodes[node] / 1_000_000_000;
                prop_assert!(out.is_empty() || sum.abs_diff(found.nodes[node]) <= rounding);
            }
        }

        /// What goes into a node is what the node has, unless its loop is endless.
        #[test]
        fn reducible_flow_is_conserved(graph in graphs()) {
            let loops = loops(&graph);
            let endless = loops.loops.values().any(|natural| natural.exits.is_empty());
            if endless || !loops.irreducible.is_empty() {
                return Ok(());
            }
            let found = estimate(&graph, |_| Hint::None);
            let mut into = IdMap::filled(graph.node_count(), 0);
            into[n(0)] = ENTRY;
            let nodes = (0..graph.node_count()).map(Node::new);
            for edge in nodes.filter(|&node| found.nodes[node] > 0).flat_map(|node| edges_from(&graph, node)) {
                into[edge.to] += found.edges[edge.from][edge.slot as usize];
            }
            for (node, &sum) in into.iter() {
                let rounding = 32 + found.nodes[node] / 1_000_000;
                prop_assert!(sum.abs_diff(found.nodes[node]) <= rounding, "{}: {} {}", node, sum, found.nodes[node]);
            }
        }

        /// A header runs at least as often as its loop is entered, and more if it loops at all.
        #[test]
        fn headers_run_more_than_the_ways_into_them(graph in graphs()) {
            let loops = loops(&graph);
            let found = estimate(&graph, |_| Hint::None);
            for (id, natural) in loops.loops.iter() {
                let nodes = (0..graph.node_count()).map(Node::new);
                let entering: u64 = nodes
                    .filter(|&node| found.nodes[node] > 0 && !loops.contains(id, node))
                    .flat_map(|node| edges_from(&graph, node))
                    .filter(|edge| edge.to == natural.header)
                    .map(|edge| found.edges[edge.from][edge.slot as usize])
                    .sum();
                prop_assert!(found.nodes[natural.header] + 32 >= entering);
            }
        }
    }
}

//! Random graphs, irreducible and unreachable parts included: every promise
//! of the crate against its definition.

use opcost_flow::{
    Bounds, Countability, FlowEdge, bounds, check_conservation, choose_chords, reconstruct, solve,
};
use opcost_index::{Id, IdMap, IdSet};
use proptest::prelude::*;

opcost_index::define_id!(struct Node, "node");
opcost_index::define_id!(struct Edge, "edge");

type Edges = IdMap<Edge, FlowEdge<Node>>;

/// A graph and a flow that was really walked on it.
#[derive(Clone, Debug)]
struct Walked {
    nodes: usize,
    edges: Edges,
    counts: IdMap<Edge, i128>,
    /// Edges from here on were added to lead an unfinished walk back.
    first_added: usize,
    /// Where unfinished walks stopped, and how often; the outside is the last.
    stopped: Vec<i128>,
}

#[derive(Clone, Debug)]
struct Walk {
    start: usize,
    choices: Vec<usize>,
    times: i128,
}

fn place(nodes: usize, position: usize) -> Option<Node> {
    (position < nodes).then(|| Node::new(position))
}

fn position(nodes: usize, place: Option<Node>) -> usize {
    place.map_or(nodes, Id::index)
}

impl Walked {
    fn new(nodes: usize, ends: &[(usize, usize)]) -> Self {
        let edge = |&(from, to): &(usize, usize)| FlowEdge { from: place(nodes, from), to: place(nodes, to) };
        let edges: Edges = ends.iter().map(edge).collect();
        let counts = IdMap::filled(edges.len(), 0);
        Self { nodes, first_added: edges.len(), edges, counts, stopped: vec![0; nodes + 1] }
    }

    /// Takes the chosen way out at each place; returns where the walk ended.
    fn walk(&mut self, walk: &Walk) -> Option<Node> {
        let mut here = place(self.nodes, walk.start);
        for choice in &walk.choices {
            let ways: Vec<Edge> = self
                .edges
                .ids()
                .take(self.first_added)
                .filter(|&edge| self.edges[edge].from == here)
                .collect();
            let Some(&way) = ways.get(choice % ways.len().max(1)) else { break };
            self.counts[way] += walk.times;
            here = self.edges[way].to;
        }
        here
    }

    /// Walks, and comes back over an edge of its own if need be.
    fn walk_and_return(&mut self, walk: &Walk) {
        let (from, to) = (self.walk(walk), place(self.nodes, walk.start));
        if from != to {
            self.edges.push(FlowEdge { from, to });
            self.counts.push(walk.times);
        }
    }

    /// Walks from the outside, and stays where the walk ended.
    fn walk_and_stop(&mut self, walk: &Walk) {
        let end = self.walk(&Walk { start: self.nodes, ..walk.clone() });
        self.stopped[position(self.nodes, end)] += walk.times;
    }
}

fn graphs(nodes: usize, edges: usize) -> impl Strategy<Value = Walked> {
    (1..=nodes).prop_flat_map(move |nodes| {
        prop::collection::vec((0..=nodes, 0..=nodes), 0..=edges)
            .prop_map(move |ends| Walked::new(nodes, &ends))
    })
}

fn walks(nodes: usize, times: i128) -> impl Strategy<Value = Vec<Walk>> {
    let walk = (0..=nodes, prop::collection::vec(0usize..12, 0..20), 1..=times);
    prop::collection::vec(walk.prop_map(|(start, choices, times)| Walk { start, choices, times }), 0..6)
}

fn finished() -> impl Strategy<Value = Walked> {
    (graphs(9, 24), walks(9, 1 << 63)).prop_map(|(mut graph, walks)| {
        for walk in walks {
            graph.walk_and_return(&Walk { start: walk.start.min(graph.nodes), ..walk });
        }
        graph
    })
}

fn stopped(nodes: usize, edges: usize, times: i128) -> impl Strategy<Value = Walked> {
    (graphs(nodes, edges), walks(nodes, times)).prop_map(|(mut graph, walks)| {
        for walk in walks {
            graph.walk_and_stop(&walk);
        }
        graph
    })
}

/// Weighs the edges; those added are known, and some others cannot be counted.
fn countability(graph: &Walked, dice: &[(u64, u8)]) -> IdMap<Edge, Countability> {
    let of = |edge: Edge| match dice[edge.index() % dice.len()] {
        _ if edge.index() >= graph.first_added => Countability::Measured,
        (_, 0) => Countability::Uncountable,
        (weight, _) => Countability::Countable { weight },
    };
    graph.edges.ids().map(of).collect()
}

fn dice() -> impl Strategy<Value = Vec<(u64, u8)>> {
    prop::collection::vec((0u64..20, 0u8..8), 24)
}

fn known_from(graph: &Walked, known: &IdSet<Edge>) -> IdMap<Edge, Option<i128>> {
    graph.counts.iter().map(|(edge, &count)| known.contains(edge).then_some(count)).collect()
}

/// Naively: how many connected parts the places fall into by these edges.
fn parts(graph: &Walked, set: &[Edge]) -> usize {
    let mut label: Vec<usize> = (0..=graph.nodes).collect();
    for &edge in set {
        let from = label[position(graph.nodes, graph.edges[edge].from)];
        let to = label[position(graph.nodes, graph.edges[edge].to)];
        label.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
    }
    (0..=graph.nodes).filter(|place| label.contains(place)).count()
}

fn is_forest(graph: &Walked, set: &[Edge]) -> bool {
    parts(graph, set) + set.len() == graph.nodes + 1
}

proptest! {
    /// Count the chords only, forget the rest, and have it back to the digit.
    #[test]
    fn the_chords_determine_everything(graph in finished(), dice in dice()) {
        let countability = countability(&graph, &dice);
        let Ok(chords) = choose_chords(graph.nodes, &graph.edges, &countability) else { return Ok(()) };
        let metered = graph
            .edges
            .ids()
            .filter(|&edge| chords.contains(edge) || countability[edge] == Countability::Measured)
            .collect();
        let counts = reconstruct(graph.nodes, &graph.edges, &known_from(&graph, &metered)).unwrap();
        prop_assert_eq!(&counts, &graph.counts);
        prop_assert!(check_conservation(graph.nodes, &graph.edges, &counts).is_ok());
        let unmetered: Vec<_> = graph.edges.ids().filter(|&edge| !metered.contains(edge)).collect();
        let candidates: Vec<_> =
            graph.edges.ids().filter(|&edge| countability[edge] != Countability::Measured).collect();
        prop_assert!(is_forest(&graph, &unmetered));
        prop_assert_eq!(chords.len(), candidates.len() + parts(&graph, &candidates) - (graph.nodes + 1));
    }

    /// A named cycle is one: uncountable, and minimal (each edge off it leaves a forest).
    #[test]
    fn a_refusal_names_a_cycle(graph in finished(), dice in dice()) {
        let countability = countability(&graph, &dice);
        if let Err(error) = choose_chords(graph.nodes, &graph.edges, &countability) {
            prop_assert!(!is_forest(&graph, &error.edges));
            for (skip, &edge) in error.edges.iter().enumerate() {
                prop_assert_eq!(countability[edge], Countability::Uncountable);
                let mut rest = error.edges.clone();
                rest.remove(skip);
                prop_assert!(is_forest(&graph, &rest));
            }
        }
    }

    /// Against every set of edges that could stay uncounted.
    #[test]
    fn no_choice_is_cheaper(graph in graphs(6, 9), dice in dice()) {
        let countability = countability(&graph, &dice);
        let weight = |edge: Edge| match countability[edge] {
            Countability::Countable { weight } => weight,
            _ => 0,
        };
        let Ok(chords) = choose_chords(graph.nodes, &graph.edges, &countability) else { return Ok(()) };
        let ours: u64 = chords.iter().map(weight).sum();
        for mask in 0..1u32 << graph.edges.len() {
            let (tree, counted): (Vec<_>, Vec<_>) =
                graph.edges.ids().partition(|edge| mask >> edge.index() & 1 == 1);
            let allowed = counted.iter().all(|&edge| countability[edge] != Countability::Uncountable);
            if allowed && is_forest(&graph, &tree) {
                prop_assert!(ours <= counted.iter().map(|&edge| weight(edge)).sum());
                prop_assert!(chords.len() <= counted.len());
            }
        }
    }

    /// One count changed: either the solution still balances or an error says where not.
    #[test]
    fn what_is_solved_balances(graph in finished(), mask in any::<u32>(), wrong in 0usize..24) {
        let some = graph.edges.ids().filter(|edge| mask >> (edge.index() % 32) & 1 == 1).collect();
        let mut known = known_from(&graph, &some);
        if let Some(count) = known.values_mut().nth(wrong) {
            *count = count.map(|count| count + 1);
        }
        if let Ok(counts) = solve(graph.nodes, &graph.edges, &known) {
            prop_assert!(check_conservation(graph.nodes, &graph.edges, &counts).is_ok());
        }
    }

    /// Frames stop anywhere; the truth lies within the bounds.
    #[test]
    fn bounds_hold_the_truth(graph in stopped(9, 24, 1 << 63), dice in dice()) {
        let countability = countability(&graph, &dice);
        let Ok(chords) = choose_chords(graph.nodes, &graph.edges, &countability) else { return Ok(()) };
        let found = bounds(graph.nodes, &graph.edges, &known_from(&graph, &chords)).unwrap();
        for (edge, &Bounds { lower, upper }) in found.iter() {
            let truth = graph.counts[edge];
            prop_assert!(lower <= truth && upper.is_none_or(|upper| truth <= upper), "{edge}: {truth}");
        }
    }

    /// The bounds are those over all flows that the known counts allow.
    #[test]
    fn bounds_are_tight(graph in stopped(4, 7, 1), dice in dice()) {
        let countability = countability(&graph, &dice);
        let Ok(chords) = choose_chords(graph.nodes, &graph.edges, &countability) else { return Ok(()) };
        let unknown: Vec<_> = graph.edges.ids().filter(|&edge| !chords.contains(edge)).collect();
        // What has a bound is at most the sum of what is known; what has none
        // exceeds it though every edge on its way in is cut off at `most`.
        let sum = chords.iter().map(|edge| graph.counts[edge]).sum::<i128>();
        let most = 2 * sum + 1;
        if (most + 1).pow(unknown.len() as u32) > 50_000 {
            return Ok(());
        }
        let found = bounds(graph.nodes, &graph.edges, &known_from(&graph, &chords)).unwrap();
        let flows = possible_flows(&graph, &unknown, most);
        for edge in unknown {
            let lower = flows.iter().map(|flow| flow[edge]).min().expect("the truth is possible");
            let upper = flows.iter().map(|flow| flow[edge]).max().expect("the truth is possible");
            let upper = (upper <= sum).then_some(upper);
            prop_assert_eq!(found[edge], Bounds { lower, upper }, "{}", edge);
        }
    }
}

/// Every flow with at most `most` on each unknown edge in which no node sends
/// on more than it receives.
fn possible_flows(graph: &Walked, unknown: &[Edge], most: i128) -> Vec<IdMap<Edge, i128>> {
    let mut flows = vec![graph.counts.clone()];
    for &edge in unknown {
        let with = |flow: &IdMap<Edge, i128>, count| {
            let mut flow = flow.clone();
            flow[edge] = count;
            flow
        };
        flows = flows.iter().flat_map(|flow| (0..=most).map(move |count| with(flow, count))).collect();
    }
    let surplus = |flow: &IdMap<Edge, i128>, node| {
        let into = graph.edges.iter().filter(|(_, ends)| ends.to == Some(node)).map(|(edge, _)| flow[edge]);
        let out = graph.edges.iter().filter(|(_, ends)| ends.from == Some(node)).map(|(edge, _)| flow[edge]);
        into.sum::<i128>() - out.sum::<i128>()
    };
    flows.retain(|flow| (0..graph.nodes).map(Node::new).all(|node| surplus(flow, node) >= 0));
    flows
}

//! Whole counts: conserved, between floor and ceiling, as prescribed.

use opcost_flow::convex::round_flow;
use opcost_flow::{FlowEdge, FlowError, check_conservation};
use opcost_index::{Id, IdMap};
use proptest::prelude::*;

opcost_index::define_id!(struct Node, "node");
opcost_index::define_id!(struct Edge, "edge");

fn place(number: usize, nodes: usize) -> Option<Node> {
    (number < nodes).then(|| Node::new(number))
}

fn graph(nodes: usize, ends: &[(usize, usize)]) -> IdMap<Edge, FlowEdge<Node>> {
    ends.iter().map(|&(from, to)| FlowEdge { from: place(from, nodes), to: place(to, nodes) }).collect()
}

fn assert_conserved(nodes: usize, edges: &IdMap<Edge, FlowEdge<Node>>, counts: &IdMap<Edge, u64>) {
    let counts: IdMap<Edge, i128> = counts.values().map(|&count| i128::from(count)).collect();
    assert_eq!(check_conservation(nodes, edges, &counts), Ok(()));
}

/// A diamond whose head is entered from outside (node 4) and whose tail leaves.
const DIAMOND: [(usize, usize); 6] = [(4, 0), (0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];

#[test]
fn half_counts_go_to_one_arm() {
    let edges = graph(4, &DIAMOND);
    let flow = IdMap::from_vec(vec![3.0, 1.5, 1.5, 1.5, 1.5, 3.0]);
    let counts = round_flow(4, &edges, &flow, None).unwrap();
    assert_conserved(4, &edges, &counts);
    assert_eq!(counts[Edge::new(0)], 3);
    assert_eq!(counts[Edge::new(1)] + counts[Edge::new(2)], 3);
}

#[test]
fn a_prescribed_entry_scales_all() {
    let edges = graph(4, &DIAMOND);
    let flow = IdMap::from_vec(vec![10.0, 7.0, 3.0, 7.0, 3.0, 10.0]);
    let counts = round_flow(4, &edges, &flow, Some((Edge::new(0), 1000))).unwrap();
    assert_eq!(counts.as_slice(), [1000, 700, 300, 700, 300, 1000]);
    let none = round_flow(4, &edges, &flow, Some((Edge::new(0), 0))).unwrap();
    assert_eq!(none.as_slice(), [0; 6]);
    // Nothing says which way; some way it goes.
    let silent = IdMap::filled(6, 0.0);
    let counts = round_flow(4, &edges, &silent, Some((Edge::new(0), 5))).unwrap();
    assert_conserved(4, &edges, &counts);
    assert_eq!(counts[Edge::new(5)], 5);
}

#[test]
fn what_cannot_leave_is_an_error() {
    let edges = graph(2, &[(2, 0), (0, 1), (1, 0)]);
    let flow = IdMap::from_vec(vec![0.0, 6.5, 6.5]);
    assert_eq!(
        round_flow(2, &edges, &flow, Some((Edge::new(0), 3))).unwrap_err(),
        FlowError::Contradiction { node: Some(Node::new(0)), inflow: 10, outflow: 7 }
    );
    // Without the entry the loop is a circulation.
    let counts = round_flow(2, &edges, &flow, None).unwrap();
    assert_conserved(2, &edges, &counts);
}

#[test]
fn large_counts_need_not_be_conserved_before() {
    let edges = graph(4, &DIAMOND);
    let flow = IdMap::from_vec(vec![1e11, 6e10 + 37.0, 4e10 - 5.0, 6e10, 4e10, 1e11 + 12.5]);
    let counts = round_flow(4, &edges, &flow, Some((Edge::new(0), 100_000_000_001))).unwrap();
    assert_conserved(4, &edges, &counts);
    assert_eq!(counts[Edge::new(0)], 100_000_000_001);
    for (edge, &count) in counts.iter() {
        assert!((count as f64 - flow[edge]).abs() <= 100.0);
    }
    let huge = IdMap::filled(6, 1e19);
    assert!(matches!(round_flow(4, &edges, &huge, None), Err(FlowError::Overflow { .. })));
}

#[test]
fn a_long_chain_with_loops_is_no_trouble() {
    let nodes = 100_000;
    let mut ends = vec![(nodes, 0)];
    ends.extend((0..nodes).map(|node| (node, node + 1)));
    ends.extend((0..nodes).map(|node| (node, node)));
    let edges = graph(nodes, &ends);
    let counts = round_flow(nodes, &edges, &IdMap::filled(ends.len(), 2.5), None).unwrap();
    assert_conserved(nodes, &edges, &counts);
}

/// A graph with walks from outside to outside, each taken a fraction of times.
fn walked() -> impl Strategy<Value = (usize, Vec<(usize, usize)>, Vec<f64>)> {
    (2usize..12).prop_flat_map(|nodes| {
        let ends = prop::collection::vec((0..=nodes, 0..=nodes), 1..40);
        let walks = prop::collection::vec((prop::collection::vec(0usize..100, 1..30), 1u32..4000), 1..8);
        (Just(nodes), ends, walks).prop_map(|(nodes, mut ends, walks)| {
            // From everywhere there is a way out, from outside a way in.
            ends.extend((0..nodes).map(|node| (node, nodes)));
            ends.push((nodes, 0));
            let mut flow = vec![0.0; ends.len()];
            for (choices, times) in walks {
                let mut here = nodes;
                let take = |here: usize, choice: usize, flow: &mut Vec<f64>| {
                    let ways: Vec<usize> = (0..ends.len()).filter(|&edge| ends[edge].0 == here).collect();
                    let way =
                        if choice == usize::MAX { *ways.last().unwrap() } else { ways[choice % ways.len()] };
                    // Eighths add up exactly.
                    flow[way] += f64::from(times) / 8.0;
                    ends[way].1
                };
                for choice in choices {
                    here = take(here, choice, &mut flow);
                }
                if here != nodes {
                    take(here, usize::MAX, &mut flow);
                }
            }
            (nodes, ends, flow)
        })
    })
}

proptest! {
    #[test]
    fn each_count_is_floor_or_ceiling((nodes, ends, flow) in walked(), pick in any::<u16>()) {
        let edges = graph(nodes, &ends);
        let flow = IdMap::from_vec(flow);
        let counts = round_flow(nodes, &edges, &flow, None).unwrap();
        assert_conserved(nodes, &edges, &counts);
        for (edge, &count) in counts.iter() {
            prop_assert!((count as f64 - flow[edge]).abs() < 1.0, "{edge}: {count} for {}", flow[edge]);
        }
        // The same, and the other way, for any edge that is prescribed.
        let chosen = Edge::new(usize::from(pick) % ends.len());
        for wanted in [flow[chosen].floor(), flow[chosen].ceil(), 10.0 * flow[chosen].ceil()] {
            let counts = round_flow(nodes, &edges, &flow, Some((chosen, wanted as u64))).unwrap();
            assert_conserved(nodes, &edges, &counts);
            prop_assert_eq!(counts[chosen], wanted as u64);
        }
        prop_assert_eq!(&counts, &round_flow(nodes, &edges, &flow, None).unwrap());
    }
}

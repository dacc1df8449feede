//! What must hold on every graph, whatever was sampled.

use opcost_flow::classic::{FlowOptions, Islands, Prior, Repair, TimeModel};
use opcost_flow::{FlowEdge, check_conservation};
use opcost_index::{Id, IdMap};
use proptest::prelude::*;

use super::{Edge, KEEP, LEVIN, Node, OUT, Sampled, dice, graphs, linear, price, priors};

/// The places that flow from the outside reaches, naively.
fn fed(nodes: usize, edges: &IdMap<Edge, FlowEdge<Node>>, counts: &IdMap<Edge, i128>) -> Vec<bool> {
    let mut fed = vec![false; nodes];
    for _ in 0..nodes {
        for (edge, ends) in edges.iter().filter(|&(edge, _)| counts[edge] > 0) {
            let from = ends.from.is_none_or(|node| fed[node.index()]);
            if let (true, Some(to)) = (from, ends.to) {
                fed[to.index()] = true;
            }
            assert!(counts[edge] >= 0);
        }
    }
    fed
}

fn unfed(sampled: &Sampled, repair: &Repair<Node, Edge>) -> Vec<Node> {
    let (edges, counts) = repair.closed(&sampled.edges);
    let fed = fed(sampled.blocks.len(), &edges, &counts);
    repair
        .nodes
        .iter()
        .filter(|(node, count)| count.after > 0 && !fed[node.index()])
        .map(|(n, _)| n)
        .collect()
}

/// Flow is conserved, and nodes have what comes into them.
fn assert_consistent(sampled: &Sampled, repair: &Repair<Node, Edge>) {
    let (edges, counts) = repair.closed(&sampled.edges);
    assert_eq!(check_conservation(sampled.blocks.len(), &edges, &counts), Ok(()));
    for (node, count) in repair.nodes.iter() {
        let into = edges.iter().filter(|(_, ends)| ends.to == Some(node));
        assert_eq!(into.map(|(edge, _)| counts[edge]).sum::<i128>(), i128::from(count.after));
    }
}

/// The counts of walks that really went from the outside to the outside, on
/// the graph of `sampled`.
fn walked(sampled: &Sampled, walks: &[(Vec<usize>, u64)]) -> IdMap<Edge, u64> {
    let mut counts = IdMap::filled(sampled.edges.len(), 0);
    for (choices, times) in walks {
        let mut way = Vec::new();
        let mut here = None;
        for choice in choices {
            let ways: Vec<Edge> =
                sampled.edges.ids().filter(|&edge| sampled.edges[edge].from == here).collect();
            let Some(&edge) = ways.get(choice % ways.len().max(1)) else { break };
            way.push(edge);
            here = sampled.edges[edge].to;
            if here.is_none() {
                way.drain(..).for_each(|edge| counts[edge] += times);
            }
        }
    }
    counts
}

fn with_counts(sampled: &Sampled, counts: &IdMap<Edge, u64>, prior: fn(u64) -> Prior) -> Sampled {
    let inflow = |node| {
        let into = sampled.edges.iter().filter(|(_, ends)| ends.to == Some(node));
        into.map(|(edge, _)| counts[edge]).sum()
    };
    Sampled {
        blocks: sampled.blocks.ids().map(inflow).collect(),
        edges: sampled.edges.clone(),
        priors: counts.values().map(|&count| prior(count)).collect(),
    }
}

fn models(sampled: &Sampled, dice: &[(u64, u64)]) -> [TimeModel<Node, Edge>; 3] {
    [TimeModel::GccMcf, TimeModel::Levin(LEVIN), linear(sampled, dice)]
}

proptest! {
    /// What was really run is not touched, measured or split by probabilities.
    #[test]
    fn a_consistent_profile_stays(
        sampled in graphs(8, 24, 0, priors(0)),
        walks in prop::collection::vec((prop::collection::vec(0usize..30, 60), 1u64..1 << 40), 1..6),
    ) {
        let counts = walked(&sampled, &walks);
        for prior in [Prior::Measured as fn(u64) -> Prior, Prior::Share] {
            let sampled = with_counts(&sampled, &counts, prior);
            for model in models(&sampled, &[(1, 1)]) {
                let repair = sampled.try_repair(&model, FlowOptions::default()).unwrap();
                prop_assert_eq!((repair.cost, repair.islands.len(), repair.is_optimal), (0, 0, true));
                let after: IdMap<Edge, u64> = repair.edges.values().map(|count| count.after).collect();
                // An edge between the outside and itself has no block to share from.
                let passes_by = |edge: Edge| sampled.edges[edge] == FlowEdge { from: None, to: None };
                for edge in counts.ids().filter(|&edge| !passes_by(edge)) {
                    prop_assert_eq!(after[edge], counts[edge]);
                }
            }
        }
    }

    #[test]
    fn flow_is_conserved(sampled in graphs(9, 24, 100, priors(100)), dice in dice(9)) {
        for model in models(&sampled, &dice) {
            for islands in [Islands::Join, Islands::Retain] {
                for budget in [None, Some(0), Some(2)] {
                    let repair = sampled.try_repair(&model, FlowOptions { budget, islands }).unwrap();
                    assert_consistent(&sampled, &repair);
                    prop_assert!(budget.is_some() || repair.is_optimal);
                }
            }
        }
    }

    /// Islands are the flow that the outside does not feed, each of it once;
    /// joined, there are none, and one unit has gone round for each at most.
    #[test]
    fn islands_are_found_and_joined(
        sampled in graphs(9, 14, 20, (0u64..4).prop_map(Prior::Share)),
        dice in dice(9),
    ) {
        for model in models(&sampled, &dice) {
            let kept = sampled.repair(&model);
            let mut found: Vec<Node> = kept.islands.iter().flatten().copied().collect();
            prop_assert!(kept.islands.is_sorted() && kept.islands.iter().all(|island| island.is_sorted()));
            found.sort_unstable();
            prop_assert_eq!(found, unfed(&sampled, &kept));
            let joined = sampled.try_repair(&model, FlowOptions::default()).unwrap();
            prop_assert_eq!(&joined.islands, &kept.islands);
            prop_assert_eq!(unfed(&sampled, &joined), []);
            prop_assert!(joined.cost >= kept.cost);
            for (edge, count) in joined.edges.iter() {
                let more = count.after - kept.edges[edge].after;
                prop_assert!(more <= 2 * kept.islands.len() as u64);
            }
        }
    }

    /// Repairing a repaired profile changes nothing.
    #[test]
    fn a_repaired_profile_is_consistent(sampled in graphs(8, 20, 50, priors(50)), dice in dice(9)) {
        let first = sampled.repair(&linear(&sampled, &dice));
        let (edges, counts) = first.closed(&sampled.edges);
        let measured = |&count: &i128| Prior::Measured(u64::try_from(count).expect("a count"));
        let repaired = Sampled {
            blocks: first.nodes.values().map(|count| count.after).collect(),
            edges,
            priors: counts.values().map(measured).collect(),
        };
        prop_assert_eq!(repaired.repair(&TimeModel::GccMcf).cost, 0);
    }

    /// Nodes without a way out, by following all edges: all of them and only
    /// they stand in components with a virtual exit, or lead to them alone.
    #[test]
    fn every_live_node_can_leave(sampled in graphs(7, 12, 20, priors(20))) {
        let repair = sampled.repair(&TimeModel::GccMcf);
        let (edges, _) = repair.closed(&sampled.edges);
        let leaves = |edges: &IdMap<Edge, FlowEdge<Node>>| {
            let mut leaves = vec![false; sampled.blocks.len()];
            for _ in 0..leaves.len() {
                for ends in edges.values() {
                    if let (Some(from), to) = (ends.from, ends.to) {
                        leaves[from.index()] |= to.is_none_or(|to| leaves[to.index()]);
                    }
                }
            }
            leaves
        };
        let (without, with) = (leaves(&sampled.edges), leaves(&edges));
        for node in sampled.blocks.ids().filter(|&node| !repair.unreachable.contains(node)) {
            prop_assert!(with[node.index()]);
        }
        for exit in &repair.virtual_exits {
            prop_assert!(exit.component.contains(&exit.node));
            for &node in &exit.component {
                prop_assert!(!without[node.index()] && !repair.unreachable.contains(node));
                prop_assert!(sampled.blocks[node] <= sampled.blocks[exit.node]);
            }
        }
    }
}

/// The same twice is the same, also where many flows are cheapest.
#[test]
fn ties_are_broken_alike() {
    let ways = (0..40).flat_map(|case| [(0, 1 + case, Prior::Share(1)), (1 + case, 41, Prior::Share(1))]);
    let edges: Vec<_> =
        [(OUT, 0, Prior::Share(1)), (41, OUT, Prior::Share(1))].into_iter().chain(ways).collect();
    let mut blocks = vec![3; 42];
    (blocks[0], blocks[41]) = (200, 90);
    let switch = Sampled::new(&blocks, &edges);
    let model = switch.all_at(price(1, 1));
    let first = switch.try_repair(&model, KEEP).unwrap();
    assert!(first.cost > 0);
    assert_eq!(first, switch.try_repair(&model, KEEP).unwrap());
}

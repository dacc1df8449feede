//! Is the cost the least? Two referees that share nothing with the method but
//! the weights: successive shortest paths in its simplest form, and trying
//! every flow there is.

use opcost_flow::FlowEdge;
use opcost_flow::classic::{Prior, Repair, TimeModel};
use opcost_index::{Id, IdMap};
use proptest::prelude::*;

use super::{Edge, LEVIN, Node, Sampled, dice, graphs, linear, priors};

/// A count to be moved: from, to, weight, price to raise, price to lower.
type Item = (usize, usize, i128, i128, i128);

/// Prices that the referees know: those of `Linear`, and of `Levin` by kind.
fn item_prices(sampled: &Sampled, model: &TimeModel<Node, Edge>, dead: usize) -> Vec<(u64, u64)> {
    match model {
        TimeModel::Linear(prices) => {
            let all = prices.nodes.values().chain(prices.edges.values());
            all.chain(vec![&prices.virtual_exit; dead]).map(|price| (price.raise, price.lower)).collect()
        }
        TimeModel::Levin(_) => {
            let block = |&weight: &u64| if weight == 0 { (2, 7) } else { (3, 5) };
            let edge = |ends: &FlowEdge<Node>| match ends {
                FlowEdge { to: None, .. } => (6, 1),
                FlowEdge { from: None, .. } => (4, 4),
                _ => (1, 2),
            };
            let nodes = sampled.blocks.values().map(block);
            nodes.chain(sampled.edges.values().map(edge)).chain(vec![(6, 1); dead]).collect()
        }
        TimeModel::GccMcf => panic!("the referees have no logarithm"),
    }
}

/// Everything that has a count and is reachable, between the places 2v (before
/// block v), 2v + 1 (behind it) and, the last, the outside.
fn items(sampled: &Sampled, model: &TimeModel<Node, Edge>, repair: &Repair<Node, Edge>) -> Vec<Item> {
    let outside = 2 * sampled.blocks.len();
    let live = |place: Option<Node>| place.is_none_or(|node| !repair.unreachable.contains(node));
    let ends = |ends: &FlowEdge<Node>| {
        let from = ends.from.map_or(outside, |node| 2 * node.index() + 1);
        (from, ends.to.map_or(outside, |node| 2 * node.index()), live(ends.from))
    };
    let nodes = repair.nodes.iter().map(|(node, count)| {
        let place = 2 * node.index();
        ((place, place + 1, live(Some(node))), count.before)
    });
    let edges = repair.edges.iter().map(|(edge, count)| (ends(&sampled.edges[edge]), count.before));
    let exits = repair
        .virtual_exits
        .iter()
        .map(|exit| ((2 * exit.node.index() + 1, outside, true), exit.count.before));
    let prices = item_prices(sampled, model, repair.virtual_exits.len());
    let all = nodes.chain(edges).chain(exits).zip(prices);
    all.filter(|(((_, _, is_live), _), _)| *is_live)
        .map(|(((from, to, _), weight), (raise, lower))| {
            (from, to, i128::from(weight), i128::from(raise), i128::from(lower))
        })
        .collect()
}

struct Arc {
    from: usize,
    to: usize,
    room: i128,
    price: i128,
}

/// The least cost of moves that conserve the flow (Busacker and Gowen 1961,
/// with a Bellman-Ford search over all arcs for every path).
fn least_cost(places: usize, items: &[Item]) -> i128 {
    let (source, sink) = (places, places + 1);
    let mut arcs: Vec<Arc> = Vec::new();
    let mut add = |from, to, room, price| {
        arcs.push(Arc { from, to, room, price });
        arcs.push(Arc { from: to, to: from, room: 0, price: -price });
    };
    let mut balance = vec![0i128; places];
    for &(from, to, weight, raise, lower) in items {
        add(from, to, i128::MAX / 4, raise);
        add(to, from, weight, lower);
        balance[from] += weight;
        balance[to] -= weight;
    }
    for (place, &balance) in balance.iter().enumerate() {
        if balance < 0 {
            add(source, place, -balance, 0);
        } else {
            add(place, sink, balance, 0);
        }
    }
    let mut cost = 0;
    loop {
        let mut distance = vec![None; places + 2];
        let mut by = vec![None; places + 2];
        distance[source] = Some(0);
        for _ in 0..places + 2 {
            for (position, arc) in arcs.iter().enumerate().filter(|(_, arc)| arc.room > 0) {
                let Some(here) = distance[arc.from] else { continue };
                if distance[arc.to].is_none_or(|there| here + arc.price < there) {
                    distance[arc.to] = Some(here + arc.price);
                    by[arc.to] = Some(position);
                }
            }
        }
        let Some(length) = distance[sink] else { return cost };
        let mut path = Vec::new();
        let mut place = sink;
        while place != source {
            let position = by[place].expect("reached");
            path.push(position);
            place = arcs[position].from;
        }
        let room = path.iter().map(|&position| arcs[position].room).min().expect("a path has arcs");
        for position in path {
            arcs[position].room -= room;
            arcs[position ^ 1].room += room;
        }
        cost += room * length;
    }
}

/// The least cost of all flows whose edges have counts up to `most`.
fn least_by_trying(places: usize, items: &[Item], most: i128) -> i128 {
    let is_block = |&(from, to, ..): &Item| from % 2 == 0 && to == from + 1 && from < places - 1;
    let (blocks, edges): (Vec<Item>, Vec<Item>) = items.iter().partition(|item| is_block(item));
    let move_cost = |&(_, _, weight, raise, lower): &Item, count: i128| {
        (count - weight).max(0) * raise + (weight - count).max(0) * lower
    };
    let mut counts = vec![0i128; edges.len()];
    let mut least = i128::MAX;
    loop {
        let mut inflow = vec![0i128; places];
        let mut outflow = vec![0i128; places];
        for (&(from, to, ..), &count) in edges.iter().zip(&counts) {
            outflow[from] += count;
            inflow[to] += count;
        }
        let is_flow = blocks.iter().all(|&(from, to, ..)| inflow[from] == outflow[to]);
        if is_flow && inflow[places - 1] == outflow[places - 1] {
            let of_edges: i128 = edges.iter().zip(&counts).map(|(edge, &count)| move_cost(edge, count)).sum();
            let of_blocks: i128 = blocks.iter().map(|block| move_cost(block, inflow[block.0])).sum();
            least = least.min(of_edges + of_blocks);
        }
        let Some(next) = counts.iter().position(|&count| count < most) else { return least };
        counts[..next].fill(0);
        counts[next] += 1;
    }
}

fn places(sampled: &Sampled) -> usize {
    2 * sampled.blocks.len() + 1
}

/// The referees agree on an example by hand: 5 come in, 2 go out, at prices
/// of 1 to raise the one and 2 to lower the other.
#[test]
fn the_referees_can_count() {
    let items = [(2, 0, 5, 9, 2), (0, 1, 5, 9, 2), (1, 2, 2, 1, 9)];
    assert_eq!((least_cost(3, &items), least_by_trying(3, &items, 6)), (3, 3));
    let items = [(2, 0, 5, 9, 2), (0, 1, 5, 9, 2), (1, 2, 2, 5, 9)];
    assert_eq!((least_cost(3, &items), least_by_trying(3, &items, 6)), (12, 12));
}

proptest! {
    #[test]
    fn successive_shortest_paths_cost_the_same(
        sampled in graphs(8, 20, 60, priors(60)),
        dice in dice(12),
    ) {
        for model in [linear(&sampled, &dice), TimeModel::Levin(LEVIN)] {
            let repair = sampled.repair(&model);
            prop_assert!(repair.is_optimal);
            let least = least_cost(places(&sampled), &items(&sampled, &model, &repair));
            prop_assert_eq!(repair.cost, least as u128);
        }
    }

    /// Weights and prices that only 128 bits can multiply.
    #[test]
    fn large_numbers_cost_the_same(
        sampled in graphs(4, 8, u64::MAX >> 8, priors(u64::MAX >> 8)),
        dice in dice(u64::MAX >> 16),
    ) {
        let model = linear(&sampled, &dice);
        let repair = sampled.repair(&model);
        let least = least_cost(places(&sampled), &items(&sampled, &model, &repair));
        prop_assert_eq!(repair.cost, least as u128);
    }

    #[test]
    fn no_flow_is_cheaper(sampled in graphs(3, 4, 2, priors(2)), dice in dice(5)) {
        const MOST: i128 = 4;
        let model = linear(&sampled, &dice);
        let repair = sampled.repair(&model);
        let items = items(&sampled, &model, &repair);
        if items.len() > 9 {
            return Ok(());
        }
        let least = least_by_trying(places(&sampled), &items, MOST);
        // Flows with larger counts were not tried, so it may be above ours,
        // unless ours is among those that were.
        prop_assert!(repair.cost as i128 <= least);
        let exits = repair.virtual_exits.iter().map(|exit| exit.count.after);
        if repair.edges.values().map(|count| count.after).chain(exits).all(|after| i128::from(after) <= MOST) {
            prop_assert_eq!(repair.cost as i128, least);
        }
    }

    /// The weights of edges, by the definition in exact fractions: within one
    /// of block weight times probability.
    #[test]
    fn weights_are_block_weights_times_probabilities(
        sampled in graphs(6, 14, 1000, (0u64..9).prop_map(Prior::Share)),
    ) {
        let repair = sampled.repair(&TimeModel::GccMcf);
        let share = |edge: Edge| match sampled.priors[edge] {
            Prior::Share(share) => u128::from(share),
            Prior::Measured(_) => 0,
        };
        let mut exits: IdMap<Node, u64> = IdMap::filled(sampled.blocks.len(), 0);
        repair.virtual_exits.iter().for_each(|exit| exits[exit.node] = exit.count.before);
        for node in sampled.blocks.ids().filter(|&node| !repair.unreachable.contains(node)) {
            let out: Vec<Edge> =
                sampled.edges.ids().filter(|&edge| sampled.edges[edge].from == Some(node)).collect();
            let sum: u128 = out.iter().map(|&edge| share(edge)).sum();
            let weight = u128::from(sampled.blocks[node] - exits[node]);
            let given: u128 = out.iter().map(|&edge| u128::from(repair.edges[edge].before)).sum();
            // Without edges, everything is the virtual exit's.
            prop_assert_eq!(given, weight);
            for &edge in out.iter().filter(|_| sum > 0) {
                let before = u128::from(repair.edges[edge].before);
                prop_assert!((before * sum).abs_diff(weight * share(edge)) < sum);
            }
        }
    }
}

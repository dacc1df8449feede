//! Is there flow that nobody ever sent? Islands.
//!
//! A circulation may go round a loop that the entry's flow never touches: it
//! balances, but no run does it. It comes about when the blocks between entry
//! and loop have no samples and raising them is dearer than leaving the loop
//! alone. An island is a connected part of the edges that carry flow, without
//! the outside; as flow is conserved, directions do not matter.
//!
//! An island is joined by one unit on the shortest way (fewest edges) from the
//! outside to it, and one on the shortest way on from there to the outside.
//! Both exist: dead code is gone, dead ends have virtual exits. One unit is
//! what is certain, the least that makes the flow one of a run.
//!
//! Input: counts of all ways, conserved. Output: islands, in order of their
//! smallest nodes; counts without them. Cost: nodes + edges, and the lengths of
//! the ways that join.

use std::collections::{BTreeMap, VecDeque};

use opcost_index::{Id, IdMap};

use crate::FlowEdge;
use crate::classic::live::{LiveGraph, Way};
use crate::forest::Trees;
use crate::graph::PlaceMap;

/// The parts of the flow that no entry feeds, each as its nodes in order.
pub(super) fn find_islands<N: Id, E: Id>(live: &LiveGraph<N, E>, counts: &IdMap<Way, u128>) -> Vec<Vec<N>> {
    let mut trees = connect(live, counts);
    let mainland = trees.representative(None);
    let mut islands: BTreeMap<Option<N>, Vec<N>> = BTreeMap::new();
    for (node, ways) in live.into.iter() {
        let part = trees.representative(Some(node));
        if part != mainland && ways.iter().any(|&way| counts[way] > 0) {
            islands.entry(part).or_default().push(node);
        }
    }
    let mut islands: Vec<Vec<N>> = islands.into_values().collect();
    islands.sort_unstable();
    islands
}

/// Joins `islands` to the flow of the outside, one unit each, unless one
/// before it came by.
pub(super) fn join<N: Id, E: Id>(live: &LiveGraph<N, E>, islands: &[Vec<N>], counts: &mut IdMap<Way, u128>) {
    if islands.is_empty() {
        return;
    }
    let mut trees = connect(live, counts);
    let nodes = node_count(live);
    let from_outside = Routes::new(live, nodes, true);
    let to_outside = Routes::new(live, nodes, false);
    for island in islands {
        if trees.representative(Some(island[0])) == trees.representative(None) {
            continue;
        }
        let length = |node: N| from_outside.length[Some(node)] + to_outside.length[Some(node)];
        let nearest = island.iter().copied().min_by_key(|&node| (length(node), node));
        let nearest = nearest.expect("an island has a node");
        for way in from_outside.route(live, nearest).into_iter().chain(to_outside.route(live, nearest)) {
            counts[way] += 1;
            trees.join(live.edges[way]);
        }
    }
}

fn node_count<N: Id, E: Id>(live: &LiveGraph<N, E>) -> usize {
    live.into.len()
}

/// Places joined by ways that carry something.
fn connect<N: Id, E: Id>(live: &LiveGraph<N, E>, counts: &IdMap<Way, u128>) -> Trees<N> {
    let mut trees = Trees::new(node_count(live));
    for (way, &ends) in live.edges.iter() {
        if counts[way] > 0 {
            trees.join(ends);
        }
    }
    trees
}

/// Shortest routes between the outside and every live node.
struct Routes<N: Id> {
    /// Of each node's route, the way at the node.
    last: PlaceMap<N, Option<Way>>,
    length: PlaceMap<N, usize>,
    from_outside: bool,
}

impl<N: Id> Routes<N> {
    fn new<E: Id>(live: &LiveGraph<N, E>, nodes: usize, from_outside: bool) -> Self {
        let mut routes =
            Self { last: PlaceMap::filled(nodes, None), length: PlaceMap::filled(nodes, 0), from_outside };
        let to_outside: Vec<Way> =
            live.edges.iter().filter(|(_, ends)| ends.to.is_none()).map(|(way, _)| way).collect();
        let mut queue = VecDeque::from([None]);
        while let Some(place) = queue.pop_front() {
            let ways = match (place, from_outside) {
                (None, true) => &live.entries,
                (None, false) => &to_outside,
                (Some(node), true) => &live.out[node],
                (Some(node), false) => &live.into[node],
            };
            for &way in ways {
                let next = routes.far_end(live.edges[way]);
                if next.is_some() && routes.last[next].is_none() {
                    routes.last[next] = Some(way);
                    routes.length[next] = routes.length[place] + 1;
                    queue.push_back(next);
                }
            }
        }
        routes
    }

    /// The end of a way that is further from the outside on a route.
    fn far_end(&self, ends: FlowEdge<N>) -> Option<N> {
        if self.from_outside { ends.to } else { ends.from }
    }

    fn route<E: Id>(&self, live: &LiveGraph<N, E>, node: N) -> Vec<Way> {
        let mut route = Vec::new();
        let mut place = Some(node);
        while place.is_some() {
            let way = self.last[place].expect("every live node has a route both ways");
            route.push(way);
            place = live.edges[way].other_end(place);
        }
        route
    }
}

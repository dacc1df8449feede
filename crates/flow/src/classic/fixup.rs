//! Which network says how counts may move? The fixup graph.
//!
//! Levin, Newman and Haber (2008), as the source takes it over:
//!
//! ```text
//! block v            v' -> v''      weight w(v)
//! edge (u, v)        u'' -> v'      weight w(e)
//! the outside        T -> S         exits lead to T, entries come from S
//! ```
//!
//! Each of these *elements* gets an arc for raising its count, unbounded, and,
//! if its weight is not 0, one of opposite direction for lowering it, of
//! capacity w. The weights leave D(v) = weight out - weight in at vertex v. The
//! moves must make up for it: from a source s* come -D(v) units where D(v) < 0,
//! and D(v) units go to a sink t* where D(v) > 0. T -> S is free both ways, so
//! the two together can be any circulation, and supplies sum to demands. All
//! of them can be met: to lower every count to 0 is one way.
//!
//! The source wants a network without parallel arcs and cycles of less than
//! three arcs. A lowering arc goes round by a vertex of its own, and so does
//! the raising arc of an edge that is a self-loop (against v' -> v'') or not
//! the first of several between two places. The first half has the whole
//! price, the second none, so no path changes its price. (GCC halves prices
//! here and drops the odd unit.)
//!
//! Vertices are numbered along the program, the extra ones where they belong,
//! because the search for cycles goes by their numbers. Cost: nodes + edges
//! log edges. Size: at most 3 vertices and 5 arcs for each node or edge.

use std::collections::BTreeSet;

use opcost_index::{Id, IdMap};

use crate::FlowEdge;
use crate::classic::cost::{Price, Prices};
use crate::classic::live::{LiveGraph, Way};
use crate::classic::network::{Arc, ArcId, Network, Vertex};

/// The arcs by which a count moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    raise: ArcId,
    lower: Option<ArcId>,
}

impl Element {
    /// How much the flow raises (or, below 0, lowers) the count; `None` when
    /// this leaves 128 bits.
    pub(super) fn moved(self, network: &Network) -> Option<i128> {
        let flow = |arc: ArcId| i128::try_from(network.arcs[arc].flow).ok();
        flow(self.raise)?.checked_sub(self.lower.map_or(Some(0), flow)?)
    }
}

/// The fixup graph of a profile.
pub(super) struct Fixup {
    pub(super) network: Network,
    /// s*
    pub(super) source: Vertex,
    /// t*
    pub(super) sink: Vertex,
    /// All that s* has to give; t* takes as much.
    pub(super) supply: u128,
    /// How the count of each way moves. That of a node is what comes in.
    pub(super) edges: IdMap<Way, Element>,
}

impl Fixup {
    pub(super) fn new<N: Id, E: Id>(
        live: &LiveGraph<N, E>,
        blocks: &IdMap<N, u64>,
        weights: &IdMap<Way, u64>,
        prices: &Prices<N>,
    ) -> Self {
        let names = Names::new(live, blocks, weights);
        let mut builder = Builder { arcs: IdMap::new(), balance: IdMap::filled(names.count, 0) };
        builder.element(names.outside, left(live, weights), Price::default());
        for &node in &live.order {
            let split = names.nodes[node].expect("a live node");
            builder.element(split, u128::from(blocks[node]), prices.nodes[node]);
        }
        let ways = live
            .edges
            .iter()
            .map(|(way, &ends)| {
                let path = names.path(way, ends);
                builder.element(path, u128::from(weights[way]), prices.edges[way])
            })
            .collect();
        let (source, sink) = (Vertex::new(names.count), Vertex::new(names.count + 1));
        let supply = builder.connect(source, sink);
        Self { network: Network::new(names.count + 2, builder.arcs), source, sink, supply, edges: ways }
    }
}

/// The weight of T -> S: all that goes out. Its price is 0, so entries that
/// say otherwise lose nothing by it.
fn left<N: Id, E: Id>(live: &LiveGraph<N, E>, weights: &IdMap<Way, u64>) -> u128 {
    let exits = live.edges.iter().filter(|(_, ends)| ends.to.is_none());
    exits.map(|(way, _)| u128::from(weights[way])).sum()
}

/// Where the arcs of an element run.
#[derive(Clone, Copy, Debug)]
struct Path {
    tail: Vertex,
    head: Vertex,
    /// Extra vertex of the raising arc.
    through: Option<Vertex>,
    /// Extra vertex of the lowering arc; `None` when there is nothing to lower.
    bypass: Option<Vertex>,
}

/// The numbers of all vertices but s* and t*.
struct Names<N: Id> {
    count: usize,
    /// T to S.
    outside: Path,
    nodes: IdMap<N, Option<Path>>,
    /// The extra vertices of each way: of its raising and its lowering arc.
    extra: IdMap<Way, (Option<Vertex>, Option<Vertex>)>,
}

impl<N: Id> Names<N> {
    fn new<E: Id>(live: &LiveGraph<N, E>, blocks: &IdMap<N, u64>, weights: &IdMap<Way, u64>) -> Self {
        let mut count = 0;
        let mut fresh = || {
            count += 1;
            Vertex::new(count - 1)
        };
        let mut extra = IdMap::filled(live.edges.len(), (None, None));
        let mut seen = BTreeSet::new();
        let mut extras = |ways: &[Way], fresh: &mut dyn FnMut() -> Vertex| {
            for &way in ways {
                let FlowEdge { from, to } = live.edges[way];
                let is_first = seen.insert((from, to));
                let through = (from == to || !is_first).then(&mut *fresh);
                extra[way] = (through, (weights[way] > 0).then(&mut *fresh));
            }
        };
        let out = fresh();
        extras(&live.entries, &mut fresh);
        let mut nodes = IdMap::filled(blocks.len(), None);
        for &node in &live.order {
            let tail = fresh();
            let round = (blocks[node] > 0).then(&mut fresh);
            nodes[node] = Some(Path { tail, head: fresh(), through: None, bypass: round });
            extras(&live.out[node], &mut fresh);
        }
        let outside = Path { tail: fresh(), head: out, through: None, bypass: Some(fresh()) };
        Self { count, outside, nodes, extra }
    }

    fn path(&self, way: Way, ends: FlowEdge<N>) -> Path {
        let split = |place: Option<N>| match place {
            None => self.outside,
            Some(node) => self.nodes[node].expect("a live way has live ends"),
        };
        let (through, round) = self.extra[way];
        Path { tail: split(ends.from).head, head: split(ends.to).tail, through, bypass: round }
    }
}

/// From where to where one count is moved, and by which extra vertex.
#[derive(Clone, Copy, Debug)]
struct Route {
    tail: Vertex,
    between: Option<Vertex>,
    head: Vertex,
}

struct Builder {
    arcs: IdMap<ArcId, Arc>,
    /// D(v). At most 2^33 weights of 64 bits.
    balance: IdMap<Vertex, i128>,
}

impl Builder {
    fn element(&mut self, path: Path, weight: u128, price: Price) -> Element {
        let signed = i128::try_from(weight).expect("a sum of 2^32 weights");
        self.balance[path.tail] += signed;
        self.balance[path.head] -= signed;
        let up = Route { tail: path.tail, between: path.through, head: path.head };
        let raise = self.arcs(up, price.raise, None);
        let lower = path.bypass.map(|round| {
            let down = Route { tail: path.head, between: Some(round), head: path.tail };
            self.arcs(down, price.lower, Some(weight))
        });
        Element { raise, lower }
    }

    /// The arc of a route, or the two of one with a vertex between; the first of them.
    fn arcs(&mut self, route: Route, price: u64, capacity: Option<u128>) -> ArcId {
        let Route { tail, between, head } = route;
        let middle = between.unwrap_or(head);
        let first = self.arcs.push(Arc { tail, head: middle, price, capacity, flow: 0 });
        if between.is_some() {
            self.arcs.push(Arc { tail: middle, head, price: 0, capacity, flow: 0 });
        }
        first
    }

    /// Arcs from s* and to t* for every D(v); the sum of those from s*.
    fn connect(&mut self, source: Vertex, sink: Vertex) -> u128 {
        let mut supply = 0;
        for (vertex, &balance) in self.balance.iter() {
            let (tail, head) = if balance < 0 { (source, vertex) } else { (vertex, sink) };
            let amount = balance.unsigned_abs();
            supply += if balance < 0 { amount } else { 0 };
            if amount > 0 {
                self.arcs.push(Arc { tail, head, price: 0, capacity: Some(amount), flow: 0 });
            }
        }
        supply
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::define_id;
    use proptest::prelude::*;

    use super::*;
    use crate::classic::prior::{Prior, weights};
    use crate::classic::{LiveGraph, TimeModel};

    define_id!(struct Node, "node");
    define_id!(struct Edge, "edge");

    fn fixup(blocks: &[u64], ends: &[(usize, usize)]) -> Fixup {
        let place = |position: usize| (position < blocks.len()).then(|| Node::new(position));
        let edges: IdMap<Edge, _> =
            ends.iter().map(|&(from, to)| FlowEdge { from: place(from), to: place(to) }).collect();
        let blocks = IdMap::from_vec(blocks.to_vec());
        let live = LiveGraph::new(&blocks, &edges).unwrap();
        let weights = weights(&live, &blocks, &IdMap::filled(edges.len(), Prior::Share(1)));
        let prices = Prices::new(&TimeModel::GccMcf, &live, &blocks, &weights);
        Fixup::new(&live, &blocks, &weights, &prices)
    }

    /// One block that is its own successor, 7 samples, entered and left: six
    /// arcs of three elements to raise (T -> S, v' -> v'', entry, loop, exit;
    /// the loop's is two), their lowering arcs, two each, and the balance.
    #[test]
    fn a_self_loop_by_hand() {
        let fixup = fixup(&[7], &[(1, 0), (0, 0), (0, 1)]);
        // The block gives 4 to its loop and 3 to the exit; 3 come in besides.
        assert_eq!(fixup.supply, 0);
        assert_eq!(fixup.network.vertex_count(), 4 + 1 + 5 + 2);
        assert_eq!(fixup.network.arcs.len(), 5 + 1 + 2 * 5);
    }

    proptest! {
        /// What the source demands: no two arcs between the same vertices, in
        /// either direction, no arc from a vertex to itself; and s* has to
        /// give what t* takes.
        #[test]
        fn there_are_no_short_cycles(
            blocks in prop::collection::vec(0u64..5, 1..6),
            ends in prop::collection::vec((0usize..6, 0usize..6), 0..16),
        ) {
            let nodes = blocks.len();
            let entry = (nodes, 0);
            let ends: Vec<_> = ends.into_iter().map(|(from, to)| (from.min(nodes), to.min(nodes))).collect();
            let fixup = fixup(&blocks, &[&[entry], ends.as_slice()].concat());
            let mut seen = BTreeSet::new();
            let mut demand = 0;
            for arc in fixup.network.arcs.values() {
                prop_assert!(arc.tail != arc.head);
                prop_assert!(seen.insert((arc.tail.min(arc.head), arc.tail.max(arc.head))), "{:?}", arc);
                if arc.head == fixup.sink {
                    demand += arc.capacity.unwrap();
                }
            }
            prop_assert_eq!(demand, fixup.supply);
        }
    }
}

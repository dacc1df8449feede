//! Which part of the graph can run, and where does it get stuck?
//!
//! Flow comes from the outside, so what no entry reaches has none: it is taken
//! out first. Flow must also get out again. A strongly connected component
//! that no edge leaves (an endless loop, a block that ends in `unreachable`)
//! would force the count 0 on all that leads only there; each such component
//! gets one virtual exit, at its heaviest node, ties to the smaller id. The
//! program was stopped there, most likely.
//!
//! Output: the reachable nodes in reverse postorder from the outside, and the
//! edges between them with the virtual exits behind them as *ways*, dense ids
//! of this module. Cost: nodes + edges, no recursion.

use opcost_index::{
    AdjacencyGraph, Components, Id, IdMap, define_id, reverse_postorder, strongly_connected_components,
};

use crate::FlowEdge;
use crate::classic::{CountedPlace, RepairError};
use crate::graph::assert_ends_exist;

define_id!(
    /// An edge that can carry flow: a live one of the caller's or a virtual exit.
    pub(super) struct Way, "way"
);

/// A component that no edge leaves.
#[derive(Clone, Debug)]
pub(super) struct DeadEnd<N: Id> {
    /// Where its virtual exit is.
    pub(super) exit: N,
    /// Its nodes in order of their ids.
    pub(super) members: Vec<N>,
    /// Its virtual exit.
    pub(super) edge: Way,
}

/// The part of a graph that the entry reaches, closed by virtual exits.
pub(super) struct LiveGraph<N: Id, E: Id> {
    /// Its nodes, each before its successors, back edges apart.
    pub(super) order: Vec<N>,
    /// Its edges in order of their ids, then the virtual exits.
    pub(super) edges: IdMap<Way, FlowEdge<N>>,
    /// What each way is called outside this module.
    pub(super) names: IdMap<Way, CountedPlace<N, E>>,
    /// The components without a way out.
    pub(super) dead_ends: Vec<DeadEnd<N>>,
    /// The ways into each node.
    pub(super) into: IdMap<N, Vec<Way>>,
    /// The ways out of each node.
    pub(super) out: IdMap<N, Vec<Way>>,
    /// The ways from the outside.
    pub(super) entries: Vec<Way>,
    /// Whether the entry reaches a node.
    pub(super) is_live: IdMap<N, bool>,
}

impl<N: Id, E: Id> LiveGraph<N, E> {
    /// Finds it. `blocks` says which node of a dead end is heaviest.
    pub(super) fn new(
        blocks: &IdMap<N, u64>,
        edges: &IdMap<E, FlowEdge<N>>,
    ) -> Result<Self, RepairError<N, E>> {
        assert_ends_exist(blocks.len(), edges);
        let outside = N::new(blocks.len());
        let graph = with_outside(outside, edges);
        let order: Vec<N> =
            reverse_postorder(&graph, outside).into_iter().filter(|&node| node != outside).collect();
        if order.is_empty() {
            return Err(RepairError::NoEntry);
        }
        let mut is_live = IdMap::filled(blocks.len(), false);
        order.iter().for_each(|&node| is_live[node] = true);
        let mut live = Self {
            order,
            edges: IdMap::new(),
            names: IdMap::new(),
            dead_ends: Vec::new(),
            into: IdMap::filled(blocks.len(), Vec::new()),
            out: IdMap::filled(blocks.len(), Vec::new()),
            entries: Vec::new(),
            is_live,
        };
        for (edge, &ends) in edges.iter() {
            if ends.from.is_none_or(|from| live.is_live[from]) {
                live.add(ends, CountedPlace::Edge(edge));
            }
        }
        let components = strongly_connected_components(&graph);
        live.close(outside, blocks, &components);
        Ok(live)
    }

    fn add(&mut self, ends: FlowEdge<N>, name: CountedPlace<N, E>) -> Way {
        let way = self.edges.push(ends);
        self.names.push(name);
        match ends.from {
            Some(from) => self.out[from].push(way),
            None => self.entries.push(way),
        }
        if let Some(to) = ends.to {
            self.into[to].push(way);
        }
        way
    }

    /// Gives each live component that no edge leaves its virtual exit.
    fn close(&mut self, outside: N, blocks: &IdMap<N, u64>, components: &Components<N>) {
        let mut leaves = vec![false; components.members.len()];
        for ends in self.edges.values() {
            let component = |place: Option<N>| components.component_of[place.unwrap_or(outside)];
            leaves[component(ends.from)] |= component(ends.from) != component(ends.to);
        }
        for (component, members) in components.members.iter().enumerate() {
            if leaves[component] || members.contains(&outside) || !self.is_live[members[0]] {
                continue;
            }
            let mut members = members.clone();
            members.sort_unstable();
            // `max_by_key` takes the last of equals, so it goes backwards.
            let heaviest = members.iter().rev().max_by_key(|&&node| blocks[node]);
            let exit = *heaviest.expect("a component has a member");
            let way = self.add(FlowEdge { from: Some(exit), to: None }, CountedPlace::VirtualExit(exit));
            self.dead_ends.push(DeadEnd { exit, members, edge: way });
        }
    }
}

/// The graph with the outside as one node more.
fn with_outside<N: Id, E: Id>(outside: N, edges: &IdMap<E, FlowEdge<N>>) -> AdjacencyGraph<N> {
    let mut graph = AdjacencyGraph::new(outside.index() + 1);
    for ends in edges.values() {
        graph.add_edge(ends.from.unwrap_or(outside), ends.to.unwrap_or(outside));
    }
    graph
}

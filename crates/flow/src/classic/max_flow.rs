//! How much can flow from s* to t*, and how? Edmonds and Karp (1972).
//!
//! Ford and Fulkerson's method, with the shortest augmenting path each time,
//! found by breadth-first search. Prices play no part. Every supply can be met
//! (see the fixup graph), so the flow fills all arcs from s*.
//!
//! Cost: O(vertices * arcs^2) at worst, as the paper proves; in a fixup graph
//! there is at least one augmentation for each supply, and a search ends as
//! soon as it reaches t*. Only vertices that a search reached are cleared.

use std::collections::VecDeque;

use opcost_index::IdMap;

use crate::classic::network::{Network, Step, Vertex};

/// What was sent, and over how many paths.
pub(super) struct MaxFlow {
    pub(super) value: u128,
    pub(super) augmentations: u64,
}

/// Fills the network; `None` when a flow leaves 128 bits.
pub(super) fn max_flow(network: &mut Network, source: Vertex, sink: Vertex) -> Option<MaxFlow> {
    let mut search = Search::new(network.vertex_count());
    let mut flow = MaxFlow { value: 0, augmentations: 0 };
    while let Some(path) = search.shortest_path(network, source, sink) {
        let amount = network.bottleneck(&path).expect("arcs from s* are bounded");
        network.send(&path, amount)?;
        flow.value = flow.value.checked_add(amount)?;
        flow.augmentations += 1;
    }
    Some(flow)
}

struct Search {
    /// The step by which the current search came to a vertex.
    came_by: IdMap<Vertex, Option<Step>>,
    /// The number of the last search that reached a vertex.
    reached: IdMap<Vertex, u64>,
    number: u64,
    queue: VecDeque<Vertex>,
}

impl Search {
    fn new(vertices: usize) -> Self {
        Self {
            came_by: IdMap::filled(vertices, None),
            reached: IdMap::filled(vertices, 0),
            number: 0,
            queue: VecDeque::new(),
        }
    }

    /// A shortest path of open steps, last step first.
    fn shortest_path(&mut self, network: &Network, source: Vertex, sink: Vertex) -> Option<Vec<Step>> {
        self.number += 1;
        self.queue.clear();
        self.queue.push_back(source);
        self.reached[source] = self.number;
        while let Some(vertex) = self.queue.pop_front() {
            for step in network.steps_from(vertex).map(|position| network.step(position)) {
                let end = network.end(step);
                if self.reached[end] == self.number || !network.is_open(step) {
                    continue;
                }
                self.reached[end] = self.number;
                self.came_by[end] = Some(step);
                if end == sink {
                    return Some(self.path(network, source, sink));
                }
                self.queue.push_back(end);
            }
        }
        None
    }

    fn path(&self, network: &Network, source: Vertex, sink: Vertex) -> Vec<Step> {
        let mut path = Vec::new();
        let mut vertex = sink;
        while vertex != source {
            let step = self.came_by[vertex].expect("the search came here");
            path.push(step);
            vertex = network.start(step);
        }
        path
    }
}

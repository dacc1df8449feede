//! What is a flow graph made of? Edges between places.
//!
//! A *place* is a node or the outside, written `Option<N>`. Parallel edges and
//! self-loops are legal: a switch has two cases with one target, a block may
//! be its own successor. [`PlaceMap`] holds one item per place.

use std::ops::{Index, IndexMut};

use opcost_index::{Id, IdMap};

/// A way that flow can take; `None` is the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEdge<N: Id> {
    /// Where the flow comes from.
    pub from: Option<N>,
    /// Where it leads.
    pub to: Option<N>,
}

impl<N: Id> FlowEdge<N> {
    /// The end that is not `place`; of a self-loop, `place` again.
    pub(crate) fn other_end(&self, place: Option<N>) -> Option<N> {
        if self.from == place { self.to } else { self.from }
    }
}

/// One item per node and one for the outside.
pub(crate) struct PlaceMap<N, T> {
    nodes: IdMap<N, T>,
    outside: T,
}

impl<N: Id, T: Clone> PlaceMap<N, T> {
    pub(crate) fn filled(nodes: usize, item: T) -> Self {
        Self { nodes: IdMap::filled(nodes, item.clone()), outside: item }
    }
}

impl<N: Id, T> PlaceMap<N, T> {
    /// The nodes in order, then the outside.
    pub(crate) fn places(&self) -> impl Iterator<Item = Option<N>> + use<N, T> {
        self.nodes.ids().map(Some).chain([None])
    }
}

impl<N: Id, T> Index<Option<N>> for PlaceMap<N, T> {
    type Output = T;
    fn index(&self, place: Option<N>) -> &T {
        place.map_or(&self.outside, |node| &self.nodes[node])
    }
}

impl<N: Id, T> IndexMut<Option<N>> for PlaceMap<N, T> {
    fn index_mut(&mut self, place: Option<N>) -> &mut T {
        match place {
            Some(node) => &mut self.nodes[node],
            None => &mut self.outside,
        }
    }
}

/// Panics with the printed id when an edge ends at a node that does not exist.
pub(crate) fn assert_ends_exist<N: Id, E: Id>(nodes: usize, edges: &IdMap<E, FlowEdge<N>>) {
    for (edge, ends) in edges.iter() {
        for node in [ends.from, ends.to].into_iter().flatten() {
            assert!(node.index() < nodes, "{edge} ends at {node}, but there are only {nodes} nodes");
        }
    }
}

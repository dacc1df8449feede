//! Which edges come into each segment, and which go out of it?
//!
//! In one vector per function, sorted by counting: functions are many and small, and a
//! vector for each segment would cost more than all that is asked of it.
//!
//! Output: [`SegmentEdges`]. Cost: linear in edges and segments.

use opcost_index::{Id, IdMap};
use opcost_key::{EdgeId, EdgeKind, EdgeMap, FunctionMap, SegmentId};

/// Edges by a segment at one of their ends, those of each in their order.
pub(super) struct SegmentEdges {
    /// Where those of each segment begin, and the end of the last.
    starts: Vec<usize>,
    edges: Vec<EdgeId>,
}

impl SegmentEdges {
    /// Those that come into segments.
    pub(super) fn into(map: &FunctionMap) -> Self {
        Self::by(map, |edge| edge.to)
    }

    /// Those that go out of segments.
    pub(super) fn out(map: &FunctionMap) -> Self {
        Self::by(map, |edge| edge.from)
    }

    fn by(map: &FunctionMap, end: impl Fn(&EdgeMap) -> Option<SegmentId>) -> Self {
        let mut starts = vec![0; map.segments.len() + 2];
        for edge in map.edges.values() {
            end(edge).iter().for_each(|segment| starts[segment.index() + 2] += 1);
        }
        (2..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let mut edges = vec![EdgeId::new(0); starts[starts.len() - 1]];
        for (id, edge) in map.edges.iter() {
            if let Some(segment) = end(edge) {
                edges[starts[segment.index() + 1]] = id;
                starts[segment.index() + 1] += 1;
            }
        }
        Self { starts, edges }
    }

    /// Those of one segment.
    pub(super) fn of(&self, segment: SegmentId) -> &[EdgeId] {
        &self.edges[self.starts[segment.index()]..self.starts[segment.index() + 1]]
    }
}

/// Where what runs in a segment goes on, if nothing leaves the frame.
pub(super) enum Next<'a> {
    Nowhere,
    Only(&'a EdgeMap),
    Several,
}

impl SegmentEdges {
    /// Where a segment leads, of the ways out.
    pub(super) fn next<'a>(&self, map: &'a FunctionMap, from: SegmentId) -> Next<'a> {
        let ways = self.of(from).iter().map(|&edge| &map.edges[edge]);
        let mut ways = ways.filter(|edge| !matches!(edge.kind, EdgeKind::Left(_)));
        match (ways.next(), ways.next()) {
            (None, _) => Next::Nowhere,
            (Some(way), None) => Next::Only(way),
            _ => Next::Several,
        }
    }
}

/// Whether a way leads out of the function from each of its segments; `into` are the ways
/// into them.
pub(super) fn is_all_left(map: &FunctionMap, into: &SegmentEdges) -> bool {
    let mut is_left: IdMap<SegmentId, bool> = IdMap::filled(map.segments.len(), false);
    let mut found = Vec::new();
    for edge in map.edges.values().filter(|edge| edge.to.is_none()) {
        found.extend(edge.from.filter(|&from| !std::mem::replace(&mut is_left[from], true)));
    }
    let mut done = 0;
    while let Some(&segment) = found.get(done) {
        done += 1;
        let before = into.of(segment).iter().filter_map(|&edge| map.edges[edge].from);
        found.extend(before.filter(|&from| !std::mem::replace(&mut is_left[from], true)));
    }
    found.len() == map.segments.len()
}

#[cfg(test)]
mod tests {
    use opcost_index::{AdjacencyGraph, strongly_connected_components};
    use opcost_key::Meter;
    use proptest::prelude::*;

    use super::*;
    use crate::example::{edge, function};

    fn maps() -> impl Strategy<Value = FunctionMap> {
        (1usize..8).prop_flat_map(|size| {
            let end = prop_oneof![4 => (0..size).prop_map(Some), 1 => Just(None)];
            prop::collection::vec((end.clone(), end), 0..16).prop_map(move |edges| {
                let end = |end: Option<usize>| end.map(SegmentId::new);
                let edges = edges
                    .into_iter()
                    .map(|(from, to)| edge(end(from), end(to), EdgeKind::Fall, Meter::Derived));
                let block: &[&[u32]] = &[&[1]];
                function("f", &vec![block; size], edges.collect())
            })
        })
    }

    proptest! {
        /// Referees: a look at all edges, and strongly connected components.
        #[test]
        fn ways_are_the_edges_and_lead_out_of_each_component(map in maps()) {
            let (into, out) = (SegmentEdges::into(&map), SegmentEdges::out(&map));
            for segment in map.segments.ids() {
                let of = |end: fn(&EdgeMap) -> Option<SegmentId>| -> Vec<EdgeId> {
                    let edges = map.edges.iter().filter(|(_, edge)| end(edge) == Some(segment));
                    edges.map(|(id, _)| id).collect()
                };
                prop_assert_eq!(into.of(segment), of(|edge| edge.to));
                prop_assert_eq!(out.of(segment), of(|edge| edge.from));
            }
            let mut graph: AdjacencyGraph<SegmentId> = AdjacencyGraph::new(map.segments.len());
            let inner = map.edges.values().filter_map(|edge| edge.from.zip(edge.to));
            inner.for_each(|(from, to)| graph.add_edge(from, to));
            let components = strongly_connected_components(&graph);
            let is_left = |members: &Vec<SegmentId>| {
                map.edges.values().any(|edge| {
                    edge.from.is_some_and(|from| members.contains(&from))
                        && edge.to.is_none_or(|to| !members.contains(&to))
                })
            };
            prop_assert_eq!(is_all_left(&map, &into), components.members.iter().all(is_left));
        }
    }
}

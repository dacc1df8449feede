//! Of which segments does code stand for some of their executions only?
//!
//! A vectorised or unrolled loop leaves the last few turns to a loop for what is left
//! over. Its body stands in both; but what counts the turns is written anew, so that of
//! the latch often only the code for what is left over is known by its place. How often
//! that ran says nothing of how often the latch did. So where one segment of a loop has
//! code of a factor, those in the same loop that have none are told nothing of: their
//! cycles are taken away, and conservation of flow says how often they ran.
//!
//! Loops are those of Steensgaard, "Sequentializing program dependence graphs for
//! irreducible programs" (1993): a cyclic component is one, whatever its entries; those
//! inside it are the components that stay when all edges to its entries are taken away.
//!
//! Input: a function's map, and which segments have code of a factor. Output: segments.
//! Cost: edges times depth of nesting, where a loop was unrolled or vectorised at all.
//! Limits: a segment whose code was left out of the unrolled loop of one inlined copy
//! and stands whole in another is told nothing of either.

use opcost_index::{AdjacencyGraph, IdMap, IdSet, strongly_connected_components};
use opcost_key::{FunctionMap, SegmentId};

/// Segments in a loop with some of `multiplied`, right inside it, that are not of them.
pub(crate) fn left_over(function: &FunctionMap, multiplied: &IdSet<SegmentId>) -> Vec<SegmentId> {
    let edges = function.edges.values().filter_map(|edge| Some((edge.from?, edge.to?))).collect();
    let innermost = innermost_loops(function.segments.len(), edges);
    let loops: Vec<Option<usize>> = multiplied.iter().map(|segment| innermost[segment]).collect();
    let is_in = |&segment: &SegmentId| innermost[segment].is_some() && loops.contains(&innermost[segment]);
    innermost.ids().filter(|&segment| !multiplied.contains(segment)).filter(is_in).collect()
}

/// The number of the innermost loop around each node.
fn innermost_loops(nodes: usize, mut edges: Vec<(SegmentId, SegmentId)>) -> IdMap<SegmentId, Option<usize>> {
    let mut innermost = IdMap::filled(nodes, None);
    let mut found = 0;
    // Level by level of nesting.
    while !edges.is_empty() {
        let mut graph = AdjacencyGraph::new(nodes);
        edges.iter().for_each(|&(from, to)| graph.add_edge(from, to));
        let components = strongly_connected_components(&graph);
        let of = &components.component_of;
        let mut entries = IdSet::new();
        for &(_, to) in edges.iter().filter(|&&(from, to)| of[from] != of[to]) {
            entries.insert(to);
        }
        edges.retain(|&(from, to)| of[from] == of[to]);
        for &(node, _) in &edges {
            innermost[node] = Some(found + of[node]);
        }
        found += components.members.len();
        let before = edges.len();
        edges.retain(|&(_, to)| !entries.contains(to));
        // A cycle that nothing leads to has no entry: there is nothing to be found in it.
        if edges.len() == before {
            break;
        }
    }
    innermost
}

#[cfg(test)]
mod tests {
    use opcost_index::{Graph, Id, reachable_from};
    use opcost_key::{EdgeKind, Meter};
    use proptest::prelude::*;

    use super::*;
    use crate::example::{edge, function, segment};

    /// By definition. Among nodes that reach each other, the entries are those that an edge from
    /// another node leads to. Once no edge leads to them, look again.
    fn naive(nodes: usize, edges: &[(usize, usize)], node: usize) -> Vec<usize> {
        let mut graph = AdjacencyGraph::<SegmentId>::new(nodes);
        edges.iter().for_each(|&(from, to)| graph.add_edge(SegmentId::new(from), SegmentId::new(to)));
        let reaches = |from: usize, to: usize| {
            graph
                .successors(SegmentId::new(from))
                .any(|next| reachable_from(&graph, next).contains(SegmentId::new(to)))
        };
        if !reaches(node, node) {
            return Vec::new();
        }
        let around: Vec<usize> =
            (0..nodes).filter(|&other| reaches(node, other) && reaches(other, node)).collect();
        let is_entry = |to: usize| edges.iter().any(|edge| edge.1 == to && !around.contains(&edge.0));
        let inside: Vec<(usize, usize)> = edges
            .iter()
            .filter(|edge| around.contains(&edge.0) && around.contains(&edge.1) && !is_entry(edge.1))
            .copied()
            .collect();
        let is_less = (0..nodes).any(|to| around.contains(&to) && is_entry(to));
        let deeper = if is_less { naive(nodes, &inside, node) } else { Vec::new() };
        if deeper.is_empty() { around } else { deeper }
    }

    proptest! {
        #[test]
        fn loops_are_those_of_the_definition(edges in prop::collection::vec((0usize..7, 0usize..7), 0..16)) {
            let ids = edges.iter().map(|&(from, to)| (SegmentId::new(from), SegmentId::new(to))).collect();
            let found = innermost_loops(7, ids);
            let naive: Vec<Vec<usize>> = (0..7).map(|node| naive(7, &edges, node)).collect();
            for (a, b) in (0..7).flat_map(|a| (0..7).map(move |b| (a, b))) {
                let ours = (found[SegmentId::new(a)], found[SegmentId::new(b)]);
                prop_assert_eq!(ours.0.is_some(), !naive[a].is_empty());
                prop_assert_eq!(ours.0.is_some() && ours.0 == ours.1, !naive[a].is_empty() && naive[a] == naive[b]);
            }
        }
    }

    /// A loop of two in a loop of three, in a function of six segments.
    fn nest() -> FunctionMap {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 2), (3, 4), (4, 1), (4, 5)];
        let between = |(from, to)| edge(segment(from), segment(to), EdgeKind::Fall, Meter::Derived);
        let block: &[&[u32]] = &[&[1]];
        function("f", &[block; 6], edges.map(between).to_vec())
    }

    #[test]
    fn what_counts_turns_is_left_out_of_vectors() {
        let function = nest();
        let left = |multiplied: &[usize]| -> Vec<usize> {
            let multiplied = multiplied.iter().map(|&id| SegmentId::new(id)).collect();
            left_over(&function, &multiplied).iter().map(|id| id.index()).collect()
        };
        // Of the inner loop the body is vectors, and of its latch what is left over.
        assert_eq!(left(&[2]), [3]);
        assert!(left(&[2, 3]).is_empty(), "all of it multiplies; the loop around it does not");
        assert_eq!(left(&[1]), [4], "right inside the outer loop");
        assert!([&[][..], &[0], &[5]].iter().all(|none| left(none).is_empty()), "no loop is around");
    }
}

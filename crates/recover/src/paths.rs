//! Which paths did a function take, how often, and is it true?
//!
//! The map tells at which edges paths were cut; the numbering is computed again
//! from the graph (`opcost_flow::paths`), so that a number becomes the edges
//! along its path. Paths are counted apart from edges, and that makes a check of
//! both, at every edge of every run: the paths along an edge are as many as the
//! edge was taken, less the frames on their way along it that were left for
//! good during a call ([`check_paths`]). A frame that a child inherited by
//! `fork` may have begun its path in the parent; then only the parent and all
//! its children together add up, and nothing is held against it.
//!
//! Input: a function's map with its counters. Output: the paths that were taken,
//! by number. Cost: counters, and the lengths of paths that were taken. Limit:
//! paths that were not finished are not known, only how many frames were left.

use opcost_flow::FlowEdge;
use opcost_flow::paths::{PathError, PathGraph, PathNumbering};
use opcost_index::{Id, IdMap, IdSet};
use opcost_key::{EdgeId, EdgeKind, FunctionMap, Meter, PathsMap, SegmentId};

/// A path that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCount {
    /// Its number in the function.
    pub number: u32,
    /// The edges along it. The entry is first, if it begins there, else what is after a cut edge. A
    /// cut edge is last, if it ends at one.
    pub edges: Vec<EdgeId>,
    /// How often it was taken to its end.
    pub count: u64,
}

/// Why the paths of a function are not what was counted of its edges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathFault {
    /// No edge leads into the function.
    #[error("its paths have no entry")]
    NoEntry,
    /// They cannot be numbered.
    #[error("of its paths {0}")]
    Numbering(#[from] PathError),
    /// The map has another number of them.
    #[error("it has {paths} paths, but {counters} counters for them")]
    Count {
        /// As many as the edges make.
        paths: u64,
        /// As many as the map says.
        counters: u32,
    },
    /// Paths and an edge disagree.
    #[error(
        "{edge} was taken {taken} times, and {along} paths went along it, with {unfinished} left on their way"
    )]
    Edge {
        /// The edge.
        edge: EdgeId,
        /// How often it was taken.
        taken: i128,
        /// How many paths went along it.
        along: i128,
        /// How many frames were left on their way.
        unfinished: i128,
    },
}

/// The paths of a function that were taken, by number; none if they were not
/// counted.
///
/// # Errors
/// The map's cut edges do not make as many paths as it has counters.
pub(crate) fn count_paths(function: &FunctionMap, counters: &[u64]) -> Result<Vec<PathCount>, PathFault> {
    let PathsMap::Counted { first, count, cut } = &function.paths else { return Ok(Vec::new()) };
    let ends: IdMap<EdgeId, FlowEdge<SegmentId>> =
        function.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
    let entry = function.edges.iter().find(|(_, edge)| edge.kind == EdgeKind::Enter);
    let (entry, _) = entry.ok_or(PathFault::NoEntry)?;
    let without: IdSet<EdgeId> = left_during_calls(function).collect();
    let graph = PathGraph { nodes: function.segments.len(), edges: &ends, entry, without: &without };
    let cut: IdSet<EdgeId> = cut.iter().copied().collect();
    let numbering = PathNumbering::compute(&graph, &cut)?;
    if numbering.count() != u64::from(*count) {
        return Err(PathFault::Count { paths: numbering.count(), counters: *count });
    }
    let counted = (0..*count).map(|number| (number, counters[first.index() + number as usize]));
    let taken = counted.filter(|&(_, count)| count > 0).map(|(number, count)| {
        let edges = numbering.edges_of(u64::from(number));
        PathCount { number, edges, count }
    });
    Ok(taken.collect())
}

/// Edges by which a frame is left during a call that can also come back.
fn left_during_calls(function: &FunctionMap) -> impl Iterator<Item = EdgeId> + '_ {
    let edges = function.edges.iter();
    edges
        .filter(|(_, edge)| edge.meter == Meter::LeftFrames && matches!(edge.kind, EdgeKind::Left(_)))
        .map(|(id, _)| id)
}

/// Holds the paths of a function against its edges.
///
/// # Errors
/// The first edge where they disagree.
pub(crate) fn check_paths(
    function: &FunctionMap,
    paths: &[PathCount],
    edges: &IdMap<EdgeId, i128>,
) -> Result<(), PathFault> {
    if !matches!(function.paths, PathsMap::Counted { .. }) {
        return Ok(());
    }
    let left: Vec<i128> = left_during_calls(function).map(|edge| edges[edge]).collect();
    if left.iter().any(|&count| count < 0) {
        return Ok(());
    }
    let unfinished: i128 = left.iter().sum();
    let mut along: IdMap<EdgeId, i128> = IdMap::filled(function.edges.len(), 0);
    for path in paths {
        path.edges.iter().for_each(|&edge| along[edge] += i128::from(path.count));
    }
    left_during_calls(function).for_each(|edge| along[edge] = edges[edge]);
    let wrong = edges.iter().find(|&(edge, &taken)| !(0..=unfinished).contains(&(taken - along[edge])));
    match wrong {
        None => Ok(()),
        Some((edge, &taken)) => Err(PathFault::Edge { edge, taken, along: along[edge], unfinished }),
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{CounterId, FunctionId, ModuleMap, PathsMap};

    use crate::example::diamond;
    use crate::{LeftFrames, ModuleCounts, RecoverError, recover_module};

    /// The diamond with counters for `count` paths after its own two.
    fn with_paths(count: u32) -> ModuleMap {
        let mut map = diamond();
        let first = CounterId::new(map.counter_count as usize);
        map.counter_count += count;
        map.functions[FunctionId::new(0)].paths = PathsMap::Counted { first, count, cut: Vec::new() };
        map
    }

    fn recover(map: &ModuleMap, paths: &[u64]) -> Result<ModuleCounts, RecoverError> {
        recover_module(map, &[&[10, 3], paths].concat(), &LeftFrames::new())
    }

    #[test]
    fn paths_must_add_up_to_every_edge() {
        let map = with_paths(2);
        let fits: Vec<_> = [[3, 7], [7, 3]].iter().filter_map(|paths| recover(&map, paths).ok()).collect();
        let [counts] = fits.as_slice() else { panic!("one order of the two ways is right: {fits:?}") };
        let paths = &counts.functions[FunctionId::new(0)].paths;
        assert_eq!(paths.iter().map(|path| path.count).sum::<u64>(), 10);
        assert_ne!(paths[0].edges, paths[1].edges);
        for wrong in [[3, 6], [4, 7], [5, 5], [0, 10]] {
            let error = recover(&map, &wrong).unwrap_err();
            assert!(matches!(error, RecoverError::Contradiction { .. }), "{wrong:?}: {error}");
        }
        let error = recover(&with_paths(3), &[3, 7, 0]).unwrap_err().to_string();
        assert!(error.contains("it has 2 paths, but 3 counters"), "{error}");
    }
}

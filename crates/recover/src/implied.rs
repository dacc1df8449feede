//! How often was each edge taken, if it is only known how often each segment ran?
//!
//! A prediction has executions of blocks. Whoever reads a ledger wants edges, too: profiles of compilers,
//! the time of machine code. A segment runs as often as the edges into it are taken, and as the edges out
//! of it. Where all edges of one side but one have a count, the last one follows. Most edges follow so.
//! Where no edge follows, one side of a segment is chosen, and what is left for its edges is shared in
//! the ratio of the counts where they lead; then edges follow again.
//!
//! Input: a map, counts of segments, calls. Calls return, but for those behind which less runs than before them: there
//! the frame was left. Output: a count of each edge,
//! never below zero. Where the counts of segments are those of one flow, and each edge follows, these
//! are that flow's edges. Cost: edges times the segments that are chosen. Limit: counts of no flow (each was
//! rounded, or is a bound) give edges that do not add up.

use opcost_index::{Id, IdMap};
use opcost_key::{EdgeId, EdgeKind, FunctionMap, SegmentId};

/// One side of a segment: its edges in, or its edges out, which together are taken `total` times.
struct Side {
    edges: Vec<EdgeId>,
    total: i64,
}

/// The edges of a function whose segments ran so often.
pub fn implied_edges(
    function: &FunctionMap,
    segments: &IdMap<SegmentId, u64>,
    entries: u64,
) -> IdMap<EdgeId, i64> {
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let left = left(function, segments);
    let mut counts: Vec<Option<i64>> = function
        .edges
        .values()
        .map(|edge| match edge.kind {
            EdgeKind::Enter => Some(signed(entries)),
            EdgeKind::Left(_) => Some(signed(edge.from.map_or(0, |from| left[from]))),
            EdgeKind::Again => Some(0),
            EdgeKind::Branch { .. } | EdgeKind::Fall | EdgeKind::Return => None,
        })
        .collect();
    let side = |&count: &u64| Side { edges: Vec::new(), total: signed(count) };
    let mut into: Vec<Side> = segments.values().map(side).collect();
    let mut out_of: Vec<Side> = segments.values().map(side).collect();
    for (id, edge) in function.edges.iter() {
        edge.to.into_iter().for_each(|segment| into[segment.index()].edges.push(id));
        edge.from.into_iter().for_each(|segment| out_of[segment.index()].edges.push(id));
    }
    let sides: Vec<Side> = into.into_iter().chain(out_of).collect();
    loop {
        while sides.iter().filter(|side| settle(side, &mut counts)).count() > 0 {}
        let open = |side: &&Side| side.edges.iter().any(|edge| counts[edge.index()].is_none());
        // The side with the fewest open edges has the least to share.
        let fewest = |side: &&Side| side.edges.iter().filter(|edge| counts[edge.index()].is_none()).count();
        let Some(side) = sides.iter().filter(open).min_by_key(fewest) else { break };
        share(side, function, segments, &mut counts);
    }
    counts.into_iter().map(|count| count.unwrap_or(0)).collect()
}

/// How often the call at the end of each segment did not come back.
fn left(function: &FunctionMap, segments: &IdMap<SegmentId, u64>) -> IdMap<SegmentId, u64> {
    let mut left = IdMap::filled(segments.len(), 0);
    for edge in function.edges.values().filter(|edge| edge.kind == EdgeKind::Fall) {
        if let (Some(from), Some(to)) = (edge.from, edge.to) {
            left[from] = segments[from].saturating_sub(segments[to]);
        }
    }
    left
}

/// Whether an edge of a side was found: the last one that is open.
fn settle(side: &Side, counts: &mut [Option<i64>]) -> bool {
    let mut open = side.edges.iter().filter(|edge| counts[edge.index()].is_none());
    let (Some(&last), None) = (open.next(), open.next()) else { return false };
    counts[last.index()] = Some(left_of(side, counts));
    true
}

/// What is left for the open edges of a side.
fn left_of(side: &Side, counts: &[Option<i64>]) -> i64 {
    let taken = side.edges.iter().filter_map(|edge| counts[edge.index()]);
    taken.fold(side.total, i64::saturating_sub).max(0)
}

/// Shares what is left among the open edges of a side, but for the last: that follows.
fn share(side: &Side, function: &FunctionMap, segments: &IdMap<SegmentId, u64>, counts: &mut [Option<i64>]) {
    let open: Vec<EdgeId> =
        side.edges.iter().copied().filter(|edge| counts[edge.index()].is_none()).collect();
    let left = left_of(side, counts);
    let weight = |edge: EdgeId| function.edges[edge].to.map_or(1, |to| segments[to]) as f64;
    let all: f64 = open.iter().map(|&edge| weight(edge)).sum();
    for &edge in &open[..open.len() - 1] {
        let part = if all > 0.0 { weight(edge) / all } else { 1.0 / open.len() as f64 };
        counts[edge.index()] = Some((left as f64 * part) as i64);
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{EdgeKind, FunctionId};

    use super::implied_edges;
    use crate::example::{call_left, diamond, recovered, single_loop};

    #[test]
    fn edges_of_one_flow_follow_from_its_blocks() {
        for (map, counters) in [
            (diamond(), vec![10, 3]),
            (diamond(), vec![10, 0]),
            (single_loop(), vec![2, 14]),
            (single_loop(), vec![0, 0]),
        ] {
            let counts = recovered(&map, &counters, &[]);
            let own = &counts.functions[FunctionId::new(0)];
            let function = &map.functions[FunctionId::new(0)];
            let implied = implied_edges(function, &own.segments, own.entries);
            assert_eq!(Some(implied), own.edges);
        }
    }

    /// The call that ends the program does not come back.
    #[test]
    fn a_frame_is_left_where_less_runs_behind_a_call() {
        let map = call_left();
        let function = &map.functions[FunctionId::new(0)];
        for (segments, fell, left) in [([5, 5], 5, 0), ([5, 0], 0, 5)] {
            let edges = implied_edges(function, &segments.into_iter().collect(), 5);
            let of = |wanted: fn(&EdgeKind) -> bool| {
                let one = function.edges.iter().find(|(_, edge)| wanted(&edge.kind));
                edges[one.expect("such an edge").0]
            };
            assert_eq!(of(|kind| *kind == EdgeKind::Fall), fell);
            assert_eq!(of(|kind| matches!(kind, EdgeKind::Left(_))), left);
        }
    }

    #[test]
    fn edges_are_never_below_zero() {
        let map = diamond();
        let function = &map.functions[FunctionId::new(0)];
        // No flow has these.
        let segments = (0..function.segments.len() as u64).map(|at| 7 * at % 5).collect();
        let edges = implied_edges(function, &segments, 3);
        assert!(edges.values().all(|&count| count >= 0), "{edges:?}");
    }
}

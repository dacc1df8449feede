//! How often did everything run at least, when frames are still open?
//!
//! After a fatal signal, or while other threads run on, frames are open that
//! nobody noted, and the equations of `counts` are false. What is left is
//! `opcost_flow::bounds`: at every segment as much came in as went out, or
//! more. A segment has run as often as control went out of it, at least, and
//! as often as it came in, at most; in between lies the segment that a frame
//! stood in. With placement every-segment, control surely went on from a
//! segment to those behind it that have no other way in.
//!
//! A loop that no call can leave may count in registers, which die with the
//! program. What memory then says is what it said when the loop was entered:
//! lower bounds hold, but there is no upper one.
//!
//! A child of `fork` is no exception: the frames that it inherited are noted
//! as left -1 times and so are among the known edges.
//!
//! Cost: as `counts`. Limit: increments that threads lost to each other are
//! not told apart; who shares counters between threads must not come here.

use opcost_flow::{Bounds, FlowEdge, bounds};
use opcost_index::{AdjacencyGraph, IdMap, IdSet, strongly_connected_components};
use opcost_key::{Charge, CounterId, EdgeId, EdgeKind, FunctionMap, Meter, ModuleMap, SegmentId};

use crate::counts::{Raw, check_counters, check_sites};
use crate::{FunctionCounts, LeftFrames, ModuleCounts, RecoverError};

/// What is surely known of a module whose program did not come to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCounts {
    /// Lower bounds; edges, returns and left frames stay unknown.
    pub at_least: ModuleCounts,
    /// How much more can have run, in units of the cost model; `None`: no
    /// bound is known.
    pub missing: Option<u128>,
}

/// Lower bounds for the counts of all functions of a module.
///
/// # Errors
/// The counters or the frames do not belong to this map.
pub fn recover_open_module(
    map: &ModuleMap,
    counters: &[u64],
    left: &LeftFrames,
) -> Result<OpenCounts, RecoverError> {
    check_counters(map, counters)?;
    check_sites(map, left)?;
    let raw = Raw { map, counters, left };
    let charge = map.cost.charge;
    let mut functions = IdMap::new();
    let mut missing = Some(0u128);
    for function in map.functions.values() {
        let interval = Interval::of(&raw, function);
        missing = missing.zip(interval.missing(function, charge)).and_then(|(a, b)| a.checked_add(b));
        functions.push(FunctionCounts {
            segments: interval.lower,
            edges: None,
            entries: interval.entries,
            returns: None,
            left: None,
            lengths: raw.lengths(function),
            paths: raw.paths(function)?,
        });
    }
    Ok(OpenCounts { at_least: ModuleCounts { functions }, missing })
}

/// What is known of one function.
struct Interval {
    lower: IdMap<SegmentId, u64>,
    upper: IdMap<SegmentId, Option<u64>>,
    entries: u64,
}

impl Interval {
    fn of(raw: &Raw<'_>, function: &FunctionMap) -> Interval {
        match function.segment_counters {
            Some(first) => Self::by_segments(raw, function, first),
            None => Self::by_edges(raw, function).unwrap_or_else(|| Self::nothing(function)),
        }
    }

    /// Counters that no run can leave say nothing at all.
    fn nothing(function: &FunctionMap) -> Interval {
        let nodes = function.segments.len();
        Interval { lower: IdMap::filled(nodes, 0), upper: IdMap::filled(nodes, None), entries: 0 }
    }

    fn by_segments(raw: &Raw<'_>, function: &FunctionMap, first: CounterId) -> Interval {
        let counts = raw.segment_counters(function, first);
        let mut sources: IdMap<SegmentId, Option<SegmentId>> = IdMap::filled(counts.len(), None);
        let mut shared: IdSet<SegmentId> = IdSet::new();
        for edge in function.edges.values() {
            let Some(to) = edge.to else { continue };
            match (edge.from, sources[to]) {
                (Some(from), None) => sources[to] = Some(from),
                (Some(from), Some(known)) if from == known => {}
                _ => _ = shared.insert(to),
            }
        }
        let mut lower: IdMap<SegmentId, u64> = IdMap::filled(counts.len(), 0);
        for (segment, &count) in counts.iter() {
            if let Some(source) = sources[segment]
                && !shared.contains(segment)
                && source != segment
            {
                lower[source] = lower[source].saturating_add(count).min(counts[source]);
            }
        }
        let entries = counts.values().next().copied().unwrap_or(0);
        Interval { lower, upper: counts.values().map(|&count| Some(count)).collect(), entries }
    }

    fn by_edges(raw: &Raw<'_>, function: &FunctionMap) -> Option<Interval> {
        let nodes = function.segments.len();
        let ends: IdMap<EdgeId, FlowEdge<SegmentId>> =
            function.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let known = function.edges.values().map(|edge| raw.known(edge.meter, edge.kind)).collect();
        let bounds = bounds(nodes, &ends, &known).ok()?;
        let mut lower: IdMap<SegmentId, i128> = IdMap::filled(nodes, 0);
        let mut upper: IdMap<SegmentId, Option<i128>> = IdMap::filled(nodes, Some(0));
        let mut entries = 0;
        for (id, edge) in function.edges.iter() {
            let Bounds { lower: least, upper: most } = bounds[id];
            if let Some(from) = edge.from {
                lower[from] += least;
            }
            if let Some(to) = edge.to {
                upper[to] = upper[to].zip(most).map(|(sum, most)| sum + most);
            }
            if edge.kind == EdgeKind::Enter {
                entries = least;
            }
        }
        let is_open_ended =
            counts_in_registers(function) && upper.values().any(|most| most.is_none_or(|most| most > 0));
        Some(Interval {
            lower: lower.values().map(|&count| narrow(count)).collect(),
            upper: upper.values().map(|&most| most.filter(|_| !is_open_ended).map(narrow)).collect(),
            entries: narrow(entries),
        })
    }

    /// The cost between the bounds.
    fn missing(&self, function: &FunctionMap, charge: Charge) -> Option<u128> {
        let mut sum = 0u128;
        for (id, segment) in function.segments.iter() {
            let paid = match charge {
                Charge::Instruction => id,
                Charge::Block => function.blocks[segment.block].first_segment,
            };
            if segment.weight > 0 {
                let loss = self.upper[paid]?.saturating_sub(self.lower[paid]);
                sum = sum.checked_add(u128::from(segment.weight) * u128::from(loss))?;
            }
        }
        Some(sum)
    }
}

/// Less than nothing never ran; what exceeds 64 bits is said to be 64 bits.
fn narrow(count: i128) -> u64 {
    u64::try_from(count.max(0)).unwrap_or(u64::MAX)
}

/// Whether the function has a loop that counts and that no call can leave.
fn counts_in_registers(function: &FunctionMap) -> bool {
    let blocks = function.blocks.len();
    let mut can_leave = IdMap::filled(blocks, false);
    for edge in function.edges.values() {
        if let (EdgeKind::Left(_), Some(from)) = (edge.kind, edge.from) {
            can_leave[function.segments[from].block] = true;
        }
    }
    let inside = |segment: Option<SegmentId>| {
        segment.map(|id| function.segments[id].block).filter(|&block| !can_leave[block])
    };
    let mut graph = AdjacencyGraph::new(blocks);
    let counted: Vec<_> = function
        .edges
        .values()
        .filter_map(|edge| Some((inside(edge.from)?, inside(edge.to)?, edge)))
        .inspect(|&(from, to, _)| graph.add_edge(from, to))
        .filter(|(_, _, edge)| {
            matches!(edge.meter, Meter::Counter(_)) && matches!(edge.kind, EdgeKind::Branch { .. })
        })
        .collect();
    let components = strongly_connected_components(&graph).component_of;
    counted.iter().any(|&(from, to, _)| components[from] == components[to])
}

#[cfg(test)]
#[path = "asynchronous_tests.rs"]
mod tests;

//! How often did everything run at least, when frames are still open?
//!
//! After a fatal signal, or while other threads run on, frames are open that
//! nobody noted, and the equations of `counts` are false. What is left is
//! `opcost_flow::bounds`: at every segment as much came in as went out, or
//! more. A segment has run as often as control went out of it, at least, and
//! as often as it came in, at most; in between lies the segment that a frame
//! stood in. With placement every-segment, control went on from a segment to
//! one after it as often as that ran, less what other edges into it can have given.
//!
//! A loop that no call can leave may count in registers, which die with the
//! program. What memory then says is what it said when the loop was entered:
//! lower bounds hold, but there is no upper one, unless all frames of the
//! function are known to be closed. Such loops are named.
//!
//! A child of `fork` is no exception: the frames that it inherited are noted
//! as left -1 times and so are among the known edges.
//!
//! Cost: as `counts`. Limit: increments that threads lost to each other are
//! not told apart; who shares counters between threads must not come here.

use std::collections::BTreeSet;

use opcost_flow::{Bounds, FlowEdge, bounds};
use opcost_index::{AdjacencyGraph, IdMap, IdSet, strongly_connected_components};
use opcost_key::{BlockId, Charge, CounterId, EdgeId, EdgeKind, FunctionMap, Meter, ModuleMap, SegmentId};

use crate::counts::{Raw, check_counters, check_sites};
use crate::{FunctionCounts, LeftFrames, ModuleCounts, RecoverError, SourceLine};

/// What is surely known of a module whose program did not come to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCounts {
    /// Lower bounds; edges, returns and left frames stay unknown.
    pub at_least: ModuleCounts,
    /// How much more can have run, in units of the cost model; `None`: no
    /// bound is known.
    pub missing: Option<u128>,
    /// Loops whose counts may have been in registers.
    pub lost: Vec<LostLoop>,
}

/// A loop that may have been running when its program ended, with its counts in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLoop {
    /// The function's linkage name.
    pub function: String,
    /// Its first line, if debug information has one.
    pub at: Option<SourceLine>,
    /// Whether a frame of the function was surely open.
    pub is_open: bool,
    /// Whether no count of the loop is in memory.
    pub is_empty: bool,
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
    let mut lost = Vec::new();
    for function in map.functions.values() {
        let interval = Interval::of(&raw, function);
        lost.extend(interval.lost.iter().map(|blocks| interval.lost_loop(&raw, function, blocks)));
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
    Ok(OpenCounts { at_least: ModuleCounts { functions }, missing, lost })
}

/// What is known of one function.
struct Interval {
    lower: IdMap<SegmentId, u64>,
    upper: IdMap<SegmentId, Option<u64>>,
    entries: u64,
    /// The blocks of each loop that may have counted in registers.
    lost: Vec<Vec<BlockId>>,
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
        Interval {
            lower: IdMap::filled(nodes, 0),
            upper: IdMap::filled(nodes, None),
            entries: 0,
            lost: Vec::new(),
        }
    }

    fn by_segments(raw: &Raw<'_>, function: &FunctionMap, first: CounterId) -> Interval {
        let counts = raw.segment_counters(function, first);
        let mut sources: IdMap<SegmentId, BTreeSet<SegmentId>> = IdMap::filled(counts.len(), BTreeSet::new());
        let mut from_outside: IdSet<SegmentId> = IdSet::new();
        for edge in function.edges.values() {
            match (edge.from, edge.to) {
                (Some(from), Some(to)) => _ = sources[to].insert(from),
                (None, Some(to)) => _ = from_outside.insert(to),
                _ => {}
            }
        }
        let mut lower: IdMap<SegmentId, u64> = IdMap::filled(counts.len(), 0);
        for (segment, &count) in counts.iter().filter(|(segment, _)| !from_outside.contains(*segment)) {
            for &source in &sources[segment] {
                let others = sources[segment].iter().filter(|&&other| other != source);
                let others = others.fold(0u64, |sum, &other| sum.saturating_add(counts[other]));
                let surely = count.saturating_sub(others);
                lower[source] = lower[source].saturating_add(surely).min(counts[source]);
            }
        }
        let entries = counts.values().next().copied().unwrap_or(0);
        let upper = counts.values().map(|&count| Some(count)).collect();
        Interval { lower, upper, entries, lost: Vec::new() }
    }

    fn by_edges(raw: &Raw<'_>, function: &FunctionMap) -> Option<Interval> {
        let nodes = function.segments.len();
        let ends: IdMap<EdgeId, FlowEdge<SegmentId>> =
            function.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let known = function.edges.values().map(|edge| raw.direct_count(edge.meter, edge.kind)).collect();
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
        let may_run = upper.values().any(|most| most.is_none_or(|most| most > 0));
        let is_closed = open_frames(raw, function).is_some_and(|(open, entered)| open == 0 && entered > 0);
        let lost = if may_run && !is_closed { loops_in_registers(function) } else { Vec::new() };
        let is_open_ended = !lost.is_empty();
        Some(Interval {
            lower: lower.values().map(|&count| narrow(count)).collect(),
            upper: upper.values().map(|&most| most.filter(|_| !is_open_ended).map(narrow)).collect(),
            entries: narrow(entries),
            lost,
        })
    }

    /// A loop as it is reported.
    fn lost_loop(&self, raw: &Raw<'_>, function: &FunctionMap, blocks: &[BlockId]) -> LostLoop {
        let own = function.segments.iter().filter(|(_, segment)| blocks.contains(&segment.block));
        let places = own.flat_map(|(id, _)| function.instructions_of(id));
        let places =
            places.filter_map(|id| function.instructions[id].place).map(|place| &raw.map.places[place]);
        let first = places.filter(|place| place.line > 0).min_by_key(|place| place.line);
        let at = first.map(|place| SourceLine { file: raw.map.files[place.file].clone(), line: place.line });
        let is_open = open_frames(raw, function).is_some_and(|(open, _)| open > 0);
        let mut counts = self.lower.iter().filter(|(id, _)| blocks.contains(&function.segments[*id].block));
        let is_empty = counts.all(|(_, &count)| count == 0);
        LostLoop { function: function.name.clone(), at, is_open, is_empty }
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

/// How many frames are open, and how many were entered, if all edges in and out are metered.
fn open_frames(raw: &Raw<'_>, function: &FunctionMap) -> Option<(i128, i128)> {
    let ends = function.edges.values().filter(|edge| edge.from.is_none() || edge.to.is_none());
    let mut sums = (0i128, 0i128);
    for edge in ends.filter(|edge| edge.from.is_some() || edge.to.is_some()) {
        let count = raw.direct_count(edge.meter, edge.kind)?;
        if edge.from.is_none() {
            sums = (sums.0 + count, sums.1 + count);
        } else {
            sums.0 -= count;
        }
    }
    Some(sums)
}

/// The loops that count and that no call can leave.
fn loops_in_registers(function: &FunctionMap) -> Vec<Vec<BlockId>> {
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
    let mut loops = BTreeSet::new();
    for (from, to, _) in counted {
        if components[from] == components[to] {
            let blocks = components.iter().filter(|(_, one)| **one == components[from]);
            loops.insert(blocks.map(|(block, _)| block).collect::<Vec<BlockId>>());
        }
    }
    loops.into_iter().collect()
}

#[cfg(test)]
#[path = "asynchronous_tests.rs"]
mod tests;

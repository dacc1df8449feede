//! How often did each segment run and each edge carry, in one module?
//!
//! With placement chords, each edge's [`Meter`] says how its count is known:
//! from a counter, from the frames that were left, or by conservation of flow
//! (`opcost_flow::reconstruct`). Every result is then summed again at every
//! segment by `opcost_flow::check_conservation`, which shares no code with
//! the reconstruction. With placement every-segment the counters are the
//! segments' counts, and edges stay unknown.
//!
//! Input: a map that `opcost_profile::formats::map` has read (its ids are
//! checked there), its counters, its left frames. Output: counts. Cost: one
//! pass over the map. Limit: the program must have ended so that every frame
//! was closed or noted as left; after a SIGKILL the equations need not hold
//! (see `opcost_flow::bounds`).

use std::collections::BTreeMap;

use opcost_flow::{FlowEdge, FlowError, check_conservation, reconstruct};
use opcost_index::{Id, IdMap};
use opcost_key::{
    BlockId, CallSiteId, Charge, CounterId, EdgeId, EdgeKind, FunctionMap, InstructionId, Meter, ModuleMap,
    SegmentId,
};

use crate::paths::{check_paths, count_paths};
use crate::{PathCount, RecoverError};

/// How often frames were left at each call site; a site that is absent: never.
/// Negative for frames that a child process inherited by `fork`.
pub type LeftFrames = BTreeMap<CallSiteId, i64>;

/// The counts of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCounts {
    /// Counts of each function.
    pub functions: IdMap<opcost_key::FunctionId, FunctionCounts>,
}

/// The counts of one function. `entries = returns + left` where both are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCounts {
    /// How often each segment's instructions started.
    pub segments: IdMap<SegmentId, u64>,
    /// How often each edge was taken; `None` with placement every-segment.
    /// Negative only for frames that a child inherited by `fork`.
    pub edges: Option<IdMap<EdgeId, i64>>,
    /// How often it was called.
    pub entries: u64,
    /// How often it was done: returned, unwound further, or reached `unreachable`. `None` when the
    /// placement does not show it.
    pub returns: Option<u64>,
    /// How many frames were left for good; those that a `longjmp` came back to are not among them.
    /// `None` when the placement does not show it.
    pub left: Option<i64>,
    /// What instructions cost in addition to their weight, by length; of those that the cost model
    /// charges so.
    pub lengths: BTreeMap<InstructionId, u64>,
    /// The paths that were taken to their end, by number, if they are counted.
    pub paths: Vec<PathCount>,
}

impl FunctionCounts {
    /// How often an instruction started.
    pub fn instruction(&self, function: &FunctionMap, instruction: InstructionId) -> u64 {
        self.segments[function.segment_of(instruction)]
    }

    /// How often each instruction started, to annotate a listing.
    pub fn instructions(&self, function: &FunctionMap) -> IdMap<InstructionId, u64> {
        let segments = self.segments.iter();
        segments.flat_map(|(segment, &count)| function.instructions_of(segment).map(move |_| count)).collect()
    }

    /// How often a block's first instruction after its phis started.
    pub fn block(&self, function: &FunctionMap, block: BlockId) -> u64 {
        self.segments[function.blocks[block].first_segment]
    }

    /// How often a segment's instructions are paid for.
    pub fn charged(&self, function: &FunctionMap, segment: SegmentId, charge: Charge) -> u64 {
        match charge {
            Charge::Instruction => self.segments[segment],
            Charge::Block => self.block(function, function.segments[segment].block),
        }
    }

    /// What an instruction of `segment` cost, in units of the cost model that
    /// pays by `charge`.
    pub fn cost(
        &self,
        function: &FunctionMap,
        segment: SegmentId,
        instruction: InstructionId,
        charge: Charge,
    ) -> u128 {
        let weight = u128::from(function.instructions[instruction].weight);
        let length = self.lengths.get(&instruction).copied().unwrap_or(0);
        weight * u128::from(self.charged(function, segment, charge)) + u128::from(length)
    }

    /// The function's cost, itself without what it calls, in units of the
    /// cost model that pays by `charge`.
    pub fn weight(&self, function: &FunctionMap, charge: Charge) -> u128 {
        let segments = function.segments.iter();
        let weights = segments
            .map(|(id, segment)| u128::from(segment.weight) * u128::from(self.charged(function, id, charge)));
        weights.sum::<u128>() + self.lengths.values().copied().map(u128::from).sum::<u128>()
    }
}

/// The counts of all functions of a module.
pub fn recover_module(
    map: &ModuleMap,
    counters: &[u64],
    left: &LeftFrames,
) -> Result<ModuleCounts, RecoverError> {
    check_counters(map, counters)?;
    check_sites(map, left)?;
    let raw = Raw { map, counters, left };
    let functions = map.functions.values().map(|function| raw.function(function));
    Ok(ModuleCounts { functions: functions.collect::<Result<_, _>>()? })
}

/// As many counters as the map says.
pub(crate) fn check_counters(map: &ModuleMap, counters: &[u64]) -> Result<(), RecoverError> {
    if counters.len() == map.counter_count as usize {
        return Ok(());
    }
    let module = map.module.clone();
    Err(RecoverError::CounterCount { module, expected: map.counter_count, actual: counters.len() })
}

/// Every noted frame must have a metered way out, or its count would be lost.
pub(crate) fn check_sites(map: &ModuleMap, left: &LeftFrames) -> Result<(), RecoverError> {
    for (&site, &count) in left {
        let edge = map.call_sites.get(site).map(|&(function, edge)| &map.functions[function].edges[edge]);
        let fits = edge.is_some_and(|edge| edge.kind == EdgeKind::Left(site));
        if count != 0 && !fits {
            return Err(RecoverError::UnknownCallSite { module: map.module.clone(), site });
        }
    }
    Ok(())
}

type Error = FlowError<SegmentId, EdgeId>;

/// What was counted in a module, and what it means.
pub(crate) struct Raw<'a> {
    pub(crate) map: &'a ModuleMap,
    pub(crate) counters: &'a [u64],
    pub(crate) left: &'a LeftFrames,
}

impl Raw<'_> {
    fn function(&self, function: &FunctionMap) -> Result<FunctionCounts, RecoverError> {
        match function.segment_counters {
            Some(first) => self.by_segments(function, first),
            None => self.by_edges(function),
        }
    }

    fn by_segments(&self, function: &FunctionMap, first: CounterId) -> Result<FunctionCounts, RecoverError> {
        let segments = self.segment_counters(function, first);
        // The entry block has no predecessors, so it starts once a call.
        let entries = segments[SegmentId::new(0)];
        let returns = sole_returns(function, &segments);
        let left = returns.map(|returns| i128::from(entries) - returns);
        Ok(FunctionCounts {
            edges: None,
            entries,
            returns: returns
                .map(|returns| self.narrow(function, returns, || "its returns".into()))
                .transpose()?,
            left: left.map(|left| self.narrow(function, left, || "its left frames".into())).transpose()?,
            lengths: self.lengths(function),
            paths: Vec::new(),
            segments,
        })
    }

    /// What was charged by length.
    pub(crate) fn lengths(&self, function: &FunctionMap) -> BTreeMap<InstructionId, u64> {
        let instructions = function.instructions.iter();
        let counted = instructions.filter_map(|(id, instruction)| Some((id, instruction.length?)));
        counted.map(|(id, counter)| (id, self.counters[counter.index()])).collect()
    }

    /// The counters of a function that has one per segment.
    pub(crate) fn segment_counters(&self, function: &FunctionMap, first: CounterId) -> IdMap<SegmentId, u64> {
        function.segments.ids().map(|segment| self.counters[first.index() + segment.index()]).collect()
    }

    fn by_edges(&self, function: &FunctionMap) -> Result<FunctionCounts, RecoverError> {
        let nodes = function.segments.len();
        let ends = function.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let known = function.edges.values().map(|edge| self.direct_count(edge.meter, edge.kind)).collect();
        let counts = reconstruct(nodes, &ends, &known).map_err(|error| self.explain(function, &error))?;
        check_conservation(nodes, &ends, &counts).map_err(|error| self.explain(function, &error))?;
        let paths = self.paths(function)?;
        check_paths(function, &paths, &counts)
            .map_err(|what| self.contradiction(function, what.to_string()))?;

        let mut inflow: IdMap<SegmentId, i128> = IdMap::filled(nodes, 0);
        let (mut entries, mut returns, mut left) = (0, 0, 0);
        for (id, edge) in function.edges.iter() {
            if let Some(to) = edge.to {
                inflow[to] += counts[id];
            }
            match edge.kind {
                EdgeKind::Enter => entries += counts[id],
                EdgeKind::Return => returns += counts[id],
                EdgeKind::Left(_) => left += counts[id],
                EdgeKind::Again => left -= counts[id],
                EdgeKind::Branch { .. } | EdgeKind::Fall => {}
            }
        }
        let segments = inflow.iter().map(|(id, &count)| self.narrow(function, count, || id.to_string()));
        let edges = counts.iter().map(|(id, &count)| self.narrow(function, count, || id.to_string()));
        Ok(FunctionCounts {
            segments: segments.collect::<Result<_, _>>()?,
            edges: Some(edges.collect::<Result<_, _>>()?),
            entries: self.narrow(function, entries, || "its entries".into())?,
            returns: Some(self.narrow(function, returns, || "its returns".into())?),
            left: Some(self.narrow(function, left, || "its left frames".into())?),
            lengths: self.lengths(function),
            paths,
        })
    }

    /// The paths that were taken to their end.
    pub(crate) fn paths(&self, function: &FunctionMap) -> Result<Vec<PathCount>, RecoverError> {
        count_paths(function, self.counters).map_err(|what| self.contradiction(function, what.to_string()))
    }

    fn contradiction(&self, function: &FunctionMap, what: String) -> RecoverError {
        let (module, function) = (self.map.module.clone(), function.name.clone());
        RecoverError::Contradiction { module, function, what }
    }

    /// What is known of an edge without the equations.
    pub(crate) fn direct_count(&self, meter: Meter, kind: EdgeKind) -> Option<i128> {
        match (meter, kind) {
            (Meter::Counter(counter), _) => Some(i128::from(self.counters[counter.index()])),
            (Meter::LeftFrames, EdgeKind::Left(site)) => {
                Some(i128::from(self.left.get(&site).copied().unwrap_or(0)))
            }
            // Nothing but a way out of a call is ever noted as left.
            (Meter::LeftFrames, _) => Some(0),
            (Meter::Derived, _) => None,
        }
    }

    /// `count` as the type of its kind; a count outside it cannot have happened.
    fn narrow<T: TryFrom<i128>>(
        &self,
        function: &FunctionMap,
        count: i128,
        what: impl FnOnce() -> String,
    ) -> Result<T, RecoverError> {
        T::try_from(count).map_err(|_| RecoverError::Contradiction {
            module: self.map.module.clone(),
            function: function.name.clone(),
            what: format!("{} would have run {count} times", what()),
        })
    }

    fn explain(&self, function: &FunctionMap, error: &Error) -> RecoverError {
        let (module, name) = (self.map.module.clone(), function.name.clone());
        if let FlowError::Undetermined { .. } = error {
            return RecoverError::Undetermined { module, function: name, what: error.to_string() };
        }
        let segment = match error {
            FlowError::Contradiction { node, .. } => *node,
            FlowError::Negative { edge, .. } | FlowError::Overflow { edge } => {
                function.edges[*edge].from.or(function.edges[*edge].to)
            }
            FlowError::Undetermined { .. } => None,
        };
        let what = match segment.and_then(|segment| self.line_of(function, segment)) {
            Some(line) => format!("{error} (at {line})"),
            None => error.to_string(),
        };
        RecoverError::Contradiction { module, function: name, what }
    }

    fn line_of(&self, function: &FunctionMap, segment: SegmentId) -> Option<String> {
        let mut places = function.instructions_of(segment).filter_map(|id| function.instructions[id].place);
        let (file, line) = places.find_map(|place| self.map.file_and_line(place))?;
        Some(format!("{file}:{line}"))
    }
}

/// How often segments ran from which the function has no way but to return. `None` when some return
/// has company, for then its share is unknown.
fn sole_returns(function: &FunctionMap, segments: &IdMap<SegmentId, u64>) -> Option<i128> {
    let mut ways_out: IdMap<SegmentId, u32> = IdMap::filled(function.segments.len(), 0);
    for from in function.edges.values().filter_map(|edge| edge.from) {
        ways_out[from] += 1;
    }
    let returns = function.edges.values().filter(|edge| edge.kind == EdgeKind::Return);
    let alone = |from: SegmentId| (ways_out[from] == 1).then(|| i128::from(segments[from]));
    returns.map(|edge| edge.from.and_then(alone)).sum()
}

#[cfg(test)]
#[path = "counts_tests.rs"]
mod tests;

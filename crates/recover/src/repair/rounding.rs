//! Which whole counts are nearest to the solution, and still consistent?
//!
//! Function by function, callers before what they call: entries are the calls of the
//! known sites, which are whole by then, and what comes from elsewhere. A function
//! that nobody saw takes the shape that its code lets expect, unless that would have
//! been seen, or what was seen needs other ways through it: a function that only leads
//! on to others is never seen, and its likelier ways may not be the ones that were taken.
//!
//! Output: counts as of a run, each function's flow checked. Cost: that of
//! `round_flow`.

use std::collections::BTreeMap;

use opcost_flow::convex::{Settings, SolveStatus, minimise, round_flow};
use opcost_flow::{FlowEdge, check_conservation};
use opcost_index::{Id, IdMap};
use opcost_key::{EdgeId, EdgeKind, FunctionMap, SegmentId};

use super::posed::Posed;
use super::program::{Function, Others, Program, ProgramFunctionId};
use crate::{FunctionCounts, RecoverError};

/// What flows in one function.
struct Flow {
    edges: IdMap<EdgeId, f64>,
    /// Frames that are still there, and where.
    open: Vec<(SegmentId, f64)>,
}

impl Posed {
    /// Whole counts of each function.
    pub(super) fn rounded(
        &self,
        program: &Program<'_>,
    ) -> Result<IdMap<ProgramFunctionId, FunctionCounts>, RecoverError> {
        let mut counts: IdMap<ProgramFunctionId, Option<FunctionCounts>> =
            IdMap::filled(program.functions.len(), None);
        let ways_to_seen = program.calls_to_observed();
        for id in program.callers_first() {
            let function = &program.functions[id];
            let calls = |&(caller, segment): &(ProgramFunctionId, SegmentId)| match &counts[caller] {
                Some(known) => u128::from(known.segments[segment]),
                None => self.values[self.segment(caller, segment)].round() as u128,
            };
            let unnamed = self.unnamed.get(&id).map(Vec::as_slice).unwrap_or_default();
            let is_called = !function.sites.is_empty() || !unnamed.is_empty();
            let entries = is_called.then(|| {
                let unnamed: f64 = unnamed.iter().map(|&slack| self.values[slack]).sum();
                let sum = function.sites.iter().map(calls).sum::<u128>() + unnamed.round() as u128;
                // Parts of calls may all have been rounded down, and the function ran.
                if sum == 0 && self.is_entered(id, function) { 1 } else { sum }
            });
            let made = self.rounded_function(id, function, &ways_to_seen[id], entries)?;
            counts[id] = Some(made);
        }
        Ok(counts.values().map(|counts| counts.clone().expect("each function is in a component")).collect())
    }

    fn is_entered(&self, id: ProgramFunctionId, function: &Function<'_>) -> bool {
        function.enter().is_some_and(|enter| self.values[self.edge(id, enter)] >= 0.5)
    }

    /// What flows in a function that is entered so often: as the whole program's solution
    /// says, unless what calls it turned out otherwise.
    fn flow(
        &self,
        id: ProgramFunctionId,
        function: &Function<'_>,
        to_seen: &[SegmentId],
        entries: Option<u128>,
    ) -> Flow {
        let own = self.flow_of(id, function);
        let (Some(enter), Some(entries)) = (function.enter(), entries) else { return own };
        let (calls, solved) = (entries as f64, own.edges[enter]);
        let is_near = (calls - solved).abs() <= 1.0 + NEAR * solved && calls <= AT_MOST * solved;
        // What starts the program is entered as often as was solved, and leads to all that was seen.
        let is_sure = is_near && function.others == Others::AtStart;
        if !is_sure
            && let Some(shape) = self.unseen_shape(function, entries)
            && (!is_near || leads_on(function, to_seen, &shape, &own.edges))
        {
            return Flow { edges: shape, open: Vec::new() };
        }
        if is_near || calls == 0.0 {
            return called(own, enter, calls);
        }
        let mut alone = Posed::of_function(function, calls, self.options);
        let only = ProgramFunctionId::new(0);
        let counts = function.map.segments.ids().map(|segment| self.values[self.segment(id, segment)]);
        alone.weigh_function(only, function, &counts.collect());
        let solution = minimise(&alone.problem, Settings::default());
        alone.values = solution.values;
        match solution.status {
            // Scaled to these entries, nothing might be left of it.
            SolveStatus::Optimal | SolveStatus::BudgetReached => alone.flow_of(only, function),
            SolveStatus::Infeasible { .. } => own,
        }
    }

    fn flow_of(&self, id: ProgramFunctionId, function: &Function<'_>) -> Flow {
        let still = self.open.get(&id).into_iter().flatten();
        Flow {
            edges: function.map.edges.ids().map(|edge| self.values[self.edge(id, edge)].max(0.0)).collect(),
            open: still.map(|&(from, still)| (from, self.values[still].max(0.0))).collect(),
        }
    }

    /// What the code of a function without samples lets expect of so many calls.
    fn unseen_shape(&self, function: &Function<'_>, entries: u128) -> Option<IdMap<EdgeId, f64>> {
        let frequencies = &function.map.expected.frequencies;
        let enter = function.enter()?;
        if entries == 0 || frequencies.is_empty() || function.is_observed() {
            return None;
        }
        let scale = entries as f64 / frequencies[enter] as f64;
        let shape: IdMap<EdgeId, f64> = frequencies.values().map(|&one| one as f64 * scale).collect();
        let into = |edge: (EdgeId, &opcost_key::EdgeMap)| {
            edge.1.to.map_or(0.0, |to| shape[edge.0] * function.observed[to].cycles)
        };
        let samples: f64 = function.map.edges.iter().map(into).sum::<f64>() / self.options.cycles_per_sample;
        (samples <= UNSEEN).then_some(shape)
    }

    fn rounded_function(
        &self,
        id: ProgramFunctionId,
        function: &Function<'_>,
        to_seen: &[SegmentId],
        entries: Option<u128>,
    ) -> Result<FunctionCounts, RecoverError> {
        let map = function.map;
        let refuse = |what: String| RecoverError::Unrepairable {
            module: function.module.module.clone(),
            function: map.name.clone(),
            what,
        };
        let mut edges: IdMap<EdgeId, FlowEdge<SegmentId>> =
            map.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let Flow { edges: mut flow, open } = self.flow(id, function, to_seen, entries);
        for (from, still) in open {
            edges.push(FlowEdge { from: Some(from), to: None });
            flow.push(still);
        }
        let prescribed = match (function.enter(), entries) {
            (Some(enter), Some(entries)) => {
                let entries = u64::try_from(entries).map_err(|_| refuse(format!("{entries} calls")))?;
                Some((enter, entries))
            }
            _ => None,
        };
        let nodes = map.segments.len();
        let whole =
            round_flow(nodes, &edges, &flow, prescribed).map_err(|error| refuse(error.to_string()))?;
        let signed: IdMap<EdgeId, i128> = whole.values().map(|&count| i128::from(count)).collect();
        check_conservation(nodes, &edges, &signed).map_err(|error| refuse(error.to_string()))?;
        Ok(counts_of(map, &whole))
    }
}

/// The same flow with so many calls: what runs once a call or less follows them, loops iterate as
/// before. A call more or less, of one or two, would else double or halve all iterations, whatever
/// was seen of them. Of many calls, all is near to what it was.
fn called(mut own: Flow, enter: EdgeId, calls: f64) -> Flow {
    let solved = own.edges[enter];
    if solved <= 0.0 || (calls - solved).abs() <= NEAR * solved {
        return own;
    }
    let factor = calls / solved;
    for edge in own.edges.values_mut() {
        let scaled = *edge * factor;
        *edge = if *edge <= solved { scaled } else { edge.max(scaled.min(calls)) };
    }
    own
}

/// Whether a shape leads on to what was seen at least about as often as was solved.
fn leads_on(
    function: &Function<'_>,
    to_seen: &[SegmentId],
    shape: &IdMap<EdgeId, f64>,
    solved: &IdMap<EdgeId, f64>,
) -> bool {
    let runs = |flow: &IdMap<EdgeId, f64>, segment: SegmentId| -> f64 {
        let edges = function.map.edges.iter();
        edges.filter(|(_, edge)| edge.to == Some(segment)).map(|(edge, _)| flow[edge]).sum()
    };
    to_seen.iter().all(|&segment| {
        let solved = runs(solved, segment);
        solved < 1.0 || runs(shape, segment) >= LEADS_ON * solved
    })
}

/// The share of the calls that were solved which a shape has to make; static frequencies
/// are not better known than that.
const LEADS_ON: f64 = 0.5;

/// So many samples may be expected where there is none: one in twenty such functions has
/// none by chance.
const UNSEEN: f64 = 3.0;
/// A function's counts are scaled where its calls are this near to what was solved. Else loops
/// would iterate as much more as there are more calls, whatever was seen of them. (A loop of code
/// that nobody saw may have been taken to iterate for nobody. SQLite's operations were freed eight
/// billion times in three thousand calls that nobody had solved.)
const NEAR: f64 = 0.02;
/// Of few calls, so many times what was solved.
const AT_MOST: f64 = 3.0;

/// Counts of a function by its edges; what comes after these are frames that are still there.
pub(super) fn counts_of(map: &FunctionMap, whole: &IdMap<EdgeId, u64>) -> FunctionCounts {
    let mut segments: IdMap<SegmentId, u64> = IdMap::filled(map.segments.len(), 0);
    let (mut entries, mut returns, mut left) = (0u64, 0u64, 0i64);
    for (id, edge) in map.edges.iter() {
        let count = whole[id];
        edge.to.iter().for_each(|&to| segments[to] = segments[to].saturating_add(count));
        match edge.kind {
            EdgeKind::Enter => entries += count,
            EdgeKind::Return => returns += count,
            EdgeKind::Left(_) => left += count as i64,
            EdgeKind::Again => left -= count as i64,
            EdgeKind::Branch { .. } | EdgeKind::Fall => {}
        }
    }
    left += whole.values().skip(map.edges.len()).sum::<u64>() as i64;
    FunctionCounts {
        segments,
        edges: Some(whole.values().take(map.edges.len()).map(|&count| count as i64).collect()),
        entries,
        returns: Some(returns),
        left: Some(left),
        lengths: BTreeMap::new(),
        paths: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_more_does_not_double_the_turns_of_loops() {
        // A call, a million turns, what some turns do, and what no call has done.
        let flow = || Flow { edges: [1.0, 1e6, 0.4, 1.5, 0.0].into_iter().collect(), open: Vec::new() };
        let edges = |calls: f64| called(flow(), EdgeId::new(0), calls).edges;
        assert_eq!(edges(2.0).values().copied().collect::<Vec<_>>(), [2.0, 1e6, 0.8, 2.0, 0.0]);
        assert_eq!(edges(0.5).values().copied().collect::<Vec<_>>(), [0.5, 1e6, 0.2, 1.5, 0.0]);
        assert_eq!(edges(1.0), flow().edges);
        // Of many calls a few more are no matter; that nothing was solved of is left alone.
        let nobody = Flow { edges: [0.0, 1e6].into_iter().collect(), open: Vec::new() };
        assert_eq!(called(nobody, EdgeId::new(0), 1.0).edges[EdgeId::new(1)], 1e6);
    }
}

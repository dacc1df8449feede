//! What would the classic method make of the same samples?
//!
//! Avetisyan, Dolgorukova and Kurmangaleev, "Dynamic profiling for LLVM" (2012),
//! section 3: each function by itself, weights of missing edges from a static look at
//! branches and loops, minimum-cost flow with prices as in GCC's `mcf.c`
//! (`opcost_flow::classic`). What a call costs its callee is not asked.
//!
//! The static look: a way round a loop is taken 7 times of 8 (Wu and Larus, "Static
//! branch frequency and program profile analysis", 1994, have 0.88), other ways of a
//! branch are alike, frames are left never.
//!
//! Input and output as of [`repair`](super::repair()). Cost: see `opcost_flow::classic`;
//! a function of thousands of segments takes seconds.

use std::collections::BTreeMap;

use opcost_flow::FlowEdge;
use opcost_flow::classic::{FlowOptions, Prior, TimeModel, repair};
use opcost_index::{AdjacencyGraph, IdMap, postorder};
use opcost_key::{EdgeId, EdgeKind, FunctionMap, SegmentId};

use super::options::RepairOptions;
use super::program::{Function, Program, ProgramFunctionId};
use super::rounding::counts_of;
use super::weighed::Weighed;
use crate::{FunctionCounts, RecoverError};

/// Of [`ALL`] ways on from the end of a loop's body, how many go round.
const ROUND: u64 = 7;
const ALL: u64 = 8;

pub(super) fn counts(
    program: &Program<'_>,
    options: RepairOptions,
) -> Result<Weighed<IdMap<ProgramFunctionId, FunctionCounts>>, RecoverError> {
    let (mut is_optimal, mut all) = (true, IdMap::new());
    for function in program.functions.values() {
        let (is_best, counts) = function_counts(function, options)?;
        is_optimal &= is_best;
        all.push(counts);
    }
    Ok(Weighed { is_optimal, gap: 0.0, deviance: 0.0, loops: (0, 0), counts: all })
}

fn function_counts(
    function: &Function<'_>,
    options: RepairOptions,
) -> Result<(bool, FunctionCounts), RecoverError> {
    let map = function.map;
    let weights: IdMap<SegmentId, u64> =
        function.observed.values().map(|one| one.count(options.cycles_per_sample).round() as u64).collect();
    let edges: IdMap<EdgeId, FlowEdge<SegmentId>> =
        map.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
    if weights.values().all(|&weight| weight == 0) {
        return Ok((true, counts_of(map, &IdMap::filled(edges.len(), 0))));
    }
    let repaired = repair(&weights, &edges, &priors(map), &TimeModel::GccMcf, FlowOptions::default())
        .map_err(|error| RecoverError::Unrepairable {
            module: function.module.module.clone(),
            function: map.name.clone(),
            what: error.to_string(),
        })?;
    let mut whole: IdMap<EdgeId, u64> = repaired.edges.values().map(|count| count.after).collect();
    repaired.virtual_exits.iter().for_each(|exit| _ = whole.push(exit.count.after));
    Ok((repaired.is_optimal, counts_of(map, &whole)))
}

/// Shares of edges by a static look.
fn priors(map: &FunctionMap) -> IdMap<EdgeId, Prior> {
    let mut graph: AdjacencyGraph<SegmentId> = AdjacencyGraph::new(map.segments.len());
    map.edges.values().filter_map(|edge| edge.from.zip(edge.to)).for_each(|(a, b)| graph.add_edge(a, b));
    // In an order in which ways forward go up, ways round do not.
    let mut place: IdMap<SegmentId, usize> = IdMap::filled(map.segments.len(), usize::MAX);
    let entry = map.segments.ids().next();
    let order = entry.map_or_else(Vec::new, |entry| postorder(&graph, entry));
    order.iter().rev().enumerate().for_each(|(at, &segment)| place[segment] = at);
    let goes_round = |id: EdgeId| {
        let edge = &map.edges[id];
        edge.from.zip(edge.to).is_some_and(|(from, to)| place[to] <= place[from])
    };
    let mut ways: BTreeMap<SegmentId, (u64, u64)> = BTreeMap::new();
    for (id, edge) in map.edges.iter() {
        let (Some(from), EdgeKind::Branch { .. } | EdgeKind::Fall | EdgeKind::Return) =
            (edge.from, edge.kind)
        else {
            continue;
        };
        let (round, on) = ways.entry(from).or_default();
        *if goes_round(id) { round } else { on } += 1;
    }
    let share = |id: EdgeId| {
        let edge = &map.edges[id];
        match (edge.from, edge.kind) {
            (_, EdgeKind::Left(_) | EdgeKind::Again) => 0,
            (None, _) => 1,
            (Some(from), _) => match ways[&from] {
                // So that all ways round have their share together.
                (round, on) if round > 0 && on > 0 => {
                    if goes_round(id) {
                        ROUND * on
                    } else {
                        (ALL - ROUND) * round
                    }
                }
                _ => 1,
            },
        }
    };
    map.edges.ids().map(|id| Prior::Share(share(id))).collect()
}

//! Which functions does a program have, and which call sites of each are known?
//!
//! Functions of all modules get numbers of their own. A call of a defined function is
//! a known site, and so is one of a name that another module exports (the first of
//! that name, as the linker takes it); a call through a pointer is none.
//!
//! Input: maps with observations. Output: [`Program`]. Cost: linear.

use std::collections::HashMap;

use opcost_index::{AdjacencyGraph, Id, IdMap, define_id, strongly_connected_components};
use opcost_key::{Callee, EdgeId, EdgeKind, FunctionMap, ModuleMap, SegmentId};

use super::SampledModule;
use crate::FunctionCounts;
use crate::sampled::Observation;

define_id!(
    /// A function of the program.
    pub(super) struct ProgramFunctionId, "function of the program"
);

/// All functions of all modules, and who calls whom.
pub(super) struct Program<'a> {
    pub(super) functions: IdMap<ProgramFunctionId, Function<'a>>,
}

pub(super) struct Function<'a> {
    pub(super) module: &'a ModuleMap,
    pub(super) map: &'a FunctionMap,
    pub(super) observed: &'a IdMap<SegmentId, Observation>,
    /// Where it is called directly.
    pub(super) sites: Vec<(ProgramFunctionId, SegmentId)>,
}

impl Function<'_> {
    /// The way in; none of a function without code.
    pub(super) fn enter(&self) -> Option<EdgeId> {
        self.map.edges.iter().find(|(_, edge)| edge.kind == EdgeKind::Enter).map(|(id, _)| id)
    }

    pub(super) fn is_seen(&self) -> bool {
        self.observed.values().any(|one| one.samples > 0)
    }
}

impl<'a> Program<'a> {
    pub(super) fn of(modules: &[SampledModule<'a>]) -> Self {
        let mut functions: IdMap<ProgramFunctionId, Function<'a>> = IdMap::new();
        let mut exported: HashMap<&str, ProgramFunctionId> = HashMap::new();
        let mut starts = Vec::new();
        for module in modules {
            starts.push(functions.len());
            for (id, map) in module.map.functions.iter() {
                let observed = &module.observed.functions[id];
                let own = functions.push(Function { module: module.map, map, observed, sites: Vec::new() });
                if !map.is_local && !map.blocks.is_empty() {
                    exported.entry(&map.name).or_insert(own);
                }
            }
        }
        let mut found = Vec::new();
        for (caller, function) in functions.iter() {
            let start = starts[starts.partition_point(|&start| start <= caller.index()) - 1];
            for call in &function.map.calls {
                let callee = match &call.callee {
                    Callee::Defined(id) => Some(ProgramFunctionId::new(start + id.index())),
                    Callee::Declared(name) => exported.get(name.as_str()).copied(),
                    Callee::Memory(_) | Callee::Indirect | Callee::Assembly => None,
                };
                found
                    .extend(callee.map(|callee| (callee, caller, function.map.segment_of(call.instruction))));
            }
        }
        for (callee, caller, segment) in found {
            functions[callee].sites.push((caller, segment));
        }
        Program { functions }
    }

    /// Calls that no known call site made.
    pub(super) fn calls_from_outside(&self, counts: &IdMap<ProgramFunctionId, FunctionCounts>) -> u128 {
        let of = |(id, function): (ProgramFunctionId, &Function<'_>)| {
            let sites = function.sites.iter();
            let made: u128 = sites.map(|&(caller, at)| u128::from(counts[caller].segments[at])).sum();
            u128::from(counts[id].entries).saturating_sub(made)
        };
        self.functions.iter().map(of).sum()
    }

    /// Functions, callers before what they call where there is no recursion.
    pub(super) fn callers_first(&self) -> Vec<ProgramFunctionId> {
        let mut graph = AdjacencyGraph::new(self.functions.len());
        for (callee, function) in self.functions.iter() {
            function.sites.iter().for_each(|&(caller, _)| graph.add_edge(callee, caller));
        }
        strongly_connected_components(&graph).members.iter().flatten().copied().collect()
    }
}

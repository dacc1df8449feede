//! Which functions does a program have, and which call sites of each are known?
//!
//! Functions of all modules get numbers of their own. A call of a defined function is
//! a known site, and so is one of a name that another module exports (the first of
//! that name, as the linker takes it). Calls through pointers and functions that
//! pointers may lead to are known by the type that they call and have: a [`Class`].
//!
//! Input: maps with observations. Output: [`Program`]. Cost: linear.

use std::collections::{BTreeMap, HashMap};

use opcost_index::{AdjacencyGraph, Id, IdMap, define_id, strongly_connected_components};
use opcost_key::{
    AddressHeld, Callee, EdgeId, EdgeKind, FunctionMap, Hash128, InstructionId, ModuleMap, PROGRAM_STARTS,
    SegmentId,
};

use super::options::SampledModule;
use crate::FunctionCounts;
use crate::observation::Observation;

define_id!(
    /// A function of the program.
    pub(super) struct ProgramFunctionId, "function of the program"
);

/// All functions of all modules, and who calls whom.
pub(super) struct Program<'a> {
    pub(super) functions: IdMap<ProgramFunctionId, Function<'a>>,
    /// Of each type that is called through pointers and that some function has.
    pub(super) classes: BTreeMap<Hash128, Class>,
}

/// Functions of one type, and the calls through pointers that call it.
#[derive(Default)]
pub(super) struct Class {
    /// Those that a pointer may lead to.
    pub(super) functions: Vec<ProgramFunctionId>,
    pub(super) sites: Vec<(ProgramFunctionId, SegmentId)>,
}

/// Who may call a function, apart from its known sites?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// Nobody: no pointer leads to it, and its name is its module's own.
    Nobody,
    /// Code of others that knows its name.
    ByName,
    /// Code of others that was given a pointer to it; and where nobody looked for
    /// pointers, any.
    ByPointer,
    /// The same, where only data has pointers to it: virtual tables, lists of functions.
    ByTable,
    /// Hardly anybody: threads begin in it, at known calls.
    Hardly,
    /// The one that starts the program, once for each start: `main`, constructors.
    AtStart,
}

pub(super) struct Function<'a> {
    pub(super) module: &'a ModuleMap,
    pub(super) map: &'a FunctionMap,
    pub(super) observed: &'a IdMap<SegmentId, Observation>,
    /// Where it is called directly.
    pub(super) sites: Vec<(ProgramFunctionId, SegmentId)>,
    pub(super) others: Others,
}

impl Function<'_> {
    /// The way in; none of a function without code.
    pub(super) fn enter(&self) -> Option<EdgeId> {
        self.map.edges.iter().find(|(_, edge)| edge.kind == EdgeKind::Enter).map(|(id, _)| id)
    }

    pub(super) fn is_observed(&self) -> bool {
        self.observed.values().any(|one| one.samples > 0)
    }
}

impl<'a> Program<'a> {
    pub(super) fn of(modules: &[SampledModule<'a>]) -> Self {
        let mut functions: IdMap<ProgramFunctionId, Function<'a>> = IdMap::new();
        let mut given: HashMap<&str, AddressHeld> = HashMap::new();
        for (name, address) in modules.iter().flat_map(|module| &module.map.addresses_taken) {
            let known = given.entry(name).or_insert(*address);
            if *address == AddressHeld::InCode {
                *known = AddressHeld::InCode;
            }
        }
        let first = first_function(modules);
        let mut exported: HashMap<&str, ProgramFunctionId> = HashMap::new();
        let mut starts = Vec::new();
        for module in modules {
            starts.push(functions.len());
            for (id, map) in module.map.functions.iter() {
                let observed = &module.observed.functions[id];
                let (sites, others) = (Vec::new(), others(map, &given, first));
                let own = functions.push(Function { module: module.map, map, observed, sites, others });
                if !map.is_local && !map.blocks.is_empty() {
                    exported.entry(&map.name).or_insert(own);
                }
            }
        }
        let (mut found, mut begun) = (Vec::new(), Vec::new());
        for (caller, function) in functions.iter() {
            let start = starts[starts.partition_point(|&start| start <= caller.index()) - 1];
            let of_this = |callee: &Callee| match callee {
                Callee::Defined(id) => Some(ProgramFunctionId::new(start + id.index())),
                Callee::Declared(name) => exported.get(name.as_str()).copied(),
                Callee::Memory(_) | Callee::Indirect | Callee::Assembly => None,
            };
            let mut add = |callee: ProgramFunctionId, at: InstructionId| {
                found.push((callee, caller, function.map.segment_of(at)));
            };
            for call in &function.map.calls {
                of_this(&call.callee).into_iter().for_each(|callee| add(callee, call.instruction));
            }
            let pointers = function.map.expected.pointers.iter();
            for (at, begins) in pointers.flat_map(|pointers| &pointers.threads) {
                if let Some(begins) = of_this(begins) {
                    add(begins, *at);
                    begun.push(begins);
                }
            }
        }
        for (callee, caller, segment) in found {
            functions[callee].sites.push((caller, segment));
        }
        for begins in begun {
            let others = &mut functions[begins].others;
            if *others == Others::ByTable {
                *others = Others::Hardly;
            }
        }
        let classes = classes(&functions);
        Program { functions, classes }
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

    /// Of each function, where it calls what was seen, or what leads to that in as many
    /// known calls as it takes.
    pub(super) fn calls_to_observed(&self) -> IdMap<ProgramFunctionId, Vec<SegmentId>> {
        let mut leads: IdMap<ProgramFunctionId, bool> =
            self.functions.values().map(Function::is_observed).collect();
        let mut open: Vec<ProgramFunctionId> =
            leads.iter().filter(|(_, leads)| **leads).map(|(id, _)| id).collect();
        let mut calls: IdMap<ProgramFunctionId, Vec<SegmentId>> =
            IdMap::filled(self.functions.len(), Vec::new());
        while let Some(callee) = open.pop() {
            for &(caller, segment) in &self.functions[callee].sites {
                calls[caller].push(segment);
                if !std::mem::replace(&mut leads[caller], true) {
                    open.push(caller);
                }
            }
        }
        calls
    }

    /// Functions that were entered for sure: those that were seen, and those that alone call
    /// one that was entered.
    pub(super) fn surely_entered(&self) -> IdMap<ProgramFunctionId, bool> {
        let mut entered: IdMap<ProgramFunctionId, bool> =
            self.functions.values().map(Function::is_observed).collect();
        let mut open: Vec<ProgramFunctionId> =
            entered.iter().filter(|(_, entered)| **entered).map(|(id, _)| id).collect();
        while let Some(callee) = open.pop() {
            let Function { sites, others, .. } = &self.functions[callee];
            let Some(&(caller, _)) = sites.first() else { continue };
            let is_only = sites.iter().all(|site| site.0 == caller);
            if is_only
                && matches!(others, Others::Nobody | Others::Hardly)
                && !std::mem::replace(&mut entered[caller], true)
            {
                open.push(caller);
            }
        }
        entered
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

/// Where the program begins: the likeliest of the names that it defines. C's `main` of a Fortran
/// program calls, or holds, what the others name.
fn first_function(modules: &[SampledModule<'_>]) -> Option<&'static str> {
    let defines = |name: &str| {
        let mut all = modules.iter().flat_map(|module| module.map.functions.values());
        all.any(|function| function.name == name && !function.blocks.is_empty())
    };
    PROGRAM_STARTS.into_iter().find(|name| defines(name))
}

/// Who may call it, given the names to which other modules may have pointers and where the program begins.
fn others(map: &FunctionMap, given: &HashMap<&str, AddressHeld>, first: Option<&str>) -> Others {
    if first == Some(&*map.name) {
        return Others::AtStart;
    }
    let Some(pointers) = &map.expected.pointers else { return Others::ByPointer };
    let given = given.get(map.name.as_str()).copied().filter(|_| !map.is_local);
    match (pointers.address, given.unwrap_or(AddressHeld::Nowhere)) {
        (AddressHeld::InCode, _) | (_, AddressHeld::InCode) => Others::ByPointer,
        (AddressHeld::AtStart, _) | (_, AddressHeld::AtStart) => Others::AtStart,
        (AddressHeld::InData, _) | (_, AddressHeld::InData) => Others::ByTable,
        (AddressHeld::Nowhere, AddressHeld::Nowhere) if map.is_local => Others::Nobody,
        (AddressHeld::Nowhere, AddressHeld::Nowhere) => Others::ByName,
    }
}

fn classes(functions: &IdMap<ProgramFunctionId, Function<'_>>) -> BTreeMap<Hash128, Class> {
    let mut classes: BTreeMap<Hash128, Class> = BTreeMap::new();
    for (id, function) in functions.iter() {
        let Some(pointers) = &function.map.expected.pointers else { continue };
        let is_pointed_to = matches!(function.others, Others::ByPointer | Others::ByTable | Others::Hardly);
        if is_pointed_to && function.enter().is_some() {
            classes.entry(pointers.signature).or_default().functions.push(id);
        }
        for &(call, signature) in &pointers.calls {
            classes.entry(signature).or_default().sites.push((id, function.map.segment_of(call)));
        }
    }
    classes.retain(|_, class| !class.functions.is_empty() && !class.sites.is_empty());
    classes
}

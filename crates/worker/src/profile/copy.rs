//! Copies of code in a module where clang's profile passes read, and the rest of the optimiser.
//!
//! The ledger's counts are laid on the module. Which calls are replaced follows from them ([`inline`](super::inline)),
//! and which joins get copies follows from them ([`opcost_copies`]).
//! How often each copy runs follows from the paths that the same run took, if these add up to all
//! branches of the function. They do not after `exit` or `longjmp`, since frames were left on their way, and some paths are
//! too many to be counted. The copies of such a function are *open*: the module with its copies is to be counted
//! again. A checker adds up again what was divided.
//!
//! [`copy`] writes the profile into the module as clang does it, and copies blocks; branches get exact counts.
//! [`finish`] runs the rest of clang's pipeline, after open functions got the counts of the second run.
//!
//! Input: a module, a ledger, a profile of clang's with the same counts, paths. Output: modules, and what was copied.
//! Cost: that of the optimiser.

use std::collections::{BTreeMap, BTreeSet};

use opcost_answer::tune::{
    CopiedBlock, CopiedFunction, CopiedModule, FinishedModule, LeftFunction, Transform,
};
use opcost_copies::{
    Body, BodyNode, BodyNodeId, CopiedBody, Joins, NodeCopy, Route, RouteCounts, SplitLimits, check_split,
    count_in_edges, count_routes, headers,
};
use opcost_index::{Id as _, IdMap};
use opcost_ir::{Function, Opcode};
use opcost_job::profile::{CopiedCode, CopyJob, FinishJob, FunctionPaths, TakenPath};
use opcost_key::{BlockId, EdgeId, EdgeKind, FunctionId, FunctionMap, Hash128, ModuleMap};
use opcost_llvm::{BlockCopy, Copyable, FunctionCopies, Maker};
use opcost_profile::formats::opc::load_ledger;
use opcost_recover::FunctionCounts;

use super::inline::{choose, replace};
use super::laid::{Laid, Laying, lay};
use super::unroll::{number, unrolled};
use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;

/// How often joins are looked for, where counts of copies are known.
const PASSES: usize = 2;
/// A join runs at least once for so many runs of its function's hottest block.
const COLDEST: u64 = 100;

/// Writes the module with its copies.
///
/// # Errors
/// The module, the ledger or the profile cannot be read, or LLVM says no.
pub(crate) fn copy(job: &CopyJob, modules: &mut Modules) -> Result<CopiedModule, WorkError> {
    let ledger = load_ledger(&job.ledger)?;
    let laying = Laying { root: &job.root, cost: &job.cost, is_alone: true };
    let mut laid = lay(&laying, &job.module, &ledger, modules)?;
    laid.weigh_branches(&job.open)?;
    let mut answers = CopiedModule::default();
    match &job.what {
        CopiedCode::Nothing => use_profile(job, &mut laid)?,
        CopiedCode::Calls => {
            let chosen = choose(&mut laid, emission(&job.code), job.executed)?;
            use_profile(job, &mut laid)?;
            replace(&mut laid, emission(&job.code), &chosen, &mut answers)?;
        }
        CopiedCode::Joins(paths) => copy_joins(job, paths, &mut laid, &mut answers)?,
    }
    laid.session.write(&job.output)?;
    Ok(answers)
}

/// Gives the module its profile, if it has none.
fn use_profile(job: &CopyJob, laid: &mut Laid) -> Result<(), WorkError> {
    match &job.profile {
        Some(profile) => Ok(laid.session.use_profile(profile)?),
        None => Ok(()),
    }
}

/// Copies hot joins of all functions.
fn copy_joins(
    job: &CopyJob,
    paths: &[FunctionPaths],
    laid: &mut Laid,
    answers: &mut CopiedModule,
) -> Result<(), WorkError> {
    let module = laid.session.snapshot();
    let paths = paths_by_function(paths);
    let mut all = Vec::new();
    for (id, counts) in laid.counted() {
        let (map, function) = (&laid.map.functions[id], &module.functions[id]);
        if counts.entries == 0 {
            continue;
        }
        let copyable = laid.session.copyable(id);
        let taken = paths.get(&(map.name.as_str(), map.shape)).map_or(&[][..], Vec::as_slice);
        match copies_of(&Flow { map, function, counts, copyable: &copyable }, taken) {
            Ok(None) => {}
            Ok(Some(split)) => {
                answers.functions.push(split.answer(&laid.map, map));
                all.push(split.edits(id));
            }
            Err(why) => {
                let transform = Transform::Split;
                answers.left.push(LeftFunction { transform, name: map.name.clone(), why: why.to_string() });
            }
        }
    }
    use_profile(job, laid)?;
    let positions = laid.session.copy_blocks(&all)?;
    for (function, positions) in answers.functions.iter_mut().zip(positions) {
        function.positions = positions;
    }
    Ok(())
}

/// Writes the optimised module.
///
/// # Errors
/// The module, the ledger or the profile cannot be read, or LLVM says no.
pub(crate) fn finish(job: &FinishJob, modules: &mut Modules) -> Result<FinishedModule, WorkError> {
    let how = emission(&job.code);
    let mut session = match &job.ledger {
        None => modules.module(&job.module.bitcode, Maker::FrontEnd)?,
        Some(ledger) => {
            let ledger = load_ledger(ledger)?;
            let laying = Laying { root: &job.root, cost: &job.cost, is_alone: true };
            let mut laid = lay(&laying, &job.module, &ledger, modules)?;
            laid.weigh_branches(&job.open)?;
            laid.session
        }
    };
    let (numbered, mut requests) = number(&mut session, &job.loops, job.executed)?;
    session.finish(how, job.level, &job.profile, &mut requests)?;
    session.write(&job.output)?;
    Ok(FinishedModule { loops: unrolled(&numbered, &requests) })
}

/// Why a function has no copies though it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum NoCopies {
    #[error("its branches were not counted")]
    NoBranches,
    #[error("a call in it can return twice (setjmp)")]
    Twice,
    #[error("it is a coroutine")]
    Coroutine,
    #[error("it has only assembly")]
    Naked,
    #[error("copies would not run as often as what they are copies of ({0}); this is a defect of opcost")]
    NotConserved(#[from] opcost_copies::NotConserved),
}

/// Of each function its paths, from all modules in which it has the same flow.
fn paths_by_function(paths: &[FunctionPaths]) -> BTreeMap<(&str, Hash128), Vec<&TakenPath>> {
    let mut all: BTreeMap<(&str, Hash128), Vec<&TakenPath>> = BTreeMap::new();
    for one in paths {
        all.entry((&one.name, one.shape)).or_default().extend(&one.paths);
    }
    all
}

/// A function with its counts.
struct Flow<'a> {
    map: &'a FunctionMap,
    function: &'a Function,
    counts: &'a FunctionCounts,
    copyable: &'a IdMap<BlockId, Copyable>,
}

/// A function's copies.
struct Split {
    copied: CopiedBody,
    blocks: usize,
    /// How often each block ran.
    before: RouteCounts,
    /// How often each block and each copy runs; none if it has to be counted.
    after: Option<RouteCounts>,
}

/// The copies of a function; none if nothing is worth one.
fn copies_of(flow: &Flow<'_>, taken: &[&TakenPath]) -> Result<Option<Split>, NoCopies> {
    let function = flow.function;
    if function.is_naked {
        return Err(NoCopies::Naked);
    }
    if function.is_coroutine {
        return Err(NoCopies::Coroutine);
    }
    if flow.map.edges.values().any(|edge| edge.kind == EdgeKind::Again) {
        return Err(NoCopies::Twice);
    }
    let body = body_of(flow);
    let before = counted(flow, &body).ok_or(NoCopies::NoBranches)?;
    let hottest = before.nodes.values().copied().max().unwrap_or(0);
    let limits = SplitLimits { executions: (hottest / COLDEST).max(100), ..SplitLimits::default() };
    let mut copied = CopiedBody::new(&body);
    let routes = exact_routes(flow, &body, taken, &before);
    let joins = Joins::new(&body, limits);
    let Some(routes) = routes else {
        joins.split(&mut copied, &before, None);
        let blocks = body.nodes.len();
        let is_any = !copied.copies.is_empty();
        return Ok(is_any.then_some(Split { copied, blocks, before, after: None }));
    };
    let counts = |copied: &CopiedBody| count_routes(copied, &routes).expect("routes fit the body");
    for _ in 0..PASSES {
        let so_far = counts(&copied);
        let in_edges = count_in_edges(&copied, &routes);
        if !joins.split(&mut copied, &so_far, Some(&in_edges)) {
            break;
        }
    }
    if copied.copies.is_empty() {
        return Ok(None);
    }
    let after = counts(&copied);
    check_split(&body, &before, &copied, &after)?;
    Ok(Some(Split { copied, blocks: body.nodes.len(), before, after: Some(after) }))
}

/// The counts of a body before there are copies. None where branches are not known.
fn counted(flow: &Flow<'_>, body: &Body) -> Option<RouteCounts> {
    let mut branches: IdMap<BodyNodeId, Vec<u64>> =
        body.nodes.values().map(|one| vec![0; one.successors.len()]).collect();
    for ((block, slot), count) in opcost_recover::branches(flow.map, flow.counts)? {
        *branches[node(block)].get_mut(slot as usize)? = count;
    }
    let nodes = flow.function.blocks.ids().map(|block| flow.counts.block(flow.map, block)).collect();
    Some(RouteCounts { nodes, branches })
}

/// The routes of a function if they add up to all its branches, and if each begins where it cannot begin in a copy.
fn exact_routes(
    flow: &Flow<'_>,
    body: &Body,
    taken: &[&TakenPath],
    before: &RouteCounts,
) -> Option<Vec<Route>> {
    let routes: Vec<Route> = taken.iter().map(|path| route_of(flow.map, path)).collect::<Option<_>>()?;
    let headers = headers(body);
    let is_safe = |route: &Route| route.start.index() == 0 || headers.contains(&route.start);
    let sums = count_routes(&CopiedBody::new(body), &routes)?;
    (routes.iter().all(is_safe) && sums == *before).then_some(routes)
}

fn node(block: BlockId) -> BodyNodeId {
    BodyNodeId::new(block.index())
}

fn body_of(flow: &Flow<'_>) -> Body {
    let one = |(id, block): (BlockId, &opcost_ir::Block)| {
        let instructions = block.instructions.clone().map(|at| opcost_key::InstructionId::new(at as usize));
        let opcodes = instructions.map(|id| flow.function.instructions[id].opcode);
        BodyNode {
            size: opcodes.filter(|&opcode| opcode != Opcode::Phi).count() as u32,
            can_copy: flow.copyable[id].can_copy,
            can_lead_elsewhere: flow.copyable[id].can_lead_elsewhere,
            successors: block.successors.iter().map(|&to| node(to)).collect(),
        }
    };
    Body { nodes: flow.function.blocks.iter().map(one).collect() }
}

/// A path as the branches that it takes. None if it has an edge that is not there.
fn route_of(map: &FunctionMap, path: &TakenPath) -> Option<Route> {
    let edges = path.edges.iter().map(|&edge| map.edges.get(EdgeId::new(edge as usize)));
    let edges: Vec<_> = edges.collect::<Option<_>>()?;
    let first = edges.first()?;
    // A path that does not begin at the entry begins after an edge at which paths are cut.
    let segment = if first.kind == EdgeKind::Enter { first.to } else { first.from };
    let branch = |edge: &&opcost_key::EdgeMap| match edge.kind {
        EdgeKind::Branch { slot, .. } => Some(slot),
        _ => None,
    };
    let branches = edges.iter().filter_map(branch).collect();
    Some(Route { start: node(map.segments[segment?].block), branches, count: path.count })
}

impl Split {
    fn answer(&self, module: &ModuleMap, map: &FunctionMap) -> CopiedFunction {
        let copy = |copy: &NodeCopy| CopiedBlock {
            block: copy.of.index() as u32,
            location: location_of(module, map, BlockId::new(copy.of.index())),
            from: copy.from.index() as u32,
            executions: self.after.as_ref().map(|after| after.nodes[copy.copy]),
            of: self.before.nodes[copy.of],
        };
        CopiedFunction {
            name: map.name.clone(),
            copies: self.copied.copies.iter().map(copy).collect(),
            executions: self.after.as_ref().map(|after| after.nodes.values().copied().collect()),
            blocks: self.blocks,
            positions: Vec::new(),
        }
    }

    fn edits(&self, function: FunctionId) -> FunctionCopies {
        // Without counts of its own a copy gets the share of its way in.
        let from_there = |copy: &NodeCopy| {
            let to = &self.copied.nodes[copy.from].successors;
            let taken = self.before.branches.get(copy.from).map_or(&[][..], Vec::as_slice);
            to.iter().zip(taken).filter(|(to, _)| **to == copy.copy).map(|(_, taken)| taken).sum()
        };
        let executions = |copy: &NodeCopy| match &self.after {
            Some(after) => after.nodes[copy.copy],
            None => from_there(copy),
        };
        let mut left = self.before.nodes.clone();
        let copy = |copy: &NodeCopy| {
            let of_both = left[copy.of];
            let executions = executions(copy).min(of_both);
            left[copy.of] -= executions;
            let [of, from] = [copy.of, copy.from].map(|node| node.index() as u32);
            BlockCopy { of, from, executions, of_both }
        };
        let copies = self.copied.copies.iter().map(copy).collect();
        let copied: BTreeSet<BodyNodeId> =
            self.copied.copies.iter().flat_map(|copy| [copy.of, copy.copy]).collect();
        let known = self
            .after
            .iter()
            .flat_map(|after| copied.iter().map(|&node| (node.index() as u32, after.branches[node].clone())));
        let branches = known.collect();
        FunctionCopies { function, copies, branches }
    }
}

/// The file and line of a block's first instruction that has one.
fn location_of(module: &ModuleMap, map: &FunctionMap, block: BlockId) -> Option<String> {
    let start = map.blocks[block].first_instruction.index();
    let end = map.blocks.get(BlockId::new(block.index() + 1));
    let end = end.map_or(map.instructions.len(), |next| next.first_instruction.index());
    let places = (start..end).filter_map(|at| map.instructions[opcost_key::InstructionId::new(at)].place);
    let place = places.map(|place| &module.places[place]).find(|place| place.line > 0)?;
    Some(format!("{}:{}", module.files[place.file], place.line))
}

//! Which joins of a counted module get copies, and how often does each copy run?
//!
//! How often a copy runs follows from the paths that the same run took, if these add up to all branches of the
//! function. They do not after `exit` or `longjmp`, since frames were left on their way, and some paths are too many
//! to be counted. The copies of such a function are *open*: the module with its copies is to be counted again.
//! A checker adds up again what was divided ([`check_split`]).
//!
//! Input: a counted module, paths, and of each block whether LLVM can copy it. Output: the copies, as they are
//! reported and as they are made, and why other functions have none. Cost: linear in branches and paths.

use std::collections::{BTreeMap, BTreeSet};

use opcost_answer::tune::{CopiedBlock, CopiedFunction, LeftFunction, Transform};
use opcost_index::{Id as _, IdMap};
use opcost_ir::{BlockCopy, Copyable, Function, FunctionCopies, Opcode};
use opcost_key::{BlockId, EdgeId, EdgeKind, FunctionId, FunctionMap, Hash128, ModuleMap};
use opcost_recover::FunctionCounts;

use super::{
    Body, BodyNode, BodyNodeId, CopiedBody, Joins, NodeCopy, NotConserved, Route, RouteCounts, SplitLimits,
    check_split, count_in_edges, count_routes, headers,
};
use crate::counted::ProfiledModule;
use crate::trained::{FunctionPaths, TakenPath};

/// How often joins are looked for, where counts of copies are known.
const PASSES: usize = 2;
/// A join runs at least once for so many runs of its function's hottest block.
const COLDEST: u64 = 100;

/// Copies of joins in a module.
#[derive(Clone, Debug, Default)]
pub struct SplitPlan {
    /// What is copied, as it is reported.
    pub functions: Vec<CopiedFunction>,
    /// The same, as it is done; in the same order.
    pub edits: Vec<FunctionCopies>,
    /// Functions that ran and get no copies, though some would pay.
    pub left: Vec<LeftFunction>,
}

/// Finds hot joins of all functions that ran. `copyable` says of each block of a function what can be done with it.
pub fn plan_copies(
    counted: ProfiledModule<'_>,
    paths: &[FunctionPaths],
    copyable: impl Fn(FunctionId) -> IdMap<BlockId, Copyable>,
) -> SplitPlan {
    let paths = paths_by_function(paths);
    let mut plan = SplitPlan::default();
    for (id, counts) in counted.functions().filter(|(_, counts)| counts.entries > 0) {
        let (map, function) = (&counted.map.functions[id], &counted.module.functions[id]);
        let copyable = copyable(id);
        let taken = paths.get(&(map.name.as_str(), map.shape)).map_or(&[][..], Vec::as_slice);
        match copies_of(&Flow { map, function, counts, copyable: &copyable }, taken) {
            Ok(None) => {}
            Ok(Some(split)) => {
                plan.functions.push(split.answer(counted.map, map));
                plan.edits.push(split.edits(id));
            }
            Err(why) => {
                let transform = Transform::Split;
                plan.left.push(LeftFunction { transform, name: map.name.clone(), why: why.to_string() });
            }
        }
    }
    plan
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
    NotConserved(#[from] NotConserved),
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

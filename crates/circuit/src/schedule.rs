//! In which cycle does each operation work?
//!
//! Blocks are scheduled one by one. Operations are taken by the length of what hangs on them, the
//! longest first (list scheduling), and each is put into the first cycle in which its operands are
//! there, a unit or port is free, and what is left of the period is enough; so short operations are
//! chained in one cycle. An innermost loop of several blocks is made one block (`merge.rs`) if each
//! iteration then takes no more cycles than the shortest way through its blocks did. A block that is its
//! own successor is tried as a pipeline first (`modulo.rs`). Two accesses share a port in one cycle if
//! it is proven that at most one of them works (`exclusive.rs`). Delays are those of declared widths, so the schedule knows nothing of claims, but where the
//! kernel has widths for delays.
//!
//! Input: a kernel, a target. Output: [`Schedule`], and the kernel with the merged loops and the
//! copies that pipelines need. Cost: operations times cycles.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{Loop, LoopForest};
use opcost_index::{Id, IdMap};
use opcost_key::BlockId;

use crate::bound;
use crate::copies::add_copies;
use crate::exclusive::are_exclusive;
use crate::kernel::{Action, Kernel, NodeId, Terminator};
use crate::merge::{merged, order, without_blocks};
use crate::modulo::{self, LoopWaits};
use crate::slots::{BlockSchedule, Pipeline, Schedule, Slot, StateLoop, StateReason};
use crate::target::Target;
use crate::waits::{Resource, Wait, earliest, heights, resource, slot_from, waits};

/// Schedules all blocks. With `pipelines`, loops are merged and copies are added to the kernel where pipelines
/// need them.
pub fn schedule(kernel: &mut Kernel, target: &Target, pipelines: bool) -> Schedule {
    let states = if pipelines { merge_loops(kernel, target) } else { Vec::new() };
    let mut all = Schedule { blocks: IdMap::new(), slots: IdMap::new(), states };
    for block in kernel.blocks.ids() {
        let pipelined = if pipelines { pipelined(kernel, target, block) } else { None };
        let (made, slots) = pipelined.unwrap_or_else(|| list(kernel, target, block));
        while all.slots.len() < kernel.nodes.len() {
            all.slots.push(None);
        }
        for &node in &kernel.blocks[block].nodes {
            all.slots[node] = slots.get(&node).copied();
        }
        all.blocks.push(made);
    }
    all
}

/// Makes one block of each innermost loop that does not become slower by that; the others.
fn merge_loops(kernel: &mut Kernel, target: &Target) -> Vec<StateLoop> {
    let forest = LoopForest::compute(kernel, &Dominators::compute(kernel, BlockId::new(0)));
    let is_innermost = |id| forest.loops.values().all(|other| other.parent != Some(id));
    let (mut states, mut gone) = (Vec::new(), BTreeSet::new());
    for (_, of) in forest.loops.iter().filter(|&(id, of)| of.members.len() > 1 && is_innermost(id)) {
        let path_cycles = path_cycles(kernel, target, of);
        let (shortest, longest) = path_cycles
            .map_or((None, None), |path_cycles| (Some(path_cycles.shortest), Some(path_cycles.longest)));
        match merged(kernel, of).map(|one| (cycles_of_iteration(&one, target, of.header), one)) {
            Ok((cycles, one)) if shortest.is_some_and(|shortest| cycles <= shortest) => {
                *kernel = one;
                gone.extend(of.members.iter().copied().filter(|&block| block != of.header));
            }
            Ok((cycles, _)) => {
                let reason = StateReason::Slower(cycles);
                states.push(StateLoop { block: of.header, reason, shortest, longest });
            }
            Err(reason) => states.push(StateLoop { block: of.header, reason, shortest, longest }),
        }
    }
    for one in &mut states {
        let before = gone.iter().filter(|&&block| block < one.block).count();
        one.block = BlockId::new(one.block.index() - before);
    }
    without_blocks(kernel, &gone);
    states
}

/// Cycles from one iteration of a loop of one block to the next.
fn cycles_of_iteration(kernel: &Kernel, target: &Target, block: BlockId) -> u32 {
    match pipelined(&mut kernel.clone(), target, block) {
        Some((BlockSchedule { pipeline: Some(pipeline), .. }, _)) => pipeline.interval,
        _ => list(kernel, target, block).0.length,
    }
}

/// Cycles of an iteration on the shortest and the longest way through a loop's blocks.
struct PathCycles {
    shortest: u32,
    longest: u32,
}

fn path_cycles(kernel: &Kernel, target: &Target, of: &Loop<BlockId>) -> Option<PathCycles> {
    let mut all: BTreeMap<BlockId, PathCycles> = BTreeMap::new();
    for block in order(kernel, of)? {
        let own = list(kernel, target, block).0.length;
        let before = |all: &BTreeMap<BlockId, PathCycles>| {
            let before = all.iter().filter(|&(&from, _)| {
                block != of.header && kernel.blocks[from].end.successors().contains(&block)
            });
            let path_cycles: Vec<(u32, u32)> =
                before.map(|(_, path_cycles)| (path_cycles.shortest, path_cycles.longest)).collect();
            let shortest = path_cycles.iter().map(|path| path.0).min().unwrap_or(0);
            (shortest, path_cycles.iter().map(|path| path.1).max().unwrap_or(0))
        };
        let (shortest, longest) = before(&all);
        all.insert(block, PathCycles { shortest: shortest + own, longest: longest + own });
    }
    let ends: Vec<&PathCycles> = of.latches().iter().filter_map(|latch| all.get(latch)).collect();
    let shortest = ends.iter().map(|path_cycles| path_cycles.shortest).min()?;
    Some(PathCycles { shortest, longest: ends.iter().map(|path_cycles| path_cycles.longest).max()? })
}

type Scheduled = (BlockSchedule, HashMap<NodeId, Slot>);

/// A pipeline, if the block is a loop of its own whose condition it computes itself.
fn pipelined(kernel: &mut Kernel, target: &Target, block: BlockId) -> Option<Scheduled> {
    let Terminator::Branch { condition, then, otherwise } = kernel.blocks[block].end else { return None };
    let loops = (then == block) != (otherwise == block);
    let condition = condition.node().filter(|&node| kernel.nodes[node].block == Some(block));
    let condition = condition.filter(|&node| !matches!(kernel.nodes[node].action, Action::Phi(_)))?;
    if !loops {
        return None;
    }
    let mut with_copies = kernel.clone();
    add_copies(&mut with_copies, block);
    let waits = waits(&with_copies, block, true);
    let list_length = list(kernel, target, block).0.length;
    let bounds = bound::bound(&with_copies, target, block, &waits, condition);
    let of = LoopWaits { block, waits: &waits, condition };
    let at = |interval| Some((interval, modulo::fit(&with_copies, target, &of, interval)?));
    let slots = (bounds.least..list_length).find_map(at);
    let (interval, slots) = slots?;
    *kernel = with_copies;
    let decided = slots[&condition].ready_cycle;
    let length = length_of(&slots);
    let pipeline = Pipeline { interval, bound: bounds.least, limited_by: bounds.limited_by, decided };
    Some((BlockSchedule { length, pipeline: Some(pipeline) }, slots))
}

fn length_of(slots: &HashMap<NodeId, Slot>) -> u32 {
    slots.values().map(|slot| slot.ready_cycle + 1).max().unwrap_or(1)
}

/// Schedules one pass through a block.
fn list(kernel: &Kernel, target: &Target, block: BlockId) -> Scheduled {
    let waits = waits(kernel, block, false);
    let is_phi = |node: &NodeId| matches!(kernel.nodes[*node].action, Action::Phi(_));
    let mut open: Vec<NodeId> =
        kernel.blocks[block].nodes.iter().copied().filter(|node| !is_phi(node)).collect();
    let heights = heights(kernel, target, &open, &waits);
    let mut slots: HashMap<NodeId, Slot> = HashMap::new();
    // Who works in each unit or port of a cycle.
    let mut busy: HashMap<(Resource, u32), Vec<Vec<NodeId>>> = HashMap::new();
    let mut before: HashMap<NodeId, Vec<Wait>> = HashMap::new();
    for wait in &waits {
        before.entry(wait.second).or_default().push(*wait);
    }
    while !open.is_empty() {
        let is_ready = |node: &NodeId| {
            before.get(node).is_none_or(|waits| waits.iter().all(|wait| slots.contains_key(&wait.first)))
        };
        let next = (0..open.len())
            .filter(|&position| is_ready(&open[position]))
            .max_by_key(|&position| (heights[&open[position]], std::cmp::Reverse(open[position])))
            .expect("operands come before their users");
        let node = open.remove(next);
        let mut time = 0;
        for wait in before.get(&node).into_iter().flatten() {
            time = time.max(earliest(target, slots[&wait.first], wait.kind));
        }
        let mut slot = slot_from(kernel, target, node, time);
        if let Some((resource, count)) = resource(kernel, target, node) {
            slot.unit = loop {
                let units = busy.entry((resource, slot.cycle)).or_default();
                let shares = |who: &Vec<NodeId>| who.iter().all(|&other| are_exclusive(kernel, node, other));
                let unit = units.iter().position(shares).unwrap_or(units.len());
                if unit < count as usize {
                    units.resize(units.len().max(unit + 1), Vec::new());
                    units[unit].push(node);
                    break unit as u32;
                }
                let next = u64::from(slot.cycle + 1) * u64::from(target.period);
                slot = slot_from(kernel, target, node, next);
            };
        }
        slots.insert(node, slot);
    }
    let length = length_of(&slots);
    (BlockSchedule { length, pipeline: None }, slots)
}

//! In which cycle does each operation work?
//!
//! Blocks are scheduled one by one. Operations are taken by the length of what hangs on them, the
//! longest first (list scheduling), and each is put into the first cycle in which its operands are
//! there, a unit or port is free, and what is left of the period is enough; so short operations are
//! chained in one cycle. A block that is its own successor is tried as a pipeline first
//! (`modulo.rs`). Delays are those of declared widths, so the schedule knows nothing of claims.
//!
//! Input: a kernel, a target. Output: [`Schedule`], and the kernel with the copies that pipelines
//! need. Cost: operations times cycles.

use std::collections::HashMap;

use opcost_index::IdMap;
use opcost_key::BlockId;

use crate::bound;
use crate::copies::add_copies;
use crate::kernel::{Action, Kernel, NodeId, Terminator};
use crate::modulo::{self, LoopWaits};
use crate::slots::{BlockSchedule, Pipeline, Schedule, Slot};
use crate::target::Target;
use crate::waits::{Resource, Wait, earliest, heights, resource, slot_from, waits};

/// Schedules all blocks; copies are added to the kernel where pipelines need them.
pub fn schedule(kernel: &mut Kernel, target: &Target, pipelines: bool) -> Schedule {
    let mut all = Schedule { blocks: IdMap::new(), slots: IdMap::new() };
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
    let mut busy: HashMap<(Resource, u32), u32> = HashMap::new();
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
            while busy.get(&(resource, slot.cycle)).copied().unwrap_or(0) >= count {
                let next = u64::from(slot.cycle + 1) * u64::from(target.period);
                slot = slot_from(kernel, target, node, next);
            }
            let used = busy.entry((resource, slot.cycle)).or_insert(0);
            slot.unit = *used;
            *used += 1;
        }
        slots.insert(node, slot);
    }
    let length = length_of(&slots);
    (BlockSchedule { length, pipeline: None }, slots)
}

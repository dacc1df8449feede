//! In which cycle does each operation work?
//!
//! Blocks are scheduled one by one. Operations are taken by the length of what hangs on them, the
//! longest first (list scheduling), and each is put into the first cycle in which its operands are
//! there, a unit or port is free, and what is left of the period is enough; so short operations are
//! chained in one cycle. A block that is its own successor is tried as a pipeline first
//! (`modulo.rs`). Delays are those of declared widths, so the schedule knows nothing of claims.
//!
//! Reads of memories give their element in the next cycle. An access that may meet an earlier write
//! of the same memory works a cycle later at least, and so does a write that may meet an earlier
//! read: nothing rests on what a memory gives that is read and written in one cycle.
//!
//! Input: a kernel, a target. Output: [`Schedule`], and the kernel with the copies that pipelines
//! need. Cost: operations times cycles.

use std::collections::HashMap;

use opcost_index::IdMap;
use opcost_key::BlockId;

use crate::alias::meeting;
use crate::bound;
use crate::kernel::{Action, Kernel, KernelNode, KernelOperand, NodeId, Terminator};
use crate::modulo;
use crate::target::{Target, Unit};

/// When everything happens.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// By block.
    pub blocks: IdMap<BlockId, BlockSchedule>,
    /// Of each node that is in a block.
    pub slots: IdMap<NodeId, Option<Slot>>,
}

/// When a node works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The cycle of its block, from 0.
    pub cycle: u32,
    /// Picoseconds after the clock at which it begins.
    pub begin: u32,
    /// The cycle in which its result is there: of a read the next one.
    pub ready_cycle: u32,
    /// Picoseconds after that clock at which it is there.
    pub ready: u32,
    /// Which unit or port of its kind it uses.
    pub unit: u32,
}

/// A block's cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSchedule {
    /// How many cycles; of a pipeline those of one iteration.
    pub length: u32,
    /// How iterations overlap, if they do.
    pub pipeline: Option<Pipeline>,
}

/// A loop of one block whose iterations overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Cycles from one iteration to the next.
    pub interval: u32,
    /// No schedule has fewer.
    pub bound: u32,
    /// What that comes from.
    pub limited_by: IntervalLimit,
    /// The cycle in which it is known whether another iteration follows.
    pub decided: u32,
}

/// Why iterations cannot follow each other faster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntervalLimit {
    /// Nothing: each cycle begins one.
    Nothing,
    /// What an iteration needs of an earlier one.
    Recurrence,
    /// Whether another iteration follows is known no earlier.
    Condition,
    /// The ports of this memory.
    Ports(String),
    /// Shared multipliers.
    Multipliers,
    /// Shared dividers.
    Dividers,
}

/// One operation must wait for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) first: NodeId,
    pub(crate) second: NodeId,
    pub(crate) kind: WaitKind,
    /// So many iterations later.
    pub(crate) distance: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitKind {
    /// The second uses the result of the first.
    Data,
    /// It works a cycle after it.
    Order,
}

/// Schedules all blocks; copies are added to the kernel where pipelines need them.
pub fn schedule(kernel: &mut Kernel, target: &Target, pipelines: bool) -> Schedule {
    let mut all = Schedule { blocks: IdMap::new(), slots: IdMap::new() };
    for block in kernel.blocks.ids() {
        let pipelined = if pipelines { pipelined(kernel, target, block) } else { None };
        let (made, slots) = pipelined.unwrap_or_else(|| list(kernel, target, block));
        while all.slots.len() < kernel.nodes.len() {
            all.slots.push(None);
        }
        for (node, slot) in slots {
            all.slots[node] = Some(slot);
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
    let slots = (bounds.least..list_length).find_map(|interval| {
        Some((interval, modulo::fit(&with_copies, target, block, &waits, interval, condition)?))
    });
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

/// What the pipeline of a block needs: each value that a phi takes from the iteration before is
/// computed in the block, and no phi is used behind the loop.
fn add_copies(kernel: &mut Kernel, block: BlockId) {
    let nodes = kernel.blocks[block].nodes.iter().copied();
    let phis: Vec<NodeId> =
        nodes.filter(|&node| matches!(kernel.nodes[node].action, Action::Phi(_))).collect();
    for &phi in &phis {
        let Action::Phi(blocks) = kernel.nodes[phi].action.clone() else { continue };
        for (position, _) in blocks.iter().enumerate().filter(|&(_, &from)| from == block) {
            let operand = kernel.nodes[phi].operands[position];
            let is_computed = operand.node().is_some_and(|node| {
                kernel.nodes[node].block == Some(block)
                    && !matches!(kernel.nodes[node].action, Action::Phi(_))
            });
            if !is_computed {
                let copy = add_copy(kernel, block, operand, phi);
                kernel.nodes[phi].operands[position] = KernelOperand::Node(copy);
            }
        }
    }
    for &phi in &phis {
        let is_phi = |operand: KernelOperand| operand == KernelOperand::Node(phi);
        let outside = |node: &KernelNode, position: usize| match &node.action {
            Action::Phi(blocks) if blocks[position] == block => node.block != Some(block),
            Action::Phi(_) => false,
            _ => node.block != Some(block),
        };
        let leaves = kernel.nodes.values().any(|node| {
            (0..node.operands.len())
                .any(|position| is_phi(node.operands[position]) && outside(node, position))
        }) || kernel
            .blocks
            .iter()
            .any(|(id, other)| id != block && other.end.operand().is_some_and(is_phi))
            || phi_elsewhere(kernel, phi, block);
        if !leaves {
            continue;
        }
        let copy = KernelOperand::Node(add_copy(kernel, block, KernelOperand::Node(phi), phi));
        for id in kernel.nodes.ids() {
            for position in 0..kernel.nodes[id].operands.len() {
                let node = &kernel.nodes[id];
                let from_elsewhere = matches!(&node.action, Action::Phi(blocks) if blocks[position] != block);
                if is_phi(node.operands[position]) && (outside(node, position) || from_elsewhere) {
                    kernel.nodes[id].operands[position] = copy;
                }
            }
        }
        for other in kernel.blocks.ids().filter(|&other| other != block) {
            match &mut kernel.blocks[other].end {
                Terminator::Branch { condition: operand, .. }
                | Terminator::Switch { on: operand, .. }
                | Terminator::Return(Some(operand))
                    if is_phi(*operand) =>
                {
                    *operand = copy;
                }
                _ => {}
            }
        }
    }
}

/// Whether a phi of the loop reaches another phi by way of a later block.
fn phi_elsewhere(kernel: &Kernel, phi: NodeId, block: BlockId) -> bool {
    kernel.nodes.values().any(|node| match &node.action {
        Action::Phi(blocks) => {
            let pairs = node.operands.iter().zip(blocks);
            pairs.into_iter().any(|(&operand, &from)| operand == KernelOperand::Node(phi) && from != block)
        }
        _ => false,
    })
}

fn add_copy(kernel: &mut Kernel, block: BlockId, operand: KernelOperand, of: NodeId) -> NodeId {
    let like = &kernel.nodes[of];
    let node = KernelNode {
        action: Action::Copy,
        operands: vec![operand],
        bits: like.bits,
        block: Some(block),
        name: like.name.clone(),
        place: like.place.clone(),
        origin: None,
    };
    let id = kernel.nodes.push(node);
    kernel.blocks[block].nodes.push(id);
    id
}

/// What must wait for what in a block; with `carried` also from one iteration to later ones.
pub(crate) fn waits(kernel: &Kernel, block: BlockId, carried: bool) -> Vec<Wait> {
    let mut all = Vec::new();
    let nodes = &kernel.blocks[block].nodes;
    let is_here =
        |operand: KernelOperand| operand.node().filter(|&node| kernel.nodes[node].block == Some(block));
    for &second in nodes {
        if matches!(kernel.nodes[second].action, Action::Phi(_)) {
            continue;
        }
        for first in kernel.nodes[second].operands.iter().filter_map(|&operand| is_here(operand)) {
            match &kernel.nodes[first].action {
                Action::Phi(blocks) => {
                    let back = blocks.iter().position(|&from| from == block).filter(|_| carried);
                    let from = back.and_then(|position| is_here(kernel.nodes[first].operands[position]));
                    let data = |first| Wait { first, second, kind: WaitKind::Data, distance: 1 };
                    all.extend(from.map(data));
                }
                _ => all.push(Wait { first, second, kind: WaitKind::Data, distance: 0 }),
            }
        }
    }
    let accesses: Vec<NodeId> =
        nodes.iter().copied().filter(|&node| access(kernel, node).is_some()).collect();
    for (position, &first) in accesses.iter().enumerate() {
        for (other, &second) in accesses.iter().enumerate() {
            let (Some((left, writes)), Some((right, also))) = (access(kernel, first), access(kernel, second))
            else {
                continue;
            };
            if left != right || !(writes || also) {
                continue;
            }
            let meeting = meeting(kernel, block, first, second);
            let order = |distance| Wait { first, second, kind: WaitKind::Order, distance };
            if position < other && meeting.here {
                all.push(order(0));
            }
            if let (true, Some(later)) = (carried, meeting.later) {
                all.push(order(later));
            }
        }
    }
    all
}

/// The memory that a node accesses, and whether it writes.
pub(crate) fn access(kernel: &Kernel, node: NodeId) -> Option<(crate::kernel::MemoryId, bool)> {
    match kernel.nodes[node].action {
        Action::Load(memory) => Some((memory, false)),
        Action::Store(memory) => Some((memory, true)),
        _ => None,
    }
}

/// Something of which there are only so many in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Resource {
    /// Reads of a memory.
    Reads(crate::kernel::MemoryId),
    /// Writes of it, or anything if it has one port.
    Writes(crate::kernel::MemoryId),
    /// A shared unit.
    Unit(Unit),
}

/// What a node uses, and how many of these there are.
pub(crate) fn resource(kernel: &Kernel, target: &Target, node: NodeId) -> Option<(Resource, u32)> {
    let is_one = target.resources.is_one_port();
    match access(kernel, node) {
        Some((memory, writes)) if writes || is_one => Some((Resource::Writes(memory), 1)),
        Some((memory, _)) => Some((Resource::Reads(memory), target.resources.reads())),
        None => target.unit(kernel, node).map(|unit| (Resource::Unit(unit), target.units(unit))),
    }
}

/// Whether an operation begins with the clock: what works in a shared unit, so that no unit feeds
/// another in one cycle.
pub(crate) fn begins_with_clock(kernel: &Kernel, target: &Target, node: NodeId) -> bool {
    target.unit(kernel, node).is_some()
}

/// The slot of a node that begins not before a time, in picoseconds from the block's first clock.
pub(crate) fn slot_from(kernel: &Kernel, target: &Target, node: NodeId, time: u64) -> Slot {
    let (period, delay) = (u64::from(target.period), target.delay(kernel, node));
    let (mut cycle, mut begin) = (time / period, (time % period) as u32);
    let must_wait = begins_with_clock(kernel, target, node) && begin > 0;
    if must_wait || begin + delay > target.period {
        (cycle, begin) = (cycle + 1, 0);
    }
    let cycle = cycle as u32;
    match kernel.nodes[node].action {
        Action::Load(_) => {
            let ready = target.memory.min(target.period);
            Slot { cycle, begin, ready_cycle: cycle + 1, ready, unit: 0 }
        }
        _ => Slot { cycle, begin, ready_cycle: cycle, ready: begin + delay, unit: 0 },
    }
}

/// Picoseconds from the block's first clock until a result is there.
pub(crate) fn ready_time(target: &Target, slot: Slot) -> u64 {
    u64::from(slot.ready_cycle) * u64::from(target.period) + u64::from(slot.ready)
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

/// When the second of two may begin at the earliest, in the same iteration.
pub(crate) fn earliest(target: &Target, first: Slot, kind: WaitKind) -> u64 {
    match kind {
        WaitKind::Data => ready_time(target, first),
        WaitKind::Order => u64::from(first.cycle + 1) * u64::from(target.period),
    }
}

/// The time from the beginning of each node to the end of what hangs on it, within one iteration.
pub(crate) fn heights(
    kernel: &Kernel,
    target: &Target,
    nodes: &[NodeId],
    waits: &[Wait],
) -> HashMap<NodeId, u64> {
    let mut behind: HashMap<NodeId, Vec<Wait>> = HashMap::new();
    for wait in waits.iter().filter(|wait| wait.distance == 0) {
        behind.entry(wait.first).or_default().push(*wait);
    }
    let mut heights: HashMap<NodeId, u64> = HashMap::new();
    // Nodes of a block are in an order in which users come last.
    for &node in nodes.iter().rev() {
        let least = least_time(kernel, target, node, WaitKind::Data);
        let mut height = least;
        for wait in behind.get(&node).into_iter().flatten() {
            let below = heights.get(&wait.second).copied().unwrap_or(0);
            height = height.max(least_time(kernel, target, node, wait.kind) + below);
        }
        heights.insert(node, height);
    }
    heights
}

/// The least time between the beginnings of a node and of one that waits for it.
pub(crate) fn least_time(kernel: &Kernel, target: &Target, node: NodeId, kind: WaitKind) -> u64 {
    match (kind, &kernel.nodes[node].action) {
        (WaitKind::Data, Action::Load(_)) => u64::from(target.memory.min(target.period)),
        (WaitKind::Data, _) => u64::from(target.delay(kernel, node)),
        // In the next cycle; the one may begin at its end, and the other at its start.
        (WaitKind::Order, _) => 0,
    }
}

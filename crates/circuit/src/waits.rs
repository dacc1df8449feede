//! What must wait for what, what has a unit or port to itself, and how long does it take?
//!
//! Reads of memories give their element in the next cycle. An access that may meet an earlier write
//! of the same memory works a cycle later at least, and so does a write that may meet an earlier
//! read: nothing rests on what a memory gives that is read and written in one cycle. Two accesses of
//! which at most one works in an iteration need not wait for each other in it.

use std::collections::HashMap;

use opcost_key::BlockId;

use crate::alias::meeting;
use crate::exclusive::are_exclusive;
use crate::kernel::{Action, Kernel, KernelOperand, MemoryId, NodeId};
use crate::slots::Slot;
use crate::target::{Target, Unit};

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
            if position < other && meeting.here && !are_exclusive(kernel, first, second) {
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
pub(crate) fn access(kernel: &Kernel, node: NodeId) -> Option<(MemoryId, bool)> {
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
    Reads(MemoryId),
    /// Writes of it, or anything if it has one port.
    Writes(MemoryId),
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

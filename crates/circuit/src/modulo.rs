//! How are the iterations of a loop laid over each other? Iterative modulo scheduling.
//!
//! For one interval: nodes are taken by height, the highest first; each is put into the first slot
//! that its predecessors allow, among as many cycles as the interval has. Where a port or unit is
//! taken, or a node that was placed before waits for this one, that one is taken out and placed
//! again, until nothing is open or patience is at its end (Rau, "Iterative Modulo Scheduling: An
//! Algorithm for Software Pipelining Loops", MICRO 1994). Chaining: begin times are picoseconds, and
//! an operation that does not fit into what is left of a cycle begins in the next.
//!
//! The condition must be known in the last cycle of the interval at the latest, so no iteration is
//! begun that does not belong to the loop.
//!
//! Input: a kernel with copies, waits of one block, an interval. Output: slots, or `None`. Cost:
//! a bounded number of placements.

use std::collections::HashMap;

use opcost_key::BlockId;

use crate::exclusive::are_exclusive;
use crate::kernel::{Action, Kernel, NodeId};
use crate::slots::Slot;
use crate::target::Target;
use crate::waits::{Resource, Wait, WaitKind, earliest, heights, ready_time, resource, slot_from};

/// Placements of each node, on average.
const PATIENCE: usize = 12;

/// A loop of one block, with what waits for what.
pub(crate) struct LoopWaits<'a> {
    pub(crate) block: BlockId,
    pub(crate) waits: &'a [Wait],
    /// What decides whether another iteration follows.
    pub(crate) condition: NodeId,
}

/// Slots of all nodes of a block, if iterations can follow at this interval.
pub(crate) fn fit(
    kernel: &Kernel,
    target: &Target,
    of: &LoopWaits<'_>,
    interval: u32,
) -> Option<HashMap<NodeId, Slot>> {
    let &LoopWaits { block, waits, condition } = of;
    let nodes = kernel.blocks[block].nodes.iter().copied();
    let nodes: Vec<NodeId> =
        nodes.filter(|&node| !matches!(kernel.nodes[node].action, Action::Phi(_))).collect();
    let heights = heights(kernel, target, &nodes, waits);
    // What decides comes first, then what is high.
    let decides = deciding(waits, condition);
    let rank: HashMap<NodeId, (bool, u64)> =
        nodes.iter().map(|&node| (node, (decides.contains(&node), heights[&node]))).collect();
    let mut placement = Placement {
        kernel,
        target,
        interval,
        before: by(waits, |wait| wait.second),
        behind: by(waits, |wait| wait.first),
        slots: HashMap::new(),
        busy: HashMap::new(),
        last: HashMap::new(),
    };
    let mut open = nodes.clone();
    for _ in 0..PATIENCE * nodes.len() {
        let Some(next) = (0..open.len())
            .max_by_key(|&position| (rank[&open[position]], std::cmp::Reverse(open[position])))
        else {
            return Some(placement.slots);
        };
        let node = open.swap_remove(next);
        open.extend(placement.put(node));
        if node == condition && placement.slots[&node].ready_cycle >= interval {
            return None;
        }
    }
    open.is_empty().then_some(placement.slots)
}

/// Nodes that the condition rests on in the same iteration.
fn deciding(waits: &[Wait], condition: NodeId) -> Vec<NodeId> {
    let mut all = vec![condition];
    let mut next = 0;
    while let Some(&second) = all.get(next) {
        for wait in waits.iter().filter(|wait| wait.distance == 0 && wait.second == second) {
            if !all.contains(&wait.first) {
                all.push(wait.first);
            }
        }
        next += 1;
    }
    all
}

fn by(waits: &[Wait], node: impl Fn(&Wait) -> NodeId) -> HashMap<NodeId, Vec<Wait>> {
    let mut all: HashMap<NodeId, Vec<Wait>> = HashMap::new();
    for wait in waits {
        all.entry(node(wait)).or_default().push(*wait);
    }
    all
}

struct Placement<'a> {
    kernel: &'a Kernel,
    target: &'a Target,
    interval: u32,
    before: HashMap<NodeId, Vec<Wait>>,
    behind: HashMap<NodeId, Vec<Wait>>,
    slots: HashMap<NodeId, Slot>,
    /// Who has a unit or port in a cycle of the interval.
    busy: HashMap<(Resource, u32, u32), Vec<NodeId>>,
    /// Where a node was placed before.
    last: HashMap<NodeId, u32>,
}

impl Placement<'_> {
    /// Places a node; those that had to go.
    fn put(&mut self, node: NodeId) -> Vec<NodeId> {
        let mut time = 0;
        for wait in self.before.get(&node).into_iter().flatten() {
            if let Some(&first) = self.slots.get(&wait.first) {
                time = time.max(self.begin_behind(first, wait));
            }
        }
        let earliest = slot_from(self.kernel, self.target, node, time);
        let mut slot = earliest;
        let resource = resource(self.kernel, self.target, node);
        let mut gone = Vec::new();
        if let Some((resource, count)) = resource {
            let free = (0..self.interval).find_map(|later| {
                let slot = if later == 0 { earliest } else { self.at_clock(node, earliest.cycle + later) };
                let mut units = (0..count.min(1 << 10)).map(|unit| Slot { unit, ..slot });
                units.find(|&slot| self.conflicts(node, slot, resource).is_empty())
            });
            slot = free.unwrap_or_else(|| match self.last.get(&node) {
                Some(&last) if last >= earliest.cycle => self.at_clock(node, last + 1),
                _ => earliest,
            });
            let location = (resource, slot.unit, slot.cycle % self.interval);
            for other in self.conflicts(node, slot, resource) {
                self.remove(other);
                gone.push(other);
            }
            self.busy.entry(location).or_default().push(node);
        }
        self.last.insert(node, slot.cycle);
        self.slots.insert(node, slot);
        for wait in self.behind.get(&node).cloned().into_iter().flatten() {
            let Some(&second) = self.slots.get(&wait.second) else { continue };
            let begin = u64::from(second.cycle) * u64::from(self.target.period) + u64::from(second.begin);
            if wait.second != node && begin < self.begin_behind(slot, &wait) {
                self.remove(wait.second);
                gone.push(wait.second);
            }
        }
        gone
    }

    /// Who has a unit or port to itself that a node would have in a cycle. Those of one iteration, and so
    /// of one cycle, share it if at most one of them works.
    fn conflicts(&self, node: NodeId, slot: Slot, resource: Resource) -> Vec<NodeId> {
        let shares = |other: NodeId| {
            self.slots.get(&other).is_some_and(|other| other.cycle == slot.cycle)
                && are_exclusive(self.kernel, node, other)
        };
        let who =
            self.busy.get(&(resource, slot.unit, slot.cycle % self.interval)).into_iter().flatten().copied();
        who.filter(|&other| !shares(other)).collect()
    }

    fn at_clock(&self, node: NodeId, cycle: u32) -> Slot {
        slot_from(self.kernel, self.target, node, u64::from(cycle) * u64::from(self.target.period))
    }

    fn remove(&mut self, node: NodeId) {
        self.slots.remove(&node);
        self.busy.values_mut().for_each(|who| who.retain(|&other| other != node));
    }

    /// When a node may begin at the earliest that waits for one in a slot.
    fn begin_behind(&self, first: Slot, wait: &Wait) -> u64 {
        let period = u64::from(self.target.period);
        let apart = u64::from(self.interval) * u64::from(wait.distance) * period;
        let time = match wait.kind {
            WaitKind::Data if wait.distance > 0 => {
                // Out of a register.
                debug_assert!(ready_time(self.target, first) <= u64::from(first.ready_cycle + 1) * period);
                u64::from(first.ready_cycle + 1) * period
            }
            kind => earliest(self.target, first, kind),
        };
        time.saturating_sub(apart)
    }
}

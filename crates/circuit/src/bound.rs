//! How often can a loop begin an iteration at best?
//!
//! No schedule has a smaller interval than each of these asks for: the accesses of a memory by its
//! ports, shared units, the time on a cycle of waits by the iterations that it spans (recurrences),
//! and the time until it is known whether another iteration follows. Waits are measured twice, in
//! picoseconds and in cycles; both are lower bounds.
//!
//! Source: Rau, "Iterative Modulo Scheduling" (1994). Cost: for each interval that is tried, nodes
//! times waits at most.

use std::collections::{BTreeMap, HashMap};

use opcost_key::BlockId;

use crate::exclusive::are_exclusive;
use crate::kernel::{Action, Kernel, NodeId};
use crate::slots::IntervalLimit;
use crate::target::{Target, Unit};
use crate::waits::{Resource, Wait, WaitKind, least_time, resource};

/// No interval is tried above this.
const MOST: u32 = 1 << 12;

/// The least interval, and what it comes from.
pub(crate) struct IntervalBound {
    pub(crate) least: u32,
    pub(crate) limited_by: IntervalLimit,
}

/// The bound of a loop of one block.
pub(crate) fn bound(
    kernel: &Kernel,
    target: &Target,
    block: BlockId,
    waits: &[Wait],
    condition: NodeId,
) -> IntervalBound {
    let mut bound = IntervalBound { least: 1, limited_by: IntervalLimit::Nothing };
    let mut raise = |least: u32, limited_by: IntervalLimit| {
        if least > bound.least {
            bound = IntervalBound { least, limited_by };
        }
    };
    // Of each resource those that cannot share it with any other of them.
    let mut uses: BTreeMap<Resource, (Vec<NodeId>, u32)> = BTreeMap::new();
    for &node in &kernel.blocks[block].nodes {
        if let Some((resource, count)) = resource(kernel, target, node) {
            let (users, _) = uses.entry(resource).or_insert((Vec::new(), count));
            if users.iter().all(|&other| !are_exclusive(kernel, node, other)) {
                users.push(node);
            }
        }
    }
    for (resource, (users, count)) in uses {
        let limit = match resource {
            Resource::Reads(memory) | Resource::Writes(memory) => {
                IntervalLimit::Ports(kernel.memories[memory].name.clone())
            }
            Resource::Unit(Unit::Multiplier) => IntervalLimit::Multipliers,
            Resource::Unit(Unit::Divider) => IntervalLimit::Dividers,
        };
        raise((users.len() as u32).div_ceil(count), limit);
    }
    let graph = Waits { kernel, target, waits };
    raise(graph.condition(&kernel.blocks[block].nodes, condition), IntervalLimit::Condition);
    raise(graph.recurrence(), IntervalLimit::Recurrence);
    bound
}

struct Waits<'a> {
    kernel: &'a Kernel,
    target: &'a Target,
    waits: &'a [Wait],
}

impl Waits<'_> {
    /// Picoseconds and cycles between the beginnings of the two nodes of a wait, at least, without
    /// what their iterations are apart.
    fn weights(&self, wait: &Wait) -> (i64, i64) {
        let time = least_time(self.kernel, self.target, wait.first, wait.kind) as i64;
        let is_read = matches!(self.kernel.nodes[wait.first].action, Action::Load(_));
        let cycles = match wait.kind {
            WaitKind::Order => 1,
            // What comes from an iteration before comes out of a register.
            WaitKind::Data => i64::from(is_read) + i64::from(wait.distance > 0),
        };
        (time, cycles)
    }

    /// The least interval at which no cycle of waits asks for more time than its iterations take.
    fn recurrence(&self) -> u32 {
        (1..MOST).find(|&interval| !self.is_too_long(interval)).unwrap_or(MOST)
    }

    fn is_too_long(&self, interval: u32) -> bool {
        let period = i64::from(self.target.period);
        let edges: Vec<(NodeId, NodeId, i64, i64)> = self
            .waits
            .iter()
            .map(|wait| {
                let (time, cycles) = self.weights(wait);
                let apart = i64::from(interval) * i64::from(wait.distance);
                (wait.first, wait.second, time - apart * period, cycles - apart)
            })
            .collect();
        let by_time = edges.iter().map(|&(first, second, time, _)| (first, second, time));
        let by_cycle = edges.iter().map(|&(first, second, _, cycles)| (first, second, cycles));
        has_positive_cycle(&by_time.collect::<Vec<_>>()) || has_positive_cycle(&by_cycle.collect::<Vec<_>>())
    }

    /// Cycles until the condition is known.
    fn condition(&self, nodes: &[NodeId], condition: NodeId) -> u32 {
        let mut begins: HashMap<NodeId, (i64, i64)> = HashMap::new();
        let mut before: HashMap<NodeId, Vec<&Wait>> = HashMap::new();
        for wait in self.waits.iter().filter(|wait| wait.distance == 0) {
            before.entry(wait.second).or_default().push(wait);
        }
        for &node in nodes {
            let (mut time, mut cycle) = (0, 0);
            for wait in before.get(&node).into_iter().flatten() {
                let (first, (more, cycles)) = (begins.get(&wait.first).copied(), self.weights(wait));
                let first = first.unwrap_or((0, 0));
                (time, cycle) = (time.max(first.0 + more), cycle.max(first.1 + cycles));
            }
            begins.insert(node, (time, cycle));
        }
        let (time, cycle) = begins.get(&condition).copied().unwrap_or((0, 0));
        let period = i64::from(self.target.period);
        let end = time + i64::from(self.target.delay(self.kernel, condition));
        let by_time = (end + period - 1) / period;
        u32::try_from(by_time.max(cycle + 1)).unwrap_or(MOST)
    }
}

/// Whether a cycle of edges has a sum above zero (Bellman and Ford, for longest ways).
fn has_positive_cycle(edges: &[(NodeId, NodeId, i64)]) -> bool {
    let mut far: HashMap<NodeId, i64> = HashMap::new();
    for &(first, second, _) in edges {
        far.insert(first, 0);
        far.insert(second, 0);
    }
    for _ in 0..=far.len() {
        let mut is_news = false;
        for &(first, second, weight) in edges {
            let way = far[&first] + weight;
            if way > far[&second] {
                far.insert(second, way);
                is_news = true;
            }
        }
        if !is_news {
            return false;
        }
    }
    true
}

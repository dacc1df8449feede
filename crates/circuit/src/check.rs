//! Is a schedule right? Each wait, each port and unit, each cycle, looked at one by one.
//!
//! This shares nothing with the scheduler but the list of nodes and the target's delays. Data comes
//! before its use, in time or by a register. Two accesses of a memory that may meet, of which one
//! writes, have a cycle between them, in one iteration and between iterations. What shares a unit is
//! never in it at once. A pipeline's interval is not below its bound, and its condition is known
//! within it.
//!
//! Meetings of accesses are found anew: two positions are told apart only where they are the same
//! index and different constants. The rest is taken to meet, but for the distances of a pipeline, for
//! which `alias.rs` is asked. Two accesses of one iteration may have one port in one cycle, and need not
//! wait for each other, only if their predicates are proven never to be one both.

use std::collections::BTreeMap;
use std::fmt;

use opcost_key::BlockId;

use crate::alias::meeting;
use crate::exclusive::are_exclusive;
use crate::kernel::{Action, Kernel, KernelOperand, NodeId, Terminator};
use crate::slots::{Schedule, Slot};
use crate::target::{Target, Unit};

/// What is wrong with a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The block.
    pub block: BlockId,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.block, self.what)
    }
}

/// Everything that is wrong.
pub fn check(kernel: &Kernel, target: &Target, schedule: &Schedule) -> Vec<Violation> {
    let mut wrong = Vec::new();
    for (block, _) in kernel.blocks.iter() {
        let checker = BlockChecker { kernel, target, schedule, block };
        let whats = checker.all();
        wrong.extend(whats.into_iter().map(|what| Violation { block, what }));
    }
    wrong
}

/// A port of a memory; where there is one for all it is that which writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MemoryUse {
    Read(u32),
    Write,
}

struct BlockChecker<'a> {
    kernel: &'a Kernel,
    target: &'a Target,
    schedule: &'a Schedule,
    block: BlockId,
}

impl BlockChecker<'_> {
    fn all(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let length = self.schedule.blocks[self.block].length;
        for &node in &self.kernel.blocks[self.block].nodes {
            if matches!(self.kernel.nodes[node].action, Action::Phi(_)) {
                continue;
            }
            let Some(slot) = self.slot(node) else {
                wrong.push(format!("{node} has no slot"));
                continue;
            };
            if slot.cycle >= length || slot.ready_cycle >= length {
                wrong.push(format!("{node} is not done in the {length} cycles of its block"));
            }
            if slot.begin + self.target.delay(self.kernel, node) > self.target.period {
                wrong.push(format!("{node} takes longer than what is left of its cycle"));
            }
            self.operands(node, slot, &mut wrong);
        }
        if wrong.is_empty() {
            self.accesses(&mut wrong);
            self.sharing(&mut wrong);
            self.condition(&mut wrong);
        }
        wrong
    }

    fn slot(&self, node: NodeId) -> Option<Slot> {
        self.schedule.slots[node]
    }

    fn interval(&self) -> Option<u32> {
        self.schedule.blocks[self.block].pipeline.as_ref().map(|pipeline| pipeline.interval)
    }

    fn operands(&self, node: NodeId, slot: Slot, wrong: &mut Vec<String>) {
        for &operand in &self.kernel.nodes[node].operands {
            let KernelOperand::Node(first) = operand else { continue };
            let of = &self.kernel.nodes[first];
            if of.block != Some(self.block) {
                continue;
            }
            if let Action::Phi(blocks) = &of.action {
                let (Some(interval), Some(back)) =
                    (self.interval(), blocks.iter().position(|&from| from == self.block))
                else {
                    continue;
                };
                match of.operands[back].node().and_then(|next| self.slot(next)) {
                    Some(next) if slot.cycle + interval > next.ready_cycle => {}
                    _ => {
                        wrong.push(format!("{node} uses {first} before the iteration before has computed it"))
                    }
                }
                continue;
            }
            let Some(before) = self.slot(first) else { continue };
            let is_there = (before.ready_cycle, before.ready) <= (slot.cycle, slot.begin)
                || before.ready_cycle < slot.cycle;
            if !is_there {
                wrong.push(format!("{node} uses {first} before it is there"));
            }
        }
    }

    fn accesses(&self, wrong: &mut Vec<String>) {
        let all: Vec<(NodeId, u32, bool, Slot)> = self.kernel.blocks[self.block]
            .nodes
            .iter()
            .filter_map(|&node| {
                use opcost_index::Id;
                let (memory, writes) = match self.kernel.nodes[node].action {
                    Action::Load(memory) => (memory, false),
                    Action::Store(memory) => (memory, true),
                    _ => return None,
                };
                Some((node, memory.index() as u32, writes, self.slot(node)?))
            })
            .collect();
        for (position, &(first, memory, writes, before)) in all.iter().enumerate() {
            for (other, &(second, same, also, behind)) in all.iter().enumerate() {
                if memory != same || !(writes || also) {
                    continue;
                }
                let can_meet =
                    !self.are_disjoint(first, second) && !are_exclusive(self.kernel, first, second);
                if position < other && can_meet && behind.cycle <= before.cycle {
                    wrong.push(format!("{second} does not wait for {first}, which it may meet"));
                }
                let later = meeting(self.kernel, self.block, first, second).later;
                if let (Some(interval), Some(later)) = (self.interval(), later)
                    && behind.cycle + interval * later <= before.cycle
                {
                    wrong.push(format!("{second} of a later iteration comes before {first}"));
                }
            }
        }
    }

    /// Whether two positions are one sum with different constants.
    fn are_disjoint(&self, first: NodeId, second: NodeId) -> bool {
        let parts = |node: NodeId| match self.kernel.nodes[node].operands[0] {
            KernelOperand::Constant { value, .. } => Some((None, value as i64)),
            KernelOperand::Node(position) => match &self.kernel.nodes[position].action {
                Action::Address { has_base, offset, factors } => {
                    let operands = self.kernel.nodes[position].operands.clone();
                    Some((Some((*has_base, factors.clone(), operands)), *offset))
                }
                _ => None,
            },
        };
        match (parts(first), parts(second)) {
            (Some((left, one)), Some((right, other))) if left == right => one != other,
            _ => !meeting(self.kernel, self.block, first, second).here,
        }
    }

    fn sharing(&self, wrong: &mut Vec<String>) {
        let interval = self.interval().unwrap_or(u32::MAX);
        let resources = self.target.resources;
        // By cycle: who has each port of a memory, and how many a shared unit.
        let mut ports: BTreeMap<(usize, MemoryUse, u32), Vec<NodeId>> = BTreeMap::new();
        let mut units: BTreeMap<(Unit, u32, u32), u32> = BTreeMap::new();
        for &node in &self.kernel.blocks[self.block].nodes {
            use opcost_index::Id;
            let Some(slot) = self.slot(node) else { continue };
            let cycle = slot.cycle % interval;
            let (memory, is_read) = match self.kernel.nodes[node].action {
                Action::Load(memory) => (memory, true),
                Action::Store(memory) => (memory, false),
                _ => {
                    if let Some(unit) = self.target.unit(self.kernel, node) {
                        *units.entry((unit, slot.unit, cycle)).or_insert(0) += 1;
                        if slot.begin != 0 || slot.unit >= self.target.units(unit) {
                            wrong.push(format!(
                                "{node} does not begin with the clock, or in a unit that is not there"
                            ));
                        }
                    }
                    continue;
                }
            };
            if is_read && slot.unit >= resources.reads() {
                wrong.push(format!("{node} reads by a port that is not there"));
            }
            let port = match is_read && !resources.is_one_port() {
                true => MemoryUse::Read(slot.unit),
                false => MemoryUse::Write,
            };
            let others = ports.entry((memory.index(), port, cycle)).or_default();
            let shares = |&other: &NodeId| {
                self.slot(other).is_some_and(|other| other.cycle == slot.cycle)
                    && are_exclusive(self.kernel, node, other)
            };
            if let Some(other) = others.iter().find(|other| !shares(other)) {
                wrong.push(format!("{node} has the port of a memory that {other} has in that cycle"));
            }
            others.push(node);
        }
        if units.values().any(|&count| count > 1) {
            wrong.push("too many uses of a unit in one cycle".to_owned());
        }
    }

    fn condition(&self, wrong: &mut Vec<String>) {
        let Some(pipeline) = &self.schedule.blocks[self.block].pipeline else { return };
        if pipeline.interval < pipeline.bound {
            wrong.push("the interval is below its bound".to_owned());
        }
        let Terminator::Branch { condition, .. } = self.kernel.blocks[self.block].end else {
            wrong.push("a pipeline does not end in a branch".to_owned());
            return;
        };
        let slot = condition.node().and_then(|node| self.slot(node));
        if slot
            .is_none_or(|slot| slot.ready_cycle >= pipeline.interval || slot.ready_cycle != pipeline.decided)
        {
            wrong.push("the condition is not known within the interval".to_owned());
        }
    }
}

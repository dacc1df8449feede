//! What is a value called where it is used, and how are bits of it written?

use opcost_index::Id;
use opcost_key::BlockId;

use super::names::View;
use super::{At, Writer};
use crate::kernel::{Action, NodeId};

impl Writer<'_> {
    /// The wire or register of a node where it is used.
    pub(super) fn net(&mut self, node: NodeId, at: At) -> String {
        let of = &self.kernel.nodes[node];
        let Some(block) = of.block else { return self.node_names[node.index()].clone() };
        let interval = self.schedule.blocks[block].pipeline.as_ref().map(|pipeline| pipeline.interval);
        let here = at.cycle.filter(|_| at.block == block);
        let copy = match (&of.action, here, interval) {
            (Action::Phi(_), Some(cycle), Some(interval)) => match self.carried(node) {
                Some(ready) if cycle > ready => (cycle - ready).div_ceil(interval),
                _ => 0,
            },
            (Action::Phi(_), ..) => 0,
            (_, Some(cycle), _) if self.ready(node) == cycle => return self.node_names[node.index()].clone(),
            (_, Some(cycle), Some(interval)) => (cycle - self.ready(node)).div_ceil(interval) - 1,
            _ => 0,
        };
        let copies = self.needed.entry(node).or_insert(0);
        *copies = (*copies).max(copy);
        self.register(node, copy)
    }

    /// The name of a node's register, or of the copy of an earlier iteration's.
    pub(super) fn register(&self, node: NodeId, copy: u32) -> String {
        let name = &self.node_names[node.index()];
        if copy == 0 { format!("{name}_R") } else { format!("{name}_R{copy}") }
    }

    /// The cycle in which a result is there.
    pub(super) fn ready(&self, node: NodeId) -> u32 {
        self.schedule.slots[node].expect("it is in a block").ready_cycle
    }

    /// The cycle in which a pipeline has what a phi takes from the iteration before.
    pub(super) fn carried(&self, phi: NodeId) -> Option<u32> {
        let of = &self.kernel.nodes[phi];
        let block = of.block?;
        self.schedule.blocks[block].pipeline.as_ref()?;
        let Action::Phi(blocks) = &of.action else { return None };
        let position = blocks.iter().position(|&from| from == block)?;
        Some(self.ready(of.operands[position].node()?))
    }

    /// A wire that is one in a cycle of a block, if the block works in it.
    pub(super) fn enable(&mut self, block: BlockId, cycle: u32) -> String {
        let state = self.states[block.index()];
        let Some(pipeline) = &self.schedule.blocks[block].pipeline else {
            return self.at_state(state + cycle);
        };
        let (interval, at) = (pipeline.interval, self.at_state(state));
        let name = format!("b{}_C{cycle}", block.index());
        if self.enables.insert(name.clone()) {
            let stages = self.schedule.blocks[block].length.div_ceil(interval);
            let valid = format!("b{}_VALID", block.index());
            let stage = if stages == 1 { valid } else { format!("{valid}[{}]", cycle / interval) };
            let phase = match interval {
                1 => String::new(),
                _ => format!(" & {}", self.phase_test(block, cycle % interval)),
            };
            self.declare(&name, 1, "");
            self.assignments.push(format!("  assign {name} = {at} & {stage}{phase};"));
        }
        name
    }

    /// A wire that is one in the phase of a cycle, also if no iteration is in that stage.
    pub(super) fn phase(&mut self, block: BlockId, cycle: u32) -> String {
        let at = self.at_state(self.states[block.index()]);
        let pipeline = self.schedule.blocks[block].pipeline.as_ref().expect("only pipelines have phases");
        match pipeline.interval {
            1 => at,
            interval => format!("{at} & {}", self.phase_test(block, cycle % interval)),
        }
    }

    fn phase_test(&self, block: BlockId, phase: u32) -> String {
        let pipeline = self.schedule.blocks[block].pipeline.as_ref().expect("only pipelines have phases");
        let bits = counter_bits(pipeline.interval);
        format!("(b{}_PHASE == {bits}'d{phase})", block.index())
    }

    /// A wire that is one in a state.
    pub(super) fn at_state(&mut self, state: u32) -> String {
        let name = format!("at_S{state}");
        if self.enables.insert(name.clone()) {
            self.declare(&name, 1, "");
            self.assignments.push(format!("  assign {name} = (state == {}'d{state});", self.state_bits));
        }
        name
    }

    /// All bits of a wire are used.
    pub(super) fn use_all(&mut self, name: &str) {
        self.used.insert(name.to_owned(), u128::MAX);
    }

    /// `bits` bits of a value from `low` on. Above its type it goes on with its sign or zeros.
    pub(super) fn field(&mut self, view: &View, low: u32, bits: u32, beyond_signed: bool) -> String {
        match view {
            View::Number { bits: declared, value } => {
                let above = beyond_signed && value >> (declared - 1) & 1 != 0;
                let all = if above { u128::MAX.checked_shl(*declared).unwrap_or(0) } else { 0 } | *value;
                let all = if low < 128 { all >> low } else { 0 };
                format!("{bits}'d{}", all & (u128::MAX >> (128 - bits)))
            }
            View::Net { name, bits: width, signed, declared } => {
                let (width, declared) = (*width, *declared);
                let own = width.saturating_sub(low).min(bits);
                let within = declared.max(width).saturating_sub(low).min(bits) - own;
                let beyond = bits - own - within;
                let sign = if width == 1 { name.clone() } else { format!("{name}[{}]", width - 1) };
                let repeats_within = *signed && width < declared;
                let repeats_beyond = beyond_signed && (*signed || width >= declared);
                let mut parts = Vec::new();
                let mut uses_sign = false;
                for (count, repeats) in [(beyond, repeats_beyond), (within, repeats_within)] {
                    match (count, repeats) {
                        (0, _) => {}
                        (_, true) => {
                            uses_sign = true;
                            parts.push(format!("{{{count}{{{sign}}}}}"));
                        }
                        (_, false) => parts.push(format!("{count}'d0")),
                    }
                }
                if own > 0 {
                    parts.push(match (own == width, own) {
                        (true, _) => name.clone(),
                        (false, 1) => format!("{name}[{low}]"),
                        (false, _) => format!("{name}[{}:{low}]", low + own - 1),
                    });
                }
                let mut looked = if own > 0 { (u128::MAX >> (128 - own)) << low } else { 0 };
                if uses_sign {
                    looked |= 1 << (width - 1);
                }
                *self.used.entry(name.clone()).or_insert(0) |= looked;
                if parts.len() == 1 { parts.remove(0) } else { format!("{{{}}}", parts.join(", ")) }
            }
        }
    }

    /// Wires of which not all bits are used.
    pub(super) fn unused(&self) -> Vec<String> {
        let all = self.widths.iter();
        all.filter(|&(name, &bits)| {
            let used = self.used.get(name).copied().unwrap_or(0);
            let is_ours = name.contains("_C") || name.starts_with("at_S") || name.starts_with("go_");
            !is_ours && used & (u128::MAX >> (128 - bits)) != u128::MAX >> (128 - bits)
        })
        .map(|(name, _)| name.clone())
        .collect()
    }
}

/// Bits of a counter of so many values.
pub(super) fn counter_bits(values: u32) -> u32 {
    (32 - (values - 1).leading_zeros()).max(1)
}

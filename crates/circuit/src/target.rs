//! How long does an operation take, and how many units are there?
//!
//! Delays are of one stage between registers, in picoseconds: a level of lookup tables with its wires, and
//! what a bit of carry adds. They are from declared widths, or from those that the kernel has for delays. They decide what is chained in one
//! cycle; what a placed circuit reaches is measured by synthesis. The numbers of `ice40` are those
//! of a small FPGA without multipliers of its own.

use crate::kernel::{Action, Kernel, KernelOperand, NodeId};

/// What circuits are made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The clock's period.
    pub period: u32,
    /// A level of logic with its wires.
    pub level: u32,
    /// What each bit of a carry adds.
    pub carry: u32,
    /// From the clock to what a memory gives.
    pub memory: u32,
    /// Units and ports.
    pub resources: Resources,
}

/// How many units work in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Multipliers that are shared; as many as there are multiplications where it is `None`.
    pub multipliers: Option<u32>,
    /// Dividers that are shared.
    pub dividers: u32,
    /// Accesses of each memory in one cycle: one is a port that reads or writes, and more are one
    /// that writes and the others read.
    pub memory_ports: u32,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources { multipliers: None, dividers: 1, memory_ports: 2 }
    }
}

impl Resources {
    /// Reads of one memory in a cycle.
    pub fn reads(self) -> u32 {
        self.memory_ports.saturating_sub(1).max(1)
    }

    /// Whether a read and a write exclude each other.
    pub fn is_one_port(self) -> bool {
        self.memory_ports == 1
    }
}

impl Target {
    /// A small FPGA at this period, in picoseconds.
    pub fn ice40(period: u32, resources: Resources) -> Target {
        Target { name: "ice40".to_owned(), period, level: 1300, carry: 126, memory: 2500, resources }
    }

    /// How long an operation takes; never longer than a cycle, in which it is alone then.
    pub fn delay(&self, kernel: &Kernel, node: NodeId) -> u32 {
        self.full_delay(kernel, node).min(self.period)
    }

    /// How long an operation takes, also if that is longer than a cycle.
    pub fn full_delay(&self, kernel: &Kernel, node: NodeId) -> u32 {
        let of = &kernel.nodes[node];
        let own = kernel.delay_bits(KernelOperand::Node(node));
        let widest = of.operands.iter().map(|&operand| kernel.delay_bits(operand)).chain([own]).max();
        let bits = widest.unwrap_or(1);
        let constant =
            |position: usize| matches!(of.operands.get(position), Some(KernelOperand::Constant { .. }));
        let add = self.level + self.carry * bits;
        match &of.action {
            Action::Input | Action::Phi(_) | Action::Extend { .. } | Action::Truncate | Action::Copy => 0,
            Action::Add | Action::Sub => add,
            Action::And | Action::Or | Action::Xor | Action::Select => self.level,
            Action::Compare(_) => add,
            Action::Extreme { .. } | Action::Absolute => add + self.level,
            Action::Shl | Action::LShr | Action::AShr if constant(1) => 0,
            Action::Shl | Action::LShr | Action::AShr => self.level * bits.next_power_of_two().ilog2().max(1),
            Action::Mul if constant(0) || constant(1) => 2 * add,
            Action::Mul => add + self.level * bits.next_power_of_two().ilog2().max(1),
            Action::Div { .. } | Action::Rem { .. } => add * bits,
            Action::Address { factors, has_base, offset } => {
                let terms = factors.len() + usize::from(*has_base) + usize::from(*offset != 0);
                add * terms.saturating_sub(1) as u32
                    + add * factors.iter().filter(|factor| factor.times.count_ones() != 1).count() as u32
            }
            Action::Load(_) | Action::Store(_) => self.level,
        }
    }

    /// Which kind of shared unit works for a node.
    pub fn unit(&self, kernel: &Kernel, node: NodeId) -> Option<Unit> {
        let of = &kernel.nodes[node];
        let constant = |operand: &KernelOperand| matches!(operand, KernelOperand::Constant { .. });
        match of.action {
            Action::Mul if self.resources.multipliers.is_some() && !of.operands.iter().any(constant) => {
                Some(Unit::Multiplier)
            }
            Action::Div { .. } | Action::Rem { .. } if !constant(&of.operands[1]) => Some(Unit::Divider),
            _ => None,
        }
    }

    /// How many of a kind there are.
    pub fn units(&self, unit: Unit) -> u32 {
        match unit {
            Unit::Multiplier => self.resources.multipliers.unwrap_or(u32::MAX),
            Unit::Divider => self.resources.dividers,
        }
    }
}

/// A kind of shared unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Multiplies.
    Multiplier,
    /// Divides.
    Divider,
}

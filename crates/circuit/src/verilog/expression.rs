//! What does an operation look like? Each operand as wide as the result, or as the comparison needs.
//!
//! Low bits of sums, products and logical operations come of low bits. Comparisons are made in as many
//! bits as hold both numbers exactly, with a sign bit if one of them has a sign; extending both with
//! their signs keeps the order of unsigned numbers too. Shifts to the right by constants are wiring.

use opcost_index::Id;
use opcost_ir::Predicate;

use super::names::View;
use super::{At, Writer};
use crate::kernel::{Action, Factor, KernelOperand, NodeId, number_width};
use crate::target::Unit;
use crate::widths::operand_width;

/// A value of so many bits in other bits.
struct Resizing {
    from: u32,
    signed: bool,
    to: u32,
}

impl Writer<'_> {
    /// The value of a node, as wide as its wire.
    pub(super) fn expression(&mut self, node: NodeId, at: At) -> String {
        if let Some(unit) = self.target.unit(self.kernel, node) {
            return self.of_unit(node, unit);
        }
        let of = &self.kernel.nodes[node];
        let bits = self.wires.nodes[node].bits;
        let action = of.action.clone();
        let operands = of.operands.clone();
        let views: Vec<View> = match action {
            Action::Load(_) => Vec::new(),
            _ => operands.iter().map(|&operand| self.view(operand, at)).collect(),
        };
        match action {
            Action::Add | Action::Sub | Action::And | Action::Or | Action::Xor => {
                let sign = match action {
                    Action::Add => '+',
                    Action::Sub => '-',
                    Action::And => '&',
                    Action::Or => '|',
                    _ => '^',
                };
                let (left, right) =
                    (self.field(&views[0], 0, bits, false), self.field(&views[1], 0, bits, false));
                format!("{left} {sign} {right}")
            }
            Action::Mul => {
                let (left, right) =
                    (self.field(&views[0], 0, bits, false), self.field(&views[1], 0, bits, false));
                let signed =
                    operands.iter().any(|&operand| operand_width(self.kernel, self.wires, operand).1);
                if signed {
                    format!("$signed({left}) * $signed({right})")
                } else {
                    format!("{left} * {right}")
                }
            }
            Action::Div { signed } => self.divided(node, &views, signed, '/'),
            Action::Rem { signed } => self.divided(node, &views, signed, '%'),
            Action::Shl => match operands[1] {
                KernelOperand::Constant { value, .. } => self.up(&views[0], value, bits),
                KernelOperand::Node(_) => {
                    let (left, by) = (self.field(&views[0], 0, bits, false), self.amount(node, &views[1]));
                    format!("{left} << {by}")
                }
            },
            Action::LShr | Action::AShr => {
                let signed = action == Action::AShr;
                match operands[1] {
                    KernelOperand::Constant { value, .. } => {
                        let by = value.min(128) as u32;
                        self.field(&views[0], by, bits, signed)
                    }
                    KernelOperand::Node(_) => self.down(node, &views, signed),
                }
            }
            Action::Compare(predicate) => self.compared(predicate, &operands, at),
            Action::Select => {
                let condition = self.field(&views[0], 0, 1, false);
                let (yes, no) =
                    (self.field(&views[1], 0, bits, false), self.field(&views[2], 0, bits, false));
                format!("{condition} ? {yes} : {no}")
            }
            Action::Extreme { signed, greatest } => {
                let predicate = match (signed, greatest) {
                    (true, true) => Predicate::Sgt,
                    (true, false) => Predicate::Slt,
                    (false, true) => Predicate::Ugt,
                    (false, false) => Predicate::Ult,
                };
                let condition = self.compared(predicate, &operands, at);
                let (yes, no) =
                    (self.field(&views[0], 0, bits, false), self.field(&views[1], 0, bits, false));
                format!("({condition}) ? {yes} : {no}")
            }
            Action::Absolute => {
                let last = self.kernel.bits(operands[0]) - 1;
                let sign = self.field(&views[0], last, 1, true);
                let value = self.field(&views[0], 0, bits, true);
                format!("{sign} ? ({bits}'d0 - {value}) : {value}")
            }
            Action::Extend { signed } => self.field(&views[0], 0, bits, signed),
            Action::Truncate | Action::Copy => self.field(&views[0], 0, bits, false),
            Action::Address { has_base, offset, factors } => {
                let (base, indices) = views.split_at(usize::from(has_base));
                let mut terms = self.terms(indices, &factors, bits);
                terms.splice(0..0, base.iter().map(|base| self.field(base, 0, bits, false)));
                let offset = offset as u64 & mask(bits);
                if offset != 0 || terms.is_empty() {
                    terms.push(format!("{bits}'d{offset}"));
                }
                terms.join(" + ")
            }
            Action::Load(memory) => self.loaded(node, memory, bits),
            Action::Input | Action::Phi(_) | Action::Store(_) => {
                unreachable!("inputs, phis and stores have no expression")
            }
        }
    }

    /// A value moved up by a constant.
    fn up(&mut self, view: &View, by: u128, bits: u32) -> String {
        match by {
            0 => self.field(view, 0, bits, true),
            _ if by >= u128::from(bits) => format!("{bits}'d0"),
            _ => {
                let by = by as u32;
                format!("{{{}, {by}'d0}}", self.field(view, 0, bits - by, true))
            }
        }
    }

    /// By how much is shifted: below the width of the type, or anything may come out.
    fn amount(&mut self, node: NodeId, by: &View) -> String {
        let most = self.kernel.nodes[node].bits.next_power_of_two().ilog2().max(1);
        let own = match by {
            View::Net { bits, .. } => *bits,
            View::Number { bits, .. } => *bits,
        };
        self.field(by, 0, most.min(own), false)
    }

    /// A value moved down by a value.
    fn down(&mut self, node: NodeId, views: &[View], signed: bool) -> String {
        let bits = self.wires.nodes[node].bits;
        let (width, has_sign) = operand_width(self.kernel, self.wires, self.kernel.nodes[node].operands[0]);
        let declared = self.kernel.nodes[node].bits;
        let is_full = width >= declared;
        // Zeros come in where the number has no sign.
        let full = if has_sign && !signed { declared } else { width };
        let from = self.field(&views[0], 0, full, false);
        let by = self.amount(node, &views[1]);
        let with_sign = signed && (has_sign || is_full);
        let moved = match with_sign {
            true => format!("$signed({from}) >>> {by}"),
            false => format!("{from} >> {by}"),
        };
        self.resized(node, &moved, Resizing { from: full, signed: with_sign, to: bits })
    }

    /// A quotient or rest without a shared unit.
    fn divided(&mut self, node: NodeId, views: &[View], signed: bool, sign: char) -> String {
        let bits = self.wires.nodes[node].bits;
        let width = self.divided_width(node);
        let (left, right) =
            (self.field(&views[0], 0, width, signed), self.field(&views[1], 0, width, signed));
        let value = format!("$signed({left}) {sign} $signed({right})");
        self.resized(node, &value, Resizing { from: width, signed: true, to: bits })
    }

    /// Bits in which both operands of a division, and what comes out, are numbers with a sign.
    pub(super) fn divided_width(&self, node: NodeId) -> u32 {
        let of = &self.kernel.nodes[node];
        let signed = matches!(of.action, Action::Div { signed: true } | Action::Rem { signed: true });
        let of_one = |operand: KernelOperand| {
            let declared = self.kernel.bits(operand);
            match operand_width(self.kernel, self.wires, operand) {
                (_, true) if !signed => declared + 1,
                (width, true) => width + 1,
                // All bits of the type: the highest is the sign, if there is one.
                (width, false) => width + 1,
            }
        };
        of.operands.iter().map(|&operand| of_one(operand)).max().unwrap_or(1)
    }

    /// A value of a wire of its own, in other bits.
    fn resized(&mut self, node: NodeId, value: &str, bits: Resizing) -> String {
        let Resizing { from, signed, to } = bits;
        if from == to {
            return value.to_owned();
        }
        let name = format!("{}_T", self.node_names[node.index()]);
        self.wire(&name, from, value, "the whole value, of which another wire takes what it carries");
        let view = View::Net { name, bits: from, signed, declared: from };
        self.field(&view, 0, to, signed)
    }

    /// Whether two values are in a relation.
    fn compared(&mut self, predicate: Predicate, operands: &[KernelOperand], at: At) -> String {
        let declared = operands.iter().filter_map(|operand| operand.node());
        let declared = declared.map(|node| self.kernel.nodes[node].bits).max().unwrap_or(128);
        let mut widest = 1;
        let mut signed = false;
        let mut is_full = false;
        for &operand in operands {
            let (width, has_sign) = match operand {
                KernelOperand::Constant { bits, value } => number_width(value, bits),
                node @ KernelOperand::Node(_) => operand_width(self.kernel, self.wires, node),
            };
            signed |= has_sign;
            is_full |= matches!(operand, KernelOperand::Node(_)) && width >= declared;
        }
        for &operand in operands {
            let (width, has_sign) = match operand {
                KernelOperand::Constant { bits, value } => number_width(value, bits),
                node @ KernelOperand::Node(_) => operand_width(self.kernel, self.wires, node),
            };
            widest = widest.max(width + u32::from(signed && !has_sign));
        }
        let width = if is_full { declared } else { widest.min(declared) };
        let views: Vec<View> = operands.iter().map(|&operand| self.view(operand, at)).collect();
        // Numbers without signs compare alike in both ways, unless their highest bit is the sign.
        let (left, right) = (self.field(&views[0], 0, width, true), self.field(&views[1], 0, width, true));
        let with_sign = (is_full || signed)
            && matches!(predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle);
        let sign = match predicate {
            Predicate::Eq => "==",
            Predicate::Ne => "!=",
            Predicate::Ugt | Predicate::Sgt => ">",
            Predicate::Uge | Predicate::Sge => ">=",
            Predicate::Ult | Predicate::Slt => "<",
            _ => "<=",
        };
        match with_sign {
            true => format!("$signed({left}) {sign} $signed({right})"),
            false => format!("{left} {sign} {right}"),
        }
    }

    /// Indices times their factors.
    fn terms(&mut self, indices: &[View], factors: &[Factor], bits: u32) -> Vec<String> {
        let mut terms = Vec::new();
        for (factor, view) in factors.iter().zip(indices) {
            let times = factor.times as u64 & mask(bits);
            if times.is_power_of_two() {
                let by = times.trailing_zeros();
                let part = self.field(view, factor.shift, bits - by, true);
                terms.push(if by == 0 { part } else { format!("{{{part}, {by}'d0}}") });
            } else if times != 0 {
                let part = self.field(view, factor.shift, bits, true);
                terms.push(format!("({part} * {bits}'d{times})"));
            }
        }
        terms
    }

    /// What a shared unit gives for a node.
    fn of_unit(&mut self, node: NodeId, unit: Unit) -> String {
        let bits = self.wires.nodes[node].bits;
        let slot = self.schedule.slots[node].expect("it is in a block");
        let name = self.unit_output(node, unit, slot.unit);
        let width = self.unit_width(unit, slot.unit);
        let view = View::Net { name, bits: width, signed: true, declared: width };
        self.field(&view, 0, bits, true)
    }

    /// Declares a wire and gives it a value.
    pub(super) fn wire(&mut self, name: &str, bits: u32, value: &str, why: &str) {
        self.declare(name, bits, &format!("// {}", why.replace(['\n', '\r'], " ")));
        self.assignments.push(format!("  assign {name} = {value};"));
    }
}

/// All bits of a number of so many.
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.min(64))
}

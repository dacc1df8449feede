//! How do operations share a multiplier or divider?
//!
//! A unit is as wide as the widest operation that works in it. Its operands are chosen by the cycle;
//! all that works in a unit begins with the clock, so what a unit gives never feeds a unit in the same
//! cycle.

use std::collections::BTreeMap;

use super::{At, Writer, Writing};
use crate::kernel::{Action, NodeId};
use crate::target::Unit;
use crate::widths::operand_width;

/// Why a unit has its bits.
const WIDEST: &str = "as wide as the widest that works here";

impl Writer<'_> {
    /// Nodes by the unit that they work in.
    fn members(&self) -> BTreeMap<(Unit, u32), Vec<NodeId>> {
        let mut all: BTreeMap<(Unit, u32), Vec<NodeId>> = BTreeMap::new();
        for node in self.kernel.nodes.ids() {
            if let (Some(unit), Some(slot)) = (self.target.unit(self.kernel, node), self.schedule.slots[node])
            {
                all.entry((unit, slot.unit)).or_default().push(node);
            }
        }
        all
    }

    /// What of a unit a node takes.
    pub(super) fn unit_output(&self, node: NodeId, unit: Unit, number: u32) -> String {
        match (unit, &self.kernel.nodes[node].action) {
            (Unit::Multiplier, _) => format!("multiplier_U{number}_Y"),
            (Unit::Divider, Action::Div { .. }) => format!("divider_U{number}_Q"),
            (Unit::Divider, _) => format!("divider_U{number}_R"),
        }
    }

    /// Bits that a unit gives.
    pub(super) fn unit_width(&self, unit: Unit, number: u32) -> u32 {
        let members = self.members().remove(&(unit, number)).unwrap_or_default();
        let of_one = |node: &NodeId| match unit {
            Unit::Multiplier => self.wires.nodes[*node].bits,
            Unit::Divider => self.divided_width(*node),
        };
        members.iter().map(of_one).max().unwrap_or(1)
    }

    /// Bits of one operand of a multiplier: as many as the product has, or all with a sign.
    fn factor_width(&self, members: &[NodeId], position: usize) -> u32 {
        let of_one = |node: &NodeId| {
            let operand = self.kernel.nodes[*node].operands[position];
            let (width, signed) = operand_width(self.kernel, self.wires, operand);
            (width + u32::from(!signed)).min(self.wires.nodes[*node].bits)
        };
        members.iter().map(of_one).max().unwrap_or(1)
    }

    /// Writes all units.
    pub(super) fn units(&mut self) {
        for ((unit, number), members) in self.members() {
            let width = self.unit_width(unit, number);
            let mut inputs = Vec::new();
            for position in 0..2 {
                let bits = match unit {
                    Unit::Multiplier => self.factor_width(&members, position),
                    Unit::Divider => width,
                };
                let kind = if unit == Unit::Multiplier { "multiplier" } else { "divider" };
                let name = format!("{kind}_U{number}_{}", if position == 0 { 'A' } else { 'B' });
                self.unit_input(&name, &members, position, bits);
                inputs.push((name, bits));
            }
            let extended: Vec<String> = inputs
                .iter()
                .map(|(name, bits)| {
                    let view = super::names::View::Net {
                        name: name.clone(),
                        bits: *bits,
                        signed: true,
                        declared: *bits,
                    };
                    format!("$signed({})", self.field(&view, 0, width, true))
                })
                .collect();
            let (left, right) = (&extended[0], &extended[1]);
            match unit {
                Unit::Multiplier => {
                    self.wire(
                        &format!("multiplier_U{number}_Y"),
                        width,
                        &format!("{left} * {right}"),
                        WIDEST,
                    );
                }
                Unit::Divider => {
                    let is_div =
                        |node: &NodeId| matches!(self.kernel.nodes[*node].action, Action::Div { .. });
                    if members.iter().any(is_div) {
                        self.wire(
                            &format!("divider_U{number}_Q"),
                            width,
                            &format!("{left} / {right}"),
                            WIDEST,
                        );
                    }
                    if !members.iter().all(is_div) {
                        self.wire(
                            &format!("divider_U{number}_R"),
                            width,
                            &format!("{left} % {right}"),
                            WIDEST,
                        );
                    }
                }
            }
        }
    }

    /// One operand of a unit, chosen by the cycle.
    fn unit_input(&mut self, name: &str, members: &[NodeId], position: usize, bits: u32) {
        let mut list = Vec::new();
        for &node in members {
            let of = &self.kernel.nodes[node];
            let (operand, block) = (of.operands[position], of.block.expect("it is in a block"));
            let signed = matches!(
                of.action,
                Action::Mul | Action::Div { signed: true } | Action::Rem { signed: true }
            );
            let cycle = self.ready(node);
            let view = self.view(operand, At { block, cycle: Some(cycle) });
            let value = self.field(&view, 0, bits, signed);
            list.push(Writing { enable: self.enable(block, cycle), value });
        }
        let value = chosen(&list, bits);
        self.wire(name, bits, &value, WIDEST);
    }
}

/// The value whose wire is one; anything if none is.
pub(super) fn chosen(list: &[Writing], bits: u32) -> String {
    match list {
        [] => format!("{bits}'d0"),
        [one] => one.value.clone(),
        [one, other] => format!("{} ? ({}) : ({})", one.enable, one.value, other.value),
        _ => {
            let part = |one: &Writing| match bits {
                1 => format!("({} & ({}))", one.enable, one.value),
                _ => format!("({{{bits}{{{}}}}} & ({}))", one.enable, one.value),
            };
            list.iter().map(part).collect::<Vec<_>>().join(" | ")
        }
    }
}

//! Can two accesses both work in one iteration?
//!
//! An access with a predicate works if the predicate is one. Predicates are made of comparisons by
//! `and`, `or` and `not`. All values of these comparisons are tried: if both predicates are one in none
//! of them, at most one of the accesses works. A number equals at most one of two different constants.
//! Everything else may be, so what is called exclusive is so whatever the program computes.
//!
//! Input: a kernel, two nodes of one block. Output: whether it is proven. Cost: 2 to the number of
//! comparisons, of which there are at most [`MOST_ATOMS`]; with more of them nothing is proven.

use std::collections::HashMap;

use opcost_ir::Predicate;

use crate::kernel::{Action, Kernel, KernelOperand, NodeId};

/// No more comparisons are tried.
const MOST_ATOMS: usize = 8;

/// Whether at most one of two accesses works in any iteration.
pub(crate) fn are_exclusive(kernel: &Kernel, first: NodeId, second: NodeId) -> bool {
    let (Some(left), Some(right)) = (kernel.predicate(first), kernel.predicate(second)) else {
        return false;
    };
    let mut atoms = Vec::new();
    if !collect(kernel, left, &mut atoms) || !collect(kernel, right, &mut atoms) {
        return false;
    }
    (0..1u32 << atoms.len()).all(|bits| {
        let mut values: HashMap<NodeId, bool> =
            atoms.iter().enumerate().map(|(place, &atom)| (atom, bits >> place & 1 != 0)).collect();
        contradicts(kernel, &values)
            || !(value(kernel, left, &mut values) && value(kernel, right, &mut values))
    })
}

/// What a predicate is made of; whether it is little enough.
fn collect(kernel: &Kernel, operand: KernelOperand, atoms: &mut Vec<NodeId>) -> bool {
    let mut seen = Vec::new();
    let mut open: Vec<NodeId> = operand.node().into_iter().collect();
    while let Some(node) = open.pop() {
        if seen.contains(&node) {
            continue;
        }
        seen.push(node);
        if is_joined(kernel, node) {
            open.extend(kernel.nodes[node].operands.iter().filter_map(|operand| operand.node()));
        } else if !atoms.contains(&node) {
            atoms.push(node);
        }
    }
    atoms.len() <= MOST_ATOMS
}

/// Whether a node joins other bits.
fn is_joined(kernel: &Kernel, node: NodeId) -> bool {
    let of = &kernel.nodes[node];
    of.bits == 1 && matches!(of.action, Action::And | Action::Or | Action::Xor)
}

fn value(kernel: &Kernel, operand: KernelOperand, values: &mut HashMap<NodeId, bool>) -> bool {
    let node = match operand {
        KernelOperand::Constant { value, .. } => return value & 1 != 0,
        KernelOperand::Node(node) => node,
    };
    if let Some(&value) = values.get(&node) {
        return value;
    }
    let of = &kernel.nodes[node];
    let (left, right) = (value(kernel, of.operands[0], values), value(kernel, of.operands[1], values));
    let result = match of.action {
        Action::And => left && right,
        Action::Or => left || right,
        _ => left != right,
    };
    values.insert(node, result);
    result
}

/// Whether a number would equal two constants.
fn contradicts(kernel: &Kernel, values: &HashMap<NodeId, bool>) -> bool {
    let mut equal: Vec<(KernelOperand, KernelOperand)> = Vec::new();
    for (&node, _) in values.iter().filter(|&(_, &is_one)| is_one) {
        let of = &kernel.nodes[node];
        if let (Action::Compare(Predicate::Eq), &[number, constant @ KernelOperand::Constant { .. }]) =
            (&of.action, &of.operands[..])
        {
            if equal.iter().any(|&(other, held)| other == number && held != constant) {
                return true;
            }
            equal.push((number, constant));
        }
    }
    false
}

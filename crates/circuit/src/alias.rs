//! Which accesses of a memory may meet, in one iteration or in different ones?
//!
//! Two positions that are made of the same indices and differ by a constant are apart. If the indices
//! are counters of the loop that move by constants, or do not change in it, it is known in how many
//! iterations one access comes to where another was. Everything else may meet. Positions are those
//! that a program that does nothing undefined has: within their memory, so they do not wrap.
//!
//! Input: a kernel, two of its accesses. Output: [`Meeting`]. Cost: terms of both positions.

use std::collections::BTreeMap;

use opcost_key::BlockId;

use crate::kernel::{Action, Kernel, KernelOperand, NodeId, signed};

/// When two accesses, of which the second may be in a later iteration, may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// In the same iteration.
    pub(crate) here: bool,
    /// In how many iterations at the earliest; `None` if never.
    pub(crate) later: Option<u32>,
}

const ALWAYS: Meeting = Meeting { here: true, later: Some(1) };

/// A number of terms, and a constant. A term is a node, without so many of its low bits, times a factor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    terms: BTreeMap<(NodeId, u32), i128>,
    constant: i128,
}

/// When the position of `second` may be that of `first`, both accesses in `block`.
pub(crate) fn meeting(kernel: &Kernel, block: BlockId, first: NodeId, second: NodeId) -> Meeting {
    let of = |node: NodeId| sum(kernel, kernel.nodes[node].operands[0], 1, 16);
    let (Some(left), Some(right)) = (of(first), of(second)) else { return ALWAYS };
    if left.terms != right.terms {
        return ALWAYS;
    }
    // By how much the position moves in each iteration.
    let mut step = 0i128;
    for (&(node, shift), &times) in &left.terms {
        match moves(kernel, block, node).filter(|&by| shift == 0 || by == 0) {
            Some(by) => step += by * times,
            None => return Meeting { here: left.constant == right.constant, later: Some(1) },
        }
    }
    let apart = left.constant - right.constant;
    let later = match step {
        0 => (apart == 0).then_some(1),
        _ if apart % step == 0 => u32::try_from(apart / step).ok().filter(|&later| later > 0),
        _ => None,
    };
    Meeting { here: apart == 0, later }
}

/// By how much a value grows from one iteration of a block to the next; `None` if nobody knows.
fn moves(kernel: &Kernel, block: BlockId, node: NodeId) -> Option<i128> {
    let of = &kernel.nodes[node];
    if of.block != Some(block) {
        return Some(0);
    }
    let Action::Phi(blocks) = &of.action else { return None };
    let position = blocks.iter().position(|&from| from == block)?;
    let next = sum(kernel, of.operands[position], 1, 16)?;
    (next.terms == BTreeMap::from([((node, 0), 1)])).then_some(next.constant)
}

/// What a number is made of, times a factor. Sums are taken apart only where they do not wrap below
/// 64 bits, or where the number is a position.
fn sum(kernel: &Kernel, operand: KernelOperand, times: i128, depth: u32) -> Option<Sum> {
    let node = match operand {
        KernelOperand::Constant { bits, value } => {
            return Some(Sum { terms: BTreeMap::new(), constant: signed(value, bits).checked_mul(times)? });
        }
        KernelOperand::Node(node) => node,
    };
    let of = &kernel.nodes[node];
    let mut all = Sum::default();
    let mut add = |part: Sum| -> Option<()> {
        all.constant = all.constant.checked_add(part.constant)?;
        for (node, times) in part.terms {
            let entry = all.terms.entry(node).or_insert(0);
            *entry = entry.checked_add(times)?;
        }
        Some(())
    };
    match &of.action {
        Action::Address { has_base, offset, factors } if depth > 0 => {
            add(Sum { terms: BTreeMap::new(), constant: i128::from(*offset).checked_mul(times)? })?;
            if *has_base {
                add(sum(kernel, of.operands[0], times, depth - 1)?)?;
            }
            for (factor, &index) in factors.iter().zip(&of.operands[usize::from(*has_base)..]) {
                let times = i128::from(factor.times).checked_mul(times)?;
                let part = match factor.shift {
                    0 if kernel.bits(index) == 64 => sum(kernel, index, times, depth - 1)?,
                    shift => term(index, shift, times)?,
                };
                add(part)?;
            }
        }
        Action::Add if of.bits == 64 && depth > 0 => {
            add(sum(kernel, of.operands[0], times, depth - 1)?)?;
            add(sum(kernel, of.operands[1], times, depth - 1)?)?;
        }
        _ => add(term(operand, 0, times)?)?,
    }
    all.terms.retain(|_, times| *times != 0);
    Some(all)
}

/// A node that is not taken apart, times a factor.
fn term(operand: KernelOperand, shift: u32, times: i128) -> Option<Sum> {
    let node = operand.node()?;
    Some(Sum { terms: BTreeMap::from([((node, shift), times)]), constant: 0 })
}

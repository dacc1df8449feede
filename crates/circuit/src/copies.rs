//! Which copies does a pipeline need?
//!
//! Its phis take values from the iteration before by registers that are written as soon as a value is
//! there. So each such value is computed in the block, and no phi is used behind the loop, where its
//! register holds the next value already.

use opcost_key::BlockId;

use crate::kernel::{Action, Kernel, KernelNode, KernelOperand, NodeId, Terminator};

/// Adds what the pipeline of a block needs. Each value that a phi takes from the iteration before is
/// computed in the block. No phi is used after the loop.
pub(crate) fn add_copies(kernel: &mut Kernel, block: BlockId) {
    let nodes = kernel.blocks[block].nodes.iter().copied();
    let phis: Vec<NodeId> =
        nodes.filter(|&node| matches!(kernel.nodes[node].action, Action::Phi(_))).collect();
    for &phi in &phis {
        let Action::Phi(blocks) = kernel.nodes[phi].action.clone() else { continue };
        for (position, _) in blocks.iter().enumerate().filter(|&(_, &from)| from == block) {
            let operand = kernel.nodes[phi].operands[position];
            let is_computed = operand.node().is_some_and(|node| {
                kernel.nodes[node].block == Some(block)
                    && !matches!(kernel.nodes[node].action, Action::Phi(_))
            });
            if !is_computed {
                let copy = add_copy(kernel, block, operand, phi);
                kernel.nodes[phi].operands[position] = KernelOperand::Node(copy);
            }
        }
    }
    for &phi in &phis {
        let is_phi = |operand: KernelOperand| operand == KernelOperand::Node(phi);
        let outside = |node: &KernelNode, position: usize| match &node.action {
            Action::Phi(blocks) if blocks[position] == block => node.block != Some(block),
            Action::Phi(_) => false,
            _ => node.block != Some(block),
        };
        let leaves = kernel.nodes.values().any(|node| {
            (0..node.operands.len())
                .any(|position| is_phi(node.operands[position]) && outside(node, position))
        }) || kernel
            .blocks
            .iter()
            .any(|(id, other)| id != block && other.end.operand().is_some_and(is_phi))
            || phi_elsewhere(kernel, phi, block);
        if !leaves {
            continue;
        }
        let copy = KernelOperand::Node(add_copy(kernel, block, KernelOperand::Node(phi), phi));
        for id in kernel.nodes.ids() {
            for position in 0..kernel.nodes[id].operands.len() {
                let node = &kernel.nodes[id];
                let from_elsewhere = matches!(&node.action, Action::Phi(blocks) if blocks[position] != block);
                if is_phi(node.operands[position]) && (outside(node, position) || from_elsewhere) {
                    kernel.nodes[id].operands[position] = copy;
                }
            }
        }
        for other in kernel.blocks.ids().filter(|&other| other != block) {
            match &mut kernel.blocks[other].end {
                Terminator::Branch { condition: operand, .. }
                | Terminator::Switch { on: operand, .. }
                | Terminator::Return(Some(operand))
                    if is_phi(*operand) =>
                {
                    *operand = copy;
                }
                _ => {}
            }
        }
    }
}

/// Whether a phi of the loop reaches another phi by way of a later block.
fn phi_elsewhere(kernel: &Kernel, phi: NodeId, block: BlockId) -> bool {
    kernel.nodes.values().any(|node| match &node.action {
        Action::Phi(blocks) => {
            let pairs = node.operands.iter().zip(blocks);
            pairs.into_iter().any(|(&operand, &from)| operand == KernelOperand::Node(phi) && from != block)
        }
        _ => false,
    })
}

fn add_copy(kernel: &mut Kernel, block: BlockId, operand: KernelOperand, of: NodeId) -> NodeId {
    let like = &kernel.nodes[of];
    let node = KernelNode {
        action: Action::Copy,
        operands: vec![operand],
        bits: like.bits,
        block: Some(block),
        name: like.name.clone(),
        location: like.location.clone(),
        origin: None,
    };
    let id = kernel.nodes.push(node);
    kernel.blocks[block].nodes.push(id);
    id
}

//! From bytes to elements, and only what is needed.
//!
//! When all accesses of a memory are seen, the size of its elements is known, if it is one. Positions
//! then count elements. That is possible where each position is a multiple of the size: factors are
//! multiples, or indices have zeros at their end. Constants are folded into their users, blocks that
//! only go on keep their places, and nodes that nothing needs are left out.

use std::collections::{BTreeMap, HashMap};

use opcost_index::{Id, IdMap};

use crate::kernel::{
    Action, Factor, Kernel, KernelLocation, KernelMemory, KernelNode, KernelOperand, MemoryCells, MemoryId,
    MemoryKind, NodeId,
};
use crate::refusal::CircuitRefusal;

/// An access of a memory.
#[derive(Clone, Debug)]
pub(crate) struct MemoryAccess {
    pub(crate) memory: MemoryId,
    /// Bits of the element.
    pub(crate) bits: u32,
    /// Whether it is a part of a number.
    pub(crate) is_part: bool,
    pub(crate) location: Option<KernelLocation>,
}

/// Makes elements of byte positions and drops what is not needed.
pub(crate) fn settle(
    mut kernel: Kernel,
    accesses: &[MemoryAccess],
    positions: &BTreeMap<NodeId, MemoryId>,
) -> Result<Kernel, CircuitRefusal> {
    element_sizes(&mut kernel, accesses)?;
    let used = used_nodes(&kernel);
    for (&node, &memory) in positions.iter().filter(|(node, _)| used[node.index()]) {
        let zeros = index_zeros(&kernel, node);
        let bits = kernel.memories[memory].bits;
        in_elements(&kernel.memories[memory], &mut kernel.nodes[node], &zeros)
            .map_err(|odd| if bits > 8 { odd.unless_finer(memory, bits / 2) } else { odd })?;
    }
    for &node in positions.keys() {
        flatten(&mut kernel, node);
    }
    fold_constants(&mut kernel);
    Ok(without_unused(kernel))
}

/// All accesses of a memory have one size.
fn element_sizes(kernel: &mut Kernel, accesses: &[MemoryAccess]) -> Result<(), CircuitRefusal> {
    for access in accesses {
        let memory = &mut kernel.memories[access.memory];
        memory.is_split |= access.is_part;
        if memory.bits != 0 && memory.bits != access.bits {
            let (bits, other) = (memory.bits, access.bits);
            let refusal = CircuitRefusal::new(
                access.location.clone(),
                format!("{} is accessed by {bits} bits and by {other} bits", memory.name),
                "access all of it by elements of one type",
            );
            return Err(refusal.unless_finer(access.memory, bits.min(other)));
        }
        memory.bits = access.bits;
    }
    for memory in kernel.memories.values_mut() {
        if memory.bits == 0 {
            // Nothing of it is accessed.
            memory.bits = 8;
        }
        let bytes = u64::from(memory.bits / 8);
        if let Some(length) = &mut memory.length {
            *length = length.div_ceil(bytes);
            // Positions right behind the last element too.
            memory.position_bits = 64 - length.leading_zeros();
        }
        if let MemoryKind::Inside(Some(cells)) | MemoryKind::Table(cells) = &mut memory.kind {
            let join = |bytes: &[u64]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | byte);
            *cells = MemoryCells(cells.0.chunks(bytes as usize).map(join).collect());
        }
    }
    Ok(())
}

/// Nodes that stores, ends of blocks, or other used nodes use.
fn used_nodes(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.nodes.len()];
    // What is written to a memory inside that is never read is not needed.
    let mut is_read = vec![false; kernel.memories.len()];
    for node in kernel.nodes.values() {
        if let Action::Load(memory) = node.action {
            is_read[memory.index()] = true;
        }
    }
    let stores = kernel.nodes.iter().filter(|(_, node)| match node.action {
        Action::Store(memory) => {
            is_read[memory.index()] || matches!(kernel.memories[memory].kind, MemoryKind::Port { .. })
        }
        _ => false,
    });
    let ends = kernel.blocks.values().filter_map(|block| block.end.operand()?.node());
    let mut open: Vec<NodeId> = stores.map(|(id, _)| id).chain(ends).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut used[node.index()], true) {
            open.extend(kernel.nodes[node].operands.iter().filter_map(|operand| operand.node()));
        }
    }
    used
}

/// Zeros at the end of each index of a position.
fn index_zeros(kernel: &Kernel, node: NodeId) -> Vec<u32> {
    let node = &kernel.nodes[node];
    let Action::Address { has_base, .. } = node.action else { return Vec::new() };
    node.operands[usize::from(has_base)..].iter().map(|&index| low_zeros(&kernel.nodes, index, 8)).collect()
}

/// How many low bits of a number are zero, seen from how it is made.
pub(super) fn low_zeros(nodes: &IdMap<NodeId, KernelNode>, operand: KernelOperand, depth: u32) -> u32 {
    let node = match operand {
        KernelOperand::Constant { value: 0, bits } => return bits,
        KernelOperand::Constant { value, .. } => return value.trailing_zeros(),
        KernelOperand::Node(_) if depth == 0 => return 0,
        KernelOperand::Node(node) => &nodes[node],
    };
    let of = |position: usize| low_zeros(nodes, node.operands[position], depth - 1);
    match node.action {
        Action::Shl => match node.operands[1] {
            KernelOperand::Constant { value, .. } => (of(0) + value as u32).min(node.bits),
            KernelOperand::Node(_) => of(0),
        },
        Action::Mul => (of(0) + of(1)).min(node.bits),
        Action::And => of(0).max(of(1)),
        Action::Add | Action::Sub | Action::Or | Action::Xor => of(0).min(of(1)),
        Action::Extend { .. } | Action::Truncate | Action::Copy => of(0).min(node.bits),
        Action::Select => of(1).min(of(2)),
        Action::Phi(_) => (0..node.operands.len()).map(of).min().unwrap_or(0),
        _ => 0,
    }
}

/// One position in elements.
fn in_elements(memory: &KernelMemory, node: &mut KernelNode, zeros: &[u32]) -> Result<(), CircuitRefusal> {
    node.bits = memory.position_bits;
    let bytes = i64::from(memory.bits / 8);
    let odd = CircuitRefusal::new(
        node.location.clone(),
        format!("a position in {} is perhaps no multiple of its element's {bytes} bytes", memory.name),
        "access it by indices of one type",
    );
    let Action::Address { offset, factors, .. } = &mut node.action else { return Ok(()) };
    if *offset % bytes != 0 {
        return Err(odd);
    }
    *offset /= bytes;
    for (factor, &zeros) in factors.iter_mut().zip(zeros) {
        if factor.times % bytes == 0 {
            factor.times /= bytes;
            continue;
        }
        // Bytes that are missing to a whole element must come from zeros of the index.
        let own = factor.times.trailing_zeros().min(bytes.trailing_zeros());
        let missing = bytes.trailing_zeros() - own;
        if zeros < missing {
            return Err(odd);
        }
        *factor = Factor { times: factor.times >> own, shift: missing };
    }
    Ok(())
}

/// Takes over what a base of constants and at most one index is made of, so that positions that
/// differ by constants are seen to.
fn flatten(kernel: &mut Kernel, node: NodeId) {
    let this = &kernel.nodes[node];
    let Action::Address { has_base: true, offset, factors } = &this.action else { return };
    let KernelOperand::Node(base) = this.operands[0] else {
        // The start of a parameter.
        let action = Action::Address { has_base: false, offset: *offset, factors: factors.clone() };
        let operands = this.operands[1..].to_vec();
        let this = &mut kernel.nodes[node];
        (this.action, this.operands) = (action, operands);
        return;
    };
    let below = &kernel.nodes[base];
    let Action::Address { has_base, offset: more, factors: others } = &below.action else { return };
    if others.len() + usize::from(*has_base) > 1 {
        return;
    }
    let action = Action::Address {
        has_base: *has_base,
        offset: offset.wrapping_add(*more),
        factors: others.iter().chain(factors).copied().collect(),
    };
    let operands = below.operands.iter().chain(&this.operands[1..]).copied().collect();
    let this = &mut kernel.nodes[node];
    (this.action, this.operands) = (action, operands);
}

/// Positions that are numbers become constants of their users.
fn fold_constants(kernel: &mut Kernel) {
    let mut constants = HashMap::new();
    for (id, node) in kernel.nodes.iter() {
        if let (Action::Address { has_base: false, offset, factors }, true) =
            (&node.action, node.operands.is_empty())
        {
            debug_assert!(factors.is_empty());
            let value = u128::from(*offset as u64 & mask(node.bits));
            constants.insert(id, KernelOperand::Constant { bits: node.bits, value });
        }
    }
    let fold = |operand: &mut KernelOperand| {
        if let Some(constant) = operand.node().and_then(|node| constants.get(&node)) {
            *operand = *constant;
        }
    };
    for node in kernel.nodes.values_mut() {
        node.operands.iter_mut().for_each(fold);
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

/// The same kernel without nodes that nothing uses.
fn without_unused(kernel: Kernel) -> Kernel {
    let used = used_nodes(&kernel);
    let is_input = |node: &KernelNode| node.action == Action::Input;
    let mut ids = HashMap::new();
    let mut next = 0;
    for (id, node) in kernel.nodes.iter() {
        if used[id.index()] || is_input(node) {
            ids.insert(id, NodeId::new(next));
            next += 1;
        }
    }
    let renamed = |operand: KernelOperand| match operand {
        KernelOperand::Node(node) => KernelOperand::Node(ids[&node]),
        constant @ KernelOperand::Constant { .. } => constant,
    };
    let mut nodes = IdMap::new();
    for (id, node) in kernel.nodes.iter().filter(|(id, _)| ids.contains_key(id)) {
        debug_assert!(ids[&id].index() == nodes.len());
        let operands = node.operands.iter().map(|&operand| renamed(operand)).collect();
        nodes.push(KernelNode { operands, ..node.clone() });
    }
    let mut blocks = kernel.blocks.clone();
    for block in blocks.values_mut() {
        block.nodes = block.nodes.iter().filter_map(|node| ids.get(node).copied()).collect();
        use crate::kernel::Terminator;
        match &mut block.end {
            Terminator::Branch { condition, .. } => *condition = renamed(*condition),
            Terminator::Switch { on, .. } => *on = renamed(*on),
            Terminator::Return(Some(value)) => *value = renamed(*value),
            Terminator::Return(None) | Terminator::Jump(_) | Terminator::Never => {}
        }
    }
    let inputs = kernel.inputs.iter().map(|input| ids[input]).collect();
    Kernel { nodes, blocks, inputs, ..kernel }
}

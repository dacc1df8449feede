//! Which bits of a value must a wire carry?
//!
//! Two things are enough to know. A claim says that a value always fits into so many bits, with or
//! without sign; then the wire has these, and whoever needs more repeats the sign or adds zeros.
//! And of many values only low bits matter: the low bits of a sum, product or logical operation
//! depend on the low bits of the operands alone, so what is cut off later need not be computed.
//! The second is seen from the operations themselves, backwards until nothing changes, and needs no
//! claim. Whoever knows more of what is looked at may say so in a claim, too. So one rule holds of every wire: it carries the lowest bits of the very value of the
//! program, and where it is narrower by a claim, these are all of it.
//!
//! A memory in the circuit is as wide as what is written to it and what it holds at the start.
//! Without claims ([`declared`]) every wire has the width of its type.
//!
//! Input: a kernel, claims by value. Output: [`Wires`]. Cost: nodes times 128 at most.

use opcost_index::{Id, IdMap};

use crate::kernel::{
    Action, Kernel, KernelNode, KernelOperand, MemoryCells, MemoryId, MemoryKind, NodeId, NodeOrigin,
    number_width,
};

/// What is claimed of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Bits that it fits into, at least 1.
    pub bits: u32,
    /// Whether the highest of them is the sign.
    pub signed: bool,
    /// How many low bits anybody looks at; all of the type if that is not known. It must not rest on what
    /// other claims leave out.
    pub demanded: u32,
    /// The claim in words.
    pub words: String,
}

/// A wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Its bits, at least 1.
    pub bits: u32,
    /// Whether what is above them repeats the highest one.
    pub signed: bool,
    /// Why it has so many.
    pub reason: String,
}

/// Widths of a kernel.
#[derive(Clone, Debug)]
pub struct Wires {
    /// Of nodes.
    pub nodes: IdMap<NodeId, Wire>,
    /// Of the elements of memories.
    pub memories: IdMap<MemoryId, Wire>,
}

/// Every wire as wide as its type.
pub fn declared(kernel: &Kernel) -> Wires {
    let nodes = kernel.nodes.values().map(|node| of_type(node.bits)).collect();
    let memories = kernel.memories.values().map(|memory| of_type(memory.bits)).collect();
    Wires { nodes: IdMap::from_vec(nodes), memories: IdMap::from_vec(memories) }
}

fn of_type(bits: u32) -> Wire {
    Wire { bits: bits.max(1), signed: false, reason: format!("its type has {bits} bits") }
}

/// Every wire as wide as claims and uses say; memories in the circuit, if `follows_memories`, as wide as
/// what is written to them. Claims of an analysis that knows nothing of memory are compared without that.
pub fn widths(
    kernel: &Kernel,
    claims: &dyn Fn(NodeOrigin) -> Option<Claim>,
    follows_memories: bool,
) -> Wires {
    let mut wires = declared(kernel);
    let mut demanded: IdMap<NodeId, u32> = IdMap::filled(kernel.nodes.len(), u32::MAX);
    for (id, node) in kernel.nodes.iter().filter(|(_, node)| !is_position(node)) {
        let Some(claim) = node.origin.and_then(claims) else { continue };
        demanded[id] = claim.demanded;
        if (1..node.bits).contains(&claim.bits) {
            wires.nodes[id] = Wire { bits: claim.bits, signed: claim.signed, reason: claim.words };
        }
    }
    for (id, memory) in kernel.memories.iter().filter(|_| follows_memories) {
        let start = match &memory.kind {
            MemoryKind::Port { .. } => continue,
            MemoryKind::Inside(start) => start.as_ref(),
            MemoryKind::Table(cells) => Some(cells),
        };
        wires.memories[id] = elements(kernel, &wires, id, start);
        for (node, of) in kernel.nodes.iter().filter(|(_, of)| of.action == Action::Load(id)) {
            let element = &wires.memories[id];
            if element.bits < wires.nodes[node].bits.min(of.bits) {
                wires.nodes[node] = element.clone();
            }
        }
    }
    let needs = Needs::of(kernel, &wires);
    for (id, node) in kernel.nodes.iter() {
        // A port stays as wide as what callers give.
        if node.action != Action::Input {
            cut(&mut wires.nodes[id], needs.nodes[id].min(demanded[id]));
        }
    }
    for (id, memory) in kernel.memories.iter().filter(|_| follows_memories) {
        if !matches!(memory.kind, MemoryKind::Port { .. }) {
            cut(&mut wires.memories[id], needs.memories[id]);
        }
    }
    wires
}

fn cut(wire: &mut Wire, need: u32) {
    let need = need.max(1);
    if need < wire.bits {
        *wire = Wire { bits: need, signed: false, reason: format!("only its low {need} bits matter") };
    }
}

fn is_position(node: &KernelNode) -> bool {
    matches!(node.action, Action::Address { .. })
}

/// What holds all that is written to a memory, and what it holds at the start.
fn elements(kernel: &Kernel, wires: &Wires, memory: MemoryId, start: Option<&MemoryCells>) -> Wire {
    let bits = kernel.memories[memory].bits;
    let (mut plain, mut with_sign) = (1, 0);
    let mut add = |(width, signed): (u32, bool)| match signed {
        true => with_sign = with_sign.max(width),
        false => plain = plain.max(width),
    };
    for &cell in start.iter().flat_map(|cells| &cells.0) {
        add(number_width(cell.into(), bits));
    }
    for node in kernel.nodes.values().filter(|node| node.action == Action::Store(memory)) {
        add(operand_width(kernel, wires, node.operands[1]));
    }
    let (width, signed) = if with_sign > 0 { (with_sign.max(plain + 1), true) } else { (plain, false) };
    if width >= bits {
        return of_type(bits);
    }
    Wire { bits: width, signed, reason: "all that it holds and what is written fits".to_owned() }
}

/// Bits of an operand's wire, and whether the highest is the sign.
pub(crate) fn operand_width(kernel: &Kernel, wires: &Wires, operand: KernelOperand) -> (u32, bool) {
    match operand {
        KernelOperand::Node(node) => (wires.nodes[node].bits, wires.nodes[node].signed),
        KernelOperand::Constant { bits, value } => {
            debug_assert!(bits > 0 && kernel.nodes.len() < usize::MAX);
            number_width(value, bits)
        }
    }
}

/// How many low bits of each value anybody looks at.
struct Needs {
    nodes: IdMap<NodeId, u32>,
    memories: IdMap<MemoryId, u32>,
}

impl Needs {
    fn of(kernel: &Kernel, wires: &Wires) -> Needs {
        let mut needs = Needs {
            nodes: IdMap::filled(kernel.nodes.len(), 0),
            memories: IdMap::filled(kernel.memories.len(), 0),
        };
        for block in kernel.blocks.values() {
            if let Some(operand) = block.end.operand() {
                needs.raise(operand, u32::MAX);
            }
        }
        // Each time something grows, and nothing shrinks.
        while needs.step(kernel, wires) {}
        needs
    }

    fn raise(&mut self, operand: KernelOperand, bits: u32) -> bool {
        let Some(node) = operand.node() else { return false };
        let grows = self.nodes[node] < bits;
        self.nodes[node] = self.nodes[node].max(bits);
        grows
    }

    fn step(&mut self, kernel: &Kernel, wires: &Wires) -> bool {
        let mut grows = false;
        for id in (0..kernel.nodes.len()).rev().map(NodeId::new) {
            let node = &kernel.nodes[id];
            match node.action {
                Action::Store(memory) => {
                    grows |= self.raise(node.operands[0], u32::MAX);
                    let bits = match kernel.memories[memory].kind {
                        MemoryKind::Port { .. } => u32::MAX,
                        _ => self.memories[memory],
                    };
                    grows |= self.raise(node.operands[1], bits);
                    for &predicate in &node.operands[2..] {
                        grows |= self.raise(predicate, 1);
                    }
                    continue;
                }
                Action::Load(memory) if self.nodes[id] > 0 => {
                    let bits = self.nodes[id].min(wires.nodes[id].bits);
                    grows |= self.memories[memory] < bits;
                    self.memories[memory] = self.memories[memory].max(bits);
                }
                _ => {}
            }
            // What the wire does not carry need not be computed.
            let bits = self.nodes[id].min(wires.nodes[id].bits);
            if bits > 0 {
                for (position, need) in needed_of_operands(kernel, node, bits).into_iter().enumerate() {
                    grows |= self.raise(node.operands[position], need);
                }
            }
        }
        grows
    }
}

/// How many low bits of each operand decide the low `bits` of a result.
fn needed_of_operands(kernel: &Kernel, node: &KernelNode, bits: u32) -> Vec<u32> {
    const ALL: u32 = u32::MAX;
    let all = |need: u32| vec![need; node.operands.len()];
    let constant = |position: usize| match node.operands[position] {
        KernelOperand::Constant { value, .. } => Some(value),
        KernelOperand::Node(_) => None,
    };
    match &node.action {
        Action::Add
        | Action::Sub
        | Action::Mul
        | Action::Or
        | Action::Xor
        | Action::Phi(_)
        | Action::Copy => all(bits),
        Action::Truncate => all(bits),
        Action::And => {
            // Above the highest one of a constant there are zeros.
            let below = |position: usize| {
                constant(position).map_or(bits, |value| bits.min(128 - value.leading_zeros()))
            };
            vec![below(1), below(0)]
        }
        Action::Select => vec![1, bits, bits],
        Action::Shl => match constant(1) {
            Some(by) => vec![bits.saturating_sub(by.min(128) as u32), 0],
            None => vec![bits, ALL],
        },
        Action::LShr | Action::AShr => match constant(1) {
            Some(by) if bits.saturating_add(by.min(128) as u32) < node.bits => vec![bits + by as u32, 0],
            _ => vec![ALL, ALL],
        },
        Action::Extend { .. } => {
            let from = kernel.bits(node.operands[0]);
            vec![if bits <= from { bits } else { ALL }]
        }
        Action::Address { has_base, factors, .. } => {
            let base = has_base.then_some(bits);
            base.into_iter().chain(factors.iter().map(|factor| bits.saturating_add(factor.shift))).collect()
        }
        Action::Input => Vec::new(),
        Action::Compare(_)
        | Action::Div { .. }
        | Action::Rem { .. }
        | Action::Extreme { .. }
        | Action::Absolute
        | Action::Load(_)
        | Action::Store(_) => all(ALL),
    }
}

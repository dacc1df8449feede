//! What is a function as a circuit sees it? Nodes with widths in blocks, and memories.
//!
//! A value of the function is a node, and so is a store. Pointers are positions in one memory, in
//! elements of it; memories lie apart and have one width of element each. Constants are operands.
//! A kernel says nothing of clocks or wires.

use std::fmt;

use opcost_index::{Graph, Id, IdMap, define_id};
use opcost_ir::{Predicate, Value};
use opcost_key::{BlockId, FunctionId};

define_id!(
    /// A node of a kernel.
    pub struct NodeId, "node"
);
define_id!(
    /// A memory of a kernel.
    pub struct MemoryId, "memory"
);

/// A function to be made into a circuit.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name in the source.
    pub name: String,
    /// Where it is written.
    pub location: Option<KernelLocation>,
    /// How many parameters it has.
    pub parameters: u32,
    /// Parameters that are integers, with their nodes, in order.
    pub inputs: Vec<NodeId>,
    /// Nodes; operands come first, but for phis.
    pub nodes: IdMap<NodeId, KernelNode>,
    /// Blocks; the first is the entry.
    pub blocks: IdMap<BlockId, KernelBlock>,
    /// Memories.
    pub memories: IdMap<MemoryId, KernelMemory>,
    /// Bits of the result, if it has one.
    pub result: Option<u32>,
    /// Bits of nodes from which delays are, for the first nodes. Others, and all where this is empty, have the bits
    /// of their types.
    pub delay_bits: Vec<u32>,
}

/// One value or store.
#[derive(Clone, Debug)]
pub struct KernelNode {
    /// What it does.
    pub action: Action,
    /// Its operands, in order. Of a phi, one for each of its blocks.
    pub operands: Vec<KernelOperand>,
    /// Bits of its type; 0 of a store.
    pub bits: u32,
    /// Its block; none of an input.
    pub block: Option<BlockId>,
    /// The variable of the source; empty if none is known.
    pub name: String,
    /// Where it is written.
    pub location: Option<KernelLocation>,
    /// Which value of the module it is, if it is one.
    pub origin: Option<NodeOrigin>,
}

/// The value of the module that a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeOrigin {
    /// The function.
    pub function: FunctionId,
    /// The value.
    pub value: Value,
}

/// A place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelLocation {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl fmt::Display for KernelLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelOperand {
    /// The value of a node.
    Node(NodeId),
    /// A number, zero-extended from so many bits.
    Constant {
        /// Bits of its type.
        bits: u32,
        /// The number.
        value: u128,
    },
}

impl From<NodeId> for KernelOperand {
    fn from(node: NodeId) -> KernelOperand {
        KernelOperand::Node(node)
    }
}

impl KernelOperand {
    /// The node, if it is one.
    pub fn node(self) -> Option<NodeId> {
        match self {
            KernelOperand::Node(node) => Some(node),
            KernelOperand::Constant { .. } => None,
        }
    }
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A parameter.
    Input,
    /// One of its operands, by the block that control comes from.
    Phi(Vec<BlockId>),
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, with sign or without.
    Div {
        /// With sign.
        signed: bool,
    },
    /// The rest of it.
    Rem {
        /// With sign.
        signed: bool,
    },
    /// `a << b`
    Shl,
    /// `a >> b`, zeros come in.
    LShr,
    /// `a >> b`, copies of the sign come in.
    AShr,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// Whether it holds.
    Compare(Predicate),
    /// `a ? b : c`
    Select,
    /// The same number in more bits.
    Extend {
        /// With sign.
        signed: bool,
    },
    /// The low bits.
    Truncate,
    /// The same value.
    Copy,
    /// The smaller or greater of two.
    Extreme {
        /// With sign.
        signed: bool,
        /// The greater one.
        greatest: bool,
    },
    /// The number without its sign.
    Absolute,
    /// A position: the first operand, if it has a base, and the others times their factors.
    Address {
        /// Whether the first operand is a position.
        has_base: bool,
        /// Elements that are added.
        offset: i64,
        /// One of each further operand.
        factors: Vec<Factor>,
    },
    /// The element at a position, if the second operand, where there is one, is one.
    Load(MemoryId),
    /// Writes the second operand at the position that the first is, if the third, where there is one,
    /// is one.
    Store(MemoryId),
}

/// What an index is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// How many elements one is.
    pub times: i64,
    /// How many low bits, which are zero, are left out before.
    pub shift: u32,
}

/// A block.
#[derive(Clone, Debug)]
pub struct KernelBlock {
    /// Its nodes, in order.
    pub nodes: Vec<NodeId>,
    /// How it ends.
    pub end: Terminator,
    /// Where it ends, in the source.
    pub location: Option<KernelLocation>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Control goes on there.
    Jump(BlockId),
    /// There, or to the other block.
    Branch {
        /// One bit.
        condition: KernelOperand,
        /// If it is one.
        then: BlockId,
        /// If it is zero.
        otherwise: BlockId,
    },
    /// By the value of an operand.
    Switch {
        /// What decides.
        on: KernelOperand,
        /// The number and where control goes, for each.
        cases: Vec<(u128, BlockId)>,
        /// For every other number.
        otherwise: BlockId,
    },
    /// The function ends, with its result.
    Return(Option<KernelOperand>),
    /// Control never comes here.
    Never,
}

impl Terminator {
    /// Where control may go.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(to) => vec![*to],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, otherwise, .. } => {
                cases.iter().map(|&(_, to)| to).chain([*otherwise]).collect()
            }
            Terminator::Return(_) | Terminator::Never => Vec::new(),
        }
    }

    /// What decides, or is returned.
    pub fn operand(&self) -> Option<KernelOperand> {
        match self {
            Terminator::Branch { condition, .. } => Some(*condition),
            Terminator::Switch { on, .. } => Some(*on),
            Terminator::Return(value) => *value,
            Terminator::Jump(_) | Terminator::Never => None,
        }
    }
}

/// A memory.
#[derive(Clone, Debug)]
pub struct KernelMemory {
    /// Its name in the source.
    pub name: String,
    /// Where its elements are.
    pub kind: MemoryKind,
    /// Bits of an element: 8, 16, 32 or 64.
    pub bits: u32,
    /// Elements, if it is known how many.
    pub length: Option<u64>,
    /// Bits of a position: from the first element to right after the last.
    pub position_bits: u32,
    /// Whether some numbers are several elements, the lowest bits first.
    pub is_split: bool,
    /// How many elements are before the one that the parameter points to.
    pub before: u64,
}

/// Where the elements of a memory are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Outside: a parameter, by its position, or data that others see.
    Port {
        /// Position of the parameter; none of data.
        parameter: Option<u32>,
    },
    /// In the circuit, with what it holds at the start, if that is defined.
    Inside(Option<MemoryCells>),
    /// In the circuit, and never written.
    Table(MemoryCells),
}

/// Elements of data at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryCells(pub Vec<u64>);

impl Kernel {
    /// Bits of an operand's type.
    pub fn bits(&self, operand: KernelOperand) -> u32 {
        match operand {
            KernelOperand::Node(node) => self.nodes[node].bits,
            KernelOperand::Constant { bits, .. } => bits,
        }
    }

    /// Bits of an operand from which delays are.
    pub fn delay_bits(&self, operand: KernelOperand) -> u32 {
        let declared = self.bits(operand);
        match operand {
            KernelOperand::Node(node) => {
                self.delay_bits.get(node.index()).map_or(declared, |&bits| bits.min(declared))
            }
            KernelOperand::Constant { bits, value } if !self.delay_bits.is_empty() => {
                number_width(value, bits).0
            }
            KernelOperand::Constant { .. } => declared,
        }
    }

    /// The block that an operand is computed in; none of inputs and constants.
    pub fn block_of(&self, operand: KernelOperand) -> Option<BlockId> {
        self.nodes[operand.node()?].block
    }

    /// The bit without which a load or store does nothing; none if it always works.
    pub fn predicate(&self, node: NodeId) -> Option<KernelOperand> {
        let of = &self.nodes[node];
        let place = match of.action {
            Action::Load(_) => 1,
            Action::Store(_) => 2,
            _ => return None,
        };
        of.operands.get(place).copied()
    }

    /// What a block takes from a phi's operands, if control comes from `from`.
    pub fn arriving(&self, block: BlockId, from: BlockId) -> Vec<(NodeId, KernelOperand)> {
        let phis = self.blocks[block].nodes.iter().copied();
        phis.filter_map(|phi| match &self.nodes[phi].action {
            Action::Phi(blocks) => {
                let position = blocks.iter().position(|&one| one == from)?;
                Some((phi, self.nodes[phi].operands[position]))
            }
            _ => None,
        })
        .collect()
    }
}

/// Bits of a number, and whether the highest is the sign.
pub(crate) fn number_width(value: u128, bits: u32) -> (u32, bool) {
    let signed = signed(value, bits);
    match signed {
        0.. => ((128 - value.leading_zeros()).max(1), false),
        _ => (129 - (!signed as u128).leading_zeros(), true),
    }
}

/// A number of so many bits, with its sign.
pub(crate) fn signed(value: u128, bits: u32) -> i128 {
    ((value << (128 - bits)) as i128) >> (128 - bits)
}

/// All bits of a number of so many.
pub(crate) fn all_bits(bits: u32) -> u128 {
    u128::MAX.checked_shr(128 - bits.min(128)).unwrap_or(0)
}

impl Graph for Kernel {
    type Node = BlockId;

    fn node_count(&self) -> usize {
        self.blocks.len()
    }

    fn successors(&self, node: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.blocks[node].end.successors().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::number_width;

    #[test]
    fn numbers_have_the_width_that_holds_them() {
        assert_eq!(number_width(0, 8), (1, false));
        assert_eq!(number_width(200, 32), (8, false));
        assert_eq!(number_width(255, 8), (1, true));
        assert_eq!(number_width(128, 8), (8, true));
        assert_eq!(number_width(u64::MAX.into(), 64), (1, true));
        assert_eq!(number_width(u128::MAX, 128), (1, true));
        assert_eq!(number_width(1 << 99, 100), (100, true));
    }
}

//! How does a loop of several blocks become one block? If-conversion.
//!
//! Blocks of the loop are put behind each other in an order in which control passes through them.
//! Every edge gets a condition: that its block is reached, and that control leaves the block that way. A
//! block that is reached whenever a block before it is has that one's condition. Phis become choices by
//! the conditions of their edges. What has no effect is computed in any case. Its value is garbage
//! where the program would not have computed it, and then nothing looks at it: no operator of a
//! circuit can fail, also no division by zero. Loads and stores get the condition of their block as
//! predicate and work only with it, so no address is used that the program would not have used.
//!
//! The loop goes on if an edge back is taken. It may leave at any of its blocks: what comes behind
//! that in the iteration has predicates that are zero. If it leaves to several blocks, a block is added
//! that chooses among them.
//!
//! Source: Allen, Kennedy, Porterfield and Warren, "Conversion of Control Dependence to Data
//! Dependence" (POPL 1983). Input: a kernel, an innermost loop. Output: the kernel with the loop as
//! one block, the header; the others are left empty and unreached, for [`without_blocks`]. Cost: nodes,
//! and blocks squared.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::Loop;
use opcost_index::{Id, IdMap};
use opcost_ir::Predicate;
use opcost_key::BlockId;

use crate::kernel::{Action, Kernel, KernelBlock, KernelNode, KernelOperand, NodeId, Terminator};
use crate::slots::StateReason;

/// Loops of more blocks or nodes stay as they are.
const MOST_BLOCKS: usize = 64;
const MOST_NODES: usize = 1024;

/// When control passes an edge or reaches a block, in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Always,
    Never,
    When(KernelOperand),
}

/// The kernel with a loop as one block.
///
/// # Errors
/// It cannot be one block.
pub(crate) fn merged(kernel: &Kernel, of: &Loop<BlockId>) -> Result<Kernel, StateReason> {
    let nodes: usize = of.members.iter().map(|&block| kernel.blocks[block].nodes.len()).sum();
    if of.members.len() > MOST_BLOCKS || nodes > MOST_NODES {
        return Err(StateReason::Large);
    }
    let order = order(kernel, of).ok_or(StateReason::Entries)?;
    let mut merger = Merger {
        kernel: kernel.clone(),
        members: of.members.iter().copied().collect(),
        header: of.header,
        edges: BTreeMap::new(),
        reached: BTreeMap::new(),
        list: Vec::new(),
        made: HashMap::new(),
        current: of.header,
    };
    let dominators = Dominators::compute(kernel, BlockId::new(0));
    for &block in &order {
        merger.current = block;
        merger.reach(&dominators, block);
        merger.phis(block);
        merger.operations(block);
        merger.leave(block);
    }
    let goes_on = merger.any_edge(&of.latches(), of.header);
    let Condition::When(goes_on) = goes_on else { return Err(StateReason::Endless) };
    merger.takes(of.header, of.header);
    let end = merger.ends(goes_on, of)?;
    let Merger { mut kernel, list, header, .. } = merger;
    for &block in of.members.iter().filter(|&&block| block != header) {
        kernel.blocks[block].nodes.clear();
        kernel.blocks[block].end = Terminator::Never;
    }
    for &node in &list {
        kernel.nodes[node].block = Some(header);
    }
    let location = of.latches().last().and_then(|&latch| kernel.blocks[latch].location.clone());
    let block = &mut kernel.blocks[header];
    (block.nodes, block.end) = (list, end);
    block.location = location.or(block.location.take());
    Ok(kernel)
}

/// The loop's blocks, each after all that lead to it; none if there is no such order.
pub(crate) fn order(kernel: &Kernel, of: &Loop<BlockId>) -> Option<Vec<BlockId>> {
    let members: BTreeSet<BlockId> = of.members.iter().copied().collect();
    let mut open: BTreeMap<BlockId, usize> = members.iter().map(|&block| (block, 0)).collect();
    let inside = |block: BlockId| {
        let all: BTreeSet<BlockId> = kernel.blocks[block].end.successors().into_iter().collect();
        all.into_iter().filter(|to| *to != of.header && members.contains(to)).collect::<Vec<_>>()
    };
    for &block in &members {
        for to in inside(block) {
            *open.get_mut(&to)? += 1;
        }
    }
    let mut order = vec![of.header];
    let mut next = 0;
    while let Some(&block) = order.get(next) {
        for to in inside(block) {
            let count = open.get_mut(&to)?;
            *count -= 1;
            if *count == 0 {
                order.push(to);
            }
        }
        next += 1;
    }
    (order.len() == members.len()).then_some(order)
}

/// How a bit was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MadeBit {
    And,
    Or,
    Not,
    Equal,
}

struct Merger {
    kernel: Kernel,
    members: BTreeSet<BlockId>,
    header: BlockId,
    /// When control passes an edge.
    edges: BTreeMap<(BlockId, BlockId), Condition>,
    /// When it reaches a block.
    reached: BTreeMap<BlockId, Condition>,
    /// Nodes of the one block, in order.
    list: Vec<NodeId>,
    /// Bits that were made before, by what they are made of.
    made: HashMap<(MadeBit, KernelOperand, KernelOperand), KernelOperand>,
    /// The block that is put in place.
    current: BlockId,
}

impl Merger {
    fn successors(&self, block: BlockId) -> Vec<BlockId> {
        let mut all = self.kernel.blocks[block].end.successors();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Blocks of the loop that lead to a block.
    fn before(&self, block: BlockId) -> Vec<BlockId> {
        self.members.iter().copied().filter(|&from| self.successors(from).contains(&block)).collect()
    }

    /// When a block is reached.
    fn reach(&mut self, dominators: &Dominators<BlockId>, block: BlockId) {
        let above = dominators.immediate(block).filter(|_| block != self.header);
        let condition = match above {
            None => Condition::Always,
            Some(above) if self.always_leads(above, block) => self.reached[&above],
            Some(_) => self.any_edge(&self.before(block), block),
        };
        self.reached.insert(block, condition);
    }

    /// Whether control that is in one block reaches another in the same iteration.
    fn always_leads(&self, from: BlockId, to: BlockId) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            let next = self.successors(block);
            if next.is_empty() {
                return false;
            }
            for next in next.into_iter().filter(|&next| next != to) {
                if next == self.header || !self.members.contains(&next) {
                    return false;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        true
    }

    /// Whether control comes to a block from any of several.
    fn any_edge(&mut self, from: &[BlockId], to: BlockId) -> Condition {
        let all: Vec<Condition> = from.iter().map(|&from| self.edges[&(from, to)]).collect();
        all.into_iter().fold(Condition::Never, |any, one| self.or(any, one))
    }

    /// Phis of a block become choices.
    fn phis(&mut self, block: BlockId) {
        for node in self.kernel.blocks[block].nodes.clone() {
            let Action::Phi(_) = self.kernel.nodes[node].action else { continue };
            if block == self.header {
                self.list.push(node);
                continue;
            }
            let value = self.choice(node, block);
            let of = &mut self.kernel.nodes[node];
            (of.action, of.operands) = (Action::Copy, vec![value]);
            self.list.push(node);
        }
    }

    /// What a phi of a block takes, if control comes from inside of the loop.
    fn choice(&mut self, phi: NodeId, block: BlockId) -> KernelOperand {
        let Action::Phi(blocks) = self.kernel.nodes[phi].action.clone() else {
            unreachable!("the callers looked")
        };
        let operands = self.kernel.nodes[phi].operands.clone();
        let mut arms: BTreeMap<BlockId, KernelOperand> = BTreeMap::new();
        for (&from, &operand) in blocks.iter().zip(&operands).filter(|(from, _)| self.members.contains(from))
        {
            arms.entry(from).or_insert(operand);
        }
        let mut value: Option<KernelOperand> = None;
        for (from, operand) in arms.into_iter().rev() {
            let condition = self.edges[&(from, block)];
            value = Some(match (condition, value) {
                (Condition::When(_) | Condition::Always, None) => operand,
                (Condition::Never, None) => continue,
                (Condition::Never, Some(value)) => value,
                (Condition::Always, Some(_)) => operand,
                (Condition::When(_), Some(value)) if value == operand => value,
                (Condition::When(condition), Some(value)) => {
                    let like = self.kernel.nodes[phi].clone();
                    let operands = vec![condition, operand, value];
                    self.push(KernelNode { action: Action::Select, operands, ..like })
                }
            });
        }
        // No edge leads here, so any value will do.
        value.unwrap_or(KernelOperand::Constant { bits: self.kernel.nodes[phi].bits, value: 0 })
    }

    /// Everything else; accesses get their predicates.
    fn operations(&mut self, block: BlockId) {
        for node in self.kernel.blocks[block].nodes.clone() {
            let predicate = match self.reached[&block] {
                Condition::Always => None,
                Condition::Never => Some(KernelOperand::Constant { bits: 1, value: 0 }),
                Condition::When(operand) => Some(operand),
            };
            if let Action::Load(_) | Action::Store(_) = self.kernel.nodes[node].action {
                self.predicate(node, predicate);
            }
            if !self.list.contains(&node) {
                self.list.push(node);
            }
        }
    }

    /// An access works only with a bit, and with the one that it has already.
    fn predicate(&mut self, node: NodeId, added: Option<KernelOperand>) {
        let Some(added) = added else { return };
        let joined = match self.kernel.predicate(node) {
            None => added,
            Some(own) => {
                self.kernel.nodes[node].operands.pop();
                match self.and(Self::bit(own), Self::bit(added)) {
                    Condition::Always => return,
                    Condition::Never => KernelOperand::Constant { bits: 1, value: 0 },
                    Condition::When(operand) => operand,
                }
            }
        };
        self.kernel.nodes[node].operands.push(joined);
    }

    /// Conditions of the edges out of a block.
    fn leave(&mut self, block: BlockId) {
        let end = self.kernel.blocks[block].end.clone();
        for to in self.successors(block) {
            let chosen = match &end {
                Terminator::Branch { then, otherwise, .. } if then == otherwise => Condition::Always,
                Terminator::Branch { condition, then, .. } if *then == to => Self::bit(*condition),
                Terminator::Branch { condition, .. } => self.not(Self::bit(*condition)),
                Terminator::Switch { on, cases, otherwise } => {
                    let is_rest = *otherwise == to;
                    let cases = cases.iter().filter(|&&(_, case)| (case == to) != is_rest);
                    let any = cases.fold(Condition::Never, |any, &(number, _)| {
                        let equal = self.equals(*on, number);
                        self.or(any, equal)
                    });
                    if is_rest { self.not(any) } else { any }
                }
                _ => Condition::Always,
            };
            let condition = self.and(self.reached[&block], chosen);
            self.edges.insert((block, to), condition);
        }
    }

    /// How the one block ends; blocks that choose where control goes are added.
    fn ends(&mut self, goes_on: KernelOperand, of: &Loop<BlockId>) -> Result<Terminator, StateReason> {
        let mut targets: Vec<BlockId> = Vec::new();
        for edge in &of.exits {
            if !targets.contains(&edge.to) {
                targets.push(edge.to);
            }
        }
        let Some((&last, others)) = targets.split_last() else { return Err(StateReason::Endless) };
        // The choosing blocks, each of which leads to one target or to the next of them.
        let first = self.kernel.blocks.len();
        let chooser = |place: usize| BlockId::new(first + place);
        let mut ends = Vec::new();
        for (place, &to) in others.iter().enumerate() {
            let condition = match self.any_edge(&self.before(to), to) {
                Condition::When(operand) => operand,
                other => KernelOperand::Constant { bits: 1, value: u128::from(other == Condition::Always) },
            };
            self.takes(to, chooser(place));
            let otherwise = if place + 1 < others.len() { chooser(place + 1) } else { last };
            ends.push(Terminator::Branch { condition, then: to, otherwise });
        }
        let leaves_by = if others.is_empty() { self.header } else { chooser(others.len() - 1) };
        self.takes(last, leaves_by);
        let location = self.kernel.blocks[self.header].location.clone();
        for end in ends {
            self.kernel.blocks.push(KernelBlock { nodes: Vec::new(), end, location: location.clone() });
        }
        let otherwise = if others.is_empty() { last } else { chooser(0) };
        Ok(Terminator::Branch { condition: goes_on, then: self.header, otherwise })
    }

    /// Phis of the header, or of a block after the loop, take one value from the loop, by one block.
    fn takes(&mut self, to: BlockId, from: BlockId) {
        for phi in self.kernel.blocks[to].nodes.clone() {
            let Action::Phi(blocks) = self.kernel.nodes[phi].action.clone() else { continue };
            let value = self.choice(phi, to);
            let of = &mut self.kernel.nodes[phi];
            let outside = blocks.into_iter().zip(of.operands.clone());
            let outside = outside.filter(|(from, _)| !self.members.contains(from));
            let (mut blocks, mut operands): (Vec<_>, Vec<_>) = outside.unzip();
            blocks.push(from);
            operands.push(value);
            (of.action, of.operands) = (Action::Phi(blocks), operands);
        }
    }

    fn bit(operand: KernelOperand) -> Condition {
        match operand {
            KernelOperand::Constant { value, .. } if value & 1 == 0 => Condition::Never,
            KernelOperand::Constant { .. } => Condition::Always,
            operand @ KernelOperand::Node(_) => Condition::When(operand),
        }
    }

    fn and(&mut self, left: Condition, right: Condition) -> Condition {
        match (left, right) {
            (Condition::Never, _) | (_, Condition::Never) => Condition::Never,
            (Condition::Always, other) | (other, Condition::Always) => other,
            (Condition::When(left), Condition::When(right)) if left == right => Condition::When(left),
            (Condition::When(left), Condition::When(right)) => self.made(MadeBit::And, left, right),
        }
    }

    fn or(&mut self, left: Condition, right: Condition) -> Condition {
        match (left, right) {
            (Condition::Always, _) | (_, Condition::Always) => Condition::Always,
            (Condition::Never, other) | (other, Condition::Never) => other,
            (Condition::When(left), Condition::When(right)) if left == right => Condition::When(left),
            (Condition::When(left), Condition::When(right)) => self.made(MadeBit::Or, left, right),
        }
    }

    fn not(&mut self, of: Condition) -> Condition {
        match of {
            Condition::Always => Condition::Never,
            Condition::Never => Condition::Always,
            Condition::When(of) => {
                let one = KernelOperand::Constant { bits: 1, value: 1 };
                self.made(MadeBit::Not, of, one)
            }
        }
    }

    fn equals(&mut self, on: KernelOperand, number: u128) -> Condition {
        let constant = KernelOperand::Constant { bits: self.kernel.bits(on), value: number };
        self.made(MadeBit::Equal, on, constant)
    }

    /// A bit of two operands, made once.
    fn made(&mut self, how: MadeBit, left: KernelOperand, right: KernelOperand) -> Condition {
        let key = (how, left, right);
        if let Some(&made) = self.made.get(&key) {
            return Condition::When(made);
        }
        let action = match how {
            MadeBit::And => Action::And,
            MadeBit::Or => Action::Or,
            MadeBit::Not => Action::Xor,
            MadeBit::Equal => Action::Compare(Predicate::Eq),
        };
        let node = self.own(action, vec![left, right]);
        let made = self.push(node);
        self.made.insert(key, made);
        Condition::When(made)
    }

    /// A bit that belongs to the branch of the block that is put in place.
    fn own(&self, action: Action, operands: Vec<KernelOperand>) -> KernelNode {
        KernelNode {
            action,
            operands,
            bits: 1,
            block: Some(self.header),
            name: "path".to_owned(),
            location: self.kernel.blocks[self.current].location.clone(),
            origin: None,
        }
    }

    /// A node after all others.
    fn push(&mut self, node: KernelNode) -> KernelOperand {
        let node = self.kernel.nodes.push(KernelNode { block: Some(self.header), ..node });
        self.list.push(node);
        KernelOperand::Node(node)
    }
}

/// The same kernel without blocks that nothing leads to.
pub(crate) fn without_blocks(kernel: &mut Kernel, gone: &BTreeSet<BlockId>) {
    let mut ids: IdMap<BlockId, BlockId> = IdMap::new();
    let mut next = 0;
    for block in kernel.blocks.ids() {
        ids.push(BlockId::new(next));
        next += usize::from(!gone.contains(&block));
    }
    let blocks = std::mem::replace(&mut kernel.blocks, IdMap::new());
    for (id, mut block) in blocks.iter().map(|(id, block)| (id, block.clone())) {
        if gone.contains(&id) {
            continue;
        }
        match &mut block.end {
            Terminator::Jump(to) => *to = ids[*to],
            Terminator::Branch { then, otherwise, .. } => {
                (*then, *otherwise) = (ids[*then], ids[*otherwise]);
            }
            Terminator::Switch { cases, otherwise, .. } => {
                cases.iter_mut().for_each(|(_, to)| *to = ids[*to]);
                *otherwise = ids[*otherwise];
            }
            Terminator::Return(_) | Terminator::Never => {}
        }
        kernel.blocks.push(block);
    }
    for node in kernel.nodes.values_mut() {
        node.block = node.block.map(|block| ids[block]);
        if let Action::Phi(blocks) = &mut node.action {
            blocks.iter_mut().for_each(|block| *block = ids[*block]);
        }
    }
}

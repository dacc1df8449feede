//! What must control have passed to be here? Dominators, edges and loops, the
//! simple way.
//!
//! Immediate dominators by iteration over the reverse postorder (Cooper, Harvey,
//! Kennedy, "A Simple, Fast Dominance Algorithm", 2001); a loop is what reaches
//! a back edge without its head. The checker has its own, so that an error in
//! the analysis is not believed twice. Cost: linear on what compilers make.

use std::collections::HashMap;

use opcost_index::{Graph, Id, IdMap};
use opcost_ir::{ConstantValue, Function, Module, Opcode, Value};
use opcost_key::{BlockId, InstructionId};

/// The shape of a function.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The block of each instruction.
    pub(crate) block_of: IdMap<InstructionId, BlockId>,
    /// Blocks before each block, once each.
    pub(crate) before: IdMap<BlockId, Vec<BlockId>>,
    /// Position in reverse postorder; none of what is not reached.
    order: IdMap<BlockId, Option<u32>>,
    above: IdMap<BlockId, Option<BlockId>>,
}

/// A decision that was made on every way to a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// What was decided on: the condition of a branch or switch.
    pub(crate) on: Value,
    /// It is one of these words, or, if `is_other`, none of them.
    pub(crate) words: Vec<u128>,
    /// Whether it is none of them.
    pub(crate) is_other: bool,
}

impl Shape {
    /// Of a function with a body.
    pub(crate) fn of(function: &Function) -> Shape {
        let count = function.blocks.len();
        let mut block_of = IdMap::filled(function.instructions.len(), BlockId::new(0));
        let mut before: IdMap<BlockId, Vec<BlockId>> = IdMap::filled(count, Vec::new());
        for block in function.blocks.ids() {
            function.instructions_of(block).for_each(|at| block_of[at] = block);
            for to in function.successors(block) {
                if !before[to].contains(&block) {
                    before[to].push(block);
                }
            }
        }
        let postorder = postorder(function);
        let mut order = IdMap::filled(count, None);
        for (position, &block) in postorder.iter().rev().enumerate() {
            order[block] = Some(position as u32);
        }
        let mut shape = Shape { block_of, before, order, above: IdMap::filled(count, None) };
        shape.find_dominators(&postorder);
        shape
    }

    fn find_dominators(&mut self, postorder: &[BlockId]) {
        let entry = BlockId::new(0);
        self.above[entry] = Some(entry);
        let mut is_news = true;
        while std::mem::take(&mut is_news) {
            for &block in postorder.iter().rev().filter(|&&block| block != entry) {
                let known = self.before[block].iter().copied().filter(|&from| self.above[from].is_some());
                let meeting = known.reduce(|one, two| self.meet(one, two));
                if meeting.is_some() && self.above[block] != meeting {
                    self.above[block] = meeting;
                    is_news = true;
                }
            }
        }
    }

    fn meet(&self, mut one: BlockId, mut two: BlockId) -> BlockId {
        while one != two {
            match self.order[one] > self.order[two] {
                true => one = self.above[one].expect("it is reached"),
                false => two = self.above[two].expect("it is reached"),
            }
        }
        one
    }

    /// Whether any way leads there.
    pub(crate) fn is_reached(&self, block: BlockId) -> bool {
        self.order[block].is_some()
    }

    /// Whether every way to `below` passes `above`; of what is not reached: no.
    pub(crate) fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        if !self.is_reached(above) || !self.is_reached(below) {
            return false;
        }
        let mut at = below;
        while at != above && at != BlockId::new(0) {
            at = self.above[at].expect("it is reached");
        }
        at == above
    }

    /// The block right above in the tree of dominators.
    pub(crate) fn above(&self, block: BlockId) -> Option<BlockId> {
        self.above[block].filter(|&above| above != block)
    }

    /// What was decided on every way to the start of a block.
    pub(crate) fn decisions(&self, module: &Module, function: &Function, block: BlockId) -> Vec<Decision> {
        let mut all = Vec::new();
        let mut at = Some(block).filter(|&block| self.is_reached(block));
        while let Some(here) = at {
            // The only way in: then it dominates as an edge. Whoever comes back from below
            // has gone in before, and has not been above since, where it was decided.
            let is_way_in = |from: BlockId| self.is_reached(from) && !self.dominates(here, from);
            let reached = self.before[here].iter().filter(|&&from| is_way_in(from));
            if let [from] = reached.copied().collect::<Vec<_>>()[..]
                && here != BlockId::new(0)
            {
                all.extend(decision(module, function, from, here));
            }
            at = self.above(here);
        }
        all
    }

    /// Edges back to a head that dominates where they come from.
    pub(crate) fn latches(&self, head: BlockId) -> Vec<BlockId> {
        self.before[head].iter().copied().filter(|&from| self.dominates(head, from)).collect()
    }

    /// The blocks of the loop of a head, itself included.
    pub(crate) fn members(&self, head: BlockId) -> HashMap<BlockId, ()> {
        let mut members = HashMap::from([(head, ())]);
        let mut work = self.latches(head);
        while let Some(block) = work.pop() {
            if members.insert(block, ()).is_none() {
                work.extend(self.before[block].iter().copied().filter(|&from| self.is_reached(from)));
            }
        }
        members
    }
}

/// What the end of a block decides when control goes on to `to`.
pub(crate) fn decision(module: &Module, function: &Function, from: BlockId, to: BlockId) -> Option<Decision> {
    let end = function.terminator_of(from);
    let operands = function.operands_of(end);
    let successors = &function.blocks[from].successors;
    match function.instructions[end].opcode {
        Opcode::Br if operands.len() == 3 => {
            let &[yes, no] = &successors[..] else { return None };
            (yes != no).then(|| Decision {
                on: operands[0],
                words: vec![u128::from(to == yes)],
                is_other: false,
            })
        }
        Opcode::Switch => {
            let (Some(&Value::Block(otherwise)), cases) = (operands.get(1), &operands[2..]) else {
                return None;
            };
            let is_other = to == otherwise;
            // A case that leads to where all others go, too, is not excluded.
            let wanted = cases
                .chunks_exact(2)
                .filter(|case| matches!(case[1], Value::Block(target) if (target == to) != is_other));
            let words: Option<Vec<u128>> = wanted.map(|case| word(module, case[0])).collect();
            Some(Decision { on: operands[0], words: words?, is_other })
        }
        _ => None,
    }
}

/// The word that a value is, if it is a constant.
pub(crate) fn word(module: &Module, value: Value) -> Option<u128> {
    let Value::Constant(id) = value else { return None };
    match module.constants[id].value {
        ConstantValue::Integer(word) => Some(word),
        _ => None,
    }
}

/// Blocks that are reached, each after what it leads to but for cycles.
fn postorder(function: &Function) -> Vec<BlockId> {
    let mut seen = IdMap::filled(function.blocks.len(), false);
    let (mut order, mut stack) = (Vec::new(), vec![(BlockId::new(0), 0)]);
    seen[BlockId::new(0)] = true;
    while let Some((block, next)) = stack.pop() {
        match function.blocks[block].successors.get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order
}

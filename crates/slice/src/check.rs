//! Does a removal leave a program? A checker of its own.
//!
//! It knows nothing of why anything stays. It builds the control flow that is
//! left, and demands of every block that is still reached: no operand of what
//! stays was deleted; definitions still come before their uses on every way;
//! every phi has exactly one input for each edge that is left; what ends a
//! block is never deleted.
//!
//! Input: a module and a removal. Output: nothing, or the first fault. Cost:
//! dominators of each function that is edited, and its operands.

use opcost_graph::dominators::Dominators;
use opcost_index::{AdjacencyGraph, Id, IdMap, IdSet};
use opcost_ir::{Function, Module, Opcode, Removal, RemovalEdit, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is wrong with a removal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{function}, {instruction}: {what}")]
pub struct RemovalFault {
    /// The function.
    pub function: FunctionId,
    /// The instruction that would be broken.
    pub instruction: InstructionId,
    /// How.
    pub what: &'static str,
}

/// Whether the program is well-formed after the removal.
///
/// # Errors
/// The first instruction that would not be.
pub fn check(module: &Module, removal: &Removal) -> Result<(), RemovalFault> {
    for edits in removal.edits.chunk_by(|a, b| a.0 == b.0) {
        let id = edits[0].0;
        let left = Left::of(&module.functions[id], edits);
        left.check().map_err(|(instruction, what)| RemovalFault { function: id, instruction, what })?;
    }
    Ok(())
}

/// A function after its edits.
struct Left<'a> {
    function: &'a Function,
    deleted: IdSet<InstructionId>,
    zeroed: FxHashSet<(InstructionId, u32)>,
    replaced: FxHashMap<BlockId, Option<BlockId>>,
    block_of: IdMap<InstructionId, BlockId>,
    dominators: Dominators<BlockId>,
    graph: AdjacencyGraph<BlockId>,
}

type Checked = Result<(), (InstructionId, &'static str)>;

impl<'a> Left<'a> {
    fn of(function: &'a Function, edits: &[(FunctionId, RemovalEdit)]) -> Left<'a> {
        let mut deleted = IdSet::new();
        let mut zeroed = FxHashSet::default();
        let mut replaced = FxHashMap::default();
        for &(_, edit) in edits {
            match edit {
                RemovalEdit::Delete { instruction } => _ = deleted.insert(instruction),
                RemovalEdit::Zero { instruction, operand } => _ = zeroed.insert((instruction, operand)),
                RemovalEdit::Retarget { block, target } => _ = replaced.insert(block, Some(target)),
                RemovalEdit::ReturnNothing { block } => _ = replaced.insert(block, None),
            }
        }
        let mut graph = AdjacencyGraph::new(function.blocks.len());
        for (block, shape) in function.blocks.iter() {
            match replaced.get(&block) {
                Some(target) => target.iter().for_each(|&target| graph.add_edge(block, target)),
                None => shape.successors.iter().for_each(|&target| graph.add_edge(block, target)),
            }
        }
        let mut block_of = IdMap::filled(function.instructions.len(), BlockId::new(0));
        for block in function.blocks.ids() {
            function.instructions_of(block).for_each(|at| block_of[at] = block);
        }
        let dominators = Dominators::compute(&graph, BlockId::new(0));
        Left { function, deleted, zeroed, replaced, block_of, dominators, graph }
    }

    fn check(&self) -> Checked {
        let predecessors = opcost_index::reverse(&self.graph);
        for block in self.function.blocks.ids().filter(|&block| self.dominators.is_reachable(block)) {
            let last = self.function.terminator_of(block);
            if self.deleted.contains(last) {
                return Err((last, "what ends a block is deleted"));
            }
            for at in self.function.instructions_of(block) {
                if self.deleted.contains(at) || (at == last && self.replaced.contains_key(&block)) {
                    continue;
                }
                match self.function.instructions[at].opcode {
                    Opcode::Phi => self.phi(at, block, &predecessors)?,
                    _ => self.operands(at)?,
                }
            }
        }
        Ok(())
    }

    fn operands(&self, at: InstructionId) -> Checked {
        for (position, &operand) in (0u32..).zip(self.function.operands_of(at)) {
            if self.zeroed.contains(&(at, position)) {
                continue;
            }
            if let Value::Instruction(definition) = operand {
                self.defined(at, definition)?;
                let (from, to) = (self.block_of[definition], self.block_of[at]);
                let is_before = match from == to {
                    true => definition < at,
                    false => self.dominators.dominates(from, to),
                };
                if !is_before {
                    return Err((at, "a way leads past the definition of its operand"));
                }
            }
        }
        Ok(())
    }

    fn defined(&self, at: InstructionId, definition: InstructionId) -> Checked {
        if self.deleted.contains(definition) { Err((at, "its operand is deleted")) } else { Ok(()) }
    }

    fn phi(&self, at: InstructionId, block: BlockId, predecessors: &AdjacencyGraph<BlockId>) -> Checked {
        use opcost_index::Graph;
        let mut inputs: FxHashMap<BlockId, Value> = FxHashMap::default();
        for pair in self.function.operands_of(at).chunks(2) {
            if let &[value, Value::Block(from)] = pair {
                inputs.insert(from, value);
            }
        }
        for from in predecessors.successors(block).filter(|&from| self.dominators.is_reachable(from)) {
            let Some(&value) = inputs.get(&from) else {
                return Err((at, "a way leads to it for which it has no input"));
            };
            if let Value::Instruction(definition) = value {
                self.defined(at, definition)?;
                if !self.dominators.dominates(self.block_of[definition], from) {
                    return Err((at, "a way leads past the definition of its input"));
                }
            }
        }
        Ok(())
    }
}

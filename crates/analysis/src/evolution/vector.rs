//! Which loops are one loop of the source? What the vectoriser split.
//!
//! The vectoriser marks both loops that it makes of one (`llvm.loop.isvectorized`): a body that
//! computes with vectors, whose counter moves by so many iterations of the source at once, and
//! after it a loop that does what is left. They are a pair where the second is the first loop that
//! control can come to from the exit of the first. Cost: blocks between them, at most
//! [`MOST_BLOCKS`].

use opcost_ir::{Type, Value};
use opcost_key::BlockId;

use super::answer::SplitPart;
use super::known::{Closed, Mode};
use super::solver::{Ask, Solver};
use opcost_graph::loops::LoopId;

/// How many blocks may be between a vector body and what does the rest.
const MOST_BLOCKS: usize = 32;

impl Solver<'_, '_> {
    /// What the vectoriser made of a loop.
    pub(super) fn part(&mut self, id: LoopId) -> Option<SplitPart> {
        if !self.is_marked(id) {
            return None;
        }
        if self.has_vectors(id) {
            let lanes = self.lanes(id).unwrap_or(0);
            return Some(SplitPart::VectorBody { lanes, remainder: self.remainder_of(id) });
        }
        let bodies =
            self.source.forest.loops.ids().filter(|&body| self.is_marked(body) && self.has_vectors(body));
        let of = bodies.into_iter().find(|&body| self.remainder_of(body) == Some(id))?;
        Some(SplitPart::Remainder { of })
    }

    fn is_marked(&self, id: LoopId) -> bool {
        let latches = self.source.forest.loops[id].latches();
        latches.iter().any(|&latch| self.source.function.blocks[latch].latch.is_vectorized)
    }

    fn has_vectors(&self, id: LoopId) -> bool {
        let function = self.source.function;
        let is_vector = |ty| matches!(self.source.module.types[ty], Type::Vector { .. });
        let members = self.source.forest.loops[id].members.iter();
        members.flat_map(|&block| function.instructions_of(block)).any(|at| {
            let instruction = &function.instructions[at];
            is_vector(instruction.ty) || instruction.second_type.is_some_and(is_vector)
        })
    }

    /// The first loop after a vector body.
    fn remainder_of(&self, body: LoopId) -> Option<LoopId> {
        let forest = self.source.forest;
        let natural = &forest.loops[body];
        let mut work: Vec<BlockId> = natural.exits.iter().map(|exit| exit.to).collect();
        let mut seen: Vec<BlockId> = Vec::new();
        while let Some(block) = work.pop() {
            if seen.contains(&block) || seen.len() > MOST_BLOCKS {
                continue;
            }
            seen.push(block);
            let found = forest.loop_with_header(block).filter(|&found| found != body);
            if let Some(found) = found.filter(|&found| forest.loops[found].parent == natural.parent) {
                if self.is_marked(found) {
                    return Some(found);
                }
                continue;
            }
            if forest.innermost[block] == natural.parent {
                work.extend(self.source.function.blocks[block].successors.iter().copied());
            }
        }
        None
    }

    /// By how much the counter that ends the loop moves in an iteration.
    fn lanes(&mut self, id: LoopId) -> Option<u64> {
        let exit = *self.source.forest.loops[id].exits.first()?;
        let terminator = self.source.function.terminator_of(exit.from);
        let condition = *self.source.function.operands_of(terminator).first()?;
        let Value::Instruction(test) = condition else { return None };
        let sides = self.source.function.operands_of(test).to_vec();
        for side in sides {
            let raw = self.raw_value(side, Mode::Trusting);
            for symbol in self.table.symbols_in(raw.formula).to_vec() {
                let Some(variable) = self.variable(symbol) else { continue };
                if self.headed_loop(variable) != Some(id) {
                    continue;
                }
                let Closed::Form { value, .. } = self.closed(variable, id, Mode::Trusting) else { continue };
                let exact = match *self.table.node(value.formula) {
                    crate::expression::FormulaNode::Wrap { of, .. } => of,
                    _ => value.formula,
                };
                let turn = self.turn(id);
                let Some((parts, 1)) = self.table.coefficients(exact, turn) else { continue };
                let step = parts.get(1).and_then(|&step| self.table.as_constant(step));
                if let Some(step) = step.and_then(|step| u64::try_from(step.abs()).ok()) {
                    return Some(step);
                }
            }
        }
        None
    }
}

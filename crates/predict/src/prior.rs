//! Which way does a branch go, if nothing about it is decided? Exact fractions.
//!
//! The heuristics of LLVM's BranchProbabilityInfo, which llvm-pred (Xie, 2014) builds on. Weights of
//! the module (`!prof`) come first. Then a branch that can leave its loop stays with 124 of 128.
//! Comparisons of pointers, with zero and of floating-point numbers go their usual way with 20 of 32.
//! What is left shares equally. Unlike LLVM, an edge from which no return is reached gets nothing
//! where there is another: an abort, an error path that ends the program. Trip counts presume the same.
//!
//! Input: a function, its loops, the blocks that reach a return. Output: a fraction for each
//! successor, with sum 1. Cost: the successors. Limit: a guess.

use num_traits::{One, Zero};
use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::LoopForest;
use opcost_index::{Graph, IdMap, IdSet};
use opcost_ir::{Constant, ConstantValue, Function, Module, Opcode, Predicate, Type, Value};
use opcost_key::BlockId;

use crate::fraction::{Fraction, ratio, whole};

/// Stays in a loop, of [`LOOP_ALL`].
const LOOP_STAYS: u64 = 124;
const LOOP_ALL: u64 = 128;
/// The likelier side of a comparison, of [`COMPARE_ALL`].
const COMPARE_LIKELY: u64 = 20;
const COMPARE_ALL: u64 = 32;

/// A function as far as branches are guessed from it.
pub(crate) struct Priors<'a> {
    module: &'a Module,
    function: &'a Function,
    forest: &'a LoopForest<BlockId>,
    /// Blocks from which a return is reached.
    alive: IdSet<BlockId>,
}

impl<'a> Priors<'a> {
    pub(crate) fn new(module: &'a Module, function: &'a Function, forest: &'a LoopForest<BlockId>) -> Self {
        Priors { module, function, forest, alive: alive(function) }
    }

    /// The share of each edge out of a block, by slot.
    pub(crate) fn shares(&self, block: BlockId) -> Vec<Fraction> {
        let edges: Vec<Edge<BlockId>> = edges_from(self.function, block).collect();
        let any_alive = edges.iter().any(|edge| self.alive.contains(edge.to));
        let possible = |edge: &Edge<BlockId>| !any_alive || self.alive.contains(edge.to);
        let raw = self.weights(block).unwrap_or_else(|| self.guessed(block, &edges));
        let only: Vec<Fraction> = edges
            .iter()
            .zip(raw)
            .map(|(edge, share)| if possible(edge) { share } else { Fraction::zero() })
            .collect();
        let total: Fraction = only.iter().sum();
        if total.is_zero() {
            let count = edges.iter().filter(|edge| possible(edge)).count().max(1);
            return edges
                .iter()
                .map(|edge| if possible(edge) { ratio(1, count as u64) } else { Fraction::zero() })
                .collect();
        }
        only.into_iter().map(|share| share / &total).collect()
    }

    /// Weights that the module has.
    fn weights(&self, block: BlockId) -> Option<Vec<Fraction>> {
        let weights = self.function.blocks[block].weights.as_ref()?;
        let is_usable = weights.iter().any(|&weight| weight > 0)
            && weights.len() == self.function.blocks[block].successors.len();
        is_usable.then(|| weights.iter().map(|&weight| whole(weight)).collect())
    }

    fn guessed(&self, block: BlockId, edges: &[Edge<BlockId>]) -> Vec<Fraction> {
        if let Some(innermost) = self.forest.innermost[block] {
            let stays = |edge: &Edge<BlockId>| self.forest.contains(innermost, edge.to);
            let inside = edges.iter().filter(|edge| stays(edge)).count() as u64;
            let outside = edges.len() as u64 - inside;
            if inside > 0 && outside > 0 {
                let share = |edge: &Edge<BlockId>| match stays(edge) {
                    true => ratio(LOOP_STAYS, LOOP_ALL * inside),
                    false => ratio(LOOP_ALL - LOOP_STAYS, LOOP_ALL * outside),
                };
                return edges.iter().map(share).collect();
            }
        }
        match (self.first_is_likely(block), edges.len()) {
            (Some(is_likely), 2) => {
                let likely = ratio(COMPARE_LIKELY, COMPARE_ALL);
                let other = Fraction::one() - &likely;
                if is_likely { vec![likely, other] } else { vec![other, likely] }
            }
            _ => vec![Fraction::one(); edges.len()],
        }
    }

    /// Whether the first of two ways is the likelier one; none if no heuristic says it.
    fn first_is_likely(&self, block: BlockId) -> Option<bool> {
        let function = self.function;
        let terminator = function.terminator_of(block);
        if function.instructions[terminator].opcode != Opcode::Br {
            return None;
        }
        let &Value::Instruction(test) = function.operands_of(terminator).first()? else { return None };
        let comparison = &function.instructions[test];
        let predicate = comparison.predicate?;
        let &[left, right] = function.operands_of(test) else { return None };
        match comparison.opcode {
            Opcode::FCmp => match predicate {
                Predicate::Oeq | Predicate::Ueq | Predicate::Uno => Some(false),
                Predicate::One | Predicate::Une | Predicate::Ord => Some(true),
                _ => None,
            },
            Opcode::ICmp => {
                let ty = self.module.type_of(function, left)?;
                if matches!(self.module.types[ty], Type::Pointer(_)) {
                    return match predicate {
                        Predicate::Eq => Some(false),
                        Predicate::Ne => Some(true),
                        _ => None,
                    };
                }
                likely_against(predicate, self.number(right)?)
            }
            _ => None,
        }
    }

    /// The constant, with its sign.
    fn number(&self, value: Value) -> Option<i128> {
        let Value::Constant(id) = value else { return None };
        let Constant { value, ty, .. } = &self.module.constants[id];
        match (value, &self.module.types[*ty]) {
            (ConstantValue::Integer(number), Type::Integer(bits @ 1..=127)) => {
                let free = 128 - bits;
                Some((*number as i128) << free >> free)
            }
            _ => None,
        }
    }
}

/// LLVM's zero heuristic: whether `x ? number` is likely.
fn likely_against(predicate: Predicate, number: i128) -> Option<bool> {
    match (number, predicate) {
        (0, Predicate::Eq | Predicate::Slt) => Some(false),
        (0, Predicate::Ne | Predicate::Sgt) => Some(true),
        (1, Predicate::Slt) => Some(false),
        (-1, Predicate::Eq) => Some(false),
        (-1, Predicate::Ne | Predicate::Sgt) => Some(true),
        _ => None,
    }
}

/// Blocks from which a return, or what passes an exception on, is reached.
fn alive(function: &Function) -> IdSet<BlockId> {
    let count = function.blocks.len();
    let mut predecessors: IdMap<BlockId, Vec<BlockId>> = IdMap::filled(count, Vec::new());
    let mut work = Vec::new();
    let mut alive = IdSet::new();
    for block in function.blocks.ids() {
        for next in function.successors(block) {
            predecessors[next].push(block);
        }
        let end = function.instructions[function.terminator_of(block)].opcode;
        if end == Opcode::Ret {
            work.push(block);
        }
    }
    while let Some(block) = work.pop() {
        if alive.insert(block) {
            work.extend(predecessors[block].iter().copied());
        }
    }
    alive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_with_zero_go_their_usual_way() {
        assert_eq!(likely_against(Predicate::Eq, 0), Some(false));
        assert_eq!(likely_against(Predicate::Sgt, -1), Some(true));
        assert_eq!(likely_against(Predicate::Eq, 7), None);
    }
}

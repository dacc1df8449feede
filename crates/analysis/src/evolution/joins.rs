//! What is a value where control meets again?
//!
//! Where all arms are the same formula, that one (the phi is an alias). Where the block that
//! decides ends in a branch of two, and each block before is on one side of it, one of two. Else
//! the value is a symbol. Cost: the arms.

use opcost_ir::{Opcode, Value};
use opcost_key::BlockId;

use super::known::{Arm, Known, Mode, Variable, both};
use super::operands::Tried;
use super::solver::Solver;
use crate::expression::{Relation, Test};

impl Solver<'_, '_> {
    /// A phi or merge that heads no loop.
    pub(super) fn joined(&mut self, variable: Variable, mode: Mode) -> Tried {
        let arms = self.arms(variable);
        let domain = match variable {
            Variable::Result(id) => self.domain_of(id),
            Variable::Cell(version) => self.state.cell_domains.get(&version).copied(),
        };
        let mut known: Vec<(BlockId, Known)> = Vec::with_capacity(arms.len());
        for (from, arm) in arms {
            if !self.source.dominators.is_reachable(from) {
                continue;
            }
            let value = match arm {
                Arm::Value(value) => self.operand(value, mode)?,
                Arm::Cell(version) => {
                    if !self.is_of_domain(version, domain) {
                        return Ok(None);
                    }
                    self.cell(version, domain, mode)?
                }
            };
            known.push((from, value));
        }
        let Some((_, first)) = known.first().cloned() else { return Ok(None) };
        if known.iter().all(|(_, other)| other.formula == first.formula) {
            let relies =
                known.iter().try_fold(first.relies, |relies, (_, other)| both(&relies, &other.relies));
            return Ok(relies.map(|relies| Known { relies, ..first }));
        }
        self.decided(self.block_of(variable), &known, mode)
    }

    /// Whether what is stored in a version has this domain, if that is said.
    fn is_of_domain(
        &self,
        version: crate::cells::CellVersion,
        domain: Option<crate::expression::Domain>,
    ) -> bool {
        match self.source.cells.definition(version) {
            crate::cells::CellDefinition::Stored { value, .. } => {
                self.type_of_operand(value).and_then(|ty| self.domain(ty)) == domain
            }
            _ => self.state.cell_domains.get(&version).is_none_or(|&known| Some(known) == domain),
        }
    }

    /// One of two values, by the branch at the immediate dominator.
    fn decided(&mut self, block: BlockId, arms: &[(BlockId, Known)], mode: Mode) -> Tried {
        let function = self.source.function;
        let Some(fork) = self.source.dominators.immediate(block) else { return Ok(None) };
        let branch = function.terminator_of(fork);
        let &[then, otherwise] = &function.blocks[fork].successors[..] else { return Ok(None) };
        let is_branch = function.instructions[branch].opcode == Opcode::Br && then != otherwise;
        let around = self.source.forest.innermost[fork];
        let is_left = around.is_some_and(|around| !self.source.forest.contains(around, block));
        if !is_branch || is_left {
            return Ok(None);
        }
        let mut sides: [Option<Known>; 2] = [None, None];
        for (from, value) in arms {
            let side = [then, otherwise].iter().position(|&side| self.is_on_side(fork, side, *from, block));
            let Some(side) = side else { return Ok(None) };
            let merged = match sides[side].take() {
                None => Some(value.clone()),
                Some(known) if known.formula == value.formula => {
                    both(&known.relies, &value.relies).map(|relies| Known { relies, ..known })
                }
                Some(_) => None,
            };
            let Some(merged) = merged else { return Ok(None) };
            sides[side] = Some(merged);
        }
        let [Some(on_then), Some(on_otherwise)] = sides else { return Ok(None) };
        let condition: Value = function.operands_of(branch)[0];
        let condition = self.operand(condition, mode)?;
        let test = Test { relation: Relation::NotZero, of: condition.formula };
        let formula = self.table.select(test, on_then.formula, on_otherwise.formula);
        let relies =
            both(&on_then.relies, &on_otherwise.relies).and_then(|relies| both(&relies, &condition.relies));
        Ok(relies.map(|relies| Known { formula, relies }))
    }

    /// Whether the edge `from` → `block` is taken only by way of `fork` → `side`.
    fn is_on_side(&self, fork: BlockId, side: BlockId, from: BlockId, block: BlockId) -> bool {
        if from == fork {
            return side == block;
        }
        side != block && self.is_only_way(fork, side) && self.source.dominators.dominates(side, from)
    }
}

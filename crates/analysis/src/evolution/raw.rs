//! What is a value made of, within one iteration?
//!
//! Each result becomes a formula of arguments, of what merges at the heads of
//! loops, and of what cannot be looked into (loads that are not followed,
//! calls); these are symbols. Nothing here goes round a loop, so each result is
//! looked at once, from its operands up, on a work list. A symbol means what it
//! was last: where a value is used, what it was made of has not changed since
//! (its definition dominates the use, and what made it the definition), so
//! formulas may be put together wherever they are used.
//!
//! Integers are read with sign, truth values and addresses without. In
//! [`Mode::Strict`] a sum is the machine's, wrapped; in [`Mode::Trusting`] it is
//! the exact one where a flag says so, and the flag is listed.
//! Cost: linear in the instructions that a question reaches.

use opcost_ir::{Instruction, Opcode, Value};
use opcost_key::InstructionId;
use rustc_hash::FxHashSet as HashSet;

use super::answer::FlagPromise;
use super::known::{Arm, Known, Mode, Variable, both};
use super::operands::{Built, Tried};
use super::operations::Made;
use super::predicates::is_signed;
use super::solver::Solver;
use crate::cells::CellDefinition;
use crate::expression::{Domain, Relation, Test};

impl Solver<'_, '_> {
    /// What a variable is made of.
    pub(super) fn raw(&mut self, root: Variable, mode: Mode) -> Known {
        let mut stack = vec![root];
        let mut on_stack = HashSet::from_iter([root]);
        while let Some(&top) = stack.last() {
            let built = match self.state.raw.get(&(top, mode)) {
                Some(_) => None,
                None => Some(self.build(top, mode)),
            };
            match built {
                Some(Err(missing)) if on_stack.insert(missing) => {
                    stack.push(missing);
                    continue;
                }
                // A cycle that no head of a loop cuts: control is irreducible.
                Some(Err(missing)) => {
                    let leaf = Known::plain(self.leaf(missing));
                    self.state.raw.insert((missing, mode), leaf);
                }
                Some(Ok(known)) => {
                    self.state.raw.insert((top, mode), known);
                }
                None => {}
            }
            if self.state.raw.contains_key(&(top, mode)) {
                stack.pop();
                on_stack.remove(&top);
            }
        }
        self.state.raw[&(root, mode)].clone()
    }

    /// What an operand is made of.
    pub(super) fn raw_value(&mut self, value: Value, mode: Mode) -> Known {
        match self.operand(value, mode) {
            Ok(known) => known,
            Err(missing) => {
                self.raw(missing, mode);
                self.operand(value, mode).unwrap_or_else(|_| {
                    let leaf = self.leaf(missing);
                    Known::plain(leaf)
                })
            }
        }
    }

    /// What an arm of a merge is made of.
    pub(super) fn raw_arm(&mut self, arm: Arm, domain: Option<Domain>, mode: Mode) -> Known {
        match arm {
            Arm::Value(value) => self.raw_value(value, mode),
            Arm::Cell(version) => match self.cell(version, domain, mode) {
                Ok(known) => known,
                Err(missing) => self.raw(missing, mode),
            },
        }
    }

    /// One variable from others that were looked at; a symbol if that fails.
    fn build(&mut self, variable: Variable, mode: Mode) -> Built {
        let tried = match variable {
            _ if self.headed_loop(variable).is_some() => None,
            Variable::Result(id) => self.result(id, mode)?,
            Variable::Cell(_) => self.joined(variable, mode)?,
        };
        let known = tried.filter(|known| !self.table.is_too_big(known.formula));
        Ok(known.unwrap_or_else(|| Known::plain(self.leaf(variable))))
    }

    fn result(&mut self, id: InstructionId, mode: Mode) -> Tried {
        let instruction = &self.source.function.instructions[id];
        let Some(domain) = self.domain(instruction.ty) else { return Ok(None) };
        let operands = self.source.function.operands_of(id);
        match (instruction.opcode, operands) {
            (Opcode::Phi, _) => self.joined(Variable::Result(id), mode),
            (Opcode::Load, _) => self.load(id, domain, mode),
            (Opcode::Select, &[condition, then, otherwise]) => {
                self.chosen([condition, then, otherwise], mode)
            }
            (Opcode::ICmp, &[left, right]) => self.compared(instruction, [left, right], mode),
            (Opcode::GetElementPtr, _) => self.address(id, mode),
            (Opcode::Call, _) => self.call(id, domain, mode),
            (Opcode::Freeze, &[of]) => {
                if mode == Mode::Strict {
                    return Ok(None);
                }
                let of = self.operand(of, mode)?;
                Ok(self.promised(of.formula, &of, id, FlagPromise::NotPoison))
            }
            (_, &[a, b]) => {
                let (a, b) = (self.operand(a, mode)?, self.operand(b, mode)?);
                Ok(self.binary(Made { id, domain, mode }, &a, &b))
            }
            (_, &[of]) => {
                let of_type = self.type_of_operand(operands[0]).and_then(|ty| self.domain(ty));
                let Some(from) = of_type else { return Ok(None) };
                let of = self.operand(of, mode)?;
                Ok(self.cast(Made { id, domain, mode }, from, &of))
            }
            _ => Ok(None),
        }
    }

    fn load(&mut self, id: InstructionId, domain: Domain, mode: Mode) -> Tried {
        let Some(version) = self.source.cells.read_by(id) else { return Ok(None) };
        if let CellDefinition::Stored { value, .. } = self.source.cells.definition(version) {
            // A store of another type is no number of this one.
            let stored = self.type_of_operand(value).and_then(|ty| self.domain(ty));
            if stored != Some(domain) {
                return Ok(None);
            }
        } else if self.state.cell_domains.get(&version).is_some_and(|&known| known != domain) {
            return Ok(None);
        }
        self.cell(version, Some(domain), mode).map(Some)
    }

    fn chosen(&mut self, [condition, then, otherwise]: [Value; 3], mode: Mode) -> Tried {
        if self.type_of_operand(condition).and_then(|ty| self.domain(ty)).is_none() {
            return Ok(None);
        }
        let condition = self.operand(condition, mode)?;
        let (then, otherwise) = (self.operand(then, mode)?, self.operand(otherwise, mode)?);
        let test = Test { relation: Relation::NotZero, of: condition.formula };
        let formula = self.table.select(test, then.formula, otherwise.formula);
        let relies = both(&then.relies, &otherwise.relies).and_then(|arms| both(&arms, &condition.relies));
        Ok(relies.map(|relies| Known { formula, relies }))
    }

    fn compared(&mut self, instruction: &Instruction, [left, right]: [Value; 2], mode: Mode) -> Tried {
        let sides = instruction.second_type.and_then(|ty| self.domain(ty));
        let (Some(domain), Some(predicate)) = (sides, instruction.predicate) else { return Ok(None) };
        // Addresses are read without sign here.
        if is_signed(predicate) && domain.bits > 1 && !domain.signed {
            return Ok(None);
        }
        let (left, right) = (self.operand(left, mode)?, self.operand(right, mode)?);
        let test = self.comparison(predicate, left.formula, right.formula, domain.bits);
        let Some(test) = test else { return Ok(None) };
        let (one, zero) = (self.table.constant(1), self.table.constant(0));
        let formula = self.table.select(test, one, zero);
        Ok(both(&left.relies, &right.relies).map(|relies| Known { formula, relies }))
    }
}

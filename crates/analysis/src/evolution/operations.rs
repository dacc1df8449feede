//! What do additions, shifts, masks, casts and comparisons make of formulas?
//!
//! Each operation is said as LLVM's language reference says it, over the exact
//! integers that its operands are, and wrapped into the width of the result.
//! `ashr` and `sdiv` are read with sign, `lshr`, `udiv`, `urem` without. What
//! masks and shifts by constants do is said in sums and quotients; other
//! operations on bits are not looked into.

use opcost_ir::{Flags, Opcode, Predicate};
use opcost_key::InstructionId;

use super::answer::FlagPromise;
use super::known::{Known, Mode, both};
use super::operands::Tried;
use super::solver::Solver;
use crate::expression::{Domain, FormulaId, FormulaInterval, Relation, Rounding, Test};

/// The result of an instruction, that is being made.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) id: InstructionId,
    /// How it is read.
    pub(super) domain: Domain,
    pub(super) mode: Mode,
}

impl Solver<'_, '_> {
    pub(super) fn binary(&mut self, made: Made, a: &Known, b: &Known) -> Option<Known> {
        let Made { id, domain, mode } = made;
        let from = Known { formula: a.formula, relies: both(&a.relies, &b.relies)? };
        let opcode = self.source.function.instructions[id].opcode;
        let (x, y) = (a.formula, b.formula);
        match opcode {
            // Modulo 2 a sum says whether the two differ.
            Opcode::Add | Opcode::Sub if domain.bits == 1 => {
                let formula = self.truth(Opcode::Xor, x, y)?;
                Some(Known { formula, ..from })
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => {
                let exact = match opcode {
                    Opcode::Add => self.table.add(x, y),
                    Opcode::Sub => self.table.subtract(x, y),
                    Opcode::Mul => self.table.multiply(x, y),
                    _ => {
                        let power = self.power_of_two(y, domain.bits)?;
                        self.table.multiply(x, power)
                    }
                };
                self.wrapped(made, exact, from)
            }
            Opcode::Or
                if mode == Mode::Trusting && self.flags(id).has(Flags::DISJOINT) && domain.bits > 1 =>
            {
                match self.bits(opcode, domain, x, y) {
                    Some(formula) => Some(Known { formula, ..from }),
                    None => {
                        let sum = self.table.add(x, y);
                        self.promised(sum, &from, id, FlagPromise::Disjoint)
                    }
                }
            }
            _ => {
                let formula =
                    self.quotient(opcode, domain, x, y).or_else(|| self.bits(opcode, domain, x, y))?;
                Some(Known { formula, ..from })
            }
        }
    }

    /// A result that may wrap, or is promised not to.
    pub(super) fn wrapped(&mut self, made: Made, exact: FormulaId, from: Known) -> Option<Known> {
        let Made { id, domain, mode } = made;
        let wrapped = self.table.wrap(domain, exact);
        if wrapped == exact || mode == Mode::Strict {
            return Some(Known { formula: wrapped, ..from });
        }
        if domain.signed && self.flags(id).has(Flags::NSW) {
            return self.promised(exact, &from, id, FlagPromise::NoSignedWrap);
        }
        Some(Known { formula: wrapped, ..from })
    }

    /// `2^by`, for a shift of a value of so many bits.
    fn power_of_two(&mut self, by: FormulaId, bits: u32) -> Option<FormulaId> {
        let by = self.unsigned(by, bits);
        match self.table.as_constant(by) {
            // More than there are bits: poison.
            Some(by) if by >= bits.into() => None,
            _ => Some(self.table.power(2, by)),
        }
    }

    fn quotient(&mut self, opcode: Opcode, domain: Domain, x: FormulaId, y: FormulaId) -> Option<FormulaId> {
        if domain.bits == 1 {
            return None;
        }
        let (ux, uy) = (self.unsigned(x, domain.bits), self.unsigned(y, domain.bits));
        let formula = match opcode {
            Opcode::UDiv => self.table.divide(Rounding::Floor, ux, uy),
            Opcode::SDiv => self.table.divide(Rounding::Truncate, x, y),
            Opcode::URem => self.table.modulo(ux, uy),
            Opcode::SRem => self.table.remainder(x, y),
            Opcode::LShr | Opcode::AShr => {
                let power = self.power_of_two(y, domain.bits)?;
                self.table.divide(Rounding::Floor, if opcode == Opcode::LShr { ux } else { x }, power)
            }
            _ => return None,
        };
        Some(self.table.wrap(domain, formula))
    }

    fn bits(&mut self, opcode: Opcode, domain: Domain, x: FormulaId, y: FormulaId) -> Option<FormulaId> {
        if domain.bits == 1 {
            return self.truth(opcode, x, y);
        }
        let (x, mask) = match (self.table.as_constant(x), self.table.as_constant(y)) {
            (_, Some(mask)) => (x, mask),
            (Some(mask), None) => (y, mask),
            _ => return None,
        };
        match opcode {
            Opcode::And => self.masked(domain, x, mask),
            Opcode::Or => {
                let zeros = self.low_zeros(x);
                let fits = mask >= 0 && zeros < 64 && mask < 1 << zeros;
                fits.then(|| self.table.add_constant(x, mask))
            }
            Opcode::Xor if mask == -1 => Some(self.table.combine(-1, &[(x, -1)])),
            _ => None,
        }
    }

    /// `and`, `or`, `xor` of truth values.
    fn truth(&mut self, opcode: Opcode, x: FormulaId, y: FormulaId) -> Option<FormulaId> {
        let holds = Test { relation: Relation::NotZero, of: x };
        let (zero, one) = (self.table.constant(0), self.table.constant(1));
        let [x_holds, y_holds] = [x, y].map(|part| self.table.as_constant(part) == Some(1));
        Some(match opcode {
            Opcode::And if x_holds => y,
            Opcode::And if y_holds => x,
            Opcode::And => self.table.select(holds, y, zero),
            Opcode::Or => self.table.select(holds, one, y),
            Opcode::Xor if x_holds => self.table.combine(1, &[(y, -1)]),
            Opcode::Xor if y_holds => self.table.combine(1, &[(x, -1)]),
            Opcode::Xor => {
                let opposite = self.table.combine(1, &[(y, -1)]);
                self.table.select(holds, opposite, y)
            }
            _ => return None,
        })
    }

    /// `x & mask` where the mask is one run of ones.
    fn masked(&mut self, domain: Domain, x: FormulaId, mask: i128) -> Option<FormulaId> {
        if mask == 0 {
            return Some(self.table.constant(0));
        }
        let low = mask.trailing_zeros();
        let above = self.table.divide_by_constant(Rounding::Floor, x, 1 << low);
        let run = mask >> low;
        if run == -1 {
            return Some(self.table.scale(above, 1 << low));
        }
        let length = (run + 1).trailing_zeros();
        let is_run = run > 0 && run & (run + 1) == 0 && length <= domain.bits;
        is_run.then(|| {
            let bits = self.table.wrap(Domain { bits: length, signed: false }, above);
            self.table.scale(bits, 1 << low)
        })
    }

    /// How many of its lowest bits are zero whatever the symbols are.
    fn low_zeros(&self, x: FormulaId) -> u32 {
        if self.table.as_fraction(x).1 != 1 {
            return 0;
        }
        let (constant, terms) = self.table.terms_of(x);
        terms.iter().map(|&(_, factor)| factor).fold(constant, |all, factor| all | factor).trailing_zeros()
    }

    pub(super) fn cast(&mut self, made: Made, from: Domain, of: &Known) -> Option<Known> {
        let Made { id, domain: to, mode } = made;
        let opcode = self.source.function.instructions[id].opcode;
        let plain = |formula| Some(Known { formula, ..of.clone() });
        match opcode {
            Opcode::Trunc => self.wrapped(made, of.formula, of.clone()),
            Opcode::ZExt if mode == Mode::Trusting && self.flags(id).has(Flags::NNEG) => {
                let unsigned = self.unsigned(of.formula, from.bits);
                if unsigned == of.formula {
                    return plain(unsigned);
                }
                self.promised(of.formula, of, id, FlagPromise::NotNegative)
            }
            Opcode::ZExt => plain(self.unsigned(of.formula, from.bits)),
            Opcode::SExt if from.bits == 1 => plain(self.table.negate(of.formula)),
            Opcode::SExt => plain(of.formula),
            Opcode::PtrToInt | Opcode::PtrToAddr | Opcode::BitCast => plain(self.table.wrap(to, of.formula)),
            Opcode::IntToPtr => {
                let unsigned = self.unsigned(of.formula, from.bits);
                plain(self.table.wrap(to, unsigned))
            }
            _ => None,
        }
    }

    /// The statement that a comparison of values of so many bits makes.
    pub(super) fn comparison(
        &mut self,
        predicate: Predicate,
        left: FormulaId,
        right: FormulaId,
        bits: u32,
    ) -> Option<Test> {
        use Predicate::*;
        let is_unsigned = matches!(predicate, Ult | Ule | Ugt | Uge);
        let (left, right) = match is_unsigned {
            true => (self.unsigned(left, bits), self.unsigned(right, bits)),
            false if bits == 1 => (self.table.negate(left), self.table.negate(right)),
            false => (left, right),
        };
        let difference = self.table.subtract(left, right);
        let one_less = self.table.add_constant(difference, -1);
        let (relation, of) = match predicate {
            Eq => (Relation::Zero, difference),
            Ne => (Relation::NotZero, difference),
            Slt | Ult => (Relation::Negative, difference),
            Sge | Uge => (Relation::NotNegative, difference),
            Sle | Ule => (Relation::Negative, one_less),
            Sgt | Ugt => (Relation::NotNegative, one_less),
            _ => return None,
        };
        Some(Test { relation, of })
    }

    /// Intrinsics that compute.
    pub(super) fn call(&mut self, id: InstructionId, domain: Domain, mode: Mode) -> Tried {
        let function = self.source.function;
        let Some(call) = function.call(id) else { return Ok(None) };
        let Some(name) = self.source.module.intrinsic_name(call.callee) else { return Ok(None) };
        let kind = name.trim_start_matches("llvm.").rsplit_once('.').map_or("", |(kind, _)| kind);
        let operands = function.operands_of(id);
        let arguments = &operands[..operands.len() - 1];
        let (Some(&first), second) = (arguments.first(), arguments.get(1)) else { return Ok(None) };
        if kind == "expect" || kind == "ssa.copy" {
            return self.operand(first, mode).map(Some);
        }
        if !["smax", "smin", "umax", "umin", "abs", "ctlz", "usub.sat", "uadd.sat"].contains(&kind) {
            return Ok(None);
        }
        let a = self.operand(first, mode)?;
        let b = match second {
            Some(&second) => self.operand(second, mode)?,
            None => a.clone(),
        };
        let Some(relies) = both(&a.relies, &b.relies) else { return Ok(None) };
        let formula = self.intrinsic(kind, domain, a.formula, b.formula);
        Ok(Some(Known { formula: self.table.wrap(domain, formula), relies }))
    }

    fn intrinsic(&mut self, kind: &str, domain: Domain, a: FormulaId, b: FormulaId) -> FormulaId {
        let (ua, ub) = (self.unsigned(a, domain.bits), self.unsigned(b, domain.bits));
        match kind {
            "smax" => self.table.greatest(a, b),
            "smin" => self.table.least(a, b),
            "umax" => self.table.greatest(ua, ub),
            "umin" => self.table.least(ua, ub),
            "abs" => {
                let opposite = self.table.negate(a);
                self.table.greatest(a, opposite)
            }
            "ctlz" => {
                let length = self.table.bit_length(ua);
                self.table.combine(domain.bits.into(), &[(length, -1)])
            }
            "usub.sat" => {
                let difference = self.table.subtract(ua, ub);
                self.table.not_negative(difference)
            }
            _ => {
                let most = self.table.constant(FormulaInterval::unsigned(domain.bits).high);
                let sum = self.table.add(ua, ub);
                self.table.least(sum, most)
            }
        }
    }
}

//! What does a step make of residue classes?
//!
//! Sums, products and quotients by Granger's rules while nothing wraps, by the
//! power of two in the modulus if something may. Operations that choose one of
//! their operands join. Constants are computed. All else: anything.

use opcost_ir::Flags;

use super::{Congruence, greatest_divisor};
use crate::ranges::concrete::evaluate;
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::{mask, negated};

impl Congruence {
    /// The class of the results of a step; everything if it does not fit the
    /// widths of the operands.
    pub fn apply(step: &RangeStep, operands: &[Congruence]) -> Congruence {
        let widths: Vec<u32> = operands.iter().map(|operand| operand.width).collect();
        if !step.fits(&widths) {
            return Congruence::any(step.width);
        }
        // What is not chosen may be anything.
        let needed = if step.operation == Operation::Select { &operands[..1] } else { operands };
        if needed.iter().any(|operand| operand.is_empty) {
            return Congruence::empty(step.width);
        }
        if let Some(words) = operands.iter().map(|operand| operand.as_constant()).collect::<Option<Vec<_>>>()
        {
            return match evaluate(step, widths[0], &words) {
                Some(word) => Congruence::constant(step.width, word),
                None => Congruence::empty(step.width),
            };
        }
        match *operands {
            [only] => only.unary(step),
            [left, right] => left.binary(right, step),
            [first, second, third] if step.operation == Operation::Select => match first.as_constant() {
                Some(0) => third,
                Some(_) => second,
                None => second.join(third),
            },
            _ => Congruence::any(step.width),
        }
    }

    fn unary(self, step: &RangeStep) -> Congruence {
        let width = step.width;
        match step.operation {
            Operation::ZExt => Congruence::new(width, self.modulus, self.residue),
            Operation::Trunc if step.flags.has(Flags::NUW) => {
                Congruence::new(width, self.modulus, self.residue)
            }
            Operation::Trunc => of_words(width, self.lowest_modulus(), self.residue),
            Operation::SExt => of_words(width, self.lowest_modulus(), self.residue),
            Operation::Square => self.product(self, step.flags.has(Flags::NUW)),
            Operation::Abs { .. } => {
                let negative = of_words(width, self.lowest_modulus(), negated(self.residue, width));
                self.join(negative)
            }
            _ => Congruence::any(width),
        }
    }

    fn binary(self, other: Congruence, step: &RangeStep) -> Congruence {
        use Operation::*;
        let width = step.width;
        let keeps = step.flags.has(Flags::NUW);
        match step.operation {
            Add => self.sum(other, keeps),
            Sub => self.difference(other, keeps),
            Mul => self.product(other, keeps),
            Shl => match other.as_constant() {
                Some(amount) if amount >= u128::from(width) => Congruence::empty(width),
                Some(amount) => self.product(Congruence::constant(width, 1 << amount), keeps),
                None => of_words(width, shifted(self.lowest_multiple(), other.residue, width), 0),
            },
            UDiv => self.quotient(other.as_constant(), step),
            LShr | AShr => match other.as_constant() {
                Some(amount) if amount >= u128::from(width) => Congruence::empty(width),
                amount => self.quotient(amount.map(|amount| 1 << amount), step),
            },
            URem => {
                let modulus = greatest_divisor(greatest_divisor(self.modulus, other.modulus), other.residue);
                // By one number that divides the modulus: one remainder.
                let whole = other.as_constant().filter(|&by| by != 0 && self.modulus.is_multiple_of(by));
                match (whole, other.as_constant()) {
                    (_, Some(0)) => Congruence::empty(width),
                    (Some(by), _) => Congruence::constant(width, self.residue % by),
                    _ => Congruence::new(width, modulus, self.residue),
                }
            }
            SRem => {
                let modulus = greatest_divisor(greatest_divisor(self.modulus, other.modulus), other.residue);
                of_words(width, modulus & modulus.wrapping_neg(), self.residue)
            }
            UMin | UMax | SMin | SMax => self.join(other),
            UAddSat => self.sum(other, true).join(Congruence::constant(width, u128::MAX)),
            USubSat => self.difference(other, true).join(Congruence::constant(width, 0)),
            _ => Congruence::any(width),
        }
    }

    /// The power of two in the modulus: what survives a wrap. 0 of a constant.
    fn lowest_modulus(self) -> u128 {
        self.modulus & self.modulus.wrapping_neg()
    }

    /// The greatest power of two that divides all members.
    fn lowest_multiple(self) -> u128 {
        let all = self.modulus | self.residue;
        all & all.wrapping_neg()
    }

    fn sum(self, other: Congruence, keeps: bool) -> Congruence {
        let modulus = greatest_divisor(self.modulus, other.modulus);
        if !keeps {
            let lowest = modulus & modulus.wrapping_neg();
            return of_words(self.width, lowest, self.residue.wrapping_add(other.residue));
        }
        let (left, right) = (self.residue % modulus, other.residue % modulus);
        // Modulo the modulus, where the sum itself may be too large.
        let sum = if left >= modulus - right { left - (modulus - right) } else { left + right };
        Congruence::new(self.width, modulus, sum)
    }

    fn difference(self, other: Congruence, keeps: bool) -> Congruence {
        let modulus = greatest_divisor(self.modulus, other.modulus);
        if !keeps {
            let lowest = modulus & modulus.wrapping_neg();
            return of_words(self.width, lowest, self.residue.wrapping_sub(other.residue));
        }
        let (left, right) = (self.residue % modulus, other.residue % modulus);
        let difference = if left >= right { left - right } else { left + (modulus - right) };
        Congruence::new(self.width, modulus, difference)
    }

    fn product(self, other: Congruence, keeps: bool) -> Congruence {
        let parts =
            [(self.modulus, other.modulus), (self.modulus, other.residue), (other.modulus, self.residue)];
        let products = parts.map(|(left, right)| left.checked_mul(right));
        if let (true, [Some(first), Some(second), Some(third)], Some(residue)) =
            (keeps, products, self.residue.checked_mul(other.residue))
        {
            let modulus = greatest_divisor(greatest_divisor(first, second), third);
            return Congruence::new(self.width, modulus, residue);
        }
        let zeros = |(left, right): (u128, u128)| {
            if left == 0 || right == 0 { 128 } else { left.trailing_zeros() + right.trailing_zeros() }
        };
        let least = parts.map(zeros).into_iter().min().unwrap_or(0);
        let modulus = if least < self.width { 1 << least } else { 0 };
        of_words(self.width, modulus, self.residue.wrapping_mul(other.residue))
    }

    /// Divided by a constant, or shifted right, which divides by rounding down.
    fn quotient(self, by: Option<u128>, step: &RangeStep) -> Congruence {
        let width = self.width;
        let Some(by) = by else { return Congruence::any(width) };
        if by == 0 {
            return Congruence::empty(width);
        }
        let is_exact = step.flags.has(Flags::EXACT);
        let of = if is_exact { self.meet(Congruence::new(width, by, 0)) } else { self };
        if of.is_empty {
            return of;
        }
        let divides = of.modulus.is_multiple_of(by) && (of.modulus != 0 || of.residue.is_multiple_of(by));
        if !divides {
            return Congruence::any(width);
        }
        let (modulus, residue) = (of.modulus / by, of.residue / by);
        if step.operation != Operation::AShr {
            return Congruence::new(width, modulus, residue);
        }
        // A negative number is less by a multiple of 2^(n - amount).
        let lowest = modulus & modulus.wrapping_neg();
        let sign = (mask(width) / by).wrapping_add(1);
        let modulus = if lowest == 0 { sign } else { lowest };
        of_words(width, greatest_divisor(modulus, sign), residue)
    }
}

/// The class of words with this residue modulo a power of two, or the word.
fn of_words(width: u32, modulus: u128, residue: u128) -> Congruence {
    if modulus > mask(width) {
        return Congruence::constant(width, residue);
    }
    Congruence::new(width, modulus, residue & mask(width))
}

/// A power of two, shifted; 0 if it leaves the word.
fn shifted(power: u128, amount: u128, width: u32) -> u128 {
    let zeros = u128::from(power.trailing_zeros()).saturating_add(amount);
    if zeros < u128::from(width) { 1 << zeros } else { 0 }
}

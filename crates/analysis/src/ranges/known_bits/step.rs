//! What does a step make of known bits?
//!
//! Chooses the file that knows the operation; bit operations are done here.

use opcost_ir::Flags;

use super::KnownBits;
use crate::ranges::interval::{Effort, Interval, compare};
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::sign_bit;

impl KnownBits {
    /// What is known of the results of a step; nothing if it does not fit the
    /// widths of the operands.
    pub fn apply(step: &RangeStep, operands: &[KnownBits]) -> KnownBits {
        let fits = match *operands {
            [only] => step.fits(&[only.width]),
            [left, right] => step.fits(&[left.width, right.width]),
            [first, second, third] => step.fits(&[first.width, second.width, third.width]),
            _ => false,
        };
        if !fits {
            return KnownBits::unknown(step.width);
        }
        // What is not chosen may be anything.
        let needed = if step.operation == Operation::Select { &operands[..1] } else { operands };
        if needed.iter().any(|operand| operand.is_empty()) {
            return KnownBits::empty(step.width);
        }
        match *operands {
            [only] => KnownBits::unary(step, only),
            [left, right] => KnownBits::binary(step, left, right),
            [first, second, third] => KnownBits::ternary(step, first, second, third),
            _ => KnownBits::unknown(step.width),
        }
    }

    fn unary(step: &RangeStep, only: KnownBits) -> KnownBits {
        match step.operation {
            Operation::Trunc => only.truncated(step),
            Operation::ZExt => only.extended(step, false),
            Operation::SExt => only.extended(step, true),
            Operation::Square => only.square(step),
            Operation::Abs { minimum_is_poison } => only.absolute(minimum_is_poison),
            Operation::PopulationCount => only.population_counts(),
            Operation::LeadingZeros { zero_is_poison } => only.leading_zeros(zero_is_poison),
            Operation::TrailingZeros { zero_is_poison } => only.trailing_zeros(zero_is_poison),
            Operation::ByteSwap => only.reversed(8),
            Operation::BitReverse => only.reversed(1),
            _ => KnownBits::unknown(step.width),
        }
    }

    fn binary(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
        use Operation::*;
        let width = step.width;
        match step.operation {
            Add => left.sum(right, step.flags),
            Sub => left.difference(right, step.flags),
            Mul => left.product(right, step),
            UDiv | SDiv | URem | SRem => left.division(right, step),
            Shl | LShr | AShr | UShlSat | SShlSat => left.shifted(right, step),
            And => KnownBits::new(width, left.zeros | right.zeros, left.ones & right.ones),
            Or => left.or(right, step.flags),
            Xor => KnownBits::new(
                width,
                left.zeros & right.zeros | left.ones & right.ones,
                left.zeros & right.ones | left.ones & right.zeros,
            ),
            UMin | UMax | SMin | SMax => left.extreme(right, step.operation),
            UAddSat | USubSat | SAddSat | SSubSat => left.saturating(right, step.operation),
            Compare(_) | UCmp | SCmp | UAddOverflow | USubOverflow | UMulOverflow | SAddOverflow
            | SSubOverflow | SMulOverflow => left.judged(right, step),
            _ => KnownBits::unknown(width),
        }
    }

    fn or(self, other: KnownBits, flags: Flags) -> KnownBits {
        let (mut left, mut right) = (self, other);
        if flags.has(Flags::DISJOINT) {
            (left, right) = (self.with(other.ones, false), other.with(self.ones, false));
            if left.is_empty() || right.is_empty() {
                return KnownBits::empty(self.width);
            }
        }
        KnownBits::new(self.width, left.zeros & right.zeros, left.ones | right.ones)
    }

    /// Comparisons and overflow: the ends of the boxes decide, sign by sign;
    /// whether two boxes can be equal, their bits do.
    fn judged(self, other: KnownBits, step: &RangeStep) -> KnownBits {
        let mut all = KnownBits::empty(step.width);
        let compares = compare::values(step).is_some();
        for left in [self.of_sign(false), self.of_sign(true)] {
            for right in [other.of_sign(false), other.of_sign(true)] {
                let (Some(left_ends), Some(right_ends)) = (left.unsigned_range(), right.unsigned_range())
                else {
                    continue;
                };
                all = all.join(if compares {
                    compared(left, right, step)
                } else {
                    let arc = |(low, high)| Interval::new(self.width, low, high);
                    let arcs = [arc(left_ends), arc(right_ends)];
                    KnownBits::of_interval(Interval::apply_with(step, &arcs, Effort::ENDS))
                });
            }
        }
        all
    }

    fn ternary(step: &RangeStep, first: KnownBits, second: KnownBits, third: KnownBits) -> KnownBits {
        match step.operation {
            Operation::Select => match first.as_constant() {
                Some(0) => third,
                Some(_) => second,
                None => second.join(third),
            },
            Operation::FShl => first.funnel(second, third, false),
            Operation::FShr => first.funnel(second, third, true),
            _ => KnownBits::unknown(step.width),
        }
    }
}

/// The results of a comparison of two boxes, each of one sign.
fn compared(left: KnownBits, right: KnownBits, step: &RangeStep) -> KnownBits {
    let half = sign_bit(left.width);
    let same_sign = left.ones & half == right.ones & half;
    let none = KnownBits::empty(step.width);
    let (Some(values), Some(left_ends), Some(right_ends)) =
        (compare::values(step), left.unsigned_range(), right.unsigned_range())
    else {
        return KnownBits::unknown(step.width);
    };
    if !same_sign && step.flags.has(Flags::SAMESIGN) {
        return none;
    }
    let (less, greater) = (left_ends.0 < right_ends.1, left_ends.1 > right_ends.0);
    // Of different signs one is always less: the other one than unsigned.
    let turned = !same_sign && compare::is_by_sign(step);
    let (less, greater) = if turned { (greater, less) } else { (less, greater) };
    let possible = values.into_iter().zip([less, !left.meet(right).is_empty(), greater]);
    possible
        .filter(|&(_, possible)| possible)
        .fold(none, |all, (value, _)| all.join(KnownBits::constant(step.width, value)))
}

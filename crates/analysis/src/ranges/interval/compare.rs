//! Comparisons: their result, what they say of an operand, and overflow.
//!
//! Over pieces of one sign the ends decide which of less, equal and greater
//! happen. The members that can make a comparison true are intervals too, so
//! both directions give the best arc; so does overflow, where the ends are what
//! is least and most likely to overflow.

use opcost_ir::{Flags, Predicate};

use super::multiplication::magnitudes;
use super::{ArcPiece, Hull, Interval};
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::{mask, product_within, sign_bit};

/// Which of less, equal and greater make the predicate true; none of `fcmp`.
fn outcomes(predicate: Predicate) -> Option<[bool; 3]> {
    Some(match predicate {
        Predicate::Eq => [false, true, false],
        Predicate::Ne => [true, false, true],
        Predicate::Ult | Predicate::Slt => [true, false, false],
        Predicate::Ule | Predicate::Sle => [true, true, false],
        Predicate::Ugt | Predicate::Sgt => [false, false, true],
        Predicate::Uge | Predicate::Sge => [false, true, true],
        _ => return None,
    })
}

/// What a comparison gives for less, equal and greater; none if it compares no
/// integers.
pub(crate) fn values(step: &RangeStep) -> Option<[u128; 3]> {
    Some(match step.operation {
        Operation::Compare(predicate) => outcomes(predicate)?.map(u128::from),
        Operation::UCmp | Operation::SCmp => [mask(step.width), 0, 1],
        _ => return None,
    })
}

/// Whether a comparison reads its operands as signed numbers.
pub(crate) fn is_by_sign(step: &RangeStep) -> bool {
    match step.operation {
        Operation::Compare(predicate) => is_signed(predicate),
        operation => operation == Operation::SCmp,
    }
}

fn is_signed(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Slt | Predicate::Sle | Predicate::Sgt | Predicate::Sge)
}

impl Interval {
    /// The result of `icmp`, `ucmp` or `scmp`.
    pub(super) fn compared(self, other: Interval, step: &RangeStep) -> Interval {
        let (by_sign, same_sign) = (is_by_sign(step), step.flags.has(Flags::SAMESIGN));
        let mut possible = [false; 3];
        self.each_pair(other, by_sign, same_sign, |left, right| {
            possible[0] |= left.0 < right.1;
            possible[1] |= left.0.max(right.0) <= left.1.min(right.1);
            possible[2] |= left.1 > right.0;
        });
        let Some(values) = values(step) else { return Interval::full(step.width) };
        let mut hull = Hull::new(step.width);
        for (value, _) in values.into_iter().zip(possible).filter(|&(_, possible)| possible) {
            hull.add_value(value);
        }
        hull.best()
    }

    /// The members `x` for which `x predicate y` is true for some `y` in
    /// `other`. Nothing is learnt from an `fcmp`.
    #[must_use]
    pub fn refine(self, predicate: Predicate, other: Interval, flags: Flags) -> Interval {
        let (by_sign, same_sign) = (is_signed(predicate), flags.has(Flags::SAMESIGN));
        let Some([less, equal, greater]) = outcomes(predicate) else { return self };
        let turn = if by_sign { sign_bit(self.width) } else { 0 };
        let mut hull = Hull::new(self.width);
        self.each_pair(other, by_sign, same_sign, |left, right| {
            let mut keep = |low: u128, high: u128| {
                let (low, high) = (low.max(left.0), high.min(left.1));
                if low <= high {
                    hull.add_arc(Interval::new(self.width, low, high).turned(turn));
                }
            };
            if equal {
                keep(right.0, right.1);
            }
            if less && right.1 > 0 {
                keep(0, right.1 - 1);
            }
            if greater && right.0 < mask(self.width) {
                keep(right.0 + 1, mask(self.width));
            }
        });
        hull.best()
    }

    /// All pairs of pieces of one sign, so turned that they compare as
    /// unsigned numbers.
    fn each_pair(
        self,
        other: Interval,
        by_sign: bool,
        same_sign: bool,
        mut tell: impl FnMut(ArcPiece, ArcPiece),
    ) {
        let half = sign_bit(self.width);
        let turn = if by_sign { half } else { 0 };
        for left in self.pieces() {
            for right in other.pieces() {
                if !same_sign || (left.0 >= half) == (right.0 >= half) {
                    tell((left.0 ^ turn, left.1 ^ turn), (right.0 ^ turn, right.1 ^ turn));
                }
            }
        }
    }

    /// Whether a sum, difference or product overflows: one bit.
    pub(super) fn overflows(self, other: Interval, operation: Operation) -> Interval {
        let (width, half, most) = (self.width, sign_bit(self.width), mask(self.width));
        let (mut never, mut always) = (true, true);
        for left in self.pieces() {
            for right in other.pieces() {
                let negative = (left.0 >= half, right.0 >= half);
                let (may, may_not) = match operation {
                    Operation::UAddOverflow => (left.1 > most - right.1, left.0 <= most - right.0),
                    Operation::USubOverflow => (left.0 < right.1, left.1 >= right.0),
                    Operation::UMulOverflow => within(left, right, most),
                    Operation::SMulOverflow => {
                        let limit = if negative.0 == negative.1 { half - 1 } else { half };
                        within(magnitudes(left, width), magnitudes(right, width), limit)
                    }
                    operation => signed_sum(operation, left, right, half),
                };
                never &= !may;
                always &= !may_not;
            }
        }
        match (never, always) {
            (true, true) => Interval::empty(1),
            (true, false) => Interval::constant(1, 0),
            (false, true) => Interval::constant(1, 1),
            (false, false) => Interval::full(1),
        }
    }
}

/// Whether a product of two magnitudes may be beyond the limit, and may not.
fn within(left: ArcPiece, right: ArcPiece, limit: u128) -> (bool, bool) {
    (product_within(left.1, right.1, limit).is_none(), product_within(left.0, right.0, limit).is_some())
}

/// The same of a signed sum or difference of pieces of one sign each.
fn signed_sum(operation: Operation, left: ArcPiece, right: ArcPiece, half: u128) -> (bool, bool) {
    let negative = (left.0 >= half, right.0 >= half);
    match (operation, negative) {
        (Operation::SAddOverflow, (false, false)) => (left.1 + right.1 >= half, left.0 + right.0 < half),
        (Operation::SAddOverflow, (true, true)) => {
            ((left.0 - half) + (right.0 - half) < half, (left.1 - half) + (right.1 - half) >= half)
        }
        // The true difference is left + 2·half - right.
        (Operation::SSubOverflow, (false, true)) => (left.1 + half >= right.0, left.0 + half < right.1),
        (Operation::SSubOverflow, (true, false)) => (left.0 - half < right.1, left.1 - half >= right.0),
        _ => (false, true),
    }
}

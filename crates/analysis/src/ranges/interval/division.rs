//! Quotients and remainders.
//!
//! All four are unsigned division of magnitudes over pieces of one sign. The first [`DIVISORS`]
//! divisors are taken one by one, where the results of each are full intervals and the gaps between
//! them are widest; those after them are taken together. No division by zero and none that
//! overflows takes place.

use opcost_ir::Flags;

use super::multiplication::magnitudes;
use super::{ArcPiece, Hull, Interval};
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::{negated, sign_bit};

/// How many divisors are taken one by one.
const DIVISORS: u128 = 16;

impl Interval {
    /// `self / other` and `self % other`, signed or not.
    pub(super) fn division(self, other: Interval, step: &RangeStep) -> Interval {
        let is_exact = step.flags.has(Flags::EXACT);
        let mut hull = Hull::new(self.width);
        match step.operation {
            Operation::UDiv | Operation::URem => {
                for left in self.unsigned_pieces() {
                    for right in other.unsigned_pieces() {
                        for (low, high) in magnitude_results(left, right, step.operation, is_exact) {
                            hull.add(low, high);
                        }
                    }
                }
            }
            _ => {
                for left in self.pieces() {
                    for right in other.pieces() {
                        self.signed_division(left, right, step, &mut hull);
                    }
                }
            }
        }
        hull.best()
    }

    fn signed_division(self, left: ArcPiece, right: ArcPiece, step: &RangeStep, hull: &mut Hull) {
        let (width, half) = (self.width, sign_bit(self.width));
        let (is_quotient, is_exact) = (step.operation == Operation::SDiv, step.flags.has(Flags::EXACT));
        let is_negative = (left.0 >= half) != (is_quotient && right.0 >= half);
        let plain = if is_quotient { Operation::UDiv } else { Operation::URem };
        let (left, right) = (magnitudes(left, width), magnitudes(right, width));
        for (low, high) in magnitude_results(left, right, plain, is_exact) {
            if is_negative {
                hull.add_span(negated(high, width), high - low);
            } else {
                // The least number by -1 is undefined.
                hull.add(low, high.min(half - 1));
            }
        }
    }
}

/// Quotients or remainders of unsigned numbers, as pieces.
fn magnitude_results(of: ArcPiece, by: ArcPiece, operation: Operation, is_exact: bool) -> Vec<ArcPiece> {
    let mut results = Vec::new();
    let first = by.0.max(1);
    if first > by.1 {
        return results;
    }
    let last_single = by.1.min(first.saturating_add(DIVISORS - 1));
    for divisor in first..=last_single {
        match operation {
            Operation::UDiv => quotients(of, (divisor, divisor), is_exact, &mut results),
            _ => remainders_by(of, divisor, &mut results),
        }
    }
    if last_single < by.1 {
        let rest = (last_single + 1, by.1);
        match operation {
            Operation::UDiv => quotients(of, rest, is_exact, &mut results),
            _ => remainders(of, rest, &mut results),
        }
    }
    results
}

fn quotients(of: ArcPiece, by: ArcPiece, is_exact: bool, results: &mut Vec<ArcPiece>) {
    let low = if is_exact { of.0.div_ceil(by.1) } else { of.0 / by.1 };
    if low <= of.1 / by.0 {
        results.push((low, of.1 / by.0));
    }
}

fn remainders_by(of: ArcPiece, divisor: u128, results: &mut Vec<ArcPiece>) {
    let (first, last) = (of.0 / divisor, of.1 / divisor);
    if first == last {
        results.push((of.0 % divisor, of.1 % divisor));
    } else if last - first > 1 {
        results.push((0, divisor - 1));
    } else {
        results.push((of.0 % divisor, divisor - 1));
        results.push((0, of.1 % divisor));
    }
}

fn remainders(of: ArcPiece, by: ArcPiece, results: &mut Vec<ArcPiece>) {
    let quotient = of.0 / by.1;
    if quotient == of.1 / by.0 {
        results.push((of.0 - quotient * by.1, of.1 - quotient * by.0));
    } else {
        results.push((0, of.1.min(by.1 - 1)));
    }
}

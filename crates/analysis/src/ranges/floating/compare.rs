//! `fcmp`: its result, and what it says of an operand.

use opcost_ir::Predicate;

use super::FloatRange;
use crate::ranges::interval::Interval;

/// Which of less, equal, greater and unordered make a predicate true; none of
/// `icmp`.
fn outcomes(predicate: Predicate) -> Option<[bool; 4]> {
    use Predicate::*;
    Some(match predicate {
        False => [false; 4],
        Olt => [true, false, false, false],
        Oeq => [false, true, false, false],
        Ogt => [false, false, true, false],
        Ole => [true, true, false, false],
        Oge => [false, true, true, false],
        One => [true, false, true, false],
        Ord => [true, true, true, false],
        Uno => [false, false, false, true],
        FUlt => [true, false, false, true],
        Ueq => [false, true, false, true],
        FUgt => [false, false, true, true],
        FUle => [true, true, false, true],
        FUge => [false, true, true, true],
        Une => [true, false, true, true],
        True => [true; 4],
        _ => return None,
    })
}

impl FloatRange {
    /// The result of a comparison: one bit.
    pub fn compared(self, predicate: Predicate, other: FloatRange) -> Interval {
        let Some(outcomes) = outcomes(predicate) else { return Interval::full(1) };
        let ordered = self.ends.zip(other.ends);
        let is_ordered =
            |of: fn((f64, f64), (f64, f64)) -> bool| ordered.is_some_and(|(one, two)| of(one, two));
        let possible = [
            is_ordered(|one, two| one.0 < two.1),
            is_ordered(|one, two| one.0.max(two.0) <= one.1.min(two.1)),
            is_ordered(|one, two| one.1 > two.0),
            (self.may_be_nan && !other.is_empty()) || (other.may_be_nan && !self.is_empty()),
        ];
        let seen =
            |wanted: bool| outcomes.iter().zip(possible).any(|(&outcome, may)| may && outcome == wanted);
        match (seen(false), seen(true)) {
            (true, true) => Interval::full(1),
            (true, false) => Interval::constant(1, 0),
            (false, true) => Interval::constant(1, 1),
            (false, false) => Interval::empty(1),
        }
    }

    /// The values `x` for which `x predicate y` is true for some `y` in `other`.
    /// Nothing is learnt from an `icmp`.
    #[must_use]
    pub fn refine(self, predicate: Predicate, other: FloatRange) -> FloatRange {
        let Some([less, equal, greater, unordered]) = outcomes(predicate) else { return self };
        let format = self.format;
        let empty = FloatRange::empty(format);
        let numbers = FloatRange { may_be_nan: false, ..self };
        let mut kept = empty.or_nan(unordered && self.may_be_nan && !other.is_empty());
        if unordered && other.may_be_nan {
            kept = kept.join(numbers);
        }
        let Some((low, high)) = other.ends else { return kept };
        let between = |low: f64, high: f64| {
            if low > high { empty } else { numbers.meet(FloatRange::of_ends(format, low, high)) }
        };
        if less && high > f64::NEG_INFINITY {
            kept = kept.join(between(f64::NEG_INFINITY, format.below(high)));
        }
        if equal {
            kept = kept.join(between(low, high));
        }
        if greater && low < f64::INFINITY {
            kept = kept.join(between(format.above(low), f64::INFINITY));
        }
        kept
    }
}

//! Sums, differences, the least and the greatest, other widths.
//!
//! Operands are cut at both seams; over each pair of pieces the operation is
//! monotone and leaves no gaps, and what a flag forbids is cut off at an end.
//! So every result here is the best arc.

use opcost_ir::Flags;

use super::{Hull, Interval};
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::{mask, negated, sign_bit};

impl Interval {
    /// `self + other`
    pub(super) fn sum(self, other: Interval, flags: Flags) -> Interval {
        let (width, half, most) = (self.width, sign_bit(self.width), mask(self.width));
        let (nuw, nsw) = (flags.has(Flags::NUW), flags.has(Flags::NSW));
        let mut hull = Hull::new(width);
        if !nuw && !nsw {
            let (Some(left), Some(right)) = (self.span, other.span) else { return Interval::empty(width) };
            return Interval::arc(width, self.low.wrapping_add(other.low), left.saturating_add(right));
        }
        for left in self.pieces() {
            for right in other.pieces() {
                match (left.0 >= half, right.0 >= half) {
                    (false, false) => {
                        let limit = if nsw { half - 1 } else { most };
                        hull.add(left.0 + right.0, (left.1 + right.1).min(limit));
                    }
                    (true, true) if nuw => {}
                    (true, true) => {
                        // Above the least number, so that nothing wraps.
                        let low = (left.0 - half) + (right.0 - half);
                        hull.add(low.max(half), (left.1 - half) + (right.1 - half));
                    }
                    _ if nuw => match left.0.checked_add(right.0) {
                        Some(low) if low <= most => {
                            hull.add(low, left.1.saturating_add(right.1).min(most));
                        }
                        _ => {}
                    },
                    _ => hull.add_span(left.0.wrapping_add(right.0), (left.1 - left.0) + (right.1 - right.0)),
                }
            }
        }
        hull.best()
    }

    /// `self - other`
    pub(super) fn difference(self, other: Interval, flags: Flags) -> Interval {
        let (width, half) = (self.width, sign_bit(self.width));
        let (nuw, nsw) = (flags.has(Flags::NUW), flags.has(Flags::NSW));
        let mut hull = Hull::new(width);
        if !nuw && !nsw {
            let (Some((_, last)), Some(left), Some(right)) = (other.ends(), self.span, other.span) else {
                return Interval::empty(width);
            };
            return Interval::arc(width, self.low.wrapping_sub(last), left.saturating_add(right));
        }
        for left in self.pieces() {
            for right in other.pieces() {
                match (left.0 >= half, right.0 >= half) {
                    (false, true) if nuw => {}
                    (false, true) => {
                        let low = left.0 + negated(right.1, width);
                        hull.add(low, (left.1 + negated(right.0, width)).min(half - 1));
                    }
                    (true, false) => {
                        let least = if nsw { half } else { 0 };
                        hull.add((left.0 - right.1).max(least), left.1 - right.0);
                    }
                    _ if nuw && left.1 < right.0 => {}
                    _ if nuw => hull.add(left.0.saturating_sub(right.1), left.1 - right.0),
                    _ => hull.add_span(left.0.wrapping_sub(right.1), (left.1 - left.0) + (right.1 - right.0)),
                }
            }
        }
        hull.best()
    }

    /// The least, the greatest and saturating sums: monotone in both operands
    /// (in one of them downwards), without gaps over intervals.
    pub(super) fn monotone(self, other: Interval, operation: Operation) -> Interval {
        use Operation::*;
        let (width, most) = (self.width, mask(self.width));
        // Signed order is unsigned order with the sign bit turned over.
        let turn = if matches!(operation, SMin | SMax | SAddSat | SSubSat) { sign_bit(width) } else { 0 };
        let half = sign_bit(width);
        let of = |left: u128, right: u128| match operation {
            UMin | SMin => left.min(right),
            UMax | SMax => left.max(right),
            UAddSat => left.saturating_add(right).min(most),
            USubSat => left.saturating_sub(right),
            SAddSat if left >= half => (left - half).saturating_add(right).min(most),
            SAddSat => right.saturating_sub(half - left),
            _ if left >= right => half + (left - right).min(half - 1),
            _ => half - (right - left).min(half),
        };
        let falls = matches!(operation, USubSat | SSubSat);
        let mut hull = Hull::new(width);
        for left in self.turned(turn).unsigned_pieces() {
            for right in other.turned(turn).unsigned_pieces() {
                let (first, last) = if falls { (right.1, right.0) } else { right };
                hull.add_arc(Interval::new(width, of(left.0, first), of(left.1, last)).turned(turn));
            }
        }
        hull.best()
    }

    /// Each member with `turn` added.
    pub(super) fn turned(self, turn: u128) -> Interval {
        match self.span {
            Some(span) => Interval::arc(self.width, self.low.wrapping_add(turn), span),
            None => self,
        }
    }

    /// `|self|`
    pub(super) fn absolute(self, minimum_is_poison: bool) -> Interval {
        let (width, half) = (self.width, sign_bit(self.width));
        let limit = if minimum_is_poison { half - 1 } else { half };
        let mut hull = Hull::new(width);
        for (low, high) in self.pieces() {
            if low < half {
                hull.add(low, high);
            } else {
                hull.add(negated(high, width), negated(low, width).min(limit));
            }
        }
        hull.best()
    }

    /// The lower bits.
    pub(super) fn truncated(self, step: &RangeStep) -> Interval {
        let (narrow, flags) = (step.width, step.flags);
        let (most, half) = (mask(narrow), sign_bit(narrow));
        let least_negative = (mask(self.width) ^ most) | half;
        let (nuw, nsw) = (flags.has(Flags::NUW), flags.has(Flags::NSW));
        let mut hull = Hull::new(narrow);
        for (low, high) in self.unsigned_pieces() {
            match (nuw, nsw) {
                (false, false) => hull.add_span(low, high - low),
                (true, false) => hull.add(low, high.min(most)),
                (true, true) => hull.add(low, high.min(half - 1)),
                (false, true) => {
                    hull.add(low, high.min(half - 1));
                    let low = low.max(least_negative);
                    if low <= high {
                        hull.add(low & most, high & most);
                    }
                }
            }
        }
        hull.best()
    }

    /// The same numbers, unsigned, in more bits.
    pub(super) fn zero_extended(self, step: &RangeStep) -> Interval {
        let limit = if step.flags.has(Flags::NNEG) { sign_bit(self.width) - 1 } else { mask(self.width) };
        let mut hull = Hull::new(step.width);
        for (low, high) in self.unsigned_pieces() {
            hull.add(low, high.min(limit));
        }
        hull.best()
    }

    /// The same numbers, signed, in more bits.
    pub(super) fn sign_extended(self, step: &RangeStep) -> Interval {
        let half = sign_bit(self.width);
        let above = mask(step.width) ^ mask(self.width);
        let mut hull = Hull::new(step.width);
        for (low, high) in self.pieces() {
            let above = if low >= half { above } else { 0 };
            hull.add(above | low, above | high);
        }
        hull.best()
    }
}

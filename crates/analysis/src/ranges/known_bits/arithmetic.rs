//! Sums, differences, saturation, the least and the greatest, absolute values.
//!
//! Every answer is the best one: see [`carries`](super::carries) for sums; what
//! is done case by case is joined, which loses nothing.

use opcost_ir::Flags;

use super::KnownBits;
use super::carries::Sum;
use crate::ranges::operation::Operation;
use crate::ranges::word::sign_bit;

impl KnownBits {
    /// `self + other`
    pub(super) fn sum(self, other: KnownBits, flags: Flags) -> KnownBits {
        let leaving = flags.has(Flags::NUW).then_some(false);
        let overflows = flags.has(Flags::NSW).then_some(false);
        self.sum_with(other, Sum { carry: false, leaving, overflows })
    }

    /// `self - other`, as `self + !other + 1`: a carry leaves it unless it wraps.
    pub(super) fn difference(self, other: KnownBits, flags: Flags) -> KnownBits {
        let leaving = flags.has(Flags::NUW).then_some(true);
        let overflows = flags.has(Flags::NSW).then_some(false);
        self.sum_with(other.inverted(), Sum { carry: true, leaving, overflows })
    }

    /// Sums and differences that stop at the ends.
    pub(super) fn saturating(self, other: KnownBits, operation: Operation) -> KnownBits {
        use Operation::*;
        let (width, half) = (self.width, sign_bit(self.width));
        let is_sum = matches!(operation, UAddSat | SAddSat);
        let added = if is_sum { other } else { other.inverted() };
        let conditions = |leaving, overflows| Sum { carry: !is_sum, leaving, overflows };
        if matches!(operation, UAddSat | USubSat) {
            let kept = self.sum_with(added, conditions(Some(!is_sum), None));
            let wrapped = self.sum_with(added, conditions(Some(is_sum), None));
            let limit = KnownBits::constant(width, if is_sum { u128::MAX } else { 0 });
            return if wrapped.is_empty() { kept } else { kept.join(limit) };
        }
        // A signed overflow goes where the left operand is.
        [(false, half - 1), (true, half)].into_iter().fold(
            self.sum_with(added, conditions(None, Some(false))),
            |all, (negative, limit)| {
                let beyond = self.of_sign(negative).sum_with(added, conditions(None, Some(true)));
                if beyond.is_empty() { all } else { all.join(KnownBits::constant(width, limit)) }
            },
        )
    }

    /// The least or the greatest of both.
    pub(super) fn extreme(self, other: KnownBits, operation: Operation) -> KnownBits {
        use Operation::*;
        let width = self.width;
        if self.is_empty() || other.is_empty() {
            return KnownBits::empty(width);
        }
        // Turned so that all four are an unsigned maximum.
        let by_sign = if matches!(operation, SMin | SMax) { sign_bit(width) } else { 0 };
        let turn = if matches!(operation, UMin | SMin) { u128::MAX } else { 0 } ^ by_sign;
        self.turned(turn).maximum(other.turned(turn)).turned(turn)
    }

    /// These bits the other way.
    fn turned(self, bits: u128) -> KnownBits {
        let swapped = (self.zeros ^ self.ones) & bits;
        KnownBits::new(self.width, self.zeros ^ swapped, self.ones ^ swapped)
    }

    /// From the highest bit down: whether both may be the same so far, whether
    /// the left or the right one may be ahead.
    fn maximum(self, other: KnownBits) -> KnownBits {
        let (mut same, mut left_ahead, mut right_ahead) = (true, false, false);
        let mut known = KnownBits::empty(self.width);
        for bit in (0..self.width).rev() {
            let may = |of: KnownBits, set: bool| {
                let never = if set { of.zeros } else { of.ones };
                never >> bit & 1 == 0
            };
            let both = |set: bool| may(self, set) && may(other, set);
            let (left_wins, right_wins) =
                (may(self, true) && may(other, false), may(other, true) && may(self, false));
            let sees = |set: bool| {
                left_ahead && may(self, set)
                    || right_ahead && may(other, set)
                    || same && (both(set) || set && (left_wins || right_wins))
            };
            if sees(true) {
                known.zeros &= !(1 << bit);
            }
            if sees(false) {
                known.ones &= !(1 << bit);
            }
            left_ahead |= same && left_wins;
            right_ahead |= same && right_wins;
            same &= both(false) || both(true);
        }
        known
    }

    /// `|self|`
    pub(super) fn absolute(self, minimum_is_poison: bool) -> KnownBits {
        let negative = self.of_sign(true);
        let zero = KnownBits::constant(self.width, 0);
        let flags = if minimum_is_poison { Flags::NSW } else { Flags::NONE };
        self.of_sign(false).join(zero.difference(negative, flags))
    }
}

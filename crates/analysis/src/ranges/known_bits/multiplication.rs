//! Products, quotients and remainders.
//!
//! Three sources, met: what arcs say, for each pair of signs by itself (the highest bits); what is
//! certain of the lowest bits modulo a power of two; and for products, the sum of what each bit of
//! one factor adds (the kernel's `tnum_mul` has the idea). Squares of one word know more of both
//! ends: factors have one sign, and the square of an odd number is one more than a multiple of
//! eight. None is the best answer. The tests measure by how much and hold them against what LLVM's
//! `KnownBits` can say.

use opcost_ir::Flags;

use super::KnownBits;
use crate::ranges::interval::{Effort, Interval};
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::low_bits;

impl KnownBits {
    /// `self * other`
    pub(super) fn product(self, other: KnownBits, step: &RangeStep) -> KnownBits {
        let added = if self.unknown_bits().count_ones() <= other.unknown_bits().count_ones() {
            self.added_up(other)
        } else {
            other.added_up(self)
        };
        self.through_arcs(other, step).meet(added).meet(self.lowest_of_product(other))
    }

    /// `self * self`, both the same word.
    pub(super) fn square(self, step: &RangeStep) -> KnownBits {
        let mut through_arcs = KnownBits::empty(self.width);
        for of_sign in [self.of_sign(false), self.of_sign(true)] {
            if let Some((low, high)) = of_sign.unsigned_range() {
                let arc = Interval::new(self.width, low, high);
                let arc = Interval::apply_with(step, &[arc], Effort::ENDS);
                through_arcs = through_arcs.join(KnownBits::of_interval(arc));
            }
        }
        through_arcs.meet(self.added_up(self)).meet(self.lowest_of_square())
    }

    /// With `a` zeros at the end it is `4^a` times the square of what is above them.
    /// That one has 0 or 1 as its remainder by four. If the lowest of `k` known bits
    /// is set, it is known modulo 8, and modulo `2^(k+1)`.
    fn lowest_of_square(self) -> KnownBits {
        let (zeros, width) = (self.zeros_at_end(), self.width);
        let squared = |bits: u32| {
            let known = low_bits((2 * zeros + bits).min(width));
            let square = self.ones.wrapping_mul(self.ones) & known;
            KnownBits::new(width, !square & known, square)
        };
        match self.known_at_end() - zeros {
            0 if 2 * zeros + 1 < width => squared(0).with(2 << (2 * zeros), false),
            0 => squared(0),
            known => squared((known + 1).max(3)),
        }
    }

    /// `other`, shifted and added for each bit of `self` that may be set.
    fn added_up(self, other: KnownBits) -> KnownBits {
        let width = self.width;
        let mut sum = KnownBits::constant(width, 0);
        for bit in (0..width).filter(|bit| self.zeros >> bit & 1 == 0) {
            let part = KnownBits::new(width, other.zeros << bit | low_bits(bit), other.ones << bit);
            if self.ones >> bit & 1 == 1 {
                sum = sum.plain_sum(part, false);
            } else {
                sum = sum.join(sum.plain_sum(part, false));
            }
        }
        sum
    }

    /// With `a` zeros at the end of a factor and its lowest `k` bits known, the factor is `2^a`
    /// times what is known modulo `2^(k-a)`. So is the product.
    fn lowest_of_product(self, other: KnownBits) -> KnownBits {
        let zeros = self.zeros_at_end() + other.zeros_at_end();
        let precise = |of: KnownBits| of.known_at_end() - of.zeros_at_end();
        let known = (zeros + precise(self).min(precise(other))).min(self.width);
        let product = self.ones.wrapping_mul(other.ones) & low_bits(known);
        KnownBits::new(self.width, !product & low_bits(known), product)
    }

    /// `self / other` and `self % other`.
    pub(super) fn division(self, other: KnownBits, step: &RangeStep) -> KnownBits {
        let through_arcs = self.through_arcs(other, step);
        match step.operation {
            Operation::UDiv | Operation::SDiv if step.flags.has(Flags::EXACT) => {
                through_arcs.meet(self.lowest_of_exact(other))
            }
            Operation::URem | Operation::SRem => through_arcs.meet(self.lowest_of_remainder(other)),
            _ => through_arcs,
        }
    }

    /// The divisor is a multiple of `2^zeros`: it takes nothing away below.
    fn lowest_of_remainder(self, other: KnownBits) -> KnownBits {
        let kept = low_bits(other.zeros_at_end());
        KnownBits::new(self.width, self.zeros & kept, self.ones & kept)
    }

    /// `self = quotient * other`: the zeros at the ends are those of both factors, and by an odd
    /// divisor the lowest bits can be divided.
    fn lowest_of_exact(self, other: KnownBits) -> KnownBits {
        let width = self.width;
        let most = |of: KnownBits| of.ones.trailing_zeros();
        if self.zeros_at_end() >= width {
            return KnownBits::unknown(width);
        }
        let (least_zeros, most_zeros) =
            (self.zeros_at_end().saturating_sub(most(other)), most(self).checked_sub(other.zeros_at_end()));
        let Some(most_zeros) = most_zeros else { return KnownBits::empty(width) };
        let mut known = KnownBits::unknown(width).with(low_bits(least_zeros.min(width)), false);
        if least_zeros == most_zeros && least_zeros < width {
            known = known.with(1 << least_zeros, true);
        }
        let common = other.zeros_at_end();
        if common < width && other.ones >> common & 1 == 1 {
            let certain = self.known_at_end().min(other.known_at_end()).saturating_sub(common);
            let quotient = (self.ones >> common).wrapping_mul(inverse(other.ones >> common));
            let bits = low_bits(certain.min(width));
            known = known.meet(KnownBits::new(width, !quotient & bits, quotient & bits));
        }
        known
    }

    /// What arcs around the operands say, sign by sign.
    fn through_arcs(self, other: KnownBits, step: &RangeStep) -> KnownBits {
        let width = self.width;
        let mut all = KnownBits::empty(width);
        for left in [self.of_sign(false), self.of_sign(true)] {
            for right in [other.of_sign(false), other.of_sign(true)] {
                let (Some(left_ends), Some(right_ends)) = (left.unsigned_range(), right.unsigned_range())
                else {
                    continue;
                };
                let arcs = [left_ends, right_ends].map(|(low, high)| Interval::new(width, low, high));
                let mut arc = Interval::apply_with(step, &arcs, Effort::ENDS);
                if matches!(step.operation, Operation::URem | Operation::SRem) {
                    arc = left.lowest_of_remainder(right).ends_within(arc);
                }
                all = all.join(KnownBits::of_interval(arc));
            }
        }
        all
    }
}

/// The number whose product with this odd one is 1, modulo `2^128`.
fn inverse(odd: u128) -> u128 {
    // Each round doubles the bits that are right; three are at the start.
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))))
}

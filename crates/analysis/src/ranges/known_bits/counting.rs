//! Counts of bits, other widths, other orders: each the best answer.

use opcost_ir::Flags;

use super::KnownBits;
use crate::ranges::operation::RangeStep;
use crate::ranges::word::{mask, reversed, sign_bit};

impl KnownBits {
    /// Bits that are set: every count between the ends is possible.
    pub(super) fn population_counts(self) -> KnownBits {
        let Some((low, high)) = self.unsigned_range() else { return self };
        KnownBits::of_piece(self.width, u128::from(low.count_ones()), u128::from(high.count_ones()))
    }

    /// Zeros above the highest bit, each count by itself.
    pub(super) fn leading_zeros(self, zero_is_poison: bool) -> KnownBits {
        let turned = KnownBits {
            zeros: reversed(self.zeros, self.width, 1),
            ones: reversed(self.ones, self.width, 1),
            ..self
        };
        turned.trailing_zeros(zero_is_poison)
    }

    /// Zeros below the lowest bit, each count by itself.
    pub(super) fn trailing_zeros(self, zero_is_poison: bool) -> KnownBits {
        let mut all = KnownBits::empty(self.width);
        if self.is_empty() {
            return all;
        }
        for count in 0..self.width {
            if self.zeros >> count & 1 == 0 {
                all = all.join(KnownBits::constant(self.width, u128::from(count)));
            }
            if self.ones >> count & 1 == 1 {
                return all;
            }
        }
        let none = KnownBits::constant(self.width, u128::from(self.width));
        if zero_is_poison { all } else { all.join(none) }
    }

    /// Groups of so many bits in the other order.
    pub(super) fn reversed(self, group: u32) -> KnownBits {
        let turn = |bits: u128| reversed(bits, self.width, group);
        KnownBits { width: self.width, zeros: turn(self.zeros), ones: turn(self.ones) }
    }

    /// The lower bits.
    pub(super) fn truncated(self, step: &RangeStep) -> KnownBits {
        let narrow = step.width;
        let dropped = mask(self.width) & !mask(narrow);
        let unsigned = if step.flags.has(Flags::NUW) { self.with(dropped, false) } else { self };
        let kept = |bits: KnownBits| {
            if bits.is_empty() {
                KnownBits::empty(narrow)
            } else {
                KnownBits::new(narrow, bits.zeros, bits.ones)
            }
        };
        if !step.flags.has(Flags::NSW) {
            return kept(unsigned);
        }
        let with_sign = dropped | sign_bit(narrow);
        kept(unsigned.with(with_sign, false)).join(kept(unsigned.with(with_sign, true)))
    }

    /// Zeros, or copies of the sign, above.
    pub(super) fn extended(self, step: &RangeStep, by_sign: bool) -> KnownBits {
        let of = if step.flags.has(Flags::NNEG) { self.of_sign(false) } else { self };
        if of.is_empty() {
            return KnownBits::empty(step.width);
        }
        let above = mask(step.width) & !mask(self.width);
        let fill = |bits: u128| if bits & sign_bit(self.width) != 0 { bits | above } else { bits };
        if by_sign {
            KnownBits::new(step.width, fill(of.zeros), fill(of.ones))
        } else {
            KnownBits::new(step.width, of.zeros | above, of.ones)
        }
    }
}

//! Sums of boxes of bits, by a traversal over the carries.
//!
//! What a bit of a sum can be depends on which carries can come into it and, where a flag says how
//! the sum ends, on which of them lead to that end. Forward and back once, two states: the best
//! answer. Without flags the sums of the least and of the greatest values give the carries at once.
//! Cost: linear in the width; without flags a few machine words.

use super::KnownBits;
use crate::ranges::word::mask;

/// What is known of a sum in addition to its operands.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    /// Added as well.
    pub(super) carry: bool,
    /// Whether a carry leaves it.
    pub(super) leaving: Option<bool>,
    /// Whether a signed sum overflows.
    pub(super) overflows: Option<bool>,
}

impl KnownBits {
    /// The bits, each the other way.
    pub(super) fn inverted(self) -> KnownBits {
        KnownBits { width: self.width, zeros: self.ones, ones: self.zeros }
    }

    /// `self + other + carry` without conditions.
    pub(super) fn plain_sum(self, other: KnownBits, carry: bool) -> KnownBits {
        let width = self.width;
        let (Some(left), Some(right)) = (self.unsigned_range(), other.unsigned_range()) else {
            return KnownBits::empty(width);
        };
        let carry = u128::from(carry);
        let least = left.0.wrapping_add(right.0).wrapping_add(carry);
        let most = left.1.wrapping_add(right.1).wrapping_add(carry);
        // Where the carries into a bit are the same at both ends, they always are.
        let carries_differ = (least ^ left.0 ^ right.0) ^ (most ^ left.1 ^ right.1);
        let known = !(carries_differ | self.unknown_bits() | other.unknown_bits());
        KnownBits::new(width, !least & known & mask(width), least & known)
    }

    /// `self + other` under conditions.
    pub(super) fn sum_with(self, other: KnownBits, sum: Sum) -> KnownBits {
        let width = self.width;
        if self.is_empty() || other.is_empty() {
            return KnownBits::empty(width);
        }
        if sum.leaving.is_none() && sum.overflows.is_none() {
            return self.plain_sum(other, sum.carry);
        }
        let mut reached = [0u8; 129];
        reached[0] = 1 << u8::from(sum.carry);
        for bit in 0..width {
            self.each_way(other, bit, reached[bit as usize], |_, total| {
                reached[bit as usize + 1] |= 1 << (total >> 1);
            });
        }
        let mut alive = match sum.leaving {
            None => 0b11,
            Some(carry) => 1 << u8::from(carry),
        };
        let mut known = KnownBits::empty(width);
        for bit in (0..width).rev() {
            let (mut before, mut seen) = (0u8, 0u8);
            self.each_way(other, bit, reached[bit as usize], |carry, total| {
                let overflow = carry != total >> 1;
                let allowed = bit + 1 < width || sum.overflows.is_none_or(|wanted| wanted == overflow);
                if allowed && alive >> (total >> 1) & 1 == 1 {
                    before |= 1 << carry;
                    seen |= 1 << (total & 1);
                }
            });
            if seen == 0 {
                return KnownBits::empty(width);
            }
            if seen & 0b10 != 0 {
                known.zeros &= !(1 << bit);
            }
            if seen & 0b01 != 0 {
                known.ones &= !(1 << bit);
            }
            alive = before;
        }
        known
    }

    /// Calls `tell` for each carry in the set and each choice of the two bits at a place. It gets the
    /// carry and the sum of the three.
    fn each_way(self, other: KnownBits, bit: u32, carries: u8, mut tell: impl FnMut(u8, u8)) {
        let choices = |of: KnownBits| {
            [(0u8, of.ones), (1, of.zeros)].into_iter().filter(move |&(_, never)| never >> bit & 1 == 0)
        };
        for carry in (0..2).filter(|carry| carries >> carry & 1 == 1) {
            for (left, _) in choices(self) {
                for (right, _) in choices(other) {
                    tell(carry, carry + left + right);
                }
            }
        }
    }
}

//! Which bits of a value are always the same?
//!
//! Two masks: the bits that are always zero and those that are always one; no
//! value at all has both everywhere. An element is a box of independent bits,
//! so its best version for a set is unique (what all members agree on), joins
//! are exact, and cutting an operand in two and joining the results loses
//! nothing. That is how most steps here are the best there are:
//!
//! - sums, differences and what is made of them by a traversal over the carries (`carries`), flags
//!   being conditions on the last ones;
//! - shifts and funnel shifts amount by amount, at most 128;
//! - minimum and maximum by a traversal from the highest bit;
//! - saturation and `abs` case by case.
//!
//! Products, quotients and remainders are not the best: their highest bits come from arcs, their
//! lowest from what arithmetic modulo a power of two keeps. How far they are off is measured in the
//! tests, and so is that they are nowhere worse than what LLVM's `KnownBits` can say.
//!
//! Cost: linear in the width; shifts by unknown amounts and products square.

mod arithmetic;
mod carries;
mod counting;
mod ends;
mod multiplication;
mod shifts;
mod step;

use std::fmt;

use super::interval::{Hull, Interval};
use super::word::{Width, bit_length, low_bits, mask, sign_bit, signed};

/// What is known of each bit of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KnownBits {
    width: u32,
    zeros: u128,
    ones: u128,
}

impl KnownBits {
    /// Nothing is known.
    pub fn unknown(width: u32) -> KnownBits {
        KnownBits { width, zeros: 0, ones: 0 }
    }

    /// No value at all.
    pub fn empty(width: u32) -> KnownBits {
        KnownBits { width, zeros: mask(width), ones: mask(width) }
    }

    /// One value; bits above the width are dropped.
    pub fn constant(width: u32, value: u128) -> KnownBits {
        KnownBits { width, zeros: !value & mask(width), ones: value & mask(width) }
    }

    /// These bits are zero and these are one; empty if some are both.
    pub fn new(width: u32, zeros: u128, ones: u128) -> KnownBits {
        if zeros & ones & mask(width) != 0 {
            return KnownBits::empty(width);
        }
        KnownBits { width, zeros: zeros & mask(width), ones: ones & mask(width) }
    }

    /// Bits of the type.
    pub fn type_width(self) -> u32 {
        self.width
    }

    /// The bits that are always zero.
    pub fn zeros(self) -> u128 {
        self.zeros
    }

    /// The bits that are always one.
    pub fn ones(self) -> u128 {
        self.ones
    }

    /// The bits that are not always the same.
    pub fn unknown_bits(self) -> u128 {
        mask(self.width) & !(self.zeros | self.ones)
    }

    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.zeros & self.ones != 0
    }

    /// The value, if there is only one.
    pub fn as_constant(self) -> Option<u128> {
        (!self.is_empty() && self.unknown_bits() == 0).then_some(self.ones)
    }

    /// Whether `value` is in it.
    pub fn contains(self, value: u128) -> bool {
        !self.is_empty() && value & self.zeros == 0 && value & self.ones == self.ones
    }

    /// Whether all of `other` is in it.
    pub fn contains_all(self, other: KnownBits) -> bool {
        other.zeros & self.zeros == self.zeros && other.ones & self.ones == self.ones
    }

    /// The least and the greatest value, unsigned.
    pub fn unsigned_range(self) -> Option<(u128, u128)> {
        (!self.is_empty()).then(|| (self.ones, mask(self.width) & !self.zeros))
    }

    /// The least and the greatest value, signed.
    pub fn signed_range(self) -> Option<(i128, i128)> {
        let (low, high) = self.unsigned_range()?;
        let free = self.unknown_bits() & sign_bit(self.width);
        Some((signed(low | free, self.width), signed(high & !free, self.width)))
    }

    /// How many bits a value needs, not counting that some in it are known.
    pub fn needed_width(self) -> Width {
        match (self.unsigned_range(), self.signed_range()) {
            (Some((low, high)), Some((least, most))) => Width::of(&(low..=high), &(least..=most)),
            _ => Width::NONE,
        }
    }

    /// What both agree on.
    #[must_use]
    pub fn join(self, other: KnownBits) -> KnownBits {
        KnownBits { width: self.width, zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    /// What is known of a value that is in both.
    #[must_use]
    pub fn meet(self, other: KnownBits) -> KnownBits {
        KnownBits::new(self.width, self.zeros | other.zeros, self.ones | other.ones)
    }

    /// The values in which these bits are zero, or one.
    #[must_use]
    pub(crate) fn with(self, bits: u128, set: bool) -> KnownBits {
        let bits = bits & mask(self.width);
        let (zeros, ones) = if set { (0, bits) } else { (bits, 0) };
        self.meet(KnownBits { width: self.width, zeros, ones })
    }

    /// Those that are negative or those that are not.
    pub(crate) fn of_sign(self, negative: bool) -> KnownBits {
        self.with(sign_bit(self.width), negative)
    }

    /// How many of the lowest bits are known.
    pub(crate) fn known_at_end(self) -> u32 {
        self.unknown_bits().trailing_zeros().min(self.width)
    }

    /// How many of the lowest bits are zero at least.
    pub(crate) fn zeros_at_end(self) -> u32 {
        (!self.zeros).trailing_zeros().min(self.width)
    }

    /// What all numbers from `low` to `high` agree on: their common prefix.
    pub(crate) fn of_piece(width: u32, low: u128, high: u128) -> KnownBits {
        let differ = low_bits(bit_length(low ^ high));
        KnownBits::new(width, !high & !differ, high & !differ)
    }

    /// What all members of an arc agree on.
    pub fn of_interval(arc: Interval) -> KnownBits {
        let width = arc.type_width();
        arc.unsigned_pieces()
            .map(|(low, high)| KnownBits::of_piece(width, low, high))
            .fold(KnownBits::empty(width), KnownBits::join)
    }

    /// The best arc around the values.
    pub fn interval(self) -> Interval {
        // Members lie around the middle of the unknown bits: the greatest gap
        // is outside of all, or where the highest unknown bit turns.
        let Some((low, high)) = self.unsigned_range() else { return Interval::empty(self.width) };
        let highest = match self.unknown_bits() {
            0 => 0,
            unknown => 1 << (bit_length(unknown) - 1),
        };
        let mut hull = Hull::new(self.width);
        hull.add(low, high & !highest);
        hull.add(low | highest, high);
        hull.best()
    }
}

impl fmt::Debug for KnownBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return write!(f, "i{} empty", self.width);
        }
        for bit in (0..self.width).rev() {
            let known = (self.zeros >> bit & 1, self.ones >> bit & 1);
            f.write_str(if known.0 == 1 {
                "0"
            } else if known.1 == 1 {
                "1"
            } else {
                "?"
            })?;
        }
        Ok(())
    }
}

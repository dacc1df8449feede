//! Which remainder does a value leave?
//!
//! All values `x`, read as unsigned numbers, with `x = residue (mod modulus)`
//! (Granger, "Static analysis of arithmetical congruences", 1989). A constant
//! has modulus 0, everything has modulus 1.
//!
//! **Wrapping.** What a sum, difference or product leaves modulo `m` survives a
//! wrap only as far as `m` divides `2^n`: only powers of two do. Other moduli
//! are kept while nothing wraps: `nuw` says so, or the product of domains has
//! seen it and says `nuw` for it. Signed reading does not help: a negative
//! number is `2^n` away from its word.
//!
//! An element is the least one for its members (all differences are multiples of the modulus), so
//! joins are exact. What only powers of two can say of bit operations is left to known bits. Cost:
//! a few greatest common divisors.

mod step;

use std::fmt;

use super::known_bits::KnownBits;
use super::word::{low_bits, mask};

/// A residue class of words of so many bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Congruence {
    width: u32,
    /// 0 for a constant.
    modulus: u128,
    residue: u128,
    is_empty: bool,
}

impl Congruence {
    /// Everything.
    pub fn any(width: u32) -> Congruence {
        Congruence { width, modulus: 1, residue: 0, is_empty: false }
    }

    /// No value at all.
    pub fn empty(width: u32) -> Congruence {
        Congruence { width, modulus: 0, residue: 0, is_empty: true }
    }

    /// One value; bits above the width are dropped.
    pub fn constant(width: u32, value: u128) -> Congruence {
        Congruence { width, modulus: 0, residue: value & mask(width), is_empty: false }
    }

    /// All words that leave this residue; the word itself if the modulus is 0.
    pub fn new(width: u32, modulus: u128, residue: u128) -> Congruence {
        let residue = if modulus == 0 { residue } else { residue % modulus };
        if residue > mask(width) {
            return Congruence::empty(width);
        }
        // A class with one member is a constant.
        let is_alone = modulus > mask(width) - residue;
        Congruence { width, modulus: if is_alone { 0 } else { modulus }, residue, is_empty: false }
    }

    /// Bits of the type.
    pub fn type_width(self) -> u32 {
        self.width
    }

    /// The modulus: 0 for a constant, 1 for everything.
    pub fn modulus(self) -> u128 {
        self.modulus
    }

    /// The least member.
    pub fn residue(self) -> u128 {
        self.residue
    }

    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.is_empty
    }

    /// The value, if there is only one.
    pub fn as_constant(self) -> Option<u128> {
        (!self.is_empty && self.modulus == 0).then_some(self.residue)
    }

    /// Whether `value` is in it.
    pub fn contains(self, value: u128) -> bool {
        !self.is_empty && (value == self.residue || self.modulus != 0 && value % self.modulus == self.residue)
    }

    /// The least class that holds both.
    #[must_use]
    pub fn join(self, other: Congruence) -> Congruence {
        match (self.is_empty, other.is_empty) {
            (true, _) => other,
            (_, true) => self,
            _ => {
                let apart = self.residue.abs_diff(other.residue);
                let modulus = greatest_divisor(greatest_divisor(self.modulus, other.modulus), apart);
                Congruence::new(self.width, modulus, self.residue)
            }
        }
    }

    /// What is in both. Where the numbers become too large to compute, the one
    /// with the greater modulus, which holds it.
    #[must_use]
    pub fn meet(self, other: Congruence) -> Congruence {
        let (wide, narrow) = if self.modulus == 0 || other.modulus != 0 && self.modulus >= other.modulus {
            (other, self)
        } else {
            (self, other)
        };
        if wide.is_empty || narrow.is_empty {
            return Congruence::empty(self.width);
        }
        if narrow.modulus == 0 {
            let is_in = wide.contains(narrow.residue);
            return if is_in { narrow } else { Congruence::empty(self.width) };
        }
        if narrow.modulus > i128::MAX as u128 {
            return narrow;
        }
        let common = greatest_divisor(wide.modulus, narrow.modulus);
        if !narrow.residue.abs_diff(wide.residue).is_multiple_of(common) {
            return Congruence::empty(self.width);
        }
        // Steps of the narrow class until it meets the wide one: less than `steps`.
        let steps = wide.modulus / common;
        let Some(modulus) = narrow.modulus.checked_mul(steps) else { return narrow };
        let missing = (wide.residue + (wide.modulus - narrow.residue % wide.modulus)) % wide.modulus / common;
        let Some(turned) = inverse(narrow.modulus / common % steps, steps) else { return narrow };
        let Some(count) = missing.checked_mul(turned).map(|count| count % steps) else { return narrow };
        Congruence::new(self.width, modulus, narrow.residue + narrow.modulus * count)
    }

    /// What the lowest bits being known says.
    pub fn of_known_bits(bits: KnownBits) -> Congruence {
        let width = bits.type_width();
        match bits.known_at_end() {
            _ if bits.is_empty() => Congruence::empty(width),
            known if known == width => Congruence::constant(width, bits.ones()),
            known => Congruence::new(width, 1 << known, bits.ones() & low_bits(known)),
        }
    }

    /// What it says of the lowest bits.
    pub fn known_bits(self) -> KnownBits {
        if self.is_empty {
            return KnownBits::empty(self.width);
        }
        let known = low_bits(self.modulus.trailing_zeros().min(self.width));
        KnownBits::new(self.width, !self.residue & known, self.residue & known)
    }

    /// The least member from `low` on and the greatest up to `high`.
    pub(crate) fn within(self, low: u128, high: u128) -> Option<(u128, u128)> {
        if self.is_empty || high < self.residue {
            return None;
        }
        if self.modulus == 0 {
            return (low <= self.residue).then_some((self.residue, self.residue));
        }
        let last = high - (high - self.residue) % self.modulus;
        let first = match low.checked_sub(self.residue) {
            None => self.residue,
            Some(ahead) => {
                ahead.div_ceil(self.modulus).checked_mul(self.modulus)?.checked_add(self.residue)?
            }
        };
        (first <= last).then_some((first, last))
    }
}

/// The greatest common divisor; 0 divides nothing and is divided by all.
pub(crate) fn greatest_divisor(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// The number whose product with `of` is 1 modulo `modulus`, both without common
/// divisor; none if they are too large.
fn inverse(of: u128, modulus: u128) -> Option<u128> {
    let (mut rest, mut next) = (i128::try_from(modulus).ok()?, i128::try_from(of).ok()?);
    let (mut factor, mut next_factor) = (0i128, 1i128);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    Some(factor.rem_euclid(modulus as i128) as u128)
}

impl fmt::Debug for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_empty, self.modulus) {
            (true, _) => write!(f, "i{} empty", self.width),
            (_, 0) => write!(f, "i{} {}", self.width, self.residue),
            (_, modulus) => write!(f, "i{} {} mod {modulus}", self.width, self.residue),
        }
    }
}

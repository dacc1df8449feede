//! Arcs, bits, remainders and small sets together: what one knows, all know.
//!
//! A [`ValueRange`] is a reduced product: a value is in it if it is in each part. After each step
//! the parts exchange what they know (`reduce`): the common prefix of an arc becomes bits, the ends
//! of an arc move to numbers that fit the bits and the residue, known low bits and powers of two in
//! the modulus are the same, and what is left of few values becomes a set. That is repeated until
//! nothing changes, `reduce::ROUNDS` times at most: the result is locally reduced, not always the
//! least product there is.
//!
//! **Fixpoints.** Arcs have no monotone join, and reducing what was widened can
//! undo the widening, so that neither is a proof that a loop ends. What is:
//! [`ValueRange::widen`] moves unstable ends to a finite list of thresholds and
//! does not reduce, every part of it has finitely many steps upwards, and who
//! iterates holds a [`Budget`] and takes [`ValueRange::full`] when it is used up.
//!
//! Cost: at 64 bits two to thirty microseconds a step, without optimisation.

mod pointwise;
mod reduce;
mod transfer;
mod widen;

use std::fmt;

use super::congruence::Congruence;
use super::interval::Interval;
use super::known_bits::KnownBits;
use super::small_set::SmallSet;
use super::word::{Width, low_bits};

pub use widen::Budget;

/// What is known of a value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ValueRange {
    interval: Interval,
    bits: KnownBits,
    congruence: Congruence,
    set: Option<SmallSet>,
}

impl ValueRange {
    /// Nothing is known.
    pub fn full(width: u32) -> ValueRange {
        ValueRange {
            interval: Interval::full(width),
            bits: KnownBits::unknown(width),
            congruence: Congruence::any(width),
            set: None,
        }
    }

    /// No value at all: no execution gets there without poison.
    pub fn empty(width: u32) -> ValueRange {
        ValueRange {
            interval: Interval::empty(width),
            bits: KnownBits::empty(width),
            congruence: Congruence::empty(width),
            set: Some(SmallSet::empty(width)),
        }
    }

    /// One value.
    pub fn constant(width: u32, value: u128) -> ValueRange {
        ValueRange::from(Interval::constant(width, value))
    }

    /// What is in all of these.
    pub fn new(interval: Interval, bits: KnownBits, congruence: Congruence) -> ValueRange {
        ValueRange { interval, bits, congruence, set: None }.reduced()
    }

    /// These values.
    pub fn of_set(set: SmallSet) -> ValueRange {
        ValueRange { set: Some(set.clone()), ..ValueRange::full(set.type_width()) }.reduced()
    }

    /// Bits of the type.
    pub fn type_width(&self) -> u32 {
        self.interval.type_width()
    }

    /// The arc that the values are in.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// The bits that are always the same.
    pub fn bits(&self) -> KnownBits {
        self.bits
    }

    /// The residue class of the values.
    pub fn congruence(&self) -> Congruence {
        self.congruence
    }

    /// The values, if they are few.
    pub fn set(&self) -> Option<&SmallSet> {
        self.set.as_ref()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.interval.is_empty()
    }

    /// The value, if there is only one.
    pub fn as_constant(&self) -> Option<u128> {
        self.interval.as_constant()
    }

    /// Whether `value` is in it.
    pub fn contains(&self, value: u128) -> bool {
        self.interval.contains(value)
            && self.bits.contains(value)
            && self.congruence.contains(value)
            && self.set.as_ref().is_none_or(|set| set.contains(value))
    }

    /// The least and the greatest value, unsigned.
    pub fn unsigned_range(&self) -> Option<(u128, u128)> {
        let (arc, bits) = (self.interval.unsigned_range()?, self.bits.unsigned_range()?);
        Some((arc.0.max(bits.0), arc.1.min(bits.1)))
    }

    /// The least and the greatest value, signed.
    pub fn signed_range(&self) -> Option<(i128, i128)> {
        let (arc, bits) = (self.interval.signed_range()?, self.bits.signed_range()?);
        Some((arc.0.max(bits.0), arc.1.min(bits.1)))
    }

    /// How many bits a value needs as an `iN`.
    pub fn needed_width(&self) -> Width {
        if let Some(set) = &self.set {
            return set.needed_width();
        }
        match (self.unsigned_range(), self.signed_range()) {
            (Some((low, high)), Some((least, most))) => Width::of(&(low..=high), &(least..=most)),
            _ => Width::NONE,
        }
    }

    /// How many of those bits are not always the same.
    pub fn unknown_bits(&self) -> u32 {
        (self.bits.unknown_bits() & low_bits(self.needed_width().bits)).count_ones()
    }
}

impl From<Interval> for ValueRange {
    fn from(interval: Interval) -> ValueRange {
        let width = interval.type_width();
        ValueRange::new(interval, KnownBits::unknown(width), Congruence::any(width))
    }
}

impl From<KnownBits> for ValueRange {
    fn from(bits: KnownBits) -> ValueRange {
        let width = bits.type_width();
        ValueRange::new(Interval::full(width), bits, Congruence::any(width))
    }
}

impl fmt::Debug for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({:?}, {:?}, {:?}, {:?})", self.interval, self.bits, self.congruence, self.set)
    }
}

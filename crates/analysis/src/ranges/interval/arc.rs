//! What is an arc of the circle of n-bit numbers, and what is in it?
//!
//! A first member and how many more are after it, over the seam between the greatest number and 0
//! if need be. Empty and full arcs have one form each. Read as unsigned or signed numbers, an arc
//! is cut at the seams into pieces. Cost: constant.

use std::fmt;

use crate::ranges::word::{Width, mask, sign_bit, signed};

/// An arc of words of so many bits; empty and full ones have one form each, so
/// that equal sets are equal values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    pub(super) width: u32,
    pub(super) low: u128,
    /// Members in addition to the first; none if the arc is empty.
    pub(super) span: Option<u128>,
}

/// Words from the first to the last, which cross no seam that matters.
pub(crate) type ArcPiece = (u128, u128);

impl Interval {
    /// No value at all.
    pub fn empty(width: u32) -> Interval {
        Interval { width, low: 0, span: None }
    }

    /// Every value.
    pub fn full(width: u32) -> Interval {
        Interval { width, low: 0, span: Some(mask(width)) }
    }

    /// One value; bits above the width are dropped.
    pub fn constant(width: u32, value: u128) -> Interval {
        Interval::arc(width, value, 0)
    }

    /// From `low` upwards to `high`, both in it, over the seam if `high` is less.
    pub fn new(width: u32, low: u128, high: u128) -> Interval {
        Interval::arc(width, low, high.wrapping_sub(low) & mask(width))
    }

    /// `low` and so many after it.
    pub(crate) fn arc(width: u32, low: u128, span: u128) -> Interval {
        if span >= mask(width) {
            Interval::full(width)
        } else {
            Interval { width, low: low & mask(width), span: Some(span) }
        }
    }

    /// Bits of the type.
    pub fn type_width(self) -> u32 {
        self.width
    }

    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.span.is_none()
    }

    /// Whether it holds everything.
    pub fn is_full(self) -> bool {
        self.span == Some(mask(self.width))
    }

    /// Its first and last member; the last is less than the first if the arc
    /// crosses the unsigned seam.
    pub fn ends(self) -> Option<(u128, u128)> {
        Some((self.low, self.low.wrapping_add(self.span?) & mask(self.width)))
    }

    /// Members but one: none of an empty arc.
    pub fn span(self) -> Option<u128> {
        self.span
    }

    /// The value, if there is only one.
    pub fn as_constant(self) -> Option<u128> {
        (self.span == Some(0)).then_some(self.low)
    }

    /// Whether `value` is in it.
    pub fn contains(self, value: u128) -> bool {
        self.span.is_some_and(|span| value.wrapping_sub(self.low) & mask(self.width) <= span)
    }

    /// Whether all of `other` is in it.
    pub fn contains_all(self, other: Interval) -> bool {
        let (Some(outer), Some(inner)) = (self.span, other.span) else { return other.is_empty() };
        let ahead = other.low.wrapping_sub(self.low) & mask(self.width);
        self.is_full() || ahead <= outer && inner <= outer - ahead
    }

    /// The least and the greatest member as unsigned numbers.
    pub fn unsigned_range(self) -> Option<(u128, u128)> {
        let (low, high) = self.ends()?;
        Some(if low <= high { (low, high) } else { (0, mask(self.width)) })
    }

    /// The least and the greatest member as signed numbers.
    pub fn signed_range(self) -> Option<(i128, i128)> {
        let (low, high) = self.ends()?;
        let (low, high) = (signed(low, self.width), signed(high, self.width));
        let least = signed(sign_bit(self.width), self.width);
        Some(if low <= high { (low, high) } else { (least, !least) })
    }

    /// How many bits a member needs.
    pub fn needed_width(self) -> Width {
        match (self.unsigned_range(), self.signed_range()) {
            (Some((low, high)), Some((least, most))) if self.span != Some(0) => {
                Width::of(&(low..=high), &(least..=most))
            }
            _ => Width::NONE,
        }
    }

    /// Its parts that do not cross the unsigned seam.
    pub(crate) fn unsigned_pieces(self) -> impl Iterator<Item = ArcPiece> {
        let cut = match self.ends() {
            None => [None, None],
            Some((low, high)) if low <= high => [Some((low, high)), None],
            Some((low, high)) => [Some((0, high)), Some((low, mask(self.width)))],
        };
        cut.into_iter().flatten()
    }

    /// Its parts that cross neither seam: each holds negative numbers only or
    /// none.
    pub(crate) fn pieces(self) -> impl Iterator<Item = ArcPiece> {
        let half = sign_bit(self.width);
        self.unsigned_pieces().flat_map(move |(low, high)| {
            let cut = if low < half && high >= half {
                [Some((low, half - 1)), Some((half, high))]
            } else {
                [Some((low, high)), None]
            };
            cut.into_iter().flatten()
        })
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ends() {
            None => write!(f, "i{} empty", self.width),
            Some((low, high)) => write!(f, "i{} [{low}, {high}]", self.width),
        }
    }
}

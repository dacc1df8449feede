//! Which is the best arc around these pieces?
//!
//! The arc with the fewest members leaves out the greatest gap between pieces,
//! seen around the circle. Ties: see [`Interval`]. Cost: n log n in the pieces.

use super::arc::{ArcPiece, Interval};
use crate::ranges::word::{mask, sign_bit};

/// Pieces that are collected.
pub(crate) struct Hull {
    width: u32,
    pieces: Vec<ArcPiece>,
}

impl Hull {
    /// Nothing yet.
    pub(crate) fn new(width: u32) -> Hull {
        Hull { width, pieces: Vec::new() }
    }

    /// From `low` to `high`; nothing if `high` is less.
    pub(crate) fn add(&mut self, low: u128, high: u128) {
        if low <= high {
            self.pieces.push((low, high));
        }
    }

    /// One value.
    pub(crate) fn add_value(&mut self, value: u128) {
        self.pieces.push((value, value));
    }

    /// From `low` upwards, so many after it, over the seam if need be.
    pub(crate) fn add_span(&mut self, low: u128, span: u128) {
        self.add_arc(Interval::arc(self.width, low, span));
    }

    /// A whole arc.
    pub(crate) fn add_arc(&mut self, arc: Interval) {
        self.pieces.extend(arc.unsigned_pieces());
    }

    /// The best arc around all pieces.
    pub(crate) fn best(mut self) -> Interval {
        self.pieces.sort_unstable();
        let (Some(&(first, mut reached)), width) = (self.pieces.first(), self.width) else {
            return Interval::empty(self.width);
        };
        let half = sign_bit(width);
        // Members of the gap, then what decides ties; then the ends of the arc.
        let mut best: Option<(u128, bool, bool)> = None;
        let mut arc = Interval::full(width);
        for &(low, high) in &self.pieces[1..] {
            if low > reached && low - reached > 1 {
                let rank = (low - reached - 1, false, reached < half && low >= half);
                if best.is_none_or(|best| rank > best) {
                    best = Some(rank);
                    arc = Interval::new(width, low, reached);
                }
            }
            reached = reached.max(high);
        }
        let outside = first + (mask(width) - reached);
        let crosses_no_sign = (first < half) == (reached < half);
        if outside > 0 && best.is_none_or(|best| (outside, true, crosses_no_sign) > best) {
            arc = Interval::new(width, first, reached);
        }
        arc
    }
}

impl Interval {
    /// The best arc around both.
    #[must_use]
    pub fn join(self, other: Interval) -> Interval {
        let mut hull = Hull::new(self.width);
        hull.add_arc(self);
        hull.add_arc(other);
        hull.best()
    }

    /// The best arc around what is in both.
    #[must_use]
    pub fn meet(self, other: Interval) -> Interval {
        if other.contains_all(self) {
            return self;
        }
        if self.contains_all(other) {
            return other;
        }
        let mut hull = Hull::new(self.width);
        for left in self.unsigned_pieces() {
            for right in other.unsigned_pieces() {
                hull.add(left.0.max(right.0), left.1.min(right.1));
            }
        }
        hull.best()
    }
}

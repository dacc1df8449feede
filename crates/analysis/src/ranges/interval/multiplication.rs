//! Products.
//!
//! Over pieces of one sign the product of the magnitudes is monotone; its ends
//! are exact in 256 bits, so that a product that goes once around is seen. What
//! a flag forbids is cut off, and so are the factors that could not keep it.
//! Products leave gaps: the result is an arc around all of them, not always
//! the best one. Without flags both readings are tried and met. A square is the
//! product of one piece with itself: no factor meets one of the other sign.

use opcost_ir::Flags;

use super::{ArcPiece, Hull, Interval};
use crate::ranges::word::{mask, negated, sign_bit, wide_product};

impl Interval {
    /// `self * other`
    pub(super) fn product(self, other: Interval, flags: Flags) -> Interval {
        let (nuw, nsw) = (flags.has(Flags::NUW), flags.has(Flags::NSW));
        let signed = self.signed_product(other, nsw);
        let unsigned = self.unsigned_product(other, nuw);
        signed.meet(unsigned)
    }

    /// `self * self`, both the same word.
    pub(super) fn square(self, flags: Flags) -> Interval {
        let (width, half) = (self.width, sign_bit(self.width));
        let unsigned = flags.has(Flags::NUW).then(|| mask(width));
        let signed = flags.has(Flags::NSW).then_some(half - 1);
        let by_magnitude = self.pieces().map(|piece| magnitudes(piece, width));
        squares(self.unsigned_pieces(), unsigned, width).meet(squares(by_magnitude, signed, width))
    }

    fn unsigned_product(self, other: Interval, no_wrap: bool) -> Interval {
        let mut hull = Hull::new(self.width);
        let limit = no_wrap.then(|| mask(self.width));
        for left in self.unsigned_pieces() {
            for right in other.unsigned_pieces() {
                if let Some((low, span)) = product_of(left, right, limit, self.width) {
                    hull.add_span(low, span);
                }
            }
        }
        hull.best()
    }

    fn signed_product(self, other: Interval, no_wrap: bool) -> Interval {
        let (width, half) = (self.width, sign_bit(self.width));
        let mut hull = Hull::new(width);
        for left in self.pieces() {
            for right in other.pieces() {
                let is_negative = (left.0 >= half) != (right.0 >= half);
                let limit = no_wrap.then_some(if is_negative { half } else { half - 1 });
                let (left, right) = (magnitudes(left, width), magnitudes(right, width));
                let Some((low, span)) = product_of(left, right, limit, width) else { continue };
                let low = if is_negative { negated(low.wrapping_add(span), width) } else { low };
                hull.add_span(low, span);
            }
        }
        hull.best()
    }
}

/// The arc around the squares of these pieces that are within the limit.
fn squares(pieces: impl IntoIterator<Item = ArcPiece>, limit: Option<u128>, width: u32) -> Interval {
    let mut hull = Hull::new(width);
    for (low, high) in pieces {
        let high = limit.map_or(high, |limit| high.min(limit.isqrt()));
        if low <= high
            && let Some((low, span)) = product_of((low, high), (low, high), None, width)
        {
            hull.add_span(low, span);
        }
    }
    hull.best()
}

/// The distances from zero of a piece of one sign.
pub(super) fn magnitudes(piece: ArcPiece, width: u32) -> ArcPiece {
    if piece.0 < sign_bit(width) { piece } else { (negated(piece.1, width), negated(piece.0, width)) }
}

/// The least product and how far the greatest is above it, in words; none if there is none within
/// the limit.
fn product_of(left: ArcPiece, right: ArcPiece, limit: Option<u128>, width: u32) -> Option<(u128, u128)> {
    let least = wide_product(left.0, right.0);
    let mut greatest = wide_product(left.1, right.1);
    if let Some(limit) = limit {
        if least > (0, limit) {
            return None;
        }
        greatest = greatest.min((0, limit));
        // No factor beyond what the least of the other one allows.
        let left_end = limit.checked_div(right.0).map_or(left.1, |most| left.1.min(most));
        let right_end = limit.checked_div(left.0).map_or(right.1, |most| right.1.min(most));
        greatest = greatest.min(wide_product(left_end, right_end));
    }
    let (low, borrow) = greatest.1.overflowing_sub(least.1);
    let high = greatest.0 - least.0 - u128::from(borrow);
    let span = if high > 0 { mask(width) } else { low.min(mask(width)) };
    Some((least.1 & mask(width), span))
}

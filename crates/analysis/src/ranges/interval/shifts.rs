//! Shifts, saturating shifts and funnel shifts.
//!
//! Each amount that is less than the width is taken by itself, at most 128.
//! Right shifts by one amount are full intervals, so their result is the best
//! arc. A left shift by one amount is an arc on a coarser circle; the best arc
//! if the amount is known. More amounts: an arc around all. An amount that
//! reaches the width is poison, but of funnel shifts, which take the remainder.

use opcost_ir::Flags;

use super::{ArcPiece, Hull, Interval};
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::{low_bits, mask, sign_bit};

impl Interval {
    /// Shifts of `self` by `other`.
    pub(super) fn shifted(self, other: Interval, step: &RangeStep) -> Interval {
        let mut hull = Hull::new(self.width);
        for amount in 0..self.width {
            if !other.contains(u128::from(amount)) {
                continue;
            }
            match step.operation {
                Operation::Shl => self.left_by(amount, step.flags, &mut hull),
                Operation::LShr | Operation::AShr => self.right_by(amount, step, &mut hull),
                _ => self.saturating_left_by(amount, step.operation, &mut hull),
            }
        }
        hull.best()
    }

    fn left_by(self, amount: u32, flags: Flags, hull: &mut Hull) {
        let (width, half) = (self.width, sign_bit(self.width));
        let (nuw, nsw) = (flags.has(Flags::NUW), flags.has(Flags::NSW));
        if !nuw && !nsw {
            self.coarse(amount, 0, hull);
            return;
        }
        for (low, high) in self.pieces() {
            let is_negative = low >= half;
            let unsigned_limit = if nuw { mask(width) >> amount } else { mask(width) };
            let signed_limit = if nsw && !is_negative { (half - 1) >> amount } else { mask(width) };
            // Negative numbers keep their sign from here on.
            let least = if nsw && is_negative { mask(width) - (mask(width) >> 1 >> amount) } else { 0 };
            let (low, high) = (low.max(least), high.min(unsigned_limit).min(signed_limit));
            if low <= high {
                hull.add(low << amount & mask(width), high << amount & mask(width));
            }
        }
    }

    /// The whole arc, shifted up over the seam, with `below` in the bits that come in.
    fn coarse(self, amount: u32, below: u128, hull: &mut Hull) {
        let (width, low) = (self.width, self.low);
        let Some(span) = self.span else { return };
        if span >= mask(width) >> amount {
            hull.add(below, mask(width) - low_bits(amount) + below);
        } else {
            hull.add_span(low << amount | below, span << amount);
        }
    }

    fn right_by(self, amount: u32, step: &RangeStep, hull: &mut Hull) {
        let (width, half) = (self.width, sign_bit(self.width));
        let is_exact = step.flags.has(Flags::EXACT);
        for (low, high) in self.pieces() {
            // Rounded up to what is shifted without loss.
            let lost = is_exact && low & low_bits(amount) != 0;
            let first = (low >> amount) + u128::from(lost);
            let filled = if step.operation == Operation::AShr && low >= half {
                mask(width) - (mask(width) >> amount)
            } else {
                0
            };
            let last = high >> amount;
            if first <= last {
                hull.add(first | filled, last | filled);
            }
        }
    }

    fn saturating_left_by(self, amount: u32, operation: Operation, hull: &mut Hull) {
        let (width, half) = (self.width, sign_bit(self.width));
        let shift = |word: u128, is_negative: bool| {
            let signed = operation == Operation::SShlSat;
            let (least, most) = match (signed, is_negative) {
                (false, _) => (0, mask(width)),
                (true, false) => (0, half - 1),
                (true, true) => (half, mask(width)),
            };
            let fits = if signed && is_negative {
                word >= mask(width) - (mask(width) >> 1 >> amount)
            } else {
                word <= most >> amount
            };
            match (fits, signed && is_negative) {
                (true, _) => word << amount & mask(width),
                (false, true) => least,
                (false, false) => most,
            }
        };
        for (low, high) in self.pieces() {
            let is_negative = low >= half;
            hull.add(shift(low, is_negative), shift(high, is_negative));
        }
    }

    /// `self` above `other`, shifted left or right by the remainder of `amounts`.
    pub(super) fn funnel(self, other: Interval, amounts: Interval, is_right: bool) -> Interval {
        let width = self.width;
        let mut hull = Hull::new(width);
        for amount in 0..width {
            if !holds_remainder(amounts, amount, width) {
                continue;
            }
            // Bits that come from the second word.
            let below = if is_right { width - amount } else { amount };
            match below % width {
                0 => hull.add_arc(if is_right { other } else { self }),
                _ => self.funnel_by(other, below, &mut hull),
            }
        }
        hull.best()
    }

    fn funnel_by(self, other: Interval, below: u32, hull: &mut Hull) {
        let Some(span) = self.span else { return };
        let dropped = self.width - below;
        for piece in other.unsigned_pieces() {
            let (least, most): ArcPiece = (piece.0 >> dropped, piece.1 >> dropped);
            if span >= mask(self.width) >> below {
                hull.add(least, mask(self.width) - low_bits(below) + most);
            } else {
                hull.add_span(
                    (self.low << below & mask(self.width)) + least,
                    (span << below) + (most - least),
                );
            }
        }
    }
}

/// Whether some amount in the arc leaves this remainder.
fn holds_remainder(amounts: Interval, remainder: u32, width: u32) -> bool {
    let (modulus, remainder) = (u128::from(width), u128::from(remainder));
    amounts.unsigned_pieces().any(|(low, high)| {
        let ahead = (remainder + modulus - low % modulus) % modulus;
        high - low >= ahead
    })
}

//! Shifts and funnel shifts, amount by amount.
//!
//! A shift by one amount moves the box; a flag says which bits were equal
//! before. All amounts below the width that the right operand can be are
//! joined: the best answer. Cost: linear in the width for each amount.

use opcost_ir::Flags;

use super::KnownBits;
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::word::{low_bits, mask, sign_bit};

impl KnownBits {
    /// Shifts of `self` by `other`, saturating ones too.
    pub(super) fn shifted(self, other: KnownBits, step: &RangeStep) -> KnownBits {
        let amounts = (0..self.width).filter(|&amount| other.contains(u128::from(amount)));
        amounts.fold(KnownBits::empty(self.width), |all, amount| all.join(self.shifted_by(amount, step)))
    }

    fn shifted_by(self, amount: u32, step: &RangeStep) -> KnownBits {
        let (width, flags) = (self.width, step.flags);
        // What leaves at the top, and the same with what is the sign then.
        let leaving = mask(width) & !(mask(width) >> amount);
        let with_sign = leaving | sign_bit(width) >> amount;
        let moved = |bits: KnownBits| bits.moved_left(amount);
        match step.operation {
            Operation::Shl => {
                let unsigned = if flags.has(Flags::NUW) { self.with(leaving, false) } else { self };
                if !flags.has(Flags::NSW) {
                    return moved(unsigned);
                }
                moved(unsigned.with(with_sign, false)).join(moved(unsigned.with(with_sign, true)))
            }
            Operation::UShlSat => {
                let kept = moved(self.with(leaving, false));
                let all_kept = self.zeros & leaving == leaving;
                if all_kept { kept } else { kept.join(KnownBits::constant(width, u128::MAX)) }
            }
            Operation::SShlSat => [false, true].into_iter().fold(KnownBits::empty(width), |all, negative| {
                let of_sign = self.of_sign(negative);
                let kept = moved(of_sign.with(with_sign, negative));
                let fixed = if negative { of_sign.ones } else { of_sign.zeros };
                let limit = sign_bit(width).wrapping_sub(u128::from(!negative));
                let limit = KnownBits::constant(width, limit);
                let all_kept = of_sign.is_empty() || fixed & with_sign == with_sign;
                all.join(if all_kept { kept } else { kept.join(limit) })
            }),
            Operation::LShr | Operation::AShr => self.right_by(amount, step),
            _ => KnownBits::unknown(width),
        }
    }

    /// Moved up, zeros coming in; empty stays empty.
    fn moved_left(self, amount: u32) -> KnownBits {
        if self.is_empty() {
            return self;
        }
        KnownBits::new(self.width, self.zeros << amount | low_bits(amount), self.ones << amount)
    }

    fn right_by(self, amount: u32, step: &RangeStep) -> KnownBits {
        let is_exact = step.flags.has(Flags::EXACT);
        let of = if is_exact { self.with(low_bits(amount), false) } else { self };
        if of.is_empty() {
            return of;
        }
        let width = self.width;
        let filled = mask(width) & !(mask(width) >> amount);
        let copies = step.operation == Operation::AShr;
        let fill = |bits: u128| if bits & sign_bit(width) != 0 { filled } else { 0 };
        let (zeros, ones) = if copies { (fill(of.zeros), fill(of.ones)) } else { (filled, 0) };
        KnownBits::new(width, of.zeros >> amount | zeros, of.ones >> amount | ones)
    }

    /// `self` above `other`, shifted left or right by the remainder of `amounts`.
    pub(super) fn funnel(self, other: KnownBits, amounts: KnownBits, is_right: bool) -> KnownBits {
        let width = self.width;
        if self.is_empty() || other.is_empty() || amounts.is_empty() {
            return KnownBits::empty(width);
        }
        let remainders = (0..width).filter(|&amount| amounts.holds_remainder(amount));
        remainders.fold(KnownBits::empty(width), |all, amount| {
            let below = if is_right { width - amount } else { amount };
            all.join(match below % width {
                0 if is_right => other,
                0 => self,
                below => {
                    let put = |high: u128, low: u128| high << below | low >> (width - below);
                    KnownBits::new(width, put(self.zeros, other.zeros), put(self.ones, other.ones))
                }
            })
        })
    }

    /// Whether a value can leave this remainder when it is divided by the
    /// width. Exact where the width is a power of two; else yes, unless
    /// a short look through what the value can be says no.
    fn holds_remainder(self, remainder: u32) -> bool {
        let width = u128::from(self.width);
        if width.is_power_of_two() {
            let remainder = u128::from(remainder);
            return remainder & self.zeros == 0 && !remainder & self.ones & (width - 1) == 0;
        }
        // Which remainders the bits from the lowest up can add up to.
        let mut reached: u128 = 1;
        let mut weight = 1 % width;
        for bit in 0..self.width {
            let added = rotated(reached, weight as u32, self.width);
            reached = match (self.zeros >> bit & 1, self.ones >> bit & 1) {
                (0, 0) => reached | added,
                (0, _) => added,
                _ => reached,
            };
            weight = weight * 2 % width;
        }
        reached >> remainder & 1 == 1
    }
}

/// The set of remainders with `by` added to each, modulo `width`.
fn rotated(set: u128, by: u32, width: u32) -> u128 {
    if by == 0 { set } else { (set << by | set >> (width - by)) & mask(width) }
}

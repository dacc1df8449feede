//! In which bits is a value held, and which does that give?
//!
//! A value is held in as many bits as its range needs and read by extension, with zeros
//! or its sign. Bits above are given, whatever is demanded. Cost: constant.

use crate::ranges::word::low_bits;
use crate::ranges::{Sign, ValueRange};

/// Of demanded bits those that a value of this range is held in.
pub fn held(range: &ValueRange, bits: u128) -> u128 {
    let width = range.needed_width();
    if range.is_empty() || width.bits == 0 {
        return 0;
    }
    let low = low_bits(width.bits);
    let of_sign = width.sign == Sign::Signed && bits & !low != 0;
    bits & low | u128::from(of_sign) << (width.bits - 1)
}

/// The bits of a value that are right whatever its demand is: those that
/// extension gives.
pub(super) fn given(range: &ValueRange) -> u128 {
    let (width, all) = (range.needed_width(), low_bits(range.type_width()));
    match (width.bits, width.sign) {
        (0, _) => all,
        (bits, Sign::Unsigned) => all & !low_bits(bits),
        (_, Sign::Signed) => 0,
    }
}

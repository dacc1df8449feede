//! How is an integer of n bits kept, and how many bits does a set of them need?
//!
//! A word is the unsigned value in a `u128`, the bits above the width zero.
//! Width: the smaller of the unsigned and the two's complement one, unsigned on
//! ties; a constant needs none, anything else at least one.

use std::ops::RangeInclusive;

/// How the bits of a narrow value are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// As an unsigned number: widened by zeros.
    Unsigned,
    /// As a number in two's complement: widened by its sign.
    Signed,
}

/// How many bits a value needs, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Width {
    /// How they are read.
    pub sign: Sign,
    /// How many: 0 for what is always the same.
    pub bits: u32,
}

impl Width {
    /// The width of a constant, and of what never comes to be.
    pub const NONE: Width = Width { sign: Sign::Unsigned, bits: 0 };

    /// The width of values between these, as unsigned and as signed numbers.
    pub(crate) fn of(unsigned: &RangeInclusive<u128>, signed: &RangeInclusive<i128>) -> Width {
        if unsigned.start() == unsigned.end() {
            return Width::NONE;
        }
        let plain = bit_length(*unsigned.end()).max(1);
        let with_sign = signed_length(*signed.start()).max(signed_length(*signed.end()));
        if plain <= with_sign {
            Width { sign: Sign::Unsigned, bits: plain }
        } else {
            Width { sign: Sign::Signed, bits: with_sign }
        }
    }
}

/// All bits of a word of this width, 1 to 128.
pub(crate) const fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The sign bit of this width; also the magnitude of the least signed number.
pub(crate) const fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// The word as a number in two's complement.
pub const fn signed(word: u128, width: u32) -> i128 {
    ((word << (128 - width)) as i128) >> (128 - width)
}

/// The distance of the word, as a signed number, from zero.
pub(crate) const fn magnitude(word: u128, width: u32) -> u128 {
    if word & sign_bit(width) == 0 { word } else { negated(word, width) }
}

/// The word with the other sign.
pub(crate) const fn negated(word: u128, width: u32) -> u128 {
    word.wrapping_neg() & mask(width)
}

/// Position after the highest bit that is set.
pub(crate) const fn bit_length(word: u128) -> u32 {
    128 - word.leading_zeros()
}

/// Bits that a signed number needs, its sign among them.
pub(crate) const fn signed_length(number: i128) -> u32 {
    let folded = if number < 0 { !number } else { number };
    bit_length(folded as u128) + 1
}

/// The low `count` bits of a word, `count` from 0 to 128.
pub(crate) const fn low_bits(count: u32) -> u128 {
    if count == 0 { 0 } else { mask(count) }
}

/// The product of two words: the upper and the lower 128 bits of it.
pub(crate) const fn wide_product(left: u128, right: u128) -> (u128, u128) {
    const HALF: u128 = u64::MAX as u128;
    let (left_high, left_low) = (left >> 64, left & HALF);
    let (right_high, right_low) = (right >> 64, right & HALF);
    let bottom = left_low * right_low;
    let first = left_high * right_low;
    let second = left_low * right_high;
    let middle = (bottom >> 64) + (first & HALF) + (second & HALF);
    let high = left_high * right_high + (first >> 64) + (second >> 64) + (middle >> 64);
    (high, middle << 64 | (bottom & HALF))
}

/// The product, if it is at most `limit`.
pub(crate) const fn product_within(left: u128, right: u128, limit: u128) -> Option<u128> {
    match left.checked_mul(right) {
        Some(product) if product <= limit => Some(product),
        _ => None,
    }
}

/// The word with its bytes, or its bits, in the other order.
pub(crate) fn reversed(word: u128, width: u32, group: u32) -> u128 {
    let groups = width / group;
    (0..groups).fold(0, |done, position| {
        let part = word >> (position * group) & mask(group);
        done | part << ((groups - 1 - position) * group)
    })
}

//! From integers to floating point numbers and back, and between formats.
//!
//! Conversions to floating point round to the nearest, which is monotone. Those
//! to integers drop the fraction; a number beyond the type, or none, is poison
//! and left out (or, saturating, becomes the end, or zero).

use super::{FloatRange, Format, significant_bits};
use crate::ranges::congruence::Congruence;
use crate::ranges::interval::Interval;
use crate::ranges::known_bits::KnownBits;
use crate::ranges::product::ValueRange;
use crate::ranges::word::{Sign, bit_length, mask, sign_bit, signed};

impl FloatRange {
    /// `sitofp` and `uitofp`; of `nneg` take those that are not negative first.
    pub fn of_integer(format: Format, integer: &ValueRange, sign: Sign) -> FloatRange {
        let ends = match sign {
            Sign::Unsigned => integer.unsigned_range().map(|(low, high)| match format {
                Format::Single => (f64::from(low as f32), f64::from(high as f32)),
                Format::Double => (low as f64, high as f64),
            }),
            Sign::Signed => integer.signed_range().map(|(low, high)| match format {
                Format::Single => (f64::from(low as f32), f64::from(high as f32)),
                Format::Double => (low as f64, high as f64),
            }),
        };
        let Some((low, high)) = ends else { return FloatRange::empty(format) };
        let range = FloatRange::of_ends(format, low, high).of_integers_only(true);
        // Zeros at the end of all of them need no place.
        let zeros = integer.bits().zeros_at_end();
        let farthest = match sign {
            Sign::Unsigned => integer.unsigned_range().map(|(_, high)| high),
            Sign::Signed => {
                integer.signed_range().map(|(low, high)| low.unsigned_abs().max(high.unsigned_abs()))
            }
        };
        let length = farthest.map_or(0, bit_length);
        range.with_significant_bits(length.saturating_sub(zeros))
    }

    /// `fptosi` and `fptoui` to so many bits: what is not poison.
    pub fn to_integer(&self, width: u32, sign: Sign) -> ValueRange {
        let Some((low, high)) = self.ends else { return ValueRange::empty(width) };
        let (least, most) = ends_of_type(width, sign);
        let (low, high) = (low.trunc(), high.trunc());
        if low > most || high < least {
            return ValueRange::empty(width);
        }
        ValueRange::from(self.between(low.max(least), high.min(most), width, sign))
    }

    /// `fptosi.sat` and `fptoui.sat`: the nearest number of the type, 0 of NaN.
    pub fn to_integer_saturating(&self, width: u32, sign: Sign) -> ValueRange {
        let zero = if self.may_be_nan { Interval::constant(width, 0) } else { Interval::empty(width) };
        let Some((low, high)) = self.ends else { return ValueRange::from(zero) };
        let (least, most) = ends_of_type(width, sign);
        let arc = self.between(low.trunc().clamp(least, most), high.trunc().clamp(least, most), width, sign);
        ValueRange::new(arc.join(zero), KnownBits::unknown(width), Congruence::any(width))
    }

    /// The words of these integers, which are within the type or where rounding put its ends.
    fn between(&self, low: f64, high: f64, width: u32, sign: Sign) -> Interval {
        match sign {
            Sign::Unsigned => {
                Interval::new(width, (low as u128).min(mask(width)), (high as u128).min(mask(width)))
            }
            Sign::Signed => {
                let least = signed(sign_bit(width), width);
                let word = |end: f64| (end as i128).clamp(least, !least) as u128 & mask(width);
                Interval::new(width, word(low), word(high))
            }
        }
    }

    /// `fpext` and `fptrunc`.
    #[must_use]
    pub fn converted(self, format: Format) -> FloatRange {
        let Some((low, high)) = self.ends else { return FloatRange { format, ..self } };
        FloatRange::of_ends(format, format.rounded(low), format.rounded(high))
            .of_integers_only(self.is_integral)
            .with_significant_bits(self.significant)
            .or_nan(self.may_be_nan)
    }

    /// The range around numbers that were seen: no claim about others.
    pub fn observed(format: Format, values: impl IntoIterator<Item = f64>) -> FloatRange {
        values.into_iter().fold(FloatRange::empty(format), |all, value| {
            let bits = significant_bits(value);
            all.join(FloatRange::constant(format, value).with_significant_bits(bits))
        })
    }
}

/// The least and the greatest integer of a type, rounded to a `double`: the
/// greatest may be one more.
fn ends_of_type(width: u32, sign: Sign) -> (f64, f64) {
    match sign {
        Sign::Unsigned => (0.0, mask(width) as f64),
        Sign::Signed => {
            let least = signed(sign_bit(width), width);
            (least as f64, !least as f64)
        }
    }
}

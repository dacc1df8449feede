//! How is a range written?
//!
//! Read with the sign that brings its ends nearer to each other, without on
//! ties: few values as a set, one as itself, others by their ends and, if it is
//! not 1, by their distance:
//! `{1, 4, 9}`, `88`, `-3..12`, `0..252 in steps of 4`. What no execution gets
//! to is `never`. Cost: constant.

use opcost_analysis::ranges::{Sign, ValueRange, signed};

/// The range in words.
pub fn range(range: &ValueRange) -> String {
    let sign = nearer(range);
    let width = range.type_width();
    let number = |word: u128| match sign {
        Sign::Unsigned => word.to_string(),
        Sign::Signed => signed(word, width).to_string(),
    };
    if range.is_empty() {
        return "never".to_owned();
    }
    if let Some(word) = range.as_constant() {
        return number(word);
    }
    if let Some(set) = range.set() {
        let mut words = set.values().to_vec();
        // In the order of the numbers.
        if sign == Sign::Signed {
            words.sort_by_key(|&word| signed(word, width));
        }
        return format!("{{{}}}", words.into_iter().map(number).collect::<Vec<_>>().join(", "));
    }
    let ends = match sign {
        Sign::Unsigned => range.unsigned_range().map(|(low, high)| format!("{low}..{high}")),
        Sign::Signed => range.signed_range().map(|(low, high)| format!("{low}..{high}")),
    };
    let ends = ends.unwrap_or_else(|| "never".to_owned());
    match range.congruence().modulus() {
        0 | 1 => ends,
        step => format!("{ends} in steps of {step}"),
    }
}

fn nearer(range: &ValueRange) -> Sign {
    let unsigned = range.unsigned_range().map_or(0, |(low, high)| high - low);
    let signed = range.signed_range().map_or(0, |(low, high)| high.wrapping_sub(low) as u128);
    if signed < unsigned { Sign::Signed } else { Sign::Unsigned }
}

#[cfg(test)]
mod tests {
    use opcost_analysis::ranges::{Congruence, Interval, KnownBits, SmallSet, ValueRange};

    use super::range;

    #[test]
    fn ranges_read_as_one_would_say_them() {
        let between = |low, high| ValueRange::from(Interval::new(8, low, high));
        assert_eq!(range(&ValueRange::full(8)), "0..255");
        assert_eq!(range(&ValueRange::empty(8)), "never");
        assert_eq!(range(&ValueRange::constant(8, 250)), "250");
        assert_eq!(range(&between(0, 88)), "0..88");
        assert_eq!(range(&between(236, 100)), "-20..100");
        let set = SmallSet::of(8, [255, 3, 9]).expect("few");
        assert_eq!(range(&ValueRange::of_set(set)), "{-1, 3, 9}");
        let by_four =
            ValueRange::new(Interval::new(8, 0, 255), KnownBits::unknown(8), Congruence::new(8, 4, 0));
        assert_eq!(range(&by_four), "0..252 in steps of 4");
    }
}

//! What is an integer of any size?
//!
//! Answers are about numbers of a program, whose types may be wider than any of ours, and
//! about sums of counts over loops in loops. An [`Integer`] is such a number: made of ours,
//! compared, written and read. It computes nothing; who computes has a library for it.
//!
//! Its text is decimal, and one number has one text. Readers of tables want numbers, so one
//! of at most 38 digits is also a DECIMAL of 16 bytes ([`Integer::decimal`]).
//! Cost: the digits.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::AnswerError;

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integer(Size);

/// A number is always the smallest of these that it can be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Size {
    Small(i128),
    Large { is_negative: bool, digits: Box<str> },
}

/// The digits that a DECIMAL of 16 bytes holds.
const DECIMAL_DIGITS: u32 = 38;

impl Integer {
    /// The number, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match self.0 {
            Size::Small(number) => Some(number),
            Size::Large { .. } => None,
        }
    }

    /// The number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_i128()?.try_into().ok()
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Size::Small(number) => *number < 0,
            Size::Large { is_negative, .. } => *is_negative,
        }
    }

    /// The number, if it has at most 38 digits.
    pub(crate) fn decimal(&self) -> Option<i128> {
        self.to_i128().filter(|number| number.unsigned_abs() < 10u128.pow(DECIMAL_DIGITS))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Size::Small(number) => number.fmt(f),
            Size::Large { is_negative, digits } => {
                write!(f, "{}{digits}", if *is_negative { "-" } else { "" })
            }
        }
    }
}

impl FromStr for Integer {
    type Err = AnswerError;
    fn from_str(text: &str) -> Result<Self, AnswerError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_number || (digits.starts_with('0') && text != "0") {
            return Err(AnswerError::new("integer", text));
        }
        let is_negative = digits.len() < text.len();
        let large = || Size::Large { is_negative, digits: digits.into() };
        Ok(Self(text.parse().map_or_else(|_| large(), Size::Small)))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Some(ours), Some(theirs)) = (self.to_i128(), other.to_i128()) {
            return ours.cmp(&theirs);
        }
        // One of them is longer than all small ones, or both are large.
        let key = |number: &Self| match &number.0 {
            Size::Small(_) => (0, String::new()),
            Size::Large { digits, .. } => (digits.len(), digits.to_string()),
        };
        match (self.is_negative(), other.is_negative()) {
            (true, true) => key(other).cmp(&key(self)),
            (false, false) => key(self).cmp(&key(other)),
            (ours, theirs) => theirs.cmp(&ours),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i128> for Integer {
    fn from(number: i128) -> Self {
        Self(Size::Small(number))
    }
}

impl From<u128> for Integer {
    fn from(number: u128) -> Self {
        let large = || Size::Large { is_negative: false, digits: number.to_string().into() };
        Self(i128::try_from(number).map_or_else(|_| large(), Size::Small))
    }
}

impl From<u64> for Integer {
    fn from(number: u64) -> Self {
        i128::from(number).into()
    }
}

impl From<i64> for Integer {
    fn from(number: i64) -> Self {
        i128::from(number).into()
    }
}

impl From<u32> for Integer {
    fn from(number: u32) -> Self {
        i128::from(number).into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Integer;

    #[test]
    fn a_number_has_one_text() {
        for text in [
            "0",
            "-1",
            "340282366920938463463374607431768211456",
            "-99999999999999999999999999999999999999999",
        ] {
            assert_eq!(text.parse::<Integer>().unwrap().to_string(), text);
        }
        for text in ["", "-", "-0", "00", "007", "+1", "1.5", "0x10", " 1", "1 "] {
            assert!(text.parse::<Integer>().is_err(), "{text}");
        }
        assert_eq!(u128::MAX.to_string().parse(), Ok(Integer::from(u128::MAX)));
    }

    #[test]
    fn order_is_that_of_numbers() {
        let ascending = [
            "-1000000000000000000000000000000000000000000",
            "-999999999999999999999999999999999999999999",
            "-170141183460469231731687303715884105729",
            "-170141183460469231731687303715884105728",
            "-1",
            "0",
            "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105728",
            "200000000000000000000000000000000000000",
            "1000000000000000000000000000000000000000",
        ];
        let numbers = ascending.map(|text| text.parse::<Integer>().unwrap());
        let mut sorted = numbers.to_vec();
        sorted.reverse();
        sorted.sort();
        assert_eq!(sorted, numbers);
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_decimal_has_at_most_38_digits() {
        let of = |text: &str| text.parse::<Integer>().unwrap().decimal();
        assert_eq!(of(&"9".repeat(38)), Some(10i128.pow(38) - 1));
        assert_eq!(of(&format!("-{}", "9".repeat(38))), Some(1 - 10i128.pow(38)));
        assert_eq!((of(&format!("1{}", "0".repeat(38))), of(&"9".repeat(40))), (None, None));
    }

    proptest! {
        #[test]
        fn small_numbers_are_what_they_are(a in any::<i128>(), b in any::<i128>()) {
            prop_assert_eq!(a.to_string().parse(), Ok(Integer::from(a)));
            prop_assert_eq!(Integer::from(a).cmp(&Integer::from(b)), a.cmp(&b));
        }
    }
}

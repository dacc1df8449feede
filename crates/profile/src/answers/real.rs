//! Which numbers with a point can a value be?
//!
//! All between two ends, and perhaps no number at all (NaN). The text is Rust's shortest one
//! that reads back as the same number: `0.0..255.0 or NaN`. Zero has a sign, as in IEEE 754.
//! Cost: none to speak of.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::AnswerError;

/// Numbers with a point, as far as it is known which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reals {
    /// The least and the greatest; `None`: no number.
    ends: Option<(Real, Real)>,
    /// Whether it may be none.
    may_be_nan: bool,
}

/// A double that is a number or infinite.
#[derive(Clone, Copy, Debug)]
struct Real(f64);

impl Reals {
    /// All numbers between two ends, both included.
    ///
    /// # Errors
    /// They are no numbers, or the wrong way round.
    pub fn between(least: f64, greatest: f64) -> Result<Self, AnswerError> {
        let is_right = !least.is_nan() && !greatest.is_nan() && Real(least) <= Real(greatest);
        let ends = Some((Real(least), Real(greatest)));
        let made = Self { ends, may_be_nan: false };
        if is_right {
            Ok(made)
        } else {
            Err(AnswerError::new("range of numbers with a point", &made.to_string()))
        }
    }

    /// No number at all.
    pub fn nan() -> Self {
        Self { ends: None, may_be_nan: true }
    }

    /// Nothing: no execution gets there.
    pub fn never() -> Self {
        Self { ends: None, may_be_nan: false }
    }

    /// These, or no number.
    pub fn or_nan(self) -> Self {
        Self { may_be_nan: true, ..self }
    }

    /// The least and the greatest.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.ends.map(|(least, greatest)| (least.0, greatest.0))
    }

    /// Whether it may be no number.
    pub fn may_be_nan(&self) -> bool {
        self.may_be_nan
    }
}

impl fmt::Display for Reals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ends {
            None if self.may_be_nan => return f.write_str("NaN"),
            None => return f.write_str("never"),
            Some((least, greatest)) if least == greatest => write!(f, "{:?}", least.0)?,
            Some((least, greatest)) => write!(f, "{:?}..{:?}", least.0, greatest.0)?,
        }
        f.write_str(if self.may_be_nan { " or NaN" } else { "" })
    }
}

impl FromStr for Reals {
    type Err = AnswerError;
    fn from_str(text: &str) -> Result<Self, AnswerError> {
        let wrong = || AnswerError::new("range of numbers with a point", text);
        let number = |text: &str| text.parse::<f64>().map_err(|_| wrong());
        let (numbers, nan) = text.strip_suffix(" or NaN").map_or((text, false), |numbers| (numbers, true));
        let reals = match numbers.split_once("..") {
            _ if text == "never" => Reals::never(),
            _ if text == "NaN" => Reals::nan(),
            Some((least, greatest)) => Reals::between(number(least)?, number(greatest)?)?,
            None => Reals::between(number(numbers)?, number(numbers)?)?,
        };
        let reals = if nan { reals.or_nan() } else { reals };
        // One range has one text.
        if reals.to_string() == text { Ok(reals) } else { Err(wrong()) }
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Reals;

    #[test]
    fn ranges_read_as_the_verb_bits_says_them() {
        let between = |least, greatest| Reals::between(least, greatest).unwrap();
        let texts = [
            (between(0.0, 255.0), "0.0..255.0"),
            (between(-0.0, 0.0).or_nan(), "-0.0..0.0 or NaN"),
            (between(f64::NEG_INFINITY, 1e300), "-inf..1e300"),
            (between(2.5, 2.5), "2.5"),
            (Reals::nan(), "NaN"),
            (Reals::never(), "never"),
        ];
        for (reals, text) in texts {
            assert_eq!(reals.to_string(), text);
            assert_eq!(text.parse(), Ok(reals));
        }
        for text in [
            "",
            "1",
            "2.0..1.0",
            "1.0..1.0",
            "0.0..-0.0",
            "NaN..1.0",
            "1.0.. 2.0",
            "never or NaN",
            "1.0 or nan",
        ] {
            assert!(text.parse::<Reals>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_range_comes_back(a in any::<f64>(), b in any::<f64>(), nan in any::<bool>()) {
            if let Ok(reals) = Reals::between(a, b) {
                let reals = if nan { reals.or_nan() } else { reals };
                prop_assert_eq!(reals.to_string().parse(), Ok(reals));
            }
        }
    }
}

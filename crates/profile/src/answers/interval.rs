//! Which integers lie between two ends?
//!
//! Both ends belong to it; one that is missing is unlimited. With steps it is those that a
//! number of steps leads to from the least. It reads as the verb `bits` says ranges: `0..255`,
//! `0..252 in steps of 4`; without an end `5..`.
//! Cost: the digits. Limit: that steps meet the greatest is not checked; it bounds what they meet.

use std::fmt;
use std::str::FromStr;

use super::{AnswerError, Integer};

/// Integers between two ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerInterval {
    least: Option<Integer>,
    greatest: Option<Integer>,
    /// More than one, and then there are both ends.
    step: Option<Integer>,
}

impl AnswerInterval {
    /// All integers from `least` to `greatest`; a missing end is unlimited.
    ///
    /// # Errors
    /// They are the wrong way round.
    pub fn new(least: Option<Integer>, greatest: Option<Integer>) -> Result<Self, AnswerError> {
        let is_empty =
            least.as_ref().zip(greatest.as_ref()).is_some_and(|(least, greatest)| least > greatest);
        let made = Self { least, greatest, step: None };
        if is_empty { Err(AnswerError::new("interval", &made.to_string())) } else { Ok(made) }
    }

    /// Of these every `step`-th, from the least on.
    ///
    /// # Errors
    /// The step is not more than one, or an end is missing.
    pub fn in_steps_of(self, step: Integer) -> Result<Self, AnswerError> {
        let is_right = step > 1u32.into() && self.least.is_some() && self.greatest.is_some();
        let made = Self { step: Some(step), ..self };
        if is_right { Ok(made) } else { Err(AnswerError::new("interval", &made.to_string())) }
    }

    /// The least; `None`: there is none.
    pub fn least(&self) -> Option<&Integer> {
        self.least.as_ref()
    }

    /// The greatest, or more; `None`: there is none.
    pub fn greatest(&self) -> Option<&Integer> {
        self.greatest.as_ref()
    }

    /// The step, where it is more than one.
    pub fn step(&self) -> Option<&Integer> {
        self.step.as_ref()
    }
}

impl fmt::Display for AnswerInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.least.iter().try_for_each(|least| least.fmt(f))?;
        f.write_str("..")?;
        self.greatest.iter().try_for_each(|greatest| greatest.fmt(f))?;
        self.step.iter().try_for_each(|step| write!(f, " in steps of {step}"))
    }
}

impl FromStr for AnswerInterval {
    type Err = AnswerError;
    fn from_str(text: &str) -> Result<Self, AnswerError> {
        let wrong = || AnswerError::new("interval", text);
        let end = |text: &str| (!text.is_empty()).then(|| text.parse()).transpose();
        let (least, rest) = text.split_once("..").ok_or_else(wrong)?;
        match rest.split_once(" in steps of ") {
            None => Self::new(end(least)?, end(rest)?),
            Some((greatest, step)) => Self::new(end(least)?, end(greatest)?)?.in_steps_of(step.parse()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AnswerInterval;

    #[test]
    fn an_interval_has_one_text() {
        for text in ["0..255", "-128..-1", "..", "5..", "..5", "0..252 in steps of 4", "7..7"] {
            assert_eq!(text.parse::<AnswerInterval>().unwrap().to_string(), text);
        }
        let wrong = [
            "",
            "5",
            "2..1",
            "0...1",
            "a..b",
            "0..9 in steps of 1",
            "0..9 in steps of -3",
            "0.. in steps of 2",
        ];
        for text in wrong {
            assert!(text.parse::<AnswerInterval>().is_err(), "{text}");
        }
    }
}

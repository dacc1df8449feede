//! What can an answer be?
//!
//! A number of any size, numbers between two ends, a set of them, a formula, or numbers with a
//! point. Each has one text of its form ([`Answer::parse`] and `Display` are inverse), and ends
//! by which tables are searched ([`Answer::least`], [`Answer::greatest`]).
//! Cost: the length of the text.

use std::collections::BTreeSet;
use std::fmt;

use super::{AnswerError, AnswerInterval, Formula, Integer, Reals};
use crate::words::Form;

/// What is said of a thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// This number.
    Number(Integer),
    /// One of the numbers between two ends, or all of them.
    Interval(AnswerInterval),
    /// One of these numbers, or all of them; none of no numbers.
    Set(BTreeSet<Integer>),
    /// This function of named things.
    Formula(Formula),
    /// One of these numbers with a point.
    Reals(Reals),
}

impl Answer {
    /// The word for what it is.
    pub fn form(&self) -> Form {
        match self {
            Answer::Number(_) => Form::Number,
            Answer::Interval(_) => Form::Interval,
            Answer::Set(_) => Form::Set,
            Answer::Formula(_) => Form::Formula,
            Answer::Reals(_) => Form::Reals,
        }
    }

    /// The least integer that it can be, if there is one.
    pub fn least(&self) -> Option<&Integer> {
        match self {
            Answer::Number(number) => Some(number),
            Answer::Interval(interval) => interval.least(),
            Answer::Set(set) => set.first(),
            Answer::Formula(formula) => formula.as_number(),
            Answer::Reals(_) => None,
        }
    }

    /// The greatest integer that it can be, or a greater one, if there is one.
    pub fn greatest(&self) -> Option<&Integer> {
        match self {
            Answer::Number(number) => Some(number),
            Answer::Interval(interval) => interval.greatest(),
            Answer::Set(set) => set.last(),
            Answer::Formula(formula) => formula.as_number(),
            Answer::Reals(_) => None,
        }
    }

    /// The answer of a form that has this text.
    ///
    /// # Errors
    /// It is none of that form.
    pub fn parse(form: Form, text: &str) -> Result<Self, AnswerError> {
        match form {
            Form::Number => text.parse().map(Answer::Number),
            Form::Interval => text.parse().map(Answer::Interval),
            Form::Set => set(text).map(Answer::Set),
            Form::Reals => text.parse().map(Answer::Reals),
            Form::Formula => text.parse().map(Answer::Formula).map_err(|_| AnswerError::new("formula", text)),
        }
    }
}

/// `{-1, 3, 9}`, ascending.
fn set(text: &str) -> Result<BTreeSet<Integer>, AnswerError> {
    let wrong = || AnswerError::new("set", text);
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).ok_or_else(wrong)?;
    if inside.is_empty() {
        return Ok(BTreeSet::new());
    }
    let members = inside.split(", ").map(str::parse).collect::<Result<Vec<Integer>, _>>()?;
    if members.is_sorted_by(|a, b| a < b) { Ok(members.into_iter().collect()) } else { Err(wrong()) }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Number(number) => number.fmt(f),
            Answer::Interval(interval) => interval.fmt(f),
            Answer::Formula(formula) => formula.fmt(f),
            Answer::Reals(reals) => reals.fmt(f),
            Answer::Set(set) => {
                let members: Vec<String> = set.iter().map(Integer::to_string).collect();
                write!(f, "{{{}}}", members.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::example::answer;
    use super::Answer;
    use crate::words::Form;

    #[test]
    fn a_set_has_one_text() {
        for text in ["{}", "{7}", "{-1, 3, 9}"] {
            assert_eq!(Answer::parse(Form::Set, text).unwrap().to_string(), text);
        }
        for text in ["", "{", "{1,2}", "{2, 1}", "{1, 1}", "{1, }", "{x}", "1"] {
            assert!(Answer::parse(Form::Set, text).is_err(), "{text}");
        }
        let error = Answer::parse(Form::Formula, "n +").unwrap_err();
        assert_eq!(error.to_string(), "'n +' is no formula");
    }

    proptest! {
        #[test]
        fn every_answer_comes_back(answer in answer()) {
            prop_assert_eq!(Answer::parse(answer.form(), &answer.to_string()), Ok(answer));
        }
    }
}

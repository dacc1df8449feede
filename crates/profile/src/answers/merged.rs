//! What do the answers of several ledgers of one build say together?
//!
//! What the code alone says holds for each run, so such rows are put together as they are.
//! What runs did becomes what all of them did: the least of the least, the greatest of the
//! greatest, all values, the sum of how often; as sure as the least sure of them. Rows of
//! forms that do not combine stand beside each other. The order of the ledgers does not matter.
//! Cost: rows * log rows. Limit: a sum of more than 127 bits becomes a lower bound.

use std::collections::BTreeMap;

use opcost_key::Key;

use super::{Answer, AnswerInterval, AnswerRow, AnswerState, Answers};
use crate::words::{AnswerColumn, Certainty, Origin, World};

/// All of them together.
pub(crate) fn merged<'a>(all: impl IntoIterator<Item = &'a Answers>) -> Answers {
    let mut told = Answers::default();
    let mut seen: BTreeMap<(&Key, AnswerColumn, Origin, World), Vec<AnswerRow>> = BTreeMap::new();
    for row in all.into_iter().flat_map(Answers::iter) {
        if row.column.is_observed() {
            seen.entry((&row.key, row.column, row.origin, row.world)).or_default().push(row.clone());
        } else {
            told.push(row.clone());
        }
    }
    for mut rows in seen.into_values() {
        // In one order, so that the result does not depend on that of the ledgers.
        rows.sort();
        let mut apart: Vec<AnswerRow> = Vec::new();
        for row in rows {
            let both = apart.iter_mut().find_map(|other| Some((both(other, &row)?, other)));
            match both {
                Some((both, other)) => *other = both,
                None => apart.push(row),
            }
        }
        told.extend(apart);
    }
    told
}

/// What two rows of one question say together, if that can be said.
fn both(a: &AnswerRow, b: &AnswerRow) -> Option<AnswerRow> {
    let known = match (&a.state, &b.state) {
        (AnswerState::Nothing(ours), AnswerState::Nothing(theirs)) if ours != theirs => {
            AnswerState::Nothing(format!("{ours}; {theirs}").into())
        }
        (nothing @ AnswerState::Nothing(_), _) | (_, nothing @ AnswerState::Nothing(_)) => nothing.clone(),
        (AnswerState::Answer(ours, sure), AnswerState::Answer(theirs, also)) => {
            let (answer, certainty) = together(a.column, ours, theirs)?;
            AnswerState::Answer(answer, weaker(weaker(*sure, *also), certainty))
        }
    };
    let assumptions = a.assumptions.union(&b.assumptions).cloned().collect();
    Some(AnswerRow { state: known, assumptions, place: a.place.clone().or(b.place.clone()), ..a.clone() })
}

fn weaker(a: Certainty, b: Certainty) -> Certainty {
    match (a, b) {
        (Certainty::Exact, other) | (other, Certainty::Exact) => other,
        (ours, theirs) if ours == theirs => ours,
        _ => Certainty::Estimate,
    }
}

fn together(column: AnswerColumn, a: &Answer, b: &Answer) -> Option<(Answer, Certainty)> {
    let answer = match (column, a, b) {
        (AnswerColumn::Observed, Answer::Number(a), Answer::Number(b)) => {
            let sum = a.to_i128().zip(b.to_i128()).map(|(a, b)| a.checked_add(b));
            return match sum {
                Some(Some(sum)) => Some((Answer::Number(sum.into()), Certainty::Exact)),
                _ => Some((Answer::Number(a.max(b).clone()), Certainty::LowerBound)),
            };
        }
        (AnswerColumn::ObservedLeast, ..) => if is_less(b, a)? { b } else { a }.clone(),
        (AnswerColumn::ObservedGreatest | AnswerColumn::ObservedNeeded, ..) => {
            if is_less(a, b)? { b } else { a }.clone()
        }
        (AnswerColumn::ObservedValues, Answer::Set(a), Answer::Set(b)) => {
            Answer::Set(a.union(b).cloned().collect())
        }
        (AnswerColumn::ObservedBackEdges | AnswerColumn::ObservedIterations, ..) => hull(a, b)?,
        _ => return None,
    };
    Some((answer, Certainty::Exact))
}

/// Of numbers of one form.
fn is_less(a: &Answer, b: &Answer) -> Option<bool> {
    match (a, b) {
        (Answer::Number(a), Answer::Number(b)) => Some(a < b),
        (Answer::Reals(a), Answer::Reals(b)) => Some(a.ends()?.0.total_cmp(&b.ends()?.0).is_lt()),
        _ => None,
    }
}

/// All integers from the least to the greatest of both.
fn hull(a: &Answer, b: &Answer) -> Option<Answer> {
    let is_number = |answer: &Answer| match answer {
        Answer::Number(_) | Answer::Interval(_) => true,
        Answer::Set(set) => !set.is_empty(),
        Answer::Formula(_) | Answer::Reals(_) => false,
    };
    if a == b {
        return Some(a.clone());
    }
    if !is_number(a) || !is_number(b) {
        return None;
    }
    let least = a.least().zip(b.least()).map(|(a, b)| a.min(b).clone());
    let greatest = a.greatest().zip(b.greatest()).map(|(a, b)| a.max(b).clone());
    AnswerInterval::new(least, greatest).ok().map(Answer::Interval)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::example::{answer, row, sample_rows};
    use super::merged;
    use crate::answers::{Answer, AnswerRow, AnswerState, Answers};
    use crate::words::{AnswerColumn, Certainty, Form};

    fn one(column: AnswerColumn, form: Form, text: &str, certainty: Certainty) -> Answers {
        let known = AnswerState::Answer(Answer::parse(form, text).unwrap(), certainty);
        Answers::from_iter([AnswerRow { column, state: known, ..sample_rows().remove(9) }])
    }

    fn told(a: &Answers, b: &Answers) -> Vec<(String, Certainty)> {
        let both = merged([a, b]);
        assert_eq!(merged([b, a]), both);
        let known = both.iter().filter_map(|row| match &row.state {
            AnswerState::Answer(answer, certainty) => Some((answer.to_string(), *certainty)),
            AnswerState::Nothing(_) => None,
        });
        known.collect()
    }

    #[test]
    fn runs_together_did_what_each_of_them_did() {
        use AnswerColumn as Is;
        use Certainty::{Estimate, Exact, LowerBound, UpperBound};
        let number = |column, text: &str, certainty| one(column, Form::Number, text, certainty);
        let cases = [
            (
                number(Is::ObservedLeast, "-3", Exact),
                number(Is::ObservedLeast, "2", UpperBound),
                "-3",
                UpperBound,
            ),
            (
                number(Is::ObservedGreatest, "9", LowerBound),
                number(Is::ObservedGreatest, "8", UpperBound),
                "9",
                Estimate,
            ),
            (number(Is::Observed, "9", Exact), number(Is::Observed, "8", Exact), "17", Exact),
            (
                number(Is::Observed, &i128::MAX.to_string(), Exact),
                number(Is::Observed, "1", Exact),
                "170141183460469231731687303715884105727",
                LowerBound,
            ),
            (
                number(Is::ObservedIterations, "4", Exact),
                one(Is::ObservedIterations, Form::Set, "{2, 7}", Exact),
                "2..7",
                Exact,
            ),
            (
                one(Is::ObservedValues, Form::Set, "{1}", Exact),
                one(Is::ObservedValues, Form::Set, "{}", Exact),
                "{1}",
                Exact,
            ),
            (
                one(Is::ObservedLeast, Form::Reals, "1.5", Exact),
                one(Is::ObservedLeast, Form::Reals, "-0.5", Exact),
                "-0.5",
                Exact,
            ),
        ];
        for (a, b, text, certainty) in cases {
            assert_eq!(told(&a, &b), [(text.to_owned(), certainty)]);
        }
        let unlike =
            (number(Is::ObservedLeast, "1", Exact), one(Is::ObservedLeast, Form::Reals, "0.5", Exact));
        assert_eq!(told(&unlike.0, &unlike.1).len(), 2);
    }

    #[test]
    fn what_one_run_does_not_know_all_do_not() {
        let known = one(AnswerColumn::ObservedLeast, Form::Number, "1", Certainty::Exact);
        let nothing: Answers = known
            .iter()
            .map(|row| AnswerRow { state: AnswerState::Nothing("it was killed".into()), ..row.clone() })
            .collect();
        assert_eq!(merged([&known, &nothing]), nothing);
        assert_eq!(merged([&nothing, &known]), nothing);
    }

    proptest! {
        #[test]
        fn what_the_code_says_is_put_together(rows in prop::collection::vec(row(), 0..6), split in 0..6usize) {
            let rows: Vec<_> = rows.into_iter().filter(|row| !row.column.is_observed()).collect();
            let split = split.min(rows.len());
            let parts = [&rows[..split], &rows[split..]].map(|rows| rows.iter().cloned().collect::<Answers>());
            prop_assert_eq!(merged(&parts), rows.into_iter().collect());
        }

        #[test]
        fn nothing_panics_and_order_does_not_matter(a in answer(), b in answer(), column in 0..AnswerColumn::ALL.len()) {
            let of = |answer: Answer| {
                let (column, known) = (AnswerColumn::ALL[column], AnswerState::Answer(answer, Certainty::Exact));
                Answers::from_iter([AnswerRow { column, state: known, ..sample_rows().remove(9) }])
            };
            let (a, b) = (of(a), of(b));
            prop_assert_eq!(merged([&a, &b]), merged([&b, &a]));
            prop_assert_eq!(merged([&a]), a);
        }
    }
}

//! What is known of the values of a program, as rows.
//!
//! Of each parameter and result: the bits of its type, which values it can have, how many bits
//! hold these and those that anybody looks at, and what it was in a run. Of each function the
//! sums. A range holds all values that there are, and perhaps more: an upper bound, but exact of
//! one value and of none. So bits that are needed are an upper bound, dead ones a lower.
//! Ranges are of any width, as their text is.
//!
//! Input: answers, and what was given besides the code. Cost: the values. Limit: what the whole
//! analysis rests on stands with each of its rows: which value needs which of it is not known.

use std::collections::BTreeSet;

use opcost_answer::bits::{BitsAnswers, BitsFloat, BitsFunction, BitsValue, IEEE};
use opcost_key::Key;
use opcost_profile::answers::Reals;
use opcost_profile::{
    Answer, AnswerColumn, AnswerRow, AnswerState, Assumption, Certainty, Form, Origin, SourcePlace, World,
};

use super::subject::{RowSubject, location, world};

/// All that is known of the values; every answer rests on what was `given` besides the code.
pub fn rows(answers: &BitsAnswers, given: &[Assumption]) -> Vec<AnswerRow> {
    let told = answers.assumes.iter().map(|words| assumption(words));
    let of = Rows { rests: told.chain(given.iter().cloned()).collect(), world: world(&answers.world) };
    let mut rows = Vec::new();
    for function in &answers.functions {
        rows.extend(of.function(function));
        rows.extend(function.values.iter().flat_map(|value| of.value(value)));
        rows.extend(function.floats.iter().flat_map(|float| of.float(float)));
    }
    rows
}

fn assumption(words: &str) -> Assumption {
    if words == IEEE { Assumption::Ieee } else { Assumption::Rule(words.into()) }
}

/// What all answers have in common.
struct Rows {
    rests: BTreeSet<Assumption>,
    world: World,
}

impl Rows {
    fn foretold<'a>(
        &self,
        key: &'a Key,
        location: Option<SourcePlace>,
        may_be_poison: bool,
    ) -> RowSubject<'a> {
        let mut rests = self.rests.clone();
        if may_be_poison {
            rests.insert(Assumption::Rule("it is not poison".into()));
        }
        RowSubject { key, location, rests, origin: Origin::Predicted, world: self.world }
    }

    fn function(&self, function: &BitsFunction) -> Vec<AnswerRow> {
        let key = Key::Function(function.key.clone());
        let thing = self.foretold(&key, None, false);
        let dead = function.needed_type.saturating_sub(function.needed_slice);
        vec![
            declared(&thing, function.declared),
            thing.number(AnswerColumn::Needed, function.needed_type, Certainty::UpperBound),
            thing.number(AnswerColumn::DeadBits, dead, Certainty::LowerBound),
        ]
    }

    fn value(&self, value: &BitsValue) -> Vec<AnswerRow> {
        let location = location(value.file.as_deref(), value.line);
        let thing = self.foretold(&value.key, location.clone(), value.may_be_poison);
        let range = integers(&value.range);
        let is_one = matches!(range, AnswerState::Answer(Answer::Number(_), _));
        let needed = if is_one { Certainty::Exact } else { Certainty::UpperBound };
        let bits = |column, bits: u32, certainty| thing.number(column, bits.into(), certainty);
        let mut rows = vec![
            declared(&thing, value.declared.into()),
            thing.row(AnswerColumn::Range, range),
            bits(AnswerColumn::Needed, value.width, needed),
            bits(AnswerColumn::Demanded, value.demanded, Certainty::UpperBound),
            bits(AnswerColumn::DeadBits, value.dead_bits, Certainty::LowerBound),
        ];
        if let Some(seen) = &value.observed {
            let thing = observed(&value.key, location);
            let (least, greatest) = seen.range.split_once("..").unwrap_or((&seen.range, &seen.range));
            rows.push(thing.number(AnswerColumn::Observed, seen.times, Certainty::Exact));
            rows.push(thing.row(AnswerColumn::ObservedLeast, integers(least)));
            rows.push(thing.row(AnswerColumn::ObservedGreatest, integers(greatest)));
            rows.push(thing.number(AnswerColumn::ObservedNeeded, seen.width.into(), Certainty::Exact));
        }
        rows
    }

    fn float(&self, float: &BitsFloat) -> Vec<AnswerRow> {
        let location = location(float.file.as_deref(), float.line);
        let thing = self.foretold(&float.key, location.clone(), float.may_be_poison);
        let mut rows = vec![
            declared(&thing, float.declared.into()),
            thing.row(AnswerColumn::Range, reals(&float.range)),
            thing.number(AnswerColumn::Needed, float.needed.into(), Certainty::UpperBound),
        ];
        if let Some(seen) = &float.observed {
            let thing = observed(&float.key, location);
            rows.push(thing.number(AnswerColumn::Observed, seen.times, Certainty::Exact));
            rows.push(thing.number(AnswerColumn::ObservedNeeded, seen.needed.into(), Certainty::Exact));
        }
        rows
    }
}

/// What a run did holds without assumptions, no matter who may call.
fn observed(key: &Key, location: Option<SourcePlace>) -> RowSubject<'_> {
    RowSubject { key, location, rests: BTreeSet::new(), origin: Origin::Counted, world: World::Open }
}

/// The type is no matter of what is believed.
fn declared(thing: &RowSubject<'_>, bits: u64) -> AnswerRow {
    AnswerRow { assumptions: BTreeSet::new(), ..thing.number(AnswerColumn::Declared, bits, Certainty::Exact) }
}

/// `{1, 4, 9}`, `88`, `-3..12`, `0..252 in steps of 4`, `never`.
fn integers(text: &str) -> AnswerState {
    let form = match text {
        "never" => return AnswerState::Answer(Answer::Set(BTreeSet::new()), Certainty::Exact),
        text if text.starts_with('{') => Form::Set,
        text if text.contains("..") => Form::Interval,
        _ => Form::Number,
    };
    let certainty = if form == Form::Number { Certainty::Exact } else { Certainty::UpperBound };
    match Answer::parse(form, text) {
        Ok(answer) => AnswerState::Answer(answer, certainty),
        Err(error) => AnswerState::Nothing(format!("its range cannot be kept: {error}").into()),
    }
}

/// `0.0..255.0 or NaN`, `anything`, `never`.
fn reals(text: &str) -> AnswerState {
    let all = || Reals::between(f64::NEG_INFINITY, f64::INFINITY).map(Reals::or_nan);
    match if text == "anything" { all() } else { text.parse::<Reals>() } {
        Ok(reals) => {
            let is_one = reals
                .ends()
                .is_none_or(|(least, greatest)| least.to_bits() == greatest.to_bits() && !reals.may_be_nan());
            let certainty = if is_one { Certainty::Exact } else { Certainty::UpperBound };
            AnswerState::Answer(Answer::Reals(reals), certainty)
        }
        Err(error) => AnswerState::Nothing(format!("its range cannot be kept: {error}").into()),
    }
}

#[cfg(test)]
mod tests {
    use opcost_profile::{AnswerState, Certainty};

    use super::{integers, reals};

    fn told(known: &AnswerState) -> Option<(String, Certainty)> {
        match known {
            AnswerState::Answer(answer, certainty) => Some((answer.to_string(), *certainty)),
            AnswerState::Nothing(_) => None,
        }
    }

    #[test]
    fn ranges_come_as_they_are_told() {
        use Certainty::{Exact, UpperBound};
        let wide = "0..340282366920938463463374607431768211455";
        for (text, kept, certainty) in [
            ("88", "88", Exact),
            ("-3..12", "-3..12", UpperBound),
            ("0..252 in steps of 4", "0..252 in steps of 4", UpperBound),
            ("{-1, 3, 9}", "{-1, 3, 9}", UpperBound),
            ("never", "{}", Exact),
            (wide, wide, UpperBound),
        ] {
            assert_eq!(told(&integers(text)), Some((kept.to_owned(), certainty)), "{text}");
        }
        for text in ["", "12..-3", "7 or more"] {
            assert_eq!(told(&integers(text)), None, "{text}");
        }
        for (text, kept, certainty) in [
            ("anything", "-inf..inf or NaN", UpperBound),
            ("0.0..255.0 or NaN", "0.0..255.0 or NaN", UpperBound),
            ("2.5", "2.5", Exact),
            ("NaN", "NaN", Exact),
            ("never", "never", Exact),
        ] {
            assert_eq!(told(&reals(text)), Some((kept.to_owned(), certainty)), "{text}");
        }
        assert_eq!(told(&reals("some")), None);
    }
}

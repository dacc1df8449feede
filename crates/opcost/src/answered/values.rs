//! What values and loops were in a run, as rows.
//!
//! Of each loop: how often it was entered, and how often it went back then, of activations that
//! were left by one of its exits. Of each value: how often it was computed, the least and the
//! greatest, and all of them where they are few and all are known. Where not every value was
//! recorded, what is known bounds what was: a least value is at most this, a greatest at least.
//!
//! Input: all that the processes of a run recorded. Cost: the points. Limits: what an earlier opcost
//! built keeps no key of what is stored or returned, and so no row; points that share a key say
//! nothing, with the reason.

use std::collections::{BTreeSet, HashMap};

use opcost_answer::points::{Meaning, PointList};
use opcost_key::Key;
use opcost_profile::answers::{AnswerInterval, Reals};
use opcost_profile::opcval::layout::double;
use opcost_profile::{
    Answer, AnswerColumn, AnswerRow, AnswerState, Certainty, CodeFacts, Origin, SourcePlace, World,
};
use opcost_run::values::{Observed, ObservedPoint};

use super::about::code;
use super::subject::{RowSubject, location};

/// More values than these are described by their ends.
const FEW: usize = 64;

/// The code of a program that records.
pub fn code_of(lists: &[PointList]) -> Vec<CodeFacts> {
    lists.iter().filter_map(|list| code(&list.module, &list.hash)).collect()
}

/// All that was recorded.
pub fn rows(observed: &Observed) -> Vec<AnswerRow> {
    let mut shared: HashMap<&Key, usize> = HashMap::new();
    for point in &observed.points {
        *shared.entry(&point.what.key).or_default() += 1;
    }
    // Each of them says that something may be missing.
    let is_whole = observed.remarks.is_empty();
    let mut rows = Vec::new();
    for point in observed.points.iter().filter(|point| matches!(point.what.key, Key::Part(..))) {
        let what = &point.what;
        let thing = thing(&what.key, location(what.file.as_deref(), Some(what.line)));
        let is_loop = what.kind == Meaning::BackEdges;
        if shared[&what.key] > 1 {
            let column = if is_loop { AnswerColumn::ObservedBackEdges } else { AnswerColumn::Observed };
            rows.push(thing.row(column, AnswerState::Nothing("several things have this key".into())));
            continue;
        }
        let of = PointRows { point, thing, is_whole };
        rows.extend(if is_loop { of.back_edges() } else { of.values() });
    }
    for refused in &observed.refused {
        let Some(key) = &refused.key else { continue };
        let thing = thing(key, location(refused.file.as_deref(), Some(refused.line)));
        rows.push(
            thing.row(AnswerColumn::ObservedBackEdges, AnswerState::Nothing(refused.reason.as_str().into())),
        );
    }
    rows
}

/// What a run did holds without assumptions, no matter who may call.
fn thing(key: &Key, location: Option<SourcePlace>) -> RowSubject<'_> {
    RowSubject { key, location, rests: BTreeSet::new(), origin: Origin::Counted, world: World::Open }
}

/// What was recorded at one point.
struct PointRows<'a> {
    point: &'a ObservedPoint,
    thing: RowSubject<'a>,
    /// Whether nothing of the run was lost.
    is_whole: bool,
}

impl PointRows<'_> {
    fn back_edges(&self) -> Vec<AnswerRow> {
        let record = &self.point.record;
        let mut rows = vec![self.times(record.entries)];
        let column = AnswerColumn::ObservedBackEdges;
        match record.range {
            Some((least, greatest)) => {
                let [least, greatest] = [least, greatest].map(i64::cast_unsigned);
                let answer = match AnswerInterval::new(Some(least.into()), Some(greatest.into())) {
                    _ if least == greatest => Answer::Number(least.into()),
                    Ok(interval) => Answer::Interval(interval),
                    Err(_) => return rows,
                };
                // Not more than these, but perhaps not all of them.
                let certainty = self.exact_or(Certainty::LowerBound);
                rows.push(self.thing.row(column, AnswerState::Answer(answer, certainty)));
            }
            // One that was not entered did nothing, which Observed says.
            None if record.entries == 0 => {}
            None => {
                let reason = "no activation was recorded that was left by one of its exits";
                rows.push(self.thing.row(column, AnswerState::Nothing(reason.into())));
            }
        }
        rows
    }

    fn values(&self) -> Vec<AnswerRow> {
        let record = &self.point.record;
        let mut rows = vec![self.times(record.complete)];
        let mut tell = |column, known| rows.push(self.thing.row(column, known));
        if let Some((least, greatest)) = record.range {
            let end = |value, certainty| AnswerState::Answer(self.answer(value), self.exact_or(certainty));
            tell(AnswerColumn::ObservedLeast, end(least, Certainty::UpperBound));
            tell(AnswerColumn::ObservedGreatest, end(greatest, Certainty::LowerBound));
        } else if record.complete > 0 {
            let nothing = || AnswerState::Nothing("none of its values was recorded".into());
            tell(AnswerColumn::ObservedLeast, nothing());
            tell(AnswerColumn::ObservedGreatest, nothing());
        }
        if record.is_exact() && record.values.len() <= FEW && self.point.what.kind != Meaning::Float {
            let numbers = record.values.keys().map(|&value| self.integer(value).into());
            let known =
                AnswerState::Answer(Answer::Set(numbers.collect()), self.exact_or(Certainty::LowerBound));
            tell(AnswerColumn::ObservedValues, known);
        }
        rows
    }

    fn times(&self, times: u64) -> AnswerRow {
        let certainty = if self.is_whole { Certainty::Exact } else { Certainty::LowerBound };
        self.thing.number(AnswerColumn::Observed, times, certainty)
    }

    /// Exact if every value was recorded.
    fn exact_or(&self, otherwise: Certainty) -> Certainty {
        let record = &self.point.record;
        let is_all = self.is_whole && !record.is_torn && record.recorded == record.complete;
        if is_all { Certainty::Exact } else { otherwise }
    }

    fn answer(&self, value: i64) -> Answer {
        match self.point.what.kind {
            Meaning::Float => {
                let number = double(value);
                Answer::Reals(Reals::between(number, number).unwrap_or_else(|_| Reals::nan()))
            }
            _ => Answer::Number(self.integer(value).into()),
        }
    }

    fn integer(&self, value: i64) -> i128 {
        match self.point.what.kind {
            Meaning::Signed => value.into(),
            _ => value.cast_unsigned().into(),
        }
    }
}

//! Which work only moved from one function to another?
//!
//! An inliner that changes its mind moves lines from one function into another: the caller costs
//! more, the program does not. A line says what it costs in each function and in the program. A
//! function that costs more has only taken over work if each line that costs more in it costs no
//! more in the program, and if nothing without a line got more.
//!
//! Input: two ledgers with costs of lines in functions, and their lines aligned (`aligned`). Output: the
//! functions that have only taken over work. Cost: facts * log facts. Limits: ledgers of schema 2 have no
//! such lines, and then nothing has moved; nor has work on lines that cannot be aligned. Two lines of a
//! macro are one line.

use std::collections::{BTreeMap, BTreeSet};

use crate::aligned::{Aligned, At, Unit};
use crate::joined::Joined;
use crate::{Column, Ledger, Subject};

/// What a ledger says of costs: by function and line, by function, by line.
#[derive(Default)]
struct Costs<'a> {
    lines_of: BTreeMap<Joined, BTreeMap<Unit<'a>, u128>>,
    functions: BTreeMap<Joined, u128>,
    lines: BTreeMap<Unit<'a>, u128>,
}

impl<'a> Costs<'a> {
    fn of(ledger: &'a Ledger, unit: impl Fn(At<'a>) -> Unit<'a>) -> Self {
        let mut costs = Costs::default();
        for fact in ledger.facts().iter().filter(|fact| fact.column == Column::Instructions) {
            let Some(value) = fact.value.map(u128::from) else { continue };
            match &fact.subject {
                Subject::FunctionLine { function, place } => {
                    let lines = costs.lines_of.entry(Joined::of(function)).or_default();
                    let unit = unit(place.into());
                    *lines.entry(unit).or_default() += value;
                    *costs.lines.entry(unit).or_default() += value;
                }
                Subject::Function { function, .. } => {
                    *costs.functions.entry(Joined::of(function)).or_default() += value;
                }
                _ => {}
            }
        }
        costs
    }

    fn line_in(&self, function: &Joined, unit: &Unit<'a>) -> u128 {
        self.lines_of.get(function).and_then(|lines| lines.get(unit)).copied().unwrap_or(0)
    }

    fn line(&self, unit: &Unit<'a>) -> u128 {
        self.lines.get(unit).copied().unwrap_or(0)
    }

    /// What a function costs that is on no line.
    fn without_line(&self, function: &Joined) -> u128 {
        let whole = self.functions.get(function).copied().unwrap_or(0);
        let on_lines = self.lines_of.get(function).map_or(0, |lines| lines.values().sum());
        whole.saturating_sub(on_lines)
    }
}

/// Functions that cost more than before and have only taken over work. `earlier` says what those are
/// called in the first ledger that have another name there.
pub(crate) fn only_moved<'a>(
    before: &'a Ledger,
    after: &'a Ledger,
    aligned: &Aligned<'a>,
    earlier: &BTreeMap<&Joined, &Joined>,
) -> BTreeSet<Joined> {
    let before = Costs::of(before, |at| aligned.unit_before(at));
    let after = Costs::of(after, |at| aligned.unit_after(at));
    let only_takes_over = |function: &Joined, lines: &BTreeMap<Unit<'a>, u128>| {
        let mut grown = lines
            .iter()
            .filter(|(unit, cost)| **cost > before.line_in(earlier_name(function, earlier), unit));
        grown.all(|(unit, _)| !matches!(unit, Unit::Blind(_)) && after.line(unit) <= before.line(unit))
            && after.without_line(function) <= before.without_line(earlier_name(function, earlier))
    };
    let costs_more = |function: &Joined| {
        after.functions.get(function).copied().unwrap_or(0)
            > before.functions.get(earlier_name(function, earlier)).copied().unwrap_or(0)
    };
    let moved = after
        .lines_of
        .iter()
        .filter(|(function, lines)| costs_more(function) && only_takes_over(function, lines));
    moved.map(|(function, _)| function.clone()).collect()
}

fn earlier_name<'a>(function: &'a Joined, earlier: &BTreeMap<&Joined, &'a Joined>) -> &'a Joined {
    earlier.get(function).copied().unwrap_or(function)
}

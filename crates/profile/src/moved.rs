//! Which work only moved from one function to another?
//!
//! An inliner that changes its mind moves lines from one function into another: the caller costs
//! more, the program does not. A line says what it costs in each function and in the program. A
//! function that costs more has only taken over work if each line that costs more in it costs no
//! more in the program, and if nothing without a line got more.
//!
//! Input: two ledgers with costs of lines in functions. Output: the functions that have only taken
//! over work. Cost: facts * log facts. Limits: ledgers of schema 2 have no such lines, and then
//! nothing has moved; two lines of a macro are one line.

use std::collections::{BTreeMap, BTreeSet};

use crate::joined::Joined;
use crate::{Column, Ledger, SourcePlace, Subject};

/// What a ledger says of costs: by function and line, by function, by line.
#[derive(Default)]
struct Costs<'a> {
    lines_of: BTreeMap<Joined, BTreeMap<&'a SourcePlace, u128>>,
    functions: BTreeMap<Joined, u128>,
    lines: BTreeMap<&'a SourcePlace, u128>,
}

impl Costs<'_> {
    fn of(ledger: &Ledger) -> Costs<'_> {
        let mut costs = Costs::default();
        for fact in ledger.facts().iter().filter(|fact| fact.column == Column::Instructions) {
            let Some(value) = fact.value.map(u128::from) else { continue };
            match &fact.subject {
                Subject::FunctionLine { function, place } => {
                    let lines = costs.lines_of.entry(Joined::of(function)).or_default();
                    *lines.entry(place).or_default() += value;
                    *costs.lines.entry(place).or_default() += value;
                }
                Subject::Function { function, .. } => {
                    *costs.functions.entry(Joined::of(function)).or_default() += value;
                }
                _ => {}
            }
        }
        costs
    }

    fn line_in(&self, function: &Joined, place: &SourcePlace) -> u128 {
        self.lines_of.get(function).and_then(|lines| lines.get(place)).copied().unwrap_or(0)
    }

    fn line(&self, place: &SourcePlace) -> u128 {
        self.lines.get(place).copied().unwrap_or(0)
    }

    /// What a function costs that is on no line.
    fn without_line(&self, function: &Joined) -> u128 {
        let whole = self.functions.get(function).copied().unwrap_or(0);
        let on_lines = self.lines_of.get(function).map_or(0, |lines| lines.values().sum());
        whole.saturating_sub(on_lines)
    }
}

/// Functions that cost more than before and have only taken over work.
pub(crate) fn only_moved(before: &Ledger, after: &Ledger) -> BTreeSet<Joined> {
    let (before, after) = (Costs::of(before), Costs::of(after));
    let only_takes_over = |function: &Joined, lines: &BTreeMap<&SourcePlace, u128>| {
        let mut grown = lines.iter().filter(|(place, cost)| **cost > before.line_in(function, place));
        grown.all(|(place, _)| after.line(place) <= before.line(place))
            && after.without_line(function) <= before.without_line(function)
    };
    let costs_more = |function: &Joined| {
        after.functions.get(function).copied().unwrap_or(0)
            > before.functions.get(function).copied().unwrap_or(0)
    };
    let moved = after
        .lines_of
        .iter()
        .filter(|(function, lines)| costs_more(function) && only_takes_over(function, lines));
    moved.map(|(function, _)| function.clone()).collect()
}

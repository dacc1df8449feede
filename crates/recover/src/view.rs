//! What does a ledger say, in the terms of a summary?
//!
//! [`summarize_ledger`] makes a [`ProgramSummary`] of a ledger's facts, so
//! that one report serves a run and a file. A ledger of an earlier version has neither calls
//! nor executions of lines: [`has_calls`] says so, and [`LineTotal::executions`] is `None`.
//! Whether these are of the line itself follows from how the modules were built that have code of it.
//! Functions merge over modules as in a summary; blocks too, where the body
//! hash agrees. Cost: facts * log functions.

use std::collections::{BTreeMap, BTreeSet};

use opcost_index::Id;
use opcost_key::{BlockId, Hash128};
use opcost_profile::{Called, Column, Fact, FunctionFacts, Ledger, ProcessEnding, SourcePlace, Subject};

use crate::{
    BlockTotal, CallTotals, Course, FunctionListing, FunctionTotal, IndirectCalls, LineTotal, NamedCalls,
    ProgramSummary, SourceLine,
};

/// The totals that a ledger holds.
pub fn summarize_ledger(ledger: &Ledger) -> ProgramSummary {
    let mut functions: BTreeMap<Key<'_>, FunctionTotal> = BTreeMap::new();
    let mut blocks: BTreeMap<BlockKey<'_>, BlockSum<'_>> = BTreeMap::new();
    let mut indirect: BTreeMap<(Key<'_>, Option<&SourcePlace>), u128> = BTreeMap::new();
    let mut calls = CallTotals::default();
    let modules = SourceModules::of(ledger);
    let (mut lines, mut weight) = (Vec::<LineTotal>::new(), 0);
    for Fact { subject, column, value, .. } in ledger.facts() {
        let value = u128::from(value.unwrap_or(0));
        match (subject, column) {
            (Subject::Program, Column::Instructions) => weight += value,
            (Subject::Line(at), Column::Instructions) => {
                lines.push(line_total(at, value));
            }
            (Subject::Line(_), Column::Count) => {
                // Facts of one line stand together, its cost first.
                if let Some(line) = lines.last_mut() {
                    line.executions = Some(value);
                    line.is_of_line = modules.is_of_line(&line.at);
                }
            }
            (Subject::Pointers { function, place }, Column::Calls) => {
                *indirect.entry((key(function), place.as_ref())).or_default() += value;
            }
            (Subject::Called(called), Column::Calls) => add_called(&mut calls, called, value),
            (Subject::Function { function, place }, Column::Calls | Column::Instructions) => {
                let total = functions.entry(key(function)).or_insert_with(|| empty(function));
                total.place = total.place.take().or(place.as_ref().map(source_line));
                let sum = if *column == Column::Calls { &mut total.calls } else { &mut total.instructions };
                *sum += value;
            }
            (Subject::Block { function, block, place }, Column::Count) => {
                let first = || (place.as_ref().map(source_line), function.module.as_str(), 0);
                blocks.entry((key(function), function.body, *block)).or_insert_with(first).2 += value;
            }
            _ => {}
        }
    }
    let position: BTreeMap<_, _> = functions.keys().enumerate().map(|(at, &key)| (key, at)).collect();
    let blocks = blocks.into_iter().filter_map(|((key, _, block), (place, module, count))| {
        let (function, block) = (*position.get(&key)?, BlockId::new(block as usize));
        Some(BlockTotal { function, module: module.to_owned(), block, place, count })
    });
    calls.indirect = indirect
        .into_iter()
        .map(|(((function, module), place), calls)| IndirectCalls {
            function: function.to_owned(),
            module: module.map(str::to_owned),
            place: place.map(source_line),
            calls,
        })
        .collect();
    let in_lines: u128 = lines.iter().map(|line| line.instructions).sum();
    ProgramSummary {
        weight,
        weight_without_line: weight.saturating_sub(in_lines),
        blocks: blocks.collect(),
        functions: functions.into_values().collect(),
        lines,
        calls,
    }
}

/// Whether the ledger has calls at all, and not those that were made of samples.
pub fn has_calls(ledger: &Ledger) -> bool {
    ledger
        .facts()
        .iter()
        .any(|fact| matches!(fact.subject, Subject::Called(_)) && fact.known_calls().is_some())
}

/// How the runs of a ledger went: the first ending that is no success, or else the success.
pub fn course_of(ledger: &Ledger) -> Course {
    let endings = ledger.facts().iter().filter_map(|fact| match fact.subject {
        Subject::Ending(ending) => Some(ending),
        _ => None,
    });
    let is_success = |ending: &ProcessEnding| *ending == ProcessEnding::Exited(0);
    let held = ledger.value(&Subject::Program, Column::HeldFixed).unwrap_or(0);
    Course {
        ending: endings.clone().find(|ending| !is_success(ending)).or(endings.clone().next()),
        processes: ledger.value(&Subject::Program, Column::Processes),
        is_held_fixed: held > 0 && held >= ledger.about.runs,
        doubts: ledger
            .facts()
            .iter()
            .filter_map(|fact| match &fact.subject {
                Subject::Doubt(_, words) => Some(words.to_string()),
                _ => None,
            })
            .collect(),
    }
}

fn add_called(calls: &mut CallTotals, called: &Called, count: u128) {
    let named = |name: &str| NamedCalls { name: name.to_owned(), calls: count };
    match called {
        Called::External(name) => calls.external.push(named(name)),
        Called::Memory(name) => calls.memory.push(named(name)),
        Called::Assembly => calls.assembly += count,
        Called::Internal => calls.internal += count,
    }
}

/// Lists functions from a ledger: their lines, with what is inlined into them; no blocks with texts.
/// A ledger of an earlier version has no such rows: then by [`list_by_lines`].
pub fn list_by_ledger(ledger: &Ledger, summary: &ProgramSummary, wanted: &[usize]) -> Vec<FunctionListing> {
    let mut all: BTreeMap<Key<'_>, BTreeMap<&SourcePlace, LineTotal>> = BTreeMap::new();
    let modules = SourceModules::of(ledger);
    for fact in ledger.facts() {
        let Subject::FunctionLine { function, place } = &fact.subject else { continue };
        let none = || line_total(place, 0);
        let line = all.entry(key(function)).or_default().entry(place).or_insert_with(none);
        let value = u128::from(fact.value.unwrap_or(0));
        match fact.column {
            Column::Instructions => line.instructions += value,
            Column::Count => {
                let is_of_line = modules.have_lines(&function.module);
                line.is_of_line = is_of_line && (line.is_of_line || line.executions.is_none());
                *line.executions.get_or_insert(0) += value;
            }
            _ => {}
        }
    }
    if all.is_empty() {
        return list_by_lines(summary, wanted);
    }
    let listing = |&position: &usize| {
        let function = &summary.functions[position];
        let own = all.get(&(function.name.as_str(), function.module.as_deref()));
        let lines: Vec<LineTotal> = own.into_iter().flat_map(|lines| lines.values().cloned()).collect();
        let in_lines: u128 = lines.iter().map(|line| line.instructions).sum();
        let without_line = function.instructions.saturating_sub(in_lines);
        FunctionListing { function: position, lines, without_line, stacks: Vec::new(), blocks: Vec::new() }
    };
    wanted.iter().map(listing).collect()
}

/// Lists functions from totals alone: the lines between a function's first
/// line and that of the next function in its file. What is inlined into it
/// from elsewhere is not among them, and there are no blocks with texts.
pub fn list_by_lines(summary: &ProgramSummary, wanted: &[usize]) -> Vec<FunctionListing> {
    let listing = |&position: &usize| {
        let place = summary.functions[position].place.as_ref();
        let lines = place.map_or(Vec::new(), |place| lines_of(summary, place));
        FunctionListing { function: position, lines, without_line: 0, stacks: Vec::new(), blocks: Vec::new() }
    };
    wanted.iter().map(listing).collect()
}

fn lines_of(summary: &ProgramSummary, start: &SourceLine) -> Vec<LineTotal> {
    let places = summary.functions.iter().filter_map(|function| function.place.as_ref());
    let next = places.filter(|place| place.file == start.file && place.line > start.line);
    let end = next.map(|place| place.line).min().unwrap_or(u32::MAX);
    let here = |line: &&LineTotal| line.at.file == start.file && (start.line..end).contains(&line.at.line);
    summary.lines.iter().filter(here).cloned().collect()
}

/// Name, and module when the name is local to it.
type Key<'a> = (&'a str, Option<&'a str>);

/// Function, form, and position in it.
type BlockKey<'a> = (Key<'a>, Hash128, u32);

/// Its first line, its first module, its count.
type BlockSum<'a> = (Option<SourceLine>, &'a str, u128);

fn key(function: &FunctionFacts) -> Key<'_> {
    (&function.name, function.is_local.then_some(&function.module))
}

fn empty(function: &FunctionFacts) -> FunctionTotal {
    FunctionTotal {
        name: function.name.clone(),
        module: function.is_local.then(|| function.module.clone()),
        place: None,
        calls: 0,
        instructions: 0,
    }
}

/// A line of which only the cost is known.
fn line_total(place: &SourcePlace, instructions: u128) -> LineTotal {
    LineTotal { at: source_line(place), instructions, executions: None, is_of_line: false }
}

/// Which modules of a ledger have the lines of their sources.
struct SourceModules<'a> {
    /// Modules that do not, by name.
    others: BTreeSet<&'a str>,
    /// Lines that such modules have code of, if the ledger has lines of functions.
    changed: Option<BTreeSet<SourceLine>>,
}

impl<'a> SourceModules<'a> {
    fn of(ledger: &'a Ledger) -> SourceModules<'a> {
        let modules = ledger.about.modules.iter();
        let others = modules.filter(|one| !one.build.has_source_lines(&one.module, one.anchor));
        let others: BTreeSet<&str> = others.map(|one| &*one.module).collect();
        let mut changed = None;
        for fact in ledger.facts() {
            if let Subject::FunctionLine { function, place } = &fact.subject {
                let changed = changed.get_or_insert_with(BTreeSet::new);
                if others.contains(&*function.module) {
                    changed.insert(source_line(place));
                }
            }
        }
        SourceModules { others, changed }
    }

    fn have_lines(&self, module: &str) -> bool {
        !self.others.contains(module)
    }

    /// Whether all code of a line is in such modules.
    fn is_of_line(&self, line: &SourceLine) -> bool {
        match &self.changed {
            Some(changed) => !changed.contains(line),
            None => self.others.is_empty(),
        }
    }
}

fn source_line(place: &SourcePlace) -> SourceLine {
    SourceLine { file: place.file.to_string(), line: place.line }
}

#[cfg(test)]
mod tests {
    use opcost_key::Hash128;

    use super::{list_by_ledger, list_by_lines, summarize_ledger};
    use crate::example::{counted_run, diamond, recovered, single_loop};
    use crate::{CountedModule, list_functions, make_ledger, summarize};

    #[test]
    fn a_ledgers_summary_is_the_runs_summary() {
        let (choose, repeat) = (diamond(), single_loop());
        let (chosen, repeated) = (recovered(&choose, &[10, 3], &[]), recovered(&repeat, &[2, 14], &[]));
        let modules = [
            CountedModule { map: &choose, counts: &chosen },
            CountedModule { map: &repeat, counts: &repeated },
        ];
        let summary = summarize(&modules);
        let ledger = make_ledger(&modules, &[Hash128(0), Hash128(1)], &summary, &counted_run()).unwrap();
        let seen = summarize_ledger(&ledger);
        assert_eq!(seen, summary);
        let listed = list_by_lines(&seen, &[0]);
        assert_eq!(listed[0].lines.len(), 4);
        let of_run = list_functions(&modules, &summary, &[0, 1]);
        for (listed, of_run) in list_by_ledger(&ledger, &seen, &[0, 1]).iter().zip(of_run) {
            assert_eq!((&listed.lines, listed.without_line), (&of_run.lines, of_run.without_line));
        }
    }
}

//! What did the functions do that are recorded, or have a limit of their own?
//!
//! A function is found by any of its names. One that is not there under its name is matched as `opcost
//! diff` does: by its body, where just one function had that body when it was recorded, and just one that
//! is not recorded has it now. Else it is absent: inlined everywhere, removed or rewritten. A name that was never
//! recorded is no function, and the check has no verdict: a misspelt limit must not pass for a kept one.
//!
//! A function takes over work where it is over its limit, the whole run is within its own, and absent
//! functions did no less than what is new here. Cost: names * log names.

use std::collections::{BTreeMap, BTreeSet};

use opcost_answer::check::RecordedWork;
use opcost_answer::check::{CheckLimit, CheckedFunction, FunctionFate};
use opcost_answer::count::CountAnswers;
use opcost_answer::names::find_functions;
use opcost_answer::names::{demangle, no_function};
use opcost_answer::numbers::{grouped, share};
use opcost_key::Hash128;
use opcost_recover::{CountedModule, ProgramSummary};

/// Share of the total from which on `--update` records what a function did.
const RECORDED_SHARE: f64 = 0.05;

/// Bodies of functions, by name.
pub(super) struct Bodies(BTreeMap<String, BTreeSet<Hash128>>);

impl Bodies {
    /// Of all functions that were counted.
    pub(super) fn of(modules: &[CountedModule<'_>]) -> Bodies {
        let mut bodies: BTreeMap<String, BTreeSet<Hash128>> = BTreeMap::new();
        for function in modules.iter().flat_map(|module| module.map.functions.iter().map(|(_, it)| it)) {
            bodies.entry(demangle(&function.name)).or_default().insert(function.body);
        }
        Bodies(bodies)
    }

    /// The body of a function that has one, which no other function has.
    fn own(&self, name: &str) -> Option<String> {
        let body = one(self.0.get(name)?.iter())?.to_string();
        (self.with(&body).count() == 1).then_some(body)
    }

    /// Functions that have a body.
    fn with<'a>(&'a self, body: &'a str) -> impl Iterator<Item = &'a str> {
        let has = move |bodies: &BTreeSet<Hash128>| bodies.iter().any(|own| own.to_string() == body);
        self.0.iter().filter(move |(_, bodies)| has(bodies)).map(|(name, _)| &**name)
    }
}

fn one<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// What functions are held against.
pub(super) struct Expected {
    /// Limits that somebody wrote, by name.
    pub(super) limits: BTreeMap<String, CheckLimit>,
    /// What functions did when limits were recorded, by name.
    pub(super) recorded: BTreeMap<String, RecordedWork>,
}

/// The functions with limits, and those that are recorded, by name.
pub(super) fn checked(
    expected: &Expected,
    report: &CountAnswers,
    bodies: &Bodies,
    refusals: &mut Vec<String>,
) -> Vec<CheckedFunction> {
    let names: BTreeSet<&String> = expected.limits.keys().chain(expected.recorded.keys()).collect();
    let mut functions = Vec::new();
    for name in names {
        let limit = expected.limits.get(name).copied();
        let recorded = expected.recorded.get(name);
        let (fate, found) = match (find_functions(&report.summary, name), recorded) {
            (Ok(found), _) => (FunctionFate::Present, found),
            (Err(_), Some(function)) => lost(function, expected, &report.summary, bodies),
            (Err(near), None) => {
                let CheckLimit { most, line, .. } = limit.unwrap_or_default();
                let missing = no_function(name, &near);
                refusals.push(format!("{missing} (limit of {} in line {line})", grouped(most)));
                continue;
            }
        };
        functions.push(CheckedFunction {
            listed_name: name.clone(),
            fate,
            location: found.first().and_then(|&at| report.summary.functions[at].place.clone()),
            instructions: work(&report.summary, &found),
            recorded: recorded.map(|function| function.instructions.into()),
            limit,
        });
    }
    functions
}

/// What became of a recorded function that is not there under its name.
fn lost(
    function: &RecordedWork,
    expected: &Expected,
    summary: &ProgramSummary,
    bodies: &Bodies,
) -> (FunctionFate, Vec<usize>) {
    let is_new = |name: &&str| !expected.recorded.contains_key(*name);
    let heir = function.body.as_ref().and_then(|body| one(bodies.with(body).filter(is_new)));
    match heir.and_then(|name| Some((name, find_functions(summary, name).ok()?))) {
        Some((name, found)) => (FunctionFate::Renamed(name.to_owned()), found),
        None => (FunctionFate::Absent, Vec::new()),
    }
}

fn work(summary: &ProgramSummary, functions: &[usize]) -> u128 {
    functions.iter().map(|&at| summary.functions[at].instructions).sum()
}

/// Marks the functions that are over their limits by no more than what absent functions did.
pub(super) fn mark_inlined(functions: &mut [CheckedFunction]) {
    let absent = functions.iter().filter(|function| function.fate == FunctionFate::Absent);
    let given: u128 = absent.filter_map(|function| function.recorded).sum();
    let grown = functions.iter_mut().filter(|function| function.fate == FunctionFate::Present);
    for function in grown.filter(|function| function.over().is_some_and(|over| over <= given)) {
        function.fate = FunctionFate::TakesOver;
    }
}

/// What is recorded of functions: those that do much of the work, and those with limits.
pub(super) fn to_record(
    functions: &[CheckedFunction],
    report: &CountAnswers,
    bodies: &Bodies,
) -> BTreeMap<String, RecordedWork> {
    let summary = &report.summary;
    let limited = functions.iter().filter(|function| function.limit.is_some());
    let mut names: Vec<String> =
        limited.filter_map(|function| function.name_now().map(str::to_owned)).collect();
    let found = |name: &str| find_functions(summary, name).unwrap_or_default();
    let known: BTreeSet<usize> = names.iter().flat_map(|name| found(name)).collect();
    let much = |at: &usize| share(summary.functions[*at].instructions, summary.weight) >= RECORDED_SHARE;
    let others = (0..summary.functions.len()).filter(|at| !known.contains(at)).filter(much);
    names.extend(others.map(|at| demangle(&summary.functions[at].name)));
    let entry = |name: String| {
        let found = found(&name);
        let body = found.first().and_then(|&at| bodies.own(&demangle(&summary.functions[at].name)));
        let instructions = u64::try_from(work(summary, &found)).ok()?;
        Some((name, RecordedWork { instructions, body }))
    };
    names.into_iter().filter_map(entry).collect()
}

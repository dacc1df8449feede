//! Does the run agree with what `opcost loops` says of the whole program?
//!
//! `opcost loops` links all modules, closes the world and follows values through
//! calls, COMMON and READ: it knows numbers that no module knows by itself. Here
//! they are held against what was recorded: exact turns and bounds of each
//! activation, and sums over the activations of a nest. Formulas with names are
//! not: the same ones, over the values of the module, are held where the program
//! runs. A loop is found by the key of its function and the label of its header, if
//! all loops of the function are the same in both; else it is told as not found.
//! Input: answers and rows. Output: a verdict for each row that has a number.
//! Cost: linear in the loops.

use std::collections::{BTreeSet, HashMap};

use opcost_answer::Failure;
use opcost_answer::loops::{LoopAnswer, LoopAnswers, LoopNumbers};
use opcost_answer::numbers::counted;
use opcost_answer::values::{ClaimVerdict, ValueRow, WholeRow, WholeTotals};
use opcost_job::program::{InputValues, LoopsJob};
use opcost_key::FunctionKey;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::{CompileOptions, ProgramOptions};
use thiserror::Error;

/// Why `opcost loops` says nothing.
#[derive(Debug, Error)]
pub(super) enum NotPredicted {
    /// There is a program only.
    #[error("it was built before; give its sources")]
    BuiltBefore,
    /// Objects, or a language that it does not read.
    #[error("not all inputs are sources of C, C++ or Fortran or bitcode")]
    OtherInputs,
    /// It failed.
    #[error("{}", one_line(.0))]
    Failed(Failure),
}

/// What `opcost loops` says of the same inputs with the same flags.
///
/// # Errors
/// Why it says nothing.
pub(super) fn predicted(options: &CompileOptions, inputs: &[Input]) -> Result<LoopAnswers, NotPredicted> {
    let is_known = |input: &Input| {
        matches!(input.language, Language::C | Language::Cxx | Language::Fortran | Language::Bitcode)
    };
    if !inputs.iter().all(is_known) {
        return Err(NotPredicted::OtherInputs);
    }
    let ask = || {
        let build = Build::new(options, Purpose::Analysis)?;
        let program = build.program_source(inputs, &ProgramOptions::default())?;
        build.query(LoopsJob { program, inputs: InputValues::default() }, inputs)
    };
    ask().map_err(NotPredicted::Failed)
}

fn one_line(error: &Failure) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Holds the answers against the rows.
pub(super) fn hold(answers: &LoopAnswers, rows: &mut [ValueRow], is_lie: bool) -> WholeTotals {
    let mut totals = WholeTotals { world: answers.world.clone(), ..WholeTotals::default() };
    let known = common(answers, rows);
    let outermost = outermost(rows);
    let facts: Vec<Facts> = rows.iter().map(Facts::of).collect();
    for (position, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.is_loop()) {
        let found = row.key.function().and_then(|function| known.get(&(function, &*row.text)));
        let Some(&(answer, numbers)) = found else {
            totals.unmatched += 1;
            continue;
        };
        let numbers = if is_lie { lie(numbers) } else { numbers };
        if numbers == LoopNumbers::default() {
            *if answer.back_edges.is_some() || answer.bound.is_some() {
                &mut totals.formulas
            } else {
                &mut totals.no_claim
            } += 1;
            continue;
        }
        let whole = judged(answer, numbers, &facts[position], outermost[position].map(|at| &facts[at]));
        *match whole.verdict {
            ClaimVerdict::Held => &mut totals.held,
            ClaimVerdict::NotEntered => &mut totals.not_entered,
            ClaimVerdict::Wrong => &mut totals.wrong,
            ClaimVerdict::AssumptionViolated => &mut totals.assumption_violated,
            ClaimVerdict::NotChecked => &mut totals.not_checked,
        } += 1;
        row.whole = Some(whole);
    }
    totals
}

/// For tests: one iteration more than is true.
fn lie(numbers: LoopNumbers) -> LoopNumbers {
    let more = |number: Option<i128>| number.map(|number| number + 1);
    let exact = more(numbers.exact);
    let bound = if exact.is_some() { exact } else { numbers.bound.map(|_| -1) };
    LoopNumbers { exact, bound, total: more(numbers.total) }
}

type CommonAnswers<'a> = HashMap<(&'a FunctionKey, &'a str), (&'a LoopAnswer, LoopNumbers)>;

/// Answers by function and header, of functions that are the same in both.
fn common<'a>(answers: &'a LoopAnswers, rows: &[ValueRow]) -> CommonAnswers<'a> {
    let mut told: HashMap<&FunctionKey, BTreeSet<&str>> = HashMap::new();
    let natural = answers.loops.iter().filter(|answer| answer.form != "irreducible");
    for (function, answer) in natural.filter_map(|answer| Some((answer.key.function()?, answer))) {
        told.entry(function).or_default().insert(&answer.label);
    }
    let mut seen: HashMap<&FunctionKey, (&str, BTreeSet<&str>, bool)> = HashMap::new();
    let loops = rows.iter().filter(|row| row.is_loop());
    for (function, row) in loops.filter_map(|row| Some((row.key.function()?, row))) {
        let entry = seen.entry(function).or_insert_with(|| (&row.module, BTreeSet::new(), true));
        // Two modules of one name have the same keys for what is local to them.
        entry.2 &= entry.0 == row.module && entry.1.insert(&row.text);
    }
    let is_same = |function: &FunctionKey| {
        seen.get(function)
            .is_some_and(|(_, labels, is_single)| *is_single && told.get(function) == Some(labels))
    };
    let all = answers.loops.iter().zip(&answers.numbers);
    all.filter_map(|(answer, &numbers)| {
        let function = answer.key.function().filter(|function| is_same(function))?;
        Some(((function, &*answer.label), (answer, numbers)))
    })
    .collect()
}

/// Of each row the row of the outermost loop around it; none for such a loop itself.
fn outermost(rows: &[ValueRow]) -> Vec<Option<usize>> {
    let key = |row: &ValueRow, text: &str| (row.module.clone(), row.function.clone(), text.to_owned());
    let places: HashMap<_, usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.is_loop())
        .map(|(at, row)| (key(row, &row.text), at))
        .collect();
    let around = |at: usize| {
        let row: &ValueRow = &rows[at];
        row.parent.as_ref().and_then(|parent| places.get(&key(row, parent))).copied()
    };
    (0..rows.len())
        .map(|at| {
            let chain = std::iter::successors(around(at), |&at| around(at));
            chain.take(rows.len()).last().filter(|&top| rows[top].parent.is_none())
        })
        .collect()
}

/// What a loop did.
struct Facts {
    entries: u64,
    is_whole: bool,
    range: Option<(i128, i128)>,
    most_partial: i128,
    back_edges: i128,
    recorded: u64,
}

impl Facts {
    fn of(row: &ValueRow) -> Facts {
        Facts {
            entries: row.entries,
            is_whole: row.partial() == 0 && row.inherited == 0,
            range: row.range.map(|[least, _, most]| (least.into(), most.into())),
            most_partial: row.left.1.max(row.open.1).into(),
            back_edges: row.back_edges,
            recorded: row.recorded,
        }
    }
}

fn judged(answer: &LoopAnswer, numbers: LoopNumbers, facts: &Facts, top: Option<&Facts>) -> WholeRow {
    let failure = failure(numbers, facts, top);
    let says = claim_text(numbers);
    let assumes = answer.assumes.clone();
    let rests = !assumes.is_empty() || !answer.inputs.is_empty();
    let verdict = match &failure {
        _ if facts.entries == 0 => ClaimVerdict::NotEntered,
        Some(_) if rests => ClaimVerdict::AssumptionViolated,
        Some(_) => ClaimVerdict::Wrong,
        None if facts.recorded == 0 && facts.is_whole => ClaimVerdict::NotChecked,
        None => ClaimVerdict::Held,
    };
    WholeRow { count_text: says, assumes, verdict, failure }
}

/// `7`, `at most 9`, `7; 70 in all`
fn claim_text(numbers: LoopNumbers) -> String {
    let own = match (numbers.exact, numbers.bound) {
        (Some(exact), _) => Some(exact.to_string()),
        (None, Some(bound)) => Some(format!("at most {bound}")),
        (None, None) => None,
    };
    let total = numbers.total.map(|total| format!("{total} in all of one activation of the outermost loop"));
    own.into_iter().chain(total).collect::<Vec<_>>().join("; ")
}

/// What of the run does not agree, in words.
fn failure(numbers: LoopNumbers, facts: &Facts, top: Option<&Facts>) -> Option<String> {
    if let Some((least, most)) = facts.range {
        if let Some(exact) = numbers.exact.filter(|&exact| least != exact || most != exact) {
            let turned = if least == exact { most } else { least };
            return Some(format!("a complete activation turned {}, not {exact}", counted(turned, "time")));
        }
        if let Some(bound) = numbers.bound.filter(|&bound| most > bound) {
            return Some(format!(
                "a complete activation turned {}, more than {bound}",
                counted(most, "time")
            ));
        }
    }
    let most = numbers.exact.or(numbers.bound);
    if let Some(most) = most.filter(|&most| facts.most_partial > most) {
        return Some(format!(
            "a partial activation turned {}, more than {most}",
            counted(facts.most_partial, "time")
        ));
    }
    let (total, top) = (numbers.total?, top?);
    let all = total.checked_mul(top.entries.into())?;
    let is_exact = facts.is_whole && top.is_whole;
    let is_held = if is_exact { facts.back_edges == all } else { facts.back_edges <= all };
    // What a child of fork went on with is in no activation of its own.
    let is_judged = is_exact || facts.range.is_some();
    (is_judged && !is_held).then(|| {
        format!(
            "{} of the outermost loop turned it {} in all, not {all}",
            counted(top.entries, "activation"),
            counted(facts.back_edges, "time")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(entries: u64, range: Option<(i128, i128)>, back_edges: i128) -> Facts {
        Facts { entries, is_whole: true, range, most_partial: 0, back_edges, recorded: entries }
    }

    #[test]
    fn numbers_are_held_against_each_activation_and_against_all() {
        let numbers = LoopNumbers { exact: Some(7), bound: Some(7), total: Some(70) };
        let top = facts(2, Some((9, 9)), 18);
        assert_eq!(failure(numbers, &facts(20, Some((7, 7)), 140), Some(&top)), None);
        assert!(failure(numbers, &facts(20, Some((7, 8)), 141), Some(&top)).is_some());
        assert!(failure(numbers, &facts(21, Some((7, 7)), 147), Some(&top)).is_some());
        let bound = LoopNumbers { bound: Some(7), ..LoopNumbers::default() };
        assert_eq!(failure(bound, &facts(3, Some((0, 7)), 9), None), None);
        assert!(failure(bound, &facts(3, Some((0, 8)), 9), None).is_some());
        let mut partial = facts(1, None, 8);
        (partial.is_whole, partial.most_partial) = (false, 8);
        assert!(failure(numbers, &partial, None).is_some());
        partial.most_partial = 7;
        assert_eq!(failure(numbers, &partial, None), None);
    }

    #[test]
    fn a_lie_is_never_true() {
        let numbers = LoopNumbers { exact: Some(7), bound: Some(7), total: None };
        assert!(failure(lie(numbers), &facts(1, Some((7, 7)), 7), None).is_some());
        let bound = LoopNumbers { bound: Some(7), ..LoopNumbers::default() };
        assert!(failure(lie(bound), &facts(1, Some((0, 0)), 0), None).is_some());
    }
}

//! Values that stand out: of which runs show what opcost excludes, of which they
//! show more bits than LLVM allows, and of which LLVM knows more than opcost.

use super::outcome::{Outcome, Value};
use super::own::{self, Own};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many of a list are named.
const MOST_NAMED: usize = 10;

/// A value in words, for a line of a list.
fn location(outcome: &Outcome, value: &Value) -> String {
    let (function, end) = own::key(&value.row);
    let text = value.own.as_ref().map_or(&*value.row.opcode, |own| &*own.text);
    format!(
        "{} ({}) `{function}:{end}`, line {}: `{}`",
        outcome.title(),
        outcome.world.word(),
        value.row.line,
        text.replace('`', "'")
    )
}

fn all(outcomes: &[Outcome]) -> impl Iterator<Item = (&Outcome, &Value)> {
    outcomes.iter().flat_map(|outcome| outcome.values.iter().map(move |value| (outcome, value)))
}

/// Values that were what opcost says they cannot be, kernels or not.
pub(super) fn contradictions(outcomes: &[Outcome]) -> Vec<String> {
    let contradicted = |(outcome, value): (&Outcome, &Value)| {
        let observed = value.observed.as_ref()?;
        let both = value.own.iter().chain(&value.uncertified);
        let (why, own) = both.filter_map(|own| Some((own.contradiction(observed)?, own))).next()?;
        Some(format!("{}: {why} where opcost says {}", location(outcome, value), own.range))
    };
    all(outcomes).filter_map(contradicted).collect()
}

/// Values of which a run shows more bits than LLVM allows.
pub(super) fn beyond_llvm(outcomes: &[Outcome]) -> Vec<String> {
    let beyond = |(outcome, value): (&Outcome, &Value)| {
        let (width, fwd) = (value.observed.as_ref()?.width(), value.row.fwd);
        (width > fwd).then(|| format!("{}: {width} bits where LLVM says {fwd}", location(outcome, value)))
    };
    all(outcomes).filter_map(beyond).collect()
}

/// Values that opcost says nothing of.
pub(super) fn missing(outcomes: &[Outcome]) -> Vec<String> {
    let is_missing = |value: &Value| value.own.as_ref().is_none_or(|own| own.declared != value.row.width);
    all(outcomes)
        .filter(|(_, value)| is_missing(value))
        .map(|(outcome, value)| location(outcome, value))
        .collect()
}

/// Kernels' values of which LLVM knows more, those with most bits first.
fn weaker(outcomes: &[Outcome], answer: fn(&Value) -> Option<&Own>) -> Vec<(u32, &Outcome, &Value)> {
    let mut found: Vec<(u32, &Outcome, &Value)> = all(outcomes)
        .filter(|(_, value)| !value.row.drives)
        .filter_map(|(outcome, value)| {
            let more = answer(value)?.needed().checked_sub(value.row.fwd)?;
            (more > 0).then_some((more, outcome, value))
        })
        .collect();
    found.sort_by_key(|(more, ..)| std::cmp::Reverse(*more));
    found
}

/// How many values LLVM knows more of.
pub(super) fn count_of_weaker(outcomes: &[Outcome]) -> usize {
    weaker(outcomes, |value| value.own.as_ref()).len()
}

/// The same of what is reported without a checker.
pub(super) fn count_of_weaker_uncertified(outcomes: &[Outcome]) -> usize {
    weaker(outcomes, |value| value.uncertified.as_ref()).len()
}

/// The section about these.
pub(super) fn weaker_section(outcomes: &[Outcome]) -> String {
    let found = weaker(outcomes, |value| value.own.as_ref());
    let mut text = String::from("\n## Values of which LLVM knows more\n\n");
    if found.is_empty() {
        return text + "None is wider than LLVM's Fwd.\n";
    }
    let bits: u32 = found.iter().map(|(more, ..)| more).sum();
    let mut kinds: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for (more, _, value) in &found {
        let kind = kinds.entry(&value.row.opcode).or_default();
        *kind = (kind.0 + 1, kind.1 + more);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let kinds: Vec<String> =
        kinds.iter().map(|(kind, (count, bits))| format!("{kind} {count} ({bits} bits)")).collect();
    let _ = writeln!(
        text,
        "{} values of kernels, in both worlds together, are wider than LLVM's Fwd, by {bits} bits: {}.\n\
         The worst:\n",
        found.len(),
        kinds.join(", ")
    );
    for (_, outcome, value) in found.iter().take(MOST_NAMED) {
        let Some(own) = &value.own else { continue };
        let _ = writeln!(
            text,
            "- {}: opcost {} ({} bits{}), LLVM {} ({} bits)",
            location(outcome, value),
            own.range,
            own.needed(),
            own.because
                .as_ref()
                .map_or_else(String::new, |why| format!(", because of {}", why.replace('`', "'"))),
            value.row.range,
            value.row.fwd
        );
    }
    text
}

/// A list, or what it means that there is none.
pub(super) fn list(found: &[String], none: &str, some: &str) -> String {
    if found.is_empty() {
        return format!("\n{none}\n");
    }
    let mut text = format!("\n{} {some}\n\n", found.len());
    for line in found.iter().take(MOST_NAMED) {
        let _ = writeln!(text, "- {line}");
    }
    text
}

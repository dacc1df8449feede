//! What values were recorded, as a table for people: loops with the shape of
//! their turns, values with their ranges, claims and how they fared.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::kit::numbers::{counted, grouped, noun, part};
use crate::kit::style::{BAD, DIM, STRONG, cut, paint, printable, width_of};
use crate::values::loops::{listed, print_loops};
use crate::values::report::{ending, number, place};
use opcost_answer::names::shown_name;
use opcost_answer::values::{ClaimKind, ClaimVerdict, RecordedValues, ValueRow, VerifyTotals};

/// The report as text, with so many loops and values; 0 is all.
pub fn print_values(report: &RecordedValues, top: usize, width: usize) -> String {
    let most = if top == 0 { usize::MAX } else { top };
    let mut out = String::new();
    let (loops, values): (Vec<_>, Vec<_>) = report.rows.iter().partition(|row| row.is_loop());
    if !loops.is_empty() {
        print_loops(report, &loops, most, width, &mut out);
    }
    if !values.is_empty() {
        print_single(&values, most, width, &mut out);
    }
    if loops.is_empty() && values.is_empty() {
        out += "no loop and no value was found to record\n";
    }
    if let Some(totals) = &report.verify {
        print_verify(report, totals, &mut out);
    }
    print_whole(report, &mut out);
    for refused in &report.refused {
        let place = refused
            .file
            .as_ref()
            .map_or(format!("%{}", refused.text), |file| format!("{file}:{}", refused.line));
        _ = writeln!(
            out,
            "{}",
            paint(
                DIM,
                format!("not recorded: {place} in {}: {}", shown_name(&refused.function), refused.reason)
            )
        );
    }
    print_remarks(report, &mut out);
    out
}

fn print_single(values: &[&ValueRow], most: usize, width: usize, out: &mut String) {
    for row in values.iter().take(most) {
        _ = writeln!(
            out,
            "{}  {}  {}",
            paint(STRONG, place(row)),
            shown_name(&row.function),
            cut(&printable(&row.text), width.saturating_sub(width_of(&place(row)) + 20))
        );
        let Some([least, middle, greatest]) = row.range else {
            out.push_str("  never computed\n");
            continue;
        };
        let as_text = |value| number(row.meaning, value);
        _ = writeln!(
            out,
            "  {}, {}{}; min {}, median {}, max {}",
            counted(row.complete, "time"),
            if row.rough.is_empty() { "" } else { "more than " },
            counted(row.values.len(), "value"),
            as_text(least),
            as_text(middle),
            as_text(greatest),
        );
        let mut common: Vec<&(i64, u64)> = row.values.iter().collect();
        common.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
        let all = row.recorded.max(1);
        for (value, count) in common.iter().take(10) {
            let bar = crate::kit::numbers::bar(*count as f64 / all as f64, 30);
            _ = writeln!(out, "  {:>20}  {:>11}  {bar}", as_text(*value), grouped(count));
        }
        if common.len() > 10 {
            _ = writeln!(
                out,
                "{}",
                paint(
                    DIM,
                    format!(
                        "  … {} more {} (--histogram FILE.svg, --json)",
                        common.len() - 10,
                        noun(common.len() - 10, "value")
                    )
                )
            );
        }
    }
    if values.len() > most {
        _ = writeln!(
            out,
            "{}",
            paint(
                DIM,
                format!(
                    "… {} more {} (--top 0 shows all)",
                    values.len() - most,
                    noun(values.len() - most, "value")
                )
            )
        );
    }
}

fn print_verify(report: &RecordedValues, totals: &VerifyTotals, out: &mut String) {
    let verdicts = listed([
        part(totals.held, "held"),
        part(totals.not_entered, "not verified (never entered)"),
        part(totals.wrong, "wrong"),
        part(totals.assumption_violated, "with an assumption violated"),
        part(totals.not_checked, "not checked"),
    ]);
    let without = (totals.no_claim > 0).then(|| counted(totals.no_claim, "loop") + " without a claim");
    let all: Vec<String> = verdicts.into_iter().chain(without).collect();
    _ = writeln!(out, "claims: {}", if all.is_empty() { "none".to_owned() } else { all.join("; ") });
    print_unchecked(report, out);
    for row in &report.rows {
        let Some(claim) = &row.claim else { continue };
        if let (ClaimVerdict::Wrong | ClaimVerdict::AssumptionViolated, Some(first)) =
            (claim.verdict, claim.first_failure)
        {
            let what = if claim.kind == ClaimKind::BackEdges { "" } else { "at most " };
            let rests = if claim.assumes.is_empty() {
                String::new()
            } else {
                format!(", assuming {}", claim.assumes.join(", "))
            };
            _ = writeln!(
                out,
                "{} {} in {}: entry {} turned {}, claimed were {what}{}{rests} ({}; {} of {})",
                paint(
                    BAD,
                    if claim.verdict == ClaimVerdict::Wrong { "wrong:" } else { "assumption violated:" }
                ),
                place(row),
                shown_name(&row.function),
                first.entry,
                counted(first.iterations, "time"),
                grouped(first.claimed),
                printable(&claim.text),
                claim.failed,
                counted(claim.failed + claim.held, "activation"),
            );
        }
    }
}

/// What `opcost loops` says of the whole program, and how it fared.
fn print_whole(report: &RecordedValues, out: &mut String) {
    match &report.whole {
        None => {}
        Some(Err(reason)) => {
            let text = format!("what opcost loops says of the whole program was not held: {reason}");
            _ = writeln!(out, "{}", paint(DIM, text));
        }
        Some(Ok(totals)) => {
            let verdicts = listed([
                part(totals.held, "held"),
                part(totals.not_entered, "not verified (never entered)"),
                part(totals.wrong, "wrong"),
                part(totals.assumption_violated, "with an assumption violated"),
                part(totals.not_checked, "not checked"),
            ]);
            let numbers = verdicts.map(|verdicts| format!("numbers of loops: {verdicts}"));
            let others = listed([
                part(totals.formulas, "with a formula and no number"),
                part(totals.no_claim, "without a claim"),
                part(totals.unmatched, "not found in the whole program"),
            ]);
            let others = others.map(|others| format!("other loops: {others}"));
            let all: Vec<String> = numbers.into_iter().chain(others).collect();
            let all = if all.is_empty() { "no loops".to_owned() } else { all.join("; ") };
            _ = writeln!(out, "whole program ({} world): {all}", totals.world);
        }
    }
    for row in &report.rows {
        let Some(whole) = &row.whole else { continue };
        let Some(failure) = &whole.failure else { continue };
        let is_wrong = whole.verdict == ClaimVerdict::Wrong;
        let word = paint(BAD, if is_wrong { "wrong:" } else { "assumption violated:" });
        let rests = match &whole.assumes[..] {
            [] => String::new(),
            assumes => format!(", assuming {}", assumes.join(", ")),
        };
        _ = writeln!(
            out,
            "{word} {} in {}, of the whole program: {failure}{rests}",
            place(row),
            shown_name(&row.function)
        );
    }
}

/// Why claims were not checked, the most frequent reason first, each with some places.
fn print_unchecked(report: &RecordedValues, out: &mut String) {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in &report.rows {
        let Some(claim) = &row.claim else { continue };
        if let (ClaimVerdict::NotChecked, Some(reason)) = (claim.verdict, &claim.reason) {
            reasons.entry(reason).or_default().push(place(row));
        }
    }
    let mut reasons: Vec<(&str, Vec<String>)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    for (reason, places) in reasons {
        let more = places.len().saturating_sub(4);
        let shown = places[..places.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        _ = writeln!(out, "{}", paint(DIM, format!("not checked: {reason} ({shown}{more})")));
    }
}

fn print_remarks(report: &RecordedValues, out: &mut String) {
    let mut remark = |text: String| _ = writeln!(out, "{}", paint(DIM, text));
    if report.sample > 1 {
        remark(format!(
            "sampled: every {}. value of each point; numbers of activations and iterations are exact",
            report.sample
        ));
    }
    if report.rows.iter().any(|row| !row.rough.is_empty()) {
        remark(format!(
            "the histogram of some points is coarse where it is full: {} of {} bytes are used (--memory gives more)",
            grouped(report.memory.0),
            grouped(report.memory.1)
        ));
    }
    if report.rows.iter().any(|row| row.stride > 1) {
        remark("the sequence of some points is thinned: every n-th value (--memory keeps more)".to_owned());
    }
    if report.processes > 1 {
        remark(format!(
            "{} processes recorded; what children went on with is counted once",
            report.processes
        ));
    }
    for text in &report.remarks {
        remark(text.clone());
    }
    if let Some(ending) = ending(report) {
        remark(ending);
    }
}

//! Which code is there several times, as text: calls that were inlined, joins, bodies of loops.
//!
//! Cost: the copies.

use std::fmt::Write;

use opcost_answer::names::shown_name;
use opcost_answer::numbers::{counted, grouped};
use opcost_answer::tune::Tuned;

use super::report::{FUNCTIONS, TuneReport};
use crate::kit::style::{BAD, cut, paint, printable};

/// Which calls are no calls any more.
pub(super) fn print_inlined(report: &TuneReport<'_>, width: usize, text: &mut String) {
    let mut calls: Vec<_> = report.tuned.inlined.iter().collect();
    if calls.is_empty() {
        return;
    }
    calls.sort_by_key(|call| std::cmp::Reverse(call.executions));
    let _ = writeln!(text, "\ninline: {} replaced by the called code", counted(calls.len(), "hot call"));
    let _ = writeln!(text, "{:>14}  callee, in caller, location", "calls");
    let shown = if report.explain { calls.len() } else { FUNCTIONS };
    for call in calls.iter().take(shown) {
        let location = call.location.as_ref().map_or_else(String::new, |location| format!(", {location}"));
        let (callee, caller) = (shown_name(&call.callee), shown_name(&call.caller));
        let line = format!("{:>14}  {callee}, in {caller}{location}", grouped(call.executions));
        let _ = writeln!(text, "{}", cut(&printable(&line), width));
    }
    print_more(calls.len(), shown, text);
}

/// Which loops have their bodies several times.
pub(super) fn print_unrolled(report: &TuneReport<'_>, width: usize, text: &mut String) {
    let mut loops: Vec<_> = report.tuned.unrolled.iter().collect();
    if loops.is_empty() {
        return;
    }
    loops.sort_by_key(|one| std::cmp::Reverse(one.iterations));
    let done = loops.iter().filter(|one| one.is_done).count();
    let _ = writeln!(
        text,
        "\nunroll: {} of {} that go on have their bodies several times",
        grouped(done),
        counted(loops.len(), "loop")
    );
    let _ = writeln!(text, "{:>14} {:>14} {:>7}  location, function", "iterations", "activations", "copies");
    let shown = if report.explain { loops.len() } else { FUNCTIONS };
    for one in loops.iter().take(shown) {
        let location = one.location.as_ref().map_or_else(String::new, |location| format!("{location}, "));
        let copies = match (one.requested, one.is_done) {
            (Some(copies), true) => copies.to_string(),
            // Vectorised, fully unrolled, without a trip count, or too large.
            (None, _) => "LLVM's".to_owned(),
            (Some(_), false) => "refused".to_owned(),
        };
        let line = format!(
            "{:>14} {:>14} {copies:>7}  {location}{}",
            grouped(one.iterations),
            grouped(one.activations),
            shown_name(&one.function)
        );
        let _ = writeln!(text, "{}", cut(&printable(&line), width));
    }
    print_more(loops.len(), shown, text);
}

fn print_more(rows: usize, shown: usize, text: &mut String) {
    if rows > shown {
        let _ = writeln!(text, "  and {} more (--explain lists all)", rows - shown);
    }
}

/// What a run says of counts that were divided.
pub(super) fn print_conserved(tuned: &Tuned, text: &mut String) {
    match tuned.conserved {
        Some(one) if one.blocks == 0 => {
            let _ = writeln!(text, "nothing to verify: no count was divided, all were counted again");
        }
        Some(one) if one.equal == one.blocks => {
            let words = format!("verified: {} ran as often as it was tuned by", counted(one.blocks, "block"));
            let _ = writeln!(text, "{words}");
        }
        Some(one) => {
            let words = format!(
                "{} of {} did not run as often as it was tuned by, {} of {} executions of copies",
                grouped(one.blocks - one.equal),
                counted(one.blocks, "block"),
                grouped(one.wrong_in_copies),
                grouped(one.copied_executions)
            );
            let _ = writeln!(text, "{}", paint(BAD, words));
        }
        None => {}
    }
}

/// Which blocks are there twice.
pub(super) fn print_splits(report: &TuneReport<'_>, width: usize, text: &mut String) {
    let copied = &report.tuned.copied;
    if copied.is_empty() {
        return;
    }
    let copies: usize = copied.iter().map(|function| function.copies.len()).sum();
    let _ = writeln!(
        text,
        "\nsplit: {} copied for a way in, in {}",
        counted(copies, "hot join"),
        counted(copied.len(), "function"),
    );
    let _ = writeln!(text, "{:>14} {:>14}  location, function", "copy runs", "of");
    let mut rows: Vec<_> =
        copied.iter().flat_map(|one| one.copies.iter().map(|copy| (copy, &one.name))).collect();
    rows.sort_by_key(|(copy, _)| std::cmp::Reverse(copy.executions));
    let shown = if report.explain { rows.len() } else { FUNCTIONS };
    for (copy, name) in rows.iter().take(shown) {
        let location = copy.location.as_ref().map_or_else(String::new, |location| format!("{location}, "));
        let line = format!(
            "{:>14} {:>14}  {location}{}",
            copy.executions.map_or_else(|| "counted again".to_owned(), grouped),
            grouped(copy.of),
            shown_name(name)
        );
        let _ = writeln!(text, "{}", cut(&printable(&line), width));
    }
    print_more(rows.len(), shown, text);
}

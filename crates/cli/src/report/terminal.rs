//! The report on the terminal: what one wants to see first, first.

use std::fmt::Write;

use super::{CountReport, Verdict, bar, demangle, grouped};
use crate::run::{Finish, Quality};

/// Cells of a full bar.
const BAR_WIDTH: usize = 14;
/// Longest name shown whole.
const NAME_WIDTH: usize = 44;

/// The whole report of `opcost count`.
pub(crate) fn print_count(report: &CountReport, top: usize) -> String {
    let mut out = String::new();
    headline(report, &mut out);
    functions(report, top, &mut out);
    unseen(report, &mut out);
    notes(report, &mut out);
    out
}

fn headline(report: &CountReport, out: &mut String) {
    let facts = &report.facts;
    let flags = facts.flags.join(" ");
    let quality = match &report.quality {
        Quality::Exact => "exact",
        Quality::LowerBound(_) => "at least",
    };
    let _ = writeln!(
        out,
        "{} instructions   {} · {} {flags} · {quality}",
        grouped(report.summary.weight),
        facts.cost_model,
        facts.compiler
    );
    if report.processes > 1 {
        let _ = writeln!(out, "  in {} processes", report.processes);
    }
}

fn functions(report: &CountReport, top: usize, out: &mut String) {
    let total = report.summary.weight;
    let mut functions: Vec<_> =
        report.summary.functions.iter().filter(|function| function.calls > 0).collect();
    functions.sort_by(|a, b| b.instructions.cmp(&a.instructions).then_with(|| a.name.cmp(&b.name)));
    let shown = &functions[..functions.len().min(top)];
    let width = shown.iter().map(|function| demangle(&function.name).chars().count()).max().unwrap_or(0);
    let width = width.min(NAME_WIDTH);
    for function in shown {
        let share = if total == 0 { 0.0 } else { function.instructions as f64 / total as f64 };
        let place =
            function.place.as_ref().map_or(String::new(), |place| format!("{}:{}", place.file, place.line));
        let calls = if function.calls == 1 { "call" } else { "calls" };
        let _ = writeln!(
            out,
            "{:5.1} % {:<BAR_WIDTH$} {:<width$}  {:<24} {} {calls}",
            share * 100.0,
            bar(share, BAR_WIDTH),
            shortened(&demangle(&function.name), width),
            place,
            grouped(function.calls),
        );
    }
    if functions.len() > shown.len() {
        let rest: u128 = functions[shown.len()..].iter().map(|function| function.instructions).sum();
        let share = if total == 0 { 0.0 } else { rest as f64 / total as f64 };
        let _ = writeln!(out, "{:5.1} % in {} more functions", share * 100.0, functions.len() - shown.len());
    }
}

/// A name cut in the middle to fit.
fn shortened(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    let head = width * 2 / 3;
    let tail = width - head - 1;
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

fn unseen(report: &CountReport, out: &mut String) {
    let calls = &report.summary.calls;
    let mut named: Vec<_> =
        calls.external.iter().chain(&calls.memory).filter(|call| call.calls > 0).collect();
    if named.is_empty() {
        return;
    }
    named.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.name.cmp(&b.name)));
    let mut parts: Vec<String> = named
        .iter()
        .take(6)
        .map(|call| format!("{} {}", demangle(&call.name), grouped(call.calls)))
        .collect();
    if named.len() > 6 {
        let rest: u128 = named[6..].iter().map(|call| call.calls).sum();
        parts.push(format!("{} others {}", named.len() - 6, grouped(rest)));
    }
    let _ = writeln!(out, "not seen inside (calls): {}", parts.join(" · "));
}

fn notes(report: &CountReport, out: &mut String) {
    if let Quality::LowerBound(reasons) = &report.quality {
        for reason in reasons {
            let _ = writeln!(out, "not exact: {reason}");
        }
    }
    if !report.facts.has_lines {
        let _ = writeln!(out, "no debug information: functions are shown without lines (build with -g)");
    }
    if let Some(repetition) = &report.repetition {
        let _ = writeln!(out, "{repetition}");
    }
    match report.finish {
        Finish::Exited(0) => {}
        Finish::Exited(status) => {
            let _ = writeln!(out, "the program exited with status {status}");
        }
        Finish::Killed(signal) => {
            let _ = writeln!(out, "signal {signal} ended the program");
        }
    }
    match report.verdict {
        Verdict::None => {}
        Verdict::Within { budget } => {
            let _ = writeln!(out, "within the budget of {}", grouped(budget));
        }
        Verdict::Over { budget } => {
            let over = report.summary.weight - budget;
            let _ = writeln!(out, "over the budget of {} by {}", grouped(budget), grouped(over));
        }
    }
    if !report.next.is_empty() {
        let _ = writeln!(out, "next: {}", report.next.join("   ·   "));
    }
}

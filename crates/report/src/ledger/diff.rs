//! What changed between two ledgers, for a person.
//!
//! `profile::diff` has compared; here are only differences and shares of
//! them. A line is told by where it is now, and by where it was if that is another place.

use std::fmt::Write;

use opcost_profile::SourcePlace;
use opcost_profile::diff::{
    CountChange, Diff, DiffVerdict, FunctionDiff, LineDiff, OutsideDiff, UnalignedFile,
};

use crate::kit::numbers::{counted, grouped, noun};
use crate::kit::style::{BAD, DIM, GOOD, STRONG, cut_name, cut_start, paint, width_of};
use opcost_answer::names::{shown_name, tidy_path};

/// Two ledgers compared, with their names.
pub struct DiffReport {
    /// Path of the ledger that was compared with, as it was given.
    pub before: String,
    /// Path of the ledger that was compared, as it was given.
    pub after: String,
    /// What changed from the first to the second.
    pub diff: Diff,
    /// How sure the numbers are.
    pub certainty: DiffCertainty,
}

/// How sure the numbers of two ledgers are: as the worst of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiffCertainty {
    /// All are exact.
    Exact,
    /// Some are made of samples.
    Estimated,
    /// Some may be too low, or are not known.
    LowerBounds,
}

impl DiffReport {
    /// What happened to the program as a whole.
    pub fn verdict(&self) -> DiffVerdict {
        let CountChange { before, after } = self.diff.total;
        let changed = |function: &FunctionDiff| function.verdict != DiffVerdict::Same;
        match (before, after) {
            _ if self.certainty != DiffCertainty::Exact => DiffVerdict::Unsure,
            _ if after > before => DiffVerdict::MoreWork,
            _ if after < before => DiffVerdict::LessWork,
            _ if self.diff.functions.iter().any(changed) => DiffVerdict::SameWorkOtherCode,
            _ => DiffVerdict::Same,
        }
    }

    pub(super) fn with(&self, verdict: DiffVerdict) -> Vec<&FunctionDiff> {
        let mut functions: Vec<_> =
            self.diff.functions.iter().filter(|function| function.verdict == verdict).collect();
        functions.sort_by_key(|function| std::cmp::Reverse(magnitude(function.instructions)));
        functions
    }
}

fn magnitude(change: CountChange) -> u128 {
    change.after.unwrap_or(0).abs_diff(change.before.unwrap_or(0))
}

/// `+1,204` or `-1,204` or `0`.
fn signed(change: CountChange) -> String {
    let sign = match (change.before.unwrap_or(0), change.after.unwrap_or(0)) {
        (before, after) if after > before => "+",
        (before, after) if after < before => "-",
        _ => "",
    };
    format!("{sign}{}", grouped(magnitude(change)))
}

/// `+10.3 %` of what was before; nothing where nothing was.
fn relative(change: CountChange) -> String {
    match (change.before, change.after) {
        (Some(before), Some(after)) if before > 0 => {
            format!("{:+.1} %", (after as f64 - before as f64) / before as f64 * 100.0)
        }
        _ => String::new(),
    }
}

fn number(count: Option<u128>) -> String {
    count.map_or("–".to_owned(), grouped)
}

/// The comparison as text.
pub fn print_diff(report: &DiffReport, top: usize, width: usize) -> String {
    let mut out = String::new();
    headline(report, &mut out);
    for (verdict, title) in [
        (DiffVerdict::MoreWork, "more work"),
        (DiffVerdict::LessWork, "less work"),
        (DiffVerdict::MovedWork, "same work, inlined elsewhere"),
        (DiffVerdict::New, "new"),
        (DiffVerdict::Removed, "gone"),
    ] {
        table(&report.with(verdict), title, top, width, &mut out);
    }
    let in_one_line = [
        DiffVerdict::Moved,
        DiffVerdict::SameWorkOtherCode,
        DiffVerdict::SameTotalOtherFlow,
        DiffVerdict::Unsure,
    ];
    for verdict in in_one_line {
        names(&report.with(verdict), &verdict.to_string(), top, &mut out);
    }
    let same = report.with(DiffVerdict::Same).len();
    if same > 0 {
        let functions = if same == 1 { "function" } else { "functions" };
        let _ = writeln!(out, "{}", paint(DIM, format!("{same} {functions} unchanged")));
    }
    outside(report, top, &mut out);
    lines(&report.diff.lines, top, width, &mut out);
    unaligned(report, top, &mut out);
    out
}

fn headline(report: &DiffReport, out: &mut String) {
    let total = report.diff.total;
    let verdict = report.verdict();
    let style = match verdict {
        DiffVerdict::MoreWork | DiffVerdict::Unsure => BAD,
        DiffVerdict::LessWork | DiffVerdict::Same => GOOD,
        _ => STRONG,
    };
    let _ = writeln!(
        out,
        "{} → {} {}   {} {}   {}",
        number(total.before),
        paint(STRONG, number(total.after)),
        noun(number(total.after), "instruction"),
        signed(total),
        relative(total),
        paint(style, verdict),
    );
    for unlike in &report.diff.unlike {
        let _ = writeln!(out, "{} {unlike}", paint(BAD, "not alike:"));
    }
    match report.certainty {
        DiffCertainty::Exact => {}
        DiffCertainty::Estimated => {
            let _ =
                writeln!(out, "counts made of samples: two runs of one program differ by some per cent, too");
        }
        DiffCertainty::LowerBounds => {
            let _ = writeln!(out, "some counts are lower bounds, so they say neither more nor less");
        }
    }
}

fn table(functions: &[&FunctionDiff], title: &str, top: usize, width: usize, out: &mut String) {
    if functions.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", paint(STRONG, format!("{title}: {}", functions.len())));
    let shown = &functions[..functions.len().min(top)];
    let widest = shown.iter().map(|function| signed(function.instructions).len()).max().unwrap_or(0);
    for function in shown {
        let CountChange { before, after } = function.instructions;
        let place = function.place.as_ref();
        let place = place.map_or(String::new(), |at| format!("  {}:{}", tidy_path(&at.file), at.line));
        let calls = if function.calls.is_none() {
            String::new()
        } else {
            format!("  calls {} → {}", number(function.calls.before), number(function.calls.after))
        };
        let figures = format!("({} → {}){calls}", number(before), number(after));
        let room = width.saturating_sub(widest + 14).max(20);
        let _ = writeln!(
            out,
            "  {:>widest$} {:>9}  {}{}  {}",
            signed(function.instructions),
            relative(function.instructions),
            cut_name(&shown_name(&function.key.name), room),
            paint(DIM, cut_start(&place, room)),
            paint(DIM, figures),
        );
    }
    if functions.len() > shown.len() {
        let _ = writeln!(out, "  and {} more (--top N)", functions.len() - shown.len());
    }
}

fn names(functions: &[&FunctionDiff], title: &str, top: usize, out: &mut String) {
    if functions.is_empty() {
        return;
    }
    let shown: Vec<String> = functions.iter().take(top).map(|function| both_names(function)).collect();
    let more =
        if functions.len() > top { format!(", and {} more", functions.len() - top) } else { String::new() };
    let title = paint(STRONG, format!("{title}: {}", functions.len()));
    let _ = writeln!(out, "{title}   {}{more}", shown.join(", "));
}

/// The name, after the one that it had before.
fn both_names(function: &FunctionDiff) -> String {
    let now = shown_name(&function.key.name);
    match &function.was {
        None => now,
        Some(was) if was.name != function.key.name => format!("{} → {now}", shown_name(&was.name)),
        Some(was) => format!("{now} (from {})", tidy_path(was.module.as_deref().unwrap_or("another file"))),
    }
}

/// Calls that are new, of functions whose work is not counted.
fn outside(report: &DiffReport, top: usize, out: &mut String) {
    let new: Vec<&OutsideDiff> =
        report.diff.outside.iter().filter(|it| it.calls.after > it.calls.before).collect();
    if new.is_empty() {
        return;
    }
    let shown: Vec<String> =
        new.iter().take(top).map(|it| format!("{} {}", shown_name(&it.name), signed(it.calls))).collect();
    let more = if new.len() > top { format!(", and {} more", new.len() - top) } else { String::new() };
    let _ = writeln!(
        out,
        "{}   {}{more}",
        paint(STRONG, "more calls into code that is not counted:"),
        shown.join(", ")
    );
}

fn lines(lines: &[LineDiff], top: usize, width: usize, out: &mut String) {
    let mut lines: Vec<&LineDiff> = lines.iter().collect();
    if lines.is_empty() {
        return;
    }
    lines.sort_by_key(|line| std::cmp::Reverse(magnitude(line.instructions)));
    let _ = writeln!(out, "{}", paint(STRONG, format!("lines: {}", lines.len())));
    let shown = &lines[..lines.len().min(top)];
    let widest = shown.iter().map(|line| signed(line.instructions).len()).max().unwrap_or(0);
    for line in shown {
        let room = width.saturating_sub(widest + 14);
        let remark = remark(line);
        let place = line.place().map_or(String::new(), shown_place);
        let _ = writeln!(
            out,
            "  {:>widest$} {:>9}  {}{}",
            signed(line.instructions),
            relative(line.instructions),
            cut_start(&place, room.saturating_sub(width_of(&remark)).max(20)),
            paint(DIM, remark)
        );
    }
    if lines.len() > shown.len() {
        let _ = writeln!(out, "  and {} more (--top N)", lines.len() - shown.len());
    }
}

fn shown_place(place: &SourcePlace) -> String {
    format!("{}:{}", tidy_path(&place.file), place.line)
}

/// What became of a line, after its place.
fn remark(line: &LineDiff) -> String {
    let (before, after) = match (&line.before, &line.after) {
        (Some(before), Some(after)) => (before, after),
        (None, _) => return "  new".to_owned(),
        (_, None) => return "  gone".to_owned(),
    };
    let rewritten = if line.is_rewritten { "  rewritten" } else { "" };
    match () {
        () if before == after => rewritten.to_owned(),
        () if before.file == after.file => format!("{rewritten}  was line {}", before.line),
        () => format!("{rewritten}  was {}", shown_place(before)),
    }
}

/// Files whose lines were not compared, and what to do about it.
fn unaligned(report: &DiffReport, top: usize, out: &mut String) {
    let files = &report.diff.unaligned;
    if files.is_empty() {
        return;
    }
    let shown: Vec<String> = files
        .iter()
        .take(top)
        .map(|file| format!("{} ({})", tidy_path(&file.file), counted(file.lines as u128, "line")))
        .collect();
    let more = if files.len() > top { format!(", and {} more", files.len() - top) } else { String::new() };
    let title = paint(BAD, "lines that are not compared:");
    let _ = writeln!(out, "{title} {}{more}", shown.join(", "));
    let silent = |tells: fn(&UnalignedFile) -> bool| files.iter().any(|file| !tells(file));
    let silent_before = silent(|file| file.before_has_text).then_some(report.before.as_str());
    let silent_after = silent(|file| file.after_has_text).then_some(report.after.as_str());
    let who: Vec<&str> = silent_before.into_iter().chain(silent_after).collect();
    let verb = if who.len() == 1 { "does" } else { "do" };
    let _ = writeln!(
        out,
        "  {} {verb} not tell what is written on them, so they may be any lines of these files;\n  \
         count again where the sources are, with DWARF 5 (without -gdwarf-4 and #line)",
        who.join(" and ")
    );
}

//! What changed between two ledgers, for a person and (`opcost.diff/1`) for a
//! machine.
//!
//! `profile::diff` has compared; here are only differences and shares of
//! them. Lines compare by file and number, so lines below an insertion show
//! as changed; functions do not.

use std::fmt::Write;

use opcost_profile::diff::{CountChange, Diff, DiffVerdict, FunctionDiff, LineDiff, OutsideDiff};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::grouped;
use crate::kit::style::{BAD, DIM, GOOD, STRONG, cut_name, cut_start, paint};
use opcost_answer::names::{demangle, shown_name, tidy_path};

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

    fn with(&self, verdict: DiffVerdict) -> Vec<&FunctionDiff> {
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
        (DiffVerdict::Gone, "gone"),
    ] {
        table(&report.with(verdict), title, top, width, &mut out);
    }
    let in_one_line = [
        DiffVerdict::Moved,
        DiffVerdict::SameWorkOtherCode,
        DiffVerdict::SameTotalOtherWay,
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
        "{} → {} instructions   {} {}   {}",
        number(total.before),
        paint(STRONG, number(total.after)),
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
            cut_name(&shown_name(&function.name), room),
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

/// The name, behind the one that it had before.
fn both_names(function: &FunctionDiff) -> String {
    let now = shown_name(&function.name);
    match &function.was {
        None => now,
        Some(was) if *was.name != *function.name => format!("{} → {now}", shown_name(&was.name)),
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
    let title = paint(STRONG, format!("lines: {}", lines.len()));
    let _ = writeln!(out, "{title}   {}", paint(DIM, "by number: lines below an insertion differ too"));
    let shown = &lines[..lines.len().min(top)];
    let widest = shown.iter().map(|line| signed(line.instructions).len()).max().unwrap_or(0);
    for line in shown {
        let place = format!("{}:{}", tidy_path(&line.at.file), line.at.line);
        let _ = writeln!(
            out,
            "  {:>widest$} {:>9}  {}",
            signed(line.instructions),
            relative(line.instructions),
            cut_start(&place, width.saturating_sub(widest + 14))
        );
    }
    if lines.len() > shown.len() {
        let _ = writeln!(out, "  and {} more (--top N)", lines.len() - shown.len());
    }
}

/// What changed.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.diff/1")]
pub struct DiffJson {
    /// Always `opcost.diff/1`.
    #[schemars(extend("const" = "opcost.diff/1"))]
    schema: &'static str,
    /// The file that was compared with.
    before: String,
    /// The file that was compared.
    after: String,
    /// `more work`, `less work`, `same work with different code`, `same`, or `unsure`.
    verdict: String,
    total: ChangeJson,
    /// What was not alike; empty unless the comparison was forced.
    unlike: Vec<UnlikeJson>,
    /// Functions that differ.
    functions: Vec<FunctionJson>,
    /// How many functions are the same in both.
    unchanged: usize,
    /// Lines that differ, by number.
    lines: Vec<LineJson>,
    /// Functions that are not counted (of libraries), where the number of calls differs.
    outside: Vec<OutsideJson>,
}

#[derive(Serialize, JsonSchema)]
struct OutsideJson {
    name: String,
    calls: ChangeJson,
}

/// A number on both sides; null where there is no such thing.
#[derive(Serialize, JsonSchema)]
struct ChangeJson {
    before: Option<u128>,
    after: Option<u128>,
}

#[derive(Serialize, JsonSchema)]
struct UnlikeJson {
    /// `compiler`, `flags`, `target`, `cost model` or `number of runs`.
    what: &'static str,
    before: String,
    after: String,
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson {
    name: String,
    linkage_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    /// What it was called before, if that was something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    /// `more work`, `less work`, `same work with different code`, `same total by another way`, `moved`,
    /// `same work, inlined elsewhere`, `unsure`, `new`, `gone`.
    verdict: String,
    calls: ChangeJson,
    instructions: ChangeJson,
    /// Blocks whose counts differ; null where anchor or shape differ.
    blocks: Option<Vec<BlockJson>>,
}

#[derive(Serialize, JsonSchema)]
struct BlockJson {
    /// Its number in the function: `block3`.
    block: String,
    before: Option<u128>,
    after: Option<u128>,
}

#[derive(Serialize, JsonSchema)]
struct LineJson {
    file: String,
    line: u32,
    before: Option<u128>,
    after: Option<u128>,
}

impl From<CountChange> for ChangeJson {
    fn from(change: CountChange) -> ChangeJson {
        ChangeJson { before: change.before, after: change.after }
    }
}

impl DiffJson {
    /// The document.
    pub fn new(report: &DiffReport) -> DiffJson {
        let diff = &report.diff;
        let unlike = diff.unlike.iter().map(|unlike| UnlikeJson {
            what: unlike.what,
            before: unlike.before.clone(),
            after: unlike.after.clone(),
        });
        let changed = diff.functions.iter().filter(|function| function.verdict != DiffVerdict::Same);
        let lines = diff.lines.iter().map(|line| LineJson {
            file: line.at.file.to_string(),
            line: line.at.line,
            before: line.instructions.before,
            after: line.instructions.after,
        });
        let outside =
            diff.outside.iter().map(|it| OutsideJson { name: demangle(&it.name), calls: it.calls.into() });
        DiffJson {
            schema: "opcost.diff/1",
            before: report.before.clone(),
            after: report.after.clone(),
            verdict: report.verdict().to_string(),
            total: diff.total.into(),
            unlike: unlike.collect(),
            functions: changed.map(FunctionJson::new).collect(),
            unchanged: report.with(DiffVerdict::Same).len(),
            lines: lines.collect(),
            outside: outside.collect(),
        }
    }
}

impl FunctionJson {
    fn new(function: &FunctionDiff) -> FunctionJson {
        let block = |(block, change): &(u32, CountChange)| BlockJson {
            block: format!("block{block}"),
            before: change.before,
            after: change.after,
        };
        FunctionJson {
            name: demangle(&function.name),
            linkage_name: function.name.clone(),
            module: function.module.clone(),
            was: function.was.as_ref().map(|was| demangle(&was.name)),
            file: function.place.as_ref().map(|place| place.file.to_string()),
            line: function.place.as_ref().map(|place| place.line),
            verdict: function.verdict.to_string(),
            calls: function.calls.into(),
            instructions: function.instructions.into(),
            blocks: function.blocks.as_ref().map(|blocks| blocks.iter().map(block).collect()),
        }
    }
}

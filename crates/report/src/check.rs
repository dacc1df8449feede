//! What a check found: text, a job summary, annotations, `opcost.check/1`.
//!
//! A run has a verdict by its limits, and a change by what was recorded (`change`): a count within its
//! tolerance that is another one is other code. Functions are printed where they say why.

mod github;
mod json;

use std::fmt::Write;

pub use github::print_github;
pub use json::CheckJson;

use crate::kit::numbers::{counted, grouped};
use crate::kit::style::{BAD, DIM, GOOD, STRONG, paint};
use opcost_answer::Status;
use opcost_answer::check::{
    CheckVerdict, CheckedFunction, CheckedRun, CheckedRuns, FunctionFate, RecordedTotal,
};
use opcost_answer::names::tidy_path;
use opcost_answer::run::Finish;

fn within_limits(report: &CheckedRuns) -> usize {
    report.runs.iter().filter(|run| run.verdict == CheckVerdict::Within).count()
}

pub(super) fn summary(report: &CheckedRuns) -> String {
    let runs = if report.runs.len() == 1 { "run" } else { "runs" };
    match report.runs.len() - within_limits(report) {
        0 => format!("all limits kept: {} {runs} of {}", report.runs.len(), report.file),
        broken => format!("{broken} of {} {runs} of {} not within limits", report.runs.len(), report.file),
    }
}

/// What is to be said of it, if anything.
fn remark(function: &CheckedFunction, tolerance: u128) -> Option<String> {
    let does = || format!("by itself {}", counted(function.instructions, "instruction"));
    let limit = function.limit.map(|limit| grouped(limit.most)).unwrap_or_default();
    match (&function.fate, function.over(), function.recorded) {
        (FunctionFate::Renamed(name), None, _) => Some(format!("is now {name}")),
        (FunctionFate::Absent, ..) => Some(format!(
            "is not there by that name: inlined, removed or rewritten; it did {} by itself",
            grouped(function.recorded.unwrap_or_default())
        )),
        (FunctionFate::TakesOver, Some(over), _) => {
            Some(format!("{} of {limit}, {} more by functions that are inlined", does(), grouped(over)))
        }
        (_, Some(over), _) => Some(format!("{} of {limit}, {} over", does(), grouped(over))),
        (_, None, Some(recorded)) if function.instructions.abs_diff(recorded) > tolerance => {
            let sign = if function.instructions > recorded { "more" } else { "less" };
            let change = grouped(function.instructions.abs_diff(recorded));
            Some(format!("{}, {change} {sign} than {}", does(), grouped(recorded)))
        }
        _ => None,
    }
}

/// Functions of which there is something to say, with that.
pub(super) fn remarks(run: &CheckedRun) -> Vec<(&CheckedFunction, String)> {
    if run.counted.is_none() || matches!(run.verdict, CheckVerdict::Refused(_)) {
        return Vec::new();
    }
    let tolerance = run.recorded_total.map_or(0, |recorded| recorded.tolerance);
    let said = |function| Some((function, remark(function, tolerance)?));
    let mut remarks: Vec<_> = run.functions.iter().filter_map(said).collect();
    remarks.sort_by_key(|(function, _)| !function.breaks());
    remarks
}

pub(super) fn word(run: &CheckedRun) -> &'static str {
    match run.verdict {
        CheckVerdict::Within => "within",
        CheckVerdict::Over => "over",
        CheckVerdict::ProgramFailed => "program failed",
        CheckVerdict::Refused(_) => "no verdict",
        CheckVerdict::Failed(_) | CheckVerdict::Misused(_) => "failed",
    }
}

pub(super) fn reasons(run: &CheckedRun) -> Vec<String> {
    match &run.verdict {
        CheckVerdict::Within | CheckVerdict::Over => Vec::new(),
        CheckVerdict::ProgramFailed => {
            vec![match run.counted.as_ref().and_then(|counted| counted.finish) {
                Some(Finish::Killed(signal)) => format!("signal {signal} ended the program"),
                Some(Finish::Exited(status)) => format!("the program exited with status {status}"),
                None => "the program failed".to_owned(),
            }]
        }
        CheckVerdict::Refused(reasons) => reasons.clone(),
        CheckVerdict::Failed(why) | CheckVerdict::Misused(why) => vec![why.clone()],
    }
}

pub(super) fn figures(run: &CheckedRun) -> String {
    let Some(counted) = &run.counted else { return String::new() };
    let total = grouped(counted.total);
    let limited = match (run.limit, run.over()) {
        (None, _) => total,
        (Some(limit), None) => format!("{total} of {}", grouped(limit.most)),
        (Some(limit), Some(over)) => {
            format!("{total} of {}, {} over", grouped(limit.most), grouped(over))
        }
    };
    match (run.change(), run.recorded_total) {
        (Some(change), Some(recorded)) => {
            format!("{limited}   {change}{}", difference(recorded, counted.total))
        }
        _ => limited,
    }
}

/// ` (-161,263, -21.1 %)`; nothing where nothing changed.
fn difference(recorded: RecordedTotal, total: u128) -> String {
    let change = total.abs_diff(recorded.total);
    let sign = if total > recorded.total { "+" } else { "-" };
    match (change, recorded.total) {
        (0, _) => String::new(),
        (_, 0) => format!(" ({sign}{})", grouped(change)),
        _ if change <= recorded.tolerance => {
            format!(" ({sign}{}, tolerance {})", grouped(change), grouped(recorded.tolerance))
        }
        _ => {
            let percent = change as f64 / recorded.total as f64 * 100.0;
            format!(" ({sign}{}, {sign}{percent:.1} %)", grouped(change))
        }
    }
}

fn place_of(function: &CheckedFunction) -> String {
    function.location.as_ref().map_or(String::new(), |at| format!("{}:{}", tidy_path(&at.file), at.line))
}

/// As text; after an update, `written` says whether it was carried out.
pub fn print_check(report: &CheckedRuns, written: Option<bool>) -> String {
    let mut out = String::new();
    let width = report.runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0);
    for run in &report.runs {
        let style = if run.verdict == CheckVerdict::Within { GOOD } else { BAD };
        let word = paint(style, format!("{:<14}", word(run)));
        let _ = writeln!(out, "{word} {:<width$}  {}", run.name, figures(run));
        for reason in reasons(run) {
            let _ = writeln!(out, "    {reason}");
        }
        for (function, said) in remarks(run) {
            let place =
                function.location.as_ref().map_or(String::new(), |_| format!("{}  ", place_of(function)));
            let _ =
                writeln!(out, "    {}  {}{said}", paint(STRONG, &function.listed_name), paint(DIM, place));
        }
    }
    match written {
        Some(true) => {
            let _ = writeln!(out, "{}", paint(GOOD, format!("{} holds these counts as limits", report.file)));
        }
        Some(false) => {
            let _ = writeln!(out, "{}", paint(BAD, format!("{} was not changed", report.file)));
        }
        None => {
            let style = if report.status() == Status::Fine { GOOD } else { BAD };
            let _ = writeln!(out, "{}", paint(style, summary(report)));
            if report.status() != Status::Fine {
                let _ = writeln!(
                    out,
                    "{} opcost check --update --reason \"…\"   (to accept)",
                    paint(DIM, "next:")
                );
            }
        }
    }
    out
}

/// For a job summary: one line, the table folded while all is fine.
pub fn print_markdown(report: &CheckedRuns) -> String {
    let is_fine = report.status() == Status::Fine;
    let sign = if is_fine { "✅" } else { "❌" };
    let open = if is_fine { "" } else { " open" };
    let mut out =
        format!("{sign} **opcost**: {}\n\n<details{open}><summary>counts</summary>\n\n", summary(report));
    out.push_str(
        "| run | function (by itself) | instructions | limit or recorded | verdict |\n|---|---|---:|---:|---|\n",
    );
    for run in &report.runs {
        let total = run.counted.as_ref().map_or("–".to_owned(), |counted| grouped(counted.total));
        let limit = run.limit.map_or("–".to_owned(), |limit| grouped(limit.most));
        let reasons = reasons(run);
        let said = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        let change = run.change().map_or(String::new(), |change| format!(", {change}"));
        let verdict = cell(&format!("{}{change}{said}", word(run)));
        let _ = writeln!(out, "| **{}** | all | {total} | {limit} | {verdict} |", cell(&run.name));
        for function in &run.functions {
            let verdict = match (function.limit, function.breaks()) {
                (_, true) => "over",
                (Some(_), false) => "within",
                (None, _) => "recorded",
            };
            let limit = function.limit.map(|limit| limit.most).or(function.recorded);
            let _ = writeln!(
                out,
                "| {} | `{}` | {} | {} | {verdict} |",
                cell(&run.name),
                function.listed_name.replace('|', "\\|").replace('`', "'"),
                counted(function.instructions, "instruction"),
                limit.map_or("–".to_owned(), grouped)
            );
        }
    }
    out.push_str("\n</details>\n");
    out
}

/// Text that does not end a cell of a table or begin a tag.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::{RecordedTotal, difference};

    #[test]
    fn a_difference_says_how_far_it_goes() {
        let recorded = RecordedTotal { total: 765_665, tolerance: 765 };
        for (total, words) in [
            (765_665, ""),
            (765_667, " (+2, tolerance 765)"),
            (604_402, " (-161,263, -21.1 %)"),
            (766_431, " (+766, +0.1 %)"),
        ] {
            assert_eq!(difference(recorded, total), words);
        }
    }
}

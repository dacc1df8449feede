//! What a check found: text, a job summary, annotations, `opcost.check/1`.
//!
//! A run has a verdict by its limits, and a change by what was recorded (`change`): a count within its
//! tolerance that is another one is other code. Functions are printed where they say why.

mod change;
mod github;
mod json;

use std::fmt::Write;

pub use change::{RecordedTotal, WorkChange};
pub use github::print_github;
pub use json::CheckJson;
use opcost_recover::SourceLine;

use crate::kit::numbers::{counted, grouped};
use crate::kit::style::{BAD, DIM, GOOD, STRONG, paint};
use opcost_answer::Status;
use opcost_answer::check::RecordedCheck;
use opcost_answer::names::tidy_path;
use opcost_answer::run::Finish;

/// All runs that were checked.
pub struct CheckReport {
    /// The file with the limits, as it was named.
    pub file: String,
    /// Runs that were asked for, by name; all of the file if none was named.
    pub runs: Vec<CheckedRun>,
}

/// One run.
pub struct CheckedRun {
    /// Name of the run in the file.
    pub name: String,
    /// Its line in the file.
    pub line: u32,
    /// Limit of all that it does, in units of the cost model; none if the file sets none.
    pub limit: Option<CheckLimit>,
    /// What it did when its limits were recorded.
    pub recorded_total: Option<RecordedTotal>,
    /// What was counted, if it came to that.
    pub counted: Option<CountToCheck>,
    /// Functions with a limit, and those that are recorded.
    pub functions: Vec<CheckedFunction>,
    /// Whether numbers of functions in the file were written by an earlier version.
    pub has_recorded_functions: bool,
    /// Build that the limits were recorded with; none before the first update.
    pub recorded: Option<RecordedCheck>,
    /// What is said of the run.
    pub verdict: CheckVerdict,
}

/// What a run counted.
pub struct CountToCheck {
    /// All instructions of the run, in units of the cost model.
    pub total: u128,
    /// How the program ended, if that is known.
    pub finish: Option<Finish>,
    /// Build that was counted now; its reason is empty.
    pub build: RecordedCheck,
}

/// The most that something may do, in units of the cost model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckLimit {
    /// The limit itself.
    pub most: u128,
    /// By how much a count may be above it.
    pub tolerance: u128,
    /// Its line in the file, from 1.
    pub line: u32,
}

impl CheckLimit {
    /// How much a count is above it, where that is more than the tolerance.
    fn over(self, count: u128) -> Option<u128> {
        count.checked_sub(self.most).filter(|&over| over > self.tolerance)
    }
}

/// What became of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionFate {
    /// It is there.
    Present,
    /// It has another name.
    Renamed(String),
    /// No function has its name or its body: it is inlined everywhere, removed or rewritten.
    Absent,
    /// It does what functions did that are absent.
    TakesOver,
}

/// A function that has a limit, or is recorded.
pub struct CheckedFunction {
    /// Its name in the file.
    pub listed_name: String,
    /// What became of it.
    pub fate: FunctionFate,
    /// File and line of the function, as debug information says; none without it.
    pub place: Option<SourceLine>,
    /// Instructions that the function did, in units of the cost model, without those of its
    /// callees.
    pub instructions: u128,
    /// What it did when limits were recorded, if it is recorded.
    pub recorded: Option<u128>,
    /// Limit of what it does, if somebody wrote one.
    pub limit: Option<CheckLimit>,
}

/// What is said of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// All counts are exact and within their limits.
    Within,
    /// The run or one of its functions is over its limit.
    Over,
    /// The program did not end with status 0, and that is not ignored.
    ProgramFailed,
    /// It ran, but cannot be judged, for these reasons.
    Refused(Vec<String>),
    /// It could not be built or run.
    Failed(String),
    /// The file asks for what cannot be: a flag that there is not, an input that is none.
    Misused(String),
}

impl CheckReport {
    /// The exit status: a wrong file before no verdict before a failed program before a limit.
    pub fn status(&self) -> Status {
        let any = |wanted: fn(&CheckVerdict) -> bool| self.runs.iter().any(|run| wanted(&run.verdict));
        if any(|verdict| matches!(verdict, CheckVerdict::Misused(_))) {
            Status::Usage
        } else if any(|verdict| matches!(verdict, CheckVerdict::Failed(_) | CheckVerdict::Refused(_))) {
            Status::Failed
        } else if any(|verdict| *verdict == CheckVerdict::ProgramFailed) {
            Status::Program
        } else if any(|verdict| *verdict == CheckVerdict::Over) {
            Status::Verdict
        } else {
            Status::Fine
        }
    }

    /// Whether all runs have counts that can become limits.
    pub fn may_update(&self) -> bool {
        self.runs.iter().all(|run| match &run.verdict {
            CheckVerdict::Within | CheckVerdict::Over => true,
            // An update is how another build, or a function that is gone, is accepted.
            CheckVerdict::Refused(reasons) => !reasons
                .iter()
                .any(|reason| reason.starts_with("not exact") || reason.starts_with("the runs")),
            CheckVerdict::ProgramFailed | CheckVerdict::Failed(_) | CheckVerdict::Misused(_) => false,
        })
    }

    fn within_limits(&self) -> usize {
        self.runs.iter().filter(|run| run.verdict == CheckVerdict::Within).count()
    }

    fn summary(&self) -> String {
        let runs = if self.runs.len() == 1 { "run" } else { "runs" };
        match self.runs.len() - self.within_limits() {
            0 => format!("all limits kept: {} {runs} of {}", self.runs.len(), self.file),
            broken => format!("{broken} of {} {runs} of {} not within limits", self.runs.len(), self.file),
        }
    }
}

impl CheckedFunction {
    /// How much it is above its limit.
    pub fn over(&self) -> Option<u128> {
        self.limit.and_then(|limit| limit.over(self.instructions))
    }

    /// Whether it breaks its limit.
    fn breaks(&self) -> bool {
        self.over().is_some() && self.fate != FunctionFate::TakesOver
    }

    /// What it is called now; none if it is absent.
    pub fn name_now(&self) -> Option<&str> {
        match &self.fate {
            FunctionFate::Present | FunctionFate::TakesOver => Some(&self.listed_name),
            FunctionFate::Renamed(name) => Some(name),
            FunctionFate::Absent => None,
        }
    }

    /// What is to be said of it, if anything.
    fn remark(&self, tolerance: u128) -> Option<String> {
        let does = || format!("by itself {}", counted(self.instructions, "instruction"));
        let limit = self.limit.map(|limit| grouped(limit.most)).unwrap_or_default();
        match (&self.fate, self.over(), self.recorded) {
            (FunctionFate::Renamed(name), None, _) => Some(format!("is now {name}")),
            (FunctionFate::Absent, ..) => Some(format!(
                "is not there by that name: inlined, removed or rewritten; it did {} by itself",
                grouped(self.recorded.unwrap_or_default())
            )),
            (FunctionFate::TakesOver, Some(over), _) => {
                Some(format!("{} of {limit}, {} more by functions that are inlined", does(), grouped(over)))
            }
            (_, Some(over), _) => Some(format!("{} of {limit}, {} over", does(), grouped(over))),
            (_, None, Some(recorded)) if self.instructions.abs_diff(recorded) > tolerance => {
                let sign = if self.instructions > recorded { "more" } else { "less" };
                let change = grouped(self.instructions.abs_diff(recorded));
                Some(format!("{}, {change} {sign} than {}", does(), grouped(recorded)))
            }
            _ => None,
        }
    }
}

impl CheckedRun {
    /// How much the whole run is above its limit.
    pub fn over(&self) -> Option<u128> {
        let total = self.counted.as_ref()?.total;
        self.limit.and_then(|limit| limit.over(total))
    }

    /// Whether the run, or a function with a limit, is above it.
    pub fn is_over(&self) -> bool {
        self.over().is_some() || self.functions.iter().any(CheckedFunction::breaks)
    }

    /// What the run does by what is recorded, where the two compare.
    fn change(&self) -> Option<WorkChange> {
        let is_judged = matches!(self.verdict, CheckVerdict::Within | CheckVerdict::Over);
        let total = self.counted.as_ref().filter(|_| is_judged)?.total;
        self.recorded_total.map(|recorded| recorded.change(total))
    }

    /// Functions of which there is something to say, with that.
    fn remarks(&self) -> Vec<(&CheckedFunction, String)> {
        if self.counted.is_none() || matches!(self.verdict, CheckVerdict::Refused(_)) {
            return Vec::new();
        }
        let tolerance = self.recorded_total.map_or(0, |recorded| recorded.tolerance);
        let said = |function| Some((function, CheckedFunction::remark(function, tolerance)?));
        let mut remarks: Vec<_> = self.functions.iter().filter_map(said).collect();
        remarks.sort_by_key(|(function, _)| !function.breaks());
        remarks
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            CheckVerdict::Within => "within",
            CheckVerdict::Over => "over",
            CheckVerdict::ProgramFailed => "program failed",
            CheckVerdict::Refused(_) => "no verdict",
            CheckVerdict::Failed(_) | CheckVerdict::Misused(_) => "failed",
        }
    }

    fn reasons(&self) -> Vec<String> {
        match &self.verdict {
            CheckVerdict::Within | CheckVerdict::Over => Vec::new(),
            CheckVerdict::ProgramFailed => {
                vec![match self.counted.as_ref().and_then(|counted| counted.finish) {
                    Some(Finish::Killed(signal)) => format!("signal {signal} ended the program"),
                    Some(Finish::Exited(status)) => format!("the program exited with status {status}"),
                    None => "the program failed".to_owned(),
                }]
            }
            CheckVerdict::Refused(reasons) => reasons.clone(),
            CheckVerdict::Failed(why) | CheckVerdict::Misused(why) => vec![why.clone()],
        }
    }

    fn figures(&self) -> String {
        let Some(counted) = &self.counted else { return String::new() };
        let total = grouped(counted.total);
        let limited = match (self.limit, self.over()) {
            (None, _) => total,
            (Some(limit), None) => format!("{total} of {}", grouped(limit.most)),
            (Some(limit), Some(over)) => {
                format!("{total} of {}, {} over", grouped(limit.most), grouped(over))
            }
        };
        match (self.change(), self.recorded_total) {
            (Some(change), Some(recorded)) => {
                format!("{limited}   {change}{}", recorded.difference(counted.total))
            }
            _ => limited,
        }
    }
}

fn place_of(function: &CheckedFunction) -> String {
    function.place.as_ref().map_or(String::new(), |at| format!("{}:{}", tidy_path(&at.file), at.line))
}

/// As text; after an update, `written` says whether it was carried out.
pub fn print_check(report: &CheckReport, written: Option<bool>) -> String {
    let mut out = String::new();
    let width = report.runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0);
    for run in &report.runs {
        let style = if run.verdict == CheckVerdict::Within { GOOD } else { BAD };
        let word = paint(style, format!("{:<14}", run.word()));
        let _ = writeln!(out, "{word} {:<width$}  {}", run.name, run.figures());
        for reason in run.reasons() {
            let _ = writeln!(out, "    {reason}");
        }
        for (function, said) in run.remarks() {
            let place =
                function.place.as_ref().map_or(String::new(), |_| format!("{}  ", place_of(function)));
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
            let _ = writeln!(out, "{}", paint(style, report.summary()));
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
pub fn print_markdown(report: &CheckReport) -> String {
    let is_fine = report.status() == Status::Fine;
    let sign = if is_fine { "✅" } else { "❌" };
    let open = if is_fine { "" } else { " open" };
    let mut out =
        format!("{sign} **opcost**: {}\n\n<details{open}><summary>counts</summary>\n\n", report.summary());
    out.push_str(
        "| run | function (by itself) | instructions | limit or recorded | verdict |\n|---|---|---:|---:|---|\n",
    );
    for run in &report.runs {
        let total = run.counted.as_ref().map_or("–".to_owned(), |counted| grouped(counted.total));
        let limit = run.limit.map_or("–".to_owned(), |limit| grouped(limit.most));
        let reasons = run.reasons();
        let said = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        let change = run.change().map_or(String::new(), |change| format!(", {change}"));
        let verdict = cell(&format!("{}{change}{said}", run.word()));
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

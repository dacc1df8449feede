//! What a check found: text, a job summary, annotations, `opcost.check/1`.

use std::fmt::Write;
use std::path::Path;

use opcost_recover::SourceLine;
use schemars::JsonSchema;
use serde::Serialize;

use crate::count::json::StatusJson;
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
    /// Most instructions that it may do in all, in units of the cost model; none if the file sets
    /// none.
    pub limit: Option<u128>,
    /// Line of that limit in the file, from 1.
    pub limit_line: Option<u32>,
    /// What was counted, if it came to that.
    pub counted: Option<CountToCheck>,
    /// Functions with a limit; on a first update those that will get one.
    pub functions: Vec<CheckedFunction>,
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

/// A function that has a limit, or will have.
pub struct CheckedFunction {
    /// Its name in the file.
    pub asked: String,
    /// File and line of the function, as debug information says; none without it.
    pub place: Option<SourceLine>,
    /// Instructions that the function did, in units of the cost model, without those of its
    /// callees.
    pub instructions: u128,
    /// Most that it may do; none while it has no limit yet.
    pub limit: Option<u128>,
    /// Line of that limit in the file, from 1.
    pub limit_line: Option<u32>,
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

    fn kept(&self) -> usize {
        self.runs.iter().filter(|run| run.verdict == CheckVerdict::Within).count()
    }

    fn summary(&self) -> String {
        let runs = if self.runs.len() == 1 { "run" } else { "runs" };
        match self.runs.len() - self.kept() {
            0 => format!("all limits kept: {} {runs} of {}", self.runs.len(), self.file),
            broken => format!("{broken} of {} {runs} of {} not within limits", self.runs.len(), self.file),
        }
    }
}

impl CheckedFunction {
    fn over(&self) -> Option<u128> {
        self.limit.and_then(|limit| self.instructions.checked_sub(limit)).filter(|&over| over > 0)
    }
}

impl CheckedRun {
    fn over(&self) -> Option<u128> {
        let total = self.counted.as_ref()?.total;
        self.limit.and_then(|limit| total.checked_sub(limit)).filter(|&over| over > 0)
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
        match (self.limit, self.over()) {
            (None, _) => grouped(counted.total),
            (Some(limit), None) => format!("{} of {}", grouped(counted.total), grouped(limit)),
            (Some(limit), Some(over)) => {
                format!("{} of {}, {} over", grouped(counted.total), grouped(limit), grouped(over))
            }
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
        for function in &run.functions {
            let Some(over) = function.over() else { continue };
            let _ = writeln!(
                out,
                "    {}  {}  by itself {} of {}, {} over",
                paint(STRONG, &function.asked),
                paint(DIM, place_of(function)),
                counted(function.instructions, "instruction"),
                grouped(function.limit.unwrap_or(0)),
                grouped(over)
            );
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
        "| run | function (by itself) | instructions | limit | verdict |\n|---|---|---:|---:|---|\n",
    );
    for run in &report.runs {
        let total = run.counted.as_ref().map_or("–".to_owned(), |counted| grouped(counted.total));
        let limit = run.limit.map_or("–".to_owned(), grouped);
        let reasons = run.reasons();
        let said = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        let verdict = cell(&format!("{}{said}", run.word()));
        let _ = writeln!(out, "| **{}** | all | {total} | {limit} | {verdict} |", cell(&run.name));
        for function in run.functions.iter().filter(|function| function.limit.is_some()) {
            let verdict = if function.over().is_some() { "over" } else { "within" };
            let _ = writeln!(
                out,
                "| {} | `{}` | {} | {} | {verdict} |",
                cell(&run.name),
                function.asked.replace('|', "\\|").replace('`', "'"),
                counted(function.instructions, "instruction"),
                grouped(function.limit.unwrap_or(0))
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

/// Annotations of GitHub Actions: at the function that is over its limit, or
/// else at the limit.
pub fn print_github(report: &CheckReport) -> String {
    let mut out = String::new();
    for run in &report.runs {
        for reason in run.reasons() {
            annotate(&mut out, &report.file, run.line, &format!("{}: {reason}", run.name));
        }
        if run.over().is_some() {
            let text = format!("{}: instructions {}", run.name, run.figures());
            annotate(&mut out, &report.file, run.limit_line.unwrap_or(run.line), &text);
        }
        for function in &run.functions {
            let Some(over) = function.over() else { continue };
            let text = format!(
                "{} in run {}: {} of {}, {} over",
                function.asked,
                run.name,
                counted(function.instructions, "instruction"),
                grouped(function.limit.unwrap_or(0)),
                grouped(over)
            );
            match &function.place {
                Some(at) => annotate(&mut out, &from_here(report, &at.file), at.line, &text),
                None => annotate(&mut out, &report.file, function.limit_line.unwrap_or(run.line), &text),
            }
        }
    }
    out.push_str(&report.summary());
    out.push('\n');
    out
}

/// A file named from the folder of `opcost.toml`, as it is named from here.
fn from_here(report: &CheckReport, file: &str) -> String {
    let folder = Path::new(&report.file).parent().unwrap_or(Path::new(""));
    tidy_path(&folder.join(file).display().to_string())
}

fn annotate(out: &mut String, file: &str, line: u32, text: &str) {
    let message = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let file = file
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
        .replace(':', "%3A")
        .replace(',', "%2C");
    let _ = writeln!(out, "::error file={file},line={line},title=opcost::{message}");
}

/// What a check found.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.check/1")]
pub struct CheckJson {
    /// Always `opcost.check/1`.
    #[schemars(extend("const" = "opcost.check/1"))]
    schema: &'static str,
    /// The file with the limits.
    file: String,
    /// The worst of the runs' verdicts as an exit status: 0, 1, 3 or 4.
    status: u8,
    runs: Vec<RunJson>,
}

#[derive(Serialize, JsonSchema)]
struct RunJson {
    name: String,
    #[schemars(extend("enum" = ["within", "over", "program failed", "no verdict", "failed"]))]
    verdict: &'static str,
    /// Why there is no verdict, or what failed.
    reasons: Vec<String>,
    /// null: it did not come to counting.
    total: Option<u128>,
    limit: Option<u128>,
    functions: Vec<FunctionJson>,
    program_status: StatusJson,
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson {
    /// Its name in the file with the limits.
    name: String,
    file: Option<String>,
    line: Option<u32>,
    /// What it does by itself, without the functions that it calls.
    instructions: u128,
    /// The most that it may do by itself.
    limit: Option<u128>,
    #[schemars(extend("enum" = ["within", "over", "none"]))]
    verdict: &'static str,
}

impl CheckJson {
    /// The document.
    pub fn new(report: &CheckReport) -> CheckJson {
        CheckJson {
            schema: "opcost.check/1",
            file: report.file.clone(),
            status: report.status().number(),
            runs: report.runs.iter().map(RunJson::new).collect(),
        }
    }
}

impl RunJson {
    fn new(run: &CheckedRun) -> RunJson {
        let function = |function: &CheckedFunction| FunctionJson {
            name: function.asked.clone(),
            file: function.place.as_ref().map(|place| place.file.clone()),
            line: function.place.as_ref().map(|place| place.line),
            instructions: function.instructions,
            limit: function.limit,
            verdict: match (function.limit, function.over()) {
                (None, _) => "none",
                (_, None) => "within",
                (_, Some(_)) => "over",
            },
        };
        RunJson {
            name: run.name.clone(),
            verdict: run.word(),
            reasons: run.reasons(),
            total: run.counted.as_ref().map(|counted| counted.total),
            limit: run.limit,
            functions: run.functions.iter().map(function).collect(),
            program_status: StatusJson::new(run.counted.as_ref().and_then(|counted| counted.finish)),
        }
    }
}

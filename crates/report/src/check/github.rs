//! What a check found, as annotations of GitHub Actions.

use std::fmt::Write;
use std::path::Path;

use opcost_answer::check::{CheckVerdict, CheckedFunction, CheckedRuns};
use opcost_answer::names::tidy_path;

use super::{figures, reasons, remarks, summary};

/// Annotations of GitHub Actions: at the function that is over its limit, or
/// else at the limit.
pub fn print_github(report: &CheckedRuns) -> String {
    let mut out = String::new();
    for run in &report.runs {
        for reason in reasons(run) {
            annotate(&mut out, &report.file, run.line, &format!("{}: {reason}", run.name));
        }
        if run.over().is_some() {
            let text = format!("{}: instructions {}", run.name, figures(run));
            annotate(&mut out, &report.file, run.limit.map_or(run.line, |limit| limit.line), &text);
        }
        let grown = |function: &CheckedFunction| Some(function.instructions) > function.recorded;
        let remarks = remarks(run).into_iter().filter(|_| run.verdict == CheckVerdict::Over);
        for (function, said) in remarks.filter(|(function, _)| function.breaks() || grown(function)) {
            let text = format!("{} in run {}: {said}", function.listed_name, run.name);
            match &function.location {
                Some(at) => annotate(&mut out, &from_here(report, &at.file), at.line, &text),
                None => {
                    annotate(
                        &mut out,
                        &report.file,
                        function.limit.map_or(run.line, |limit| limit.line),
                        &text,
                    );
                }
            }
        }
    }
    out.push_str(&summary(report));
    out.push('\n');
    out
}

/// A file named from the folder of `opcost.toml`, as it is named from here.
fn from_here(report: &CheckedRuns, file: &str) -> String {
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

//! What a tuned program gained, printed and written.

use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::tune::Tuned;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::tune::json::TuneJson;
use opcost_report::tune::text::{TuneReport, print_tune};

use crate::arguments::TuneArguments;

/// What is shown of a tuned program.
pub(crate) struct TuneShown<'a> {
    pub(crate) tuned: &'a Tuned,
    /// What it was made of, and how.
    pub(crate) about: String,
    /// The command that simulates, without its output and arguments.
    pub(crate) again: String,
}

/// Prints and writes what was done.
pub(crate) fn show(arguments: &TuneArguments, shown: &TuneShown<'_>) -> Result<(), Failure> {
    let tuned = shown.tuned;
    if let Some(path) = &arguments.json {
        save_json(path, &TuneJson::text(tuned))?;
    }
    if arguments.json.as_deref() == Some(Path::new("-")) {
        return Ok(());
    }
    let is_judged =
        arguments.judge.is_some() || arguments.judge_stdin.is_some() || arguments.profile.is_some();
    let on = match (arguments.runs, is_judged) {
        (0, _) => "",
        (_, true) => ", judged by another run than its counts are of",
        (_, false) => ", judged by the run that it was trained with (--judge WORDS takes another)",
    };
    let trained = if arguments.sample.is_some() { ", by estimates of a sampled run" } else { "" };
    let mut next = Vec::new();
    if arguments.simulate.is_none() && arguments.runs > 0 {
        next.push(format!("{} -o {} -- ARGS", shown.again, arguments.output.display()));
    }
    let report = TuneReport {
        tuned,
        about: format!("{}: {}{trained}{on}", arguments.output.display(), shown.about),
        explain: arguments.explain,
        next,
    };
    save_text(None, &print_tune(&report, screen_width()), Stream::Stdout)
}

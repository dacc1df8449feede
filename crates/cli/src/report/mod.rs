//! What the user sees, from plain data; nothing is computed here but shares.

mod json;
mod names;
mod numbers;
mod terminal;

pub(crate) use json::CountJson;
pub(crate) use names::demangle;
pub(crate) use numbers::{bar, grouped};
pub(crate) use terminal::print_count;

use opcost_recover::ProgramSummary;

use crate::run::{Finish, Quality};

/// A counted run, ready to be shown.
pub(crate) struct CountReport {
    pub(crate) summary: ProgramSummary,
    pub(crate) facts: ReportFacts,
    pub(crate) quality: Quality,
    pub(crate) finish: Finish,
    pub(crate) verdict: Verdict,
    /// How many processes counted.
    pub(crate) processes: usize,
    /// What `--repeat` found, in a sentence.
    pub(crate) repetition: Option<String>,
    /// The command to try next.
    pub(crate) next: Vec<String>,
}

/// Facts about the build, of the first module.
pub(crate) struct ReportFacts {
    pub(crate) anchor: String,
    pub(crate) cost_model: String,
    pub(crate) compiler: String,
    pub(crate) flags: Vec<String>,
    pub(crate) target: String,
    pub(crate) placement: String,
    pub(crate) has_lines: bool,
}

/// What was decided about a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No budget was given.
    None,
    /// Within it.
    Within { budget: u128 },
    /// Over it.
    Over { budget: u128 },
}

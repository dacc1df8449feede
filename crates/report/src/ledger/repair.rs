//! `opcost repair`: what had to move, as a document and as text.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{bar, counted, grouped};
use crate::kit::style::cut_name;
use opcost_answer::names::shown_name;

/// Functions that are shown.
const SHOWN: usize = 15;

/// The document of `opcost repair`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "opcost.repair/1")]
pub struct RepairJson {
    /// `opcost.repair/1`.
    pub schema: &'static str,
    /// `likeliest` or `classic`.
    pub solver: &'static str,
    /// Whether no other counts are likelier (cheaper), up to the solver's tolerance.
    pub is_optimal: bool,
    /// Samples in the program.
    pub samples: u64,
    /// Sum of all counts by their own samples.
    pub before: f64,
    /// Sum of the same places' consistent counts.
    pub after: f64,
    /// Sum of the distances.
    pub moved: f64,
    /// Calls of functions.
    pub calls: u64,
    /// Those that go through pointers or come from elsewhere: no known call site made them.
    pub calls_from_outside: u64,
    /// Frames that were left by calls that did not return, or are still there.
    pub left: u64,
    /// Functions by how much their counts moved, most first.
    pub functions: Vec<MovedJson>,
    /// Functions of the ledger that the program does not have as they were.
    pub refused: Vec<String>,
}

/// One function.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedJson {
    /// Its linkage name.
    pub name: String,
    /// Its module.
    pub module: String,
    /// As of the whole.
    pub before: f64,
    /// As of the whole.
    pub after: f64,
    /// As of the whole.
    pub moved: f64,
    /// The block that moved most.
    pub block: u32,
    /// Where it is written.
    pub file: Option<String>,
    /// Its line there.
    pub line: Option<u32>,
    /// Its count by its own samples.
    pub block_before: f64,
    /// Its consistent count.
    pub block_after: u64,
}

/// A line for each function that moved most.
pub fn print_repair(all: &RepairJson) -> String {
    let share = |part: f64| part / all.before.max(all.after).max(1.0);
    let mut text = format!(
        "{}; {:.1} % of their counts had to move to become consistent{}\n",
        counted(all.samples, "sample"),
        100.0 * share(all.moved),
        if all.is_optimal { "" } else { " (the solver's steps were used up before it was sure of the best)" }
    );
    for function in all.functions.iter().take(SHOWN) {
        let name = cut_name(&shown_name(&function.name), 32);
        let at = match (&function.file, function.line) {
            (Some(file), Some(line)) => format!("{}:{line}", opcost_answer::names::tidy_path(file)),
            _ => format!("block {}", function.block),
        };
        text += &format!(
            "{name:<32} {:>5.1} %  {:<10}  most at {at}: {} -> {}\n",
            100.0 * share(function.moved),
            bar(share(function.moved) / share(all.moved).max(f64::MIN_POSITIVE), 10),
            grouped(function.block_before.round() as u64),
            grouped(function.block_after)
        );
    }
    if all.functions.len() > SHOWN {
        text += &format!("and {} more\n", counted(all.functions.len() - SHOWN, "function"));
    }
    let of_calls = |part: u64| 100.0 * part as f64 / all.calls.max(1) as f64;
    text += &format!(
        "{:.1} % of all calls go through pointers or come from elsewhere, {:.1} % do not return\n",
        of_calls(all.calls_from_outside),
        of_calls(all.left)
    );
    for name in &all.refused {
        text += &format!("refused: {name} is not in this program as it was sampled\n");
    }
    text
}

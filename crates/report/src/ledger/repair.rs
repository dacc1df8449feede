//! `opcost repair`: what had to move, as text.

use crate::kit::numbers::{bar, counted, grouped};
use crate::kit::style::cut_name;
use opcost_answer::names::shown_name;
use opcost_answer::repair::RepairAnswers;

/// Functions that are shown.
const SHOWN: usize = 15;

/// A line for each function that moved most.
pub fn print_repair(all: &RepairAnswers) -> String {
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

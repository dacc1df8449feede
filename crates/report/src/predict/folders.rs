//! Two folders of ledgers as text: a line a name.

use std::fmt::Write;

use opcost_answer::predict::FoldersOfRuns;

use crate::kit::numbers::percent;
use crate::kit::style::{STRONG, WARM, paint, printable};

/// Cells of a name and of a number.
const NAME: usize = 28;
const NUMBER: usize = 12;

/// The text, in lines.
pub fn print_folders(answer: &FoldersOfRuns) -> String {
    let mut text = String::new();
    let head = format!(
        "{:<NAME$}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}",
        "ledger", "within 1 %", "mean error", "without far", "overlap"
    );
    let _ = writeln!(text, "{}", paint(STRONG, head));
    let number = |number: Option<f64>| number.map_or_else(|| "none".to_owned(), percent);
    for pair in &answer.pairs {
        let name = printable(&pair.name);
        match &pair.measures {
            Some(measures) => {
                let _ = writeln!(
                    text,
                    "{name:<NAME$}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}",
                    percent(measures.within_1_percent),
                    number(measures.mean_error),
                    number(measures.mean_error_without_far),
                    percent(measures.program_block),
                );
            }
            None => {
                let _ = writeln!(
                    text,
                    "{}",
                    paint(WARM, format!("{name:<NAME$}of different builds: not compared"))
                );
            }
        }
    }
    for path in &answer.alone {
        let _ = writeln!(text, "{}", paint(WARM, format!("{}: only one folder has it", printable(path))));
    }
    text
}

//! What does a table of contenders have?
//!
//! Input: contenders and their cells; the first one is what all are compared with. Output: Markdown.

use super::contender::Contender;
use super::contest::Cell;
use crate::bench::setup::reason;
use serde_json::Value;
use std::fmt::Write;

/// One line per contender.
pub(super) fn detailed(contenders: &[Contender], cells: &[Cell]) -> String {
    let mut text = String::from(
        "| compiled and run by | wall, s | ratio | spread | start, s | user, s | ratio | versions | in later versions |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (contender, cell) in contenders.iter().zip(cells) {
        let title = contender.title();
        if let Some(trouble) = &cell.trouble {
            let _ = writeln!(text, "| `{title}` | {} |{}", reason(trouble), " |".repeat(7));
            continue;
        }
        let versions = cell.document.as_ref().map(|document| array(document, "versions").len().to_string());
        let share = cell.document.as_ref().and_then(later_share);
        let _ = writeln!(
            text,
            "| `{title}` | {} | {} | {} | {} | {} | {} | {} | {} |",
            seconds(cell.median(|taken| taken.wall)),
            ratio(cell.ratio(&cells[0], |taken| taken.wall)),
            percent(cell.spread(|taken| taken.wall)),
            seconds(cell.median(|taken| taken.start)),
            seconds(cell.median(|taken| taken.user)),
            ratio(cell.ratio(&cells[0], |taken| taken.user)),
            versions.unwrap_or_else(|| NONE.to_owned()),
            percent(share),
        );
    }
    text
}

/// One cell per contender: wall seconds, and their ratio in brackets.
pub(super) fn brief(cells: &[Cell]) -> String {
    let mut text = String::new();
    for cell in cells {
        let _ = match &cell.trouble {
            Some(trouble) => write!(text, " {} |", reason(trouble)),
            None => write!(
                text,
                " {} ({}) |",
                seconds(cell.median(|taken| taken.wall)),
                ratio(cell.ratio(&cells[0], |taken| taken.wall))
            ),
        };
    }
    text
}

const NONE: &str = "–";

/// Seconds.
pub(super) fn seconds(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.3}"))
}

/// How often one is in the other.
pub(super) fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.2}"))
}

/// A part, in per cent.
pub(super) fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{:.1} %", value * 100.0))
}

/// A list of a document.
pub(super) fn array<'v>(document: &'v Value, name: &str) -> &'v [Value] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

/// The share of samples in later versions, if there are samples.
fn later_share(document: &Value) -> Option<f64> {
    let samples = &document["samples"];
    let all = samples["all"].as_f64().filter(|all| *all > 0.0)?;
    Some(samples["later"].as_f64()? / all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::running::contender::{ADAPTIVE, PLAIN, TWO_PASS};
    use crate::bench::running::contest::Taken;
    use crate::failure::Failure;
    use serde_json::json;

    #[test]
    fn a_line_has_figures_or_a_reason() {
        let cell = |wall| Cell { taken: vec![Taken { wall, start: 0.25, user: wall }], ..Cell::default() };
        let document = json!({"versions": [{}, {}], "samples": {"first": 1, "later": 3, "all": 4}});
        let cells = [
            cell(4.0),
            Cell { document: Some(document), ..cell(1.0) },
            Cell { trouble: Some(Failure::new("it fails: a|b\nmore")), ..cell(1.0) },
        ];
        let text = detailed(&[PLAIN, ADAPTIVE, TWO_PASS], &cells);
        let plain = "| `clang -O2` | 4.000 | 1.00 | – | 0.250 | 4.000 | 1.00 | – | – |";
        assert!(text.contains(plain), "{text}");
        let adaptive = "| `opcost run` | 1.000 | 0.25 | – | 0.250 | 1.000 | 0.25 | 2 | 75.0 % |";
        assert!(text.contains(adaptive), "{text}");
        assert!(text.contains("| `opcost run --mode two-pass` | it fails: a/b | |"), "{text}");
        assert_eq!(brief(&cells), " 4.000 (1.00) | 1.000 (0.25) | it fails: a/b |");
    }
}

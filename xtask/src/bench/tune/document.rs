//! The paper's table, row by row: what is a profile worth on small programs?
//!
//! The paper measured thirteen programs without a profile, while one was collected, with it, and as gcc builds them.
//! It compiled the same bitcode again without a profile, too, as a control. Programs in `corpus/document` do the
//! same work in our own text. Their figures are seconds, not scores, so smaller is better.
//!
//! All builds are at -O2, and a PIE. Times are medians of user CPU time in interleaved rounds. Why a row gains is said
//! by exact figures: instructions by cachegrind, and what `opcost tune` did in the training run.

use super::build::{Bench, TuneRequest};
use super::figures::millions;
use super::simulated;
use crate::bench::paper::ROWS;
use crate::bench::setup::{self, reason};
use crate::bench::timed;
use crate::failure::{Failure, Result};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const COLUMNS: [&str; 5] = ["-O2", "collecting", "with profile", "control", "gcc -O2"];

/// The columns that the sentence of a row is about.
const PLAIN: usize = 0;
const PROFILED: usize = 2;

/// What a column measured.
struct Cell {
    seconds: Vec<f64>,
    instructions: Result<u64>,
}

/// The section.
pub(super) fn section(opcost: &Path, folder: &Path, runs: usize) -> String {
    let mut text = format!(
        "\n## The paper's table\n\nSeconds of user CPU time, medians of {runs} interleaved runs; in brackets millions of instructions of a shorter run. *Collecting* is the \
         counted build's own run. *With profile* is `opcost tune` as it comes. *Control* is the bitcode that the \
         profile's pass would read, compiled again without a profile.\n\n| program | {} | why |\n|---|{}---|\n",
        COLUMNS.join(" | "),
        "---:|".repeat(COLUMNS.len())
    );
    for (name, title) in ROWS {
        eprintln!("bench: {name}");
        let made = setup::program_of_any_list(name).and_then(|program| {
            let bench = Bench::new(opcost, program, folder.join(name))?;
            row(&bench, title, runs)
        });
        match made {
            Ok(row) => text += &row,
            Err(failure) => {
                let none = " –|".repeat(COLUMNS.len());
                let _ = writeln!(text, "| {title} |{none} not measured: {} |", reason(&failure));
            }
        }
    }
    text
}

fn row(bench: &Bench<'_>, title: &str, runs: usize) -> Result<String> {
    let plain = bench.plain("plain")?;
    let document = bench.tuned(&TuneRequest { flags: &[], judge: &[], runs: 0 })?;
    let collecting = bench
        .opcost(&["count", "--anchor", "pgo", "--emit", "exe", "-o", "collecting"], &[])
        .map(|_| bench.path("collecting"));
    let builds = [
        Ok(plain),
        collecting,
        Ok(bench.path("tuned")),
        bench.control(),
        bench.compiled(Command::new("gcc"), &[], "gcc"),
    ];
    let cells = measure(bench, builds, runs)?;
    let mut text = format!("| {title} |");
    for cell in &cells {
        let _ = match (&cell.instructions, median(&cell.seconds)) {
            (Ok(instructions), Some(seconds)) => {
                write!(text, " {seconds:.3} ({:.0}) |", millions(*instructions))
            }
            (Err(failure), _) => write!(text, " {} |", reason(failure)),
            (Ok(_), None) => write!(text, " – |"),
        };
    }
    let figure = |at: usize| cells[at].instructions.clone();
    let peer = bench.peer("clang's profile", &[]);
    let peer = peer.and_then(|made| simulated::instructions(&made, &bench.program.small));
    let exact = Exact { plain: figure(PLAIN)?, profiled: figure(PROFILED)?, peer: peer.ok() };
    let _ = writeln!(text, " {} |", why(exact, &document));
    Ok(text)
}

/// Runs all builds in rounds; one that prints something else than the first is an error in its cell.
fn measure(bench: &Bench<'_>, builds: [Result<PathBuf>; 5], runs: usize) -> Result<Vec<Cell>> {
    let judge = &bench.program.arguments;
    let folder = bench.path("");
    let run = |made: &Path| timed::run(Command::new(made).args(judge), &[], &folder);
    let first = builds[PLAIN].as_ref().map_err(Clone::clone)?;
    let (expected, _) = run(first)?;
    let mut cells: Vec<Cell> = Vec::new();
    for made in &builds {
        let instructions = made.clone().and_then(|made| {
            let (said, _) = run(&made)?;
            if said != expected {
                return Err(Failure::new("prints something else"));
            }
            simulated::instructions(&made, &bench.program.small)
        });
        cells.push(Cell { seconds: Vec::new(), instructions });
    }
    for round in 0..runs {
        for step in 0..builds.len() {
            let at = (round + step) % builds.len();
            if let (Ok(made), Ok(_)) = (&builds[at], &cells[at].instructions) {
                let (_, taken) = run(made)?;
                cells[at].seconds.push(taken.user);
            }
        }
    }
    Ok(cells)
}

/// Machine instructions of three builds.
#[derive(Clone, Copy)]
struct Exact {
    plain: u64,
    profiled: u64,
    /// By clang's own profile.
    peer: Option<u64>,
}

/// Why a row gains or does not, by what is exact. Where it does, clang's own profile says whose decision that is.
fn why(exact: Exact, document: &Value) -> String {
    let percent = |now: u64| (now as f64 / exact.plain as f64 - 1.0) * 100.0;
    let change = percent(exact.profiled);
    let peer = exact
        .peer
        .map_or_else(String::new, |peer| format!(" (by clang's own profile {:+.1} %)", percent(peer)));
    let instructions = match change {
        change if change <= -1.0 => format!("Gains: {:.1} % fewer instructions{peer}", -change),
        change if change >= 1.0 => format!("Loses: {change:.1} % more instructions{peer}"),
        _ => "No gain: the optimiser makes nearly the same code with the profile".to_owned(),
    };
    let functions = document["functions"].as_array().map_or(&[][..], Vec::as_slice);
    let moved = functions.iter().filter(|one| one["moved"] == true).count();
    let taken = &document["taken_branches"];
    let branches = match (moved, taken["before"].as_u64(), taken["after"].as_u64()) {
        (0, _, _) | (_, None, _) | (_, _, None) => "placement finds no block to move".to_owned(),
        (moved, Some(before), Some(after)) => format!(
            "placement moves blocks of {moved} of {} functions, and {:.1} % of taken branches go",
            functions.len(),
            before.saturating_sub(after) as f64 / before.max(1) as f64 * 100.0
        ),
    };
    format!("{instructions}; {branches}.")
}

fn median(seconds: &[f64]) -> Option<f64> {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sentence_is_of_exact_figures() {
        let document = json!({"functions": [{"moved": true}, {"moved": false}],
            "taken_branches": {"before": 200, "after": 150}});
        let of = |profiled| Exact { plain: 1000, profiled, peer: None };
        assert_eq!(
            why(of(900), &document),
            "Gains: 10.0 % fewer instructions; placement moves blocks of 1 of 2 functions, and 25.0 % of taken branches go."
        );
        let sentence = why(of(1001), &json!({"functions": []}));
        assert!(sentence.starts_with("No gain") && sentence.contains("no block to move"), "{sentence}");
        let both = Exact { peer: Some(1200), ..of(1100) };
        let sentence = why(both, &document);
        assert!(sentence.starts_with("Loses: 10.0 %") && sentence.contains("profile +20.0 %"), "{sentence}");
    }
}

//! The page: what was aimed at and what holds, then the two tables of each program and
//! what sampling and repair cost.

use super::gate::{Gate, closed};
use super::measures::{Of, Results, Run, spread};
use super::planted;
use super::times::{Times, time_gates, time_sections};
use crate::bench::machine::Facts;
use crate::bench::setup;
use std::fmt::Write;

/// Words of ways, as `peer` names them, and their titles; the ceiling is of the same
/// word unless one is named.
type Rows = &'static [(&'static str, &'static str, &'static str)];

const ALONE: Rows = &[
    ("unsolved", "no solver: as observed", ""),
    ("loader", "LLVM's loader without profi", "loader"),
    ("profi", "profi", "profi"),
    ("profi-own", "profi, its counts before they become weights", "profi-own"),
    ("alone", "opcost, each function by itself", ""),
    ("ours", "opcost, the whole program", "ours"),
];

const WHOLE: Rows = &[
    ("loader-mean", "lines by block means, loader without profi", "loader-exact"),
    ("profi-mean", "lines by block means, profi", "profi-exact"),
    ("profi-raw", "lines by raw addresses, profi", "profi-exact"),
    ("ours", "opcost sample", "ours"),
];

const EARLY: Rows = &[
    ("loader-mean-early", "lines by block means, loader without profi", "loader-exact-early"),
    ("profi-mean-early", "lines by block means, profi", "profi-exact-early"),
    ("profi-raw-early", "lines by raw addresses, profi", "profi-exact-early"),
];

const COLUMNS: [(&str, Of); 7] = [
    ("in function", |one| Some(one.in_function_block)),
    ("program", |one| Some(one.program_block)),
    ("function totals", |one| Some(one.function_total)),
    ("entries", |one| one.entry),
    ("hot 90", |one| Some(one.hot90_weight)),
    ("leak", |one| one.leak),
    ("residual", |one| one.residual),
];

/// Of the distance from profi to the ceiling, so much is to be closed.
const CLOSED: f64 = 0.5;

/// What is to be reached on SQLite: at so many thousand samples a second.
const WANTED: [(u64, usize, f64); 5] =
    [(10, 0, 0.86), (1, 0, 0.82), (10, 1, 0.75), (10, 2, 0.85), (10, 3, 0.80)];

const INTRODUCTION: &str = "\
# How good counts made of samples are

Written by `cargo xtask bench sampling`; the next run replaces it. Agreement with exact counts (`opcost overlap`), in
per cent: median of the runs, and least to most. The peer is LLVM's inference of counts from sample profiles,
\"profi\". One run's samples serve all ways, and blocks and measure are the same for all ways of a table.

";

const WORDS: &str = "
in function: overlap of blocks inside each function, weighted by how much of the exact run is in it; program: overlap
of blocks over the program; function totals, entries: the same of functions' sums and of calls; hot 90: of the weight
of the blocks that hold nine tenths, how much is found; leak: calls that do not return, by all calls; residual: what
comes into blocks and does not go out. Ledgers of LLVM's counts have no edges, so that these two say nothing of them.

**The solver alone**: what samples by expected cycles say of blocks, at the anchor, is given to all. LLVM's loader
gets it as a profile in which each block is a line: 0 for code that was not hit in a function that was, nothing for
a block without code, the entry block's count as head samples; its answer is read by BlockFrequencyInfo. The ceiling
is exact counts of the same blocks in place of these; ours gets a sample in a thousand cycles.
**End to end**: clang -O2 with `-gline-tables-only -fdebug-info-for-profiling`; samples become address ranges (each
machine block with the mean over its instructions, or each address), these a profile by `llvm-profgen
--unsymbolized-profile --use-offset`, and that is loaded on the blocks of the anchor, copies put in place found by
their lines. The ceiling is exact counts of the code's blocks as such ranges. **Where clang loads it**: the same
profile, flattened, on the blocks in front of the inliner, against exact counts of those. Nothing is put in place by
the loader in any of them.
";

/// All of it, and how many gates do not hold.
pub(super) fn write(all: &[Results], times: Option<&Times>, facts: &Facts) -> (String, usize) {
    let mut text = String::from(INTRODUCTION);
    text += &setup::head(facts);
    let gates: Vec<Gate> = gates(all).into_iter().chain(times.into_iter().flat_map(time_gates)).collect();
    text += "\n## What was aimed at\n\n| | wanted | found | |\n|---|---:|---:|---|\n";
    for gate in &gates {
        let verdict = if gate.holds { "holds" } else { "**does not hold**" };
        let _ = writeln!(text, "| {} | {} | {} | {verdict} |", gate.what, gate.required, gate.actual);
    }
    text += WORDS;
    text += &planted::section(all, &COLUMNS[..2]);
    for results in all {
        text += &section(results);
    }
    text += &times
        .map_or_else(|| "\n## What sampling costs\n\nNot measured this time.\n".to_owned(), time_sections);
    (text, gates.iter().filter(|gate| !gate.holds).count())
}

fn gates(all: &[Results]) -> Vec<Gate> {
    let mut gates = Vec::new();
    for results in all.iter().filter(|results| results.program == "sqlite") {
        for (rate, column, wanted) in WANTED {
            let (name, of) = COLUMNS[column];
            let Some((found, ..)) = spread(results.runs(rate), "ours", of) else { continue };
            gates.push(Gate {
                what: format!("SQLite at {rate} kHz, {name}"),
                required: format!("≥ {:.0} %", 100.0 * wanted),
                actual: format!("{:.1} %", 100.0 * found),
                holds: found >= wanted,
            });
        }
    }
    for results in all {
        for (rate, runs) in &results.rates {
            for (name, of) in &COLUMNS[..2] {
                gates.extend(closing(results, *rate, runs, name, *of));
            }
        }
    }
    gates
}

/// How much of the way from profi to its ceiling ours goes.
fn closing(results: &Results, rate: u64, runs: &[Run], name: &str, of: Of) -> Option<Gate> {
    let (profi, ..) = spread(runs, "profi", of)?;
    let (ours, ..) = spread(runs, "ours", of)?;
    let ceiling = of(results.ceilings.get("profi")?)?;
    let share = closed(profi, ours, ceiling);
    Some(Gate {
        what: format!(
            "the solver alone, {} at {rate} kHz, {name}: of the distance from profi ({:.1}) to its ceiling ({:.1}) closed",
            results.program,
            100.0 * profi,
            100.0 * ceiling
        ),
        required: format!("≥ {:.0} %", 100.0 * CLOSED),
        actual: format!("{:.0} % (ours {:.1})", 100.0 * share, 100.0 * ours),
        holds: share >= CLOSED,
    })
}

fn section(results: &Results) -> String {
    let mut text =
        format!("\n## {}\n\nWith the arguments `{}`.\n\n", results.program, shown(&results.arguments));
    for (rate, runs) in &results.rates {
        for run in runs {
            let _ = writeln!(text, "- {rate} kHz: {}", run.summary);
        }
    }
    text += "\n### The solver alone\n\n";
    text += &table(results, ALONE);
    text += "\n### End to end, on the blocks of the anchor\n\n";
    text += &table(results, WHOLE);
    text += "\n### End to end, where clang loads it: on other blocks\n\n";
    text += &table(results, EARLY);
    text
}

/// Files by their names alone.
fn shown(arguments: &[String]) -> String {
    let words: Vec<&str> = arguments.iter().map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
    words.join(" ")
}

fn table(results: &Results, rows: Rows) -> String {
    let mut text = String::from("| way | kHz |");
    COLUMNS.iter().for_each(|(name, _)| text += &format!(" {name} |"));
    text += "\n|---|---:|";
    text += &"---:|".repeat(COLUMNS.len());
    text += "\n";
    for (way, title, ceiling) in rows {
        for (rate, runs) in &results.rates {
            if runs.iter().any(|run| run.agreement.contains_key(*way)) {
                let cells = COLUMNS.iter().map(|(name, of)| cell(way, name, spread(runs, way, *of)));
                let _ = writeln!(text, "| {title} | {rate} | {} |", cells.collect::<Vec<_>>().join(" | "));
            }
        }
        // Ways that share a ceiling show it behind the last of them.
        let is_last = rows.iter().rfind(|row| row.2 == *ceiling).is_some_and(|row| row.0 == *way);
        if let (Some(measures), true) = (results.ceilings.get(*ceiling), is_last) {
            let cells = COLUMNS.iter().map(|(name, of)| exact_cell(way, name, of(measures)));
            let _ = writeln!(
                text,
                "| ↳ its ceiling: exact counts | | {} |",
                cells.collect::<Vec<_>>().join(" | ")
            );
        }
    }
    text
}

/// Whether a way's ledgers have edges; runs that were kept earlier say 0 of those that have none.
fn has_edges(way: &str) -> bool {
    matches!(way, "ours" | "alone")
}

fn is_of_edges(name: &str) -> bool {
    matches!(name, "leak" | "residual")
}

fn cell(way: &str, name: &str, values: Option<(f64, f64, f64)>) -> String {
    match values {
        Some(_) if is_of_edges(name) && !has_edges(way) => "–".to_owned(),
        Some((median, least, most)) if most - least >= 0.0005 => {
            format!("{:.1} ({:.1}–{:.1})", 100.0 * median, 100.0 * least, 100.0 * most)
        }
        Some((median, ..)) => format!("{:.1}", 100.0 * median),
        None => "–".to_owned(),
    }
}

fn exact_cell(way: &str, name: &str, value: Option<f64>) -> String {
    match value {
        Some(value) if !is_of_edges(name) || has_edges(way) => format!("{:.1}", 100.0 * value),
        _ => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::sampling::measures::{Agreement, example};

    fn results(profi: f64, ours: f64, ceiling: f64) -> Results {
        let agreement = |profi, ours| -> Agreement {
            [("profi", profi), ("ours", ours)].map(|(way, value)| (way.to_owned(), example(value))).into()
        };
        let run = Run { summary: "10 samples of cpu-clock".to_owned(), agreement: agreement(profi, ours) };
        Results {
            program: "sqlite".to_owned(),
            arguments: vec!["/long/way/x.lua".to_owned(), "7".to_owned()],
            ceilings: agreement(ceiling, ceiling),
            planted: Vec::new(),
            rates: vec![(10, vec![run])],
        }
    }

    #[test]
    fn gates_are_judged() {
        let verdicts = |ours: f64| -> Vec<bool> {
            gates(&[results(0.8, ours, 1.0)]).iter().map(|gate| gate.holds).collect()
        };
        // Four of SQLite at 10 kHz, and two of the distance closed.
        assert_eq!(verdicts(0.95), [true; 6]);
        assert_eq!(verdicts(0.82), [false, true, false, true, false, false]);
    }

    #[test]
    fn the_page_says_what_fails_and_hides_folders() {
        let (text, failed) = write(&[results(0.8, 0.82, 1.0)], None, &vec![("date", "today".to_owned())]);
        assert_eq!(failed, 4);
        assert!(text.contains("**does not hold**") && text.contains("Not measured this time"), "{text}");
        assert!(text.contains("`x.lua 7`") && !text.contains("/long/way"), "{text}");
        assert!(text.contains("| profi | 10 | 80.0 | 80.0 |"), "{text}");
        assert_eq!(text.matches("↳ its ceiling").count(), 3, "{text}");
    }

    #[test]
    fn a_range_stands_where_runs_differ() {
        assert_eq!(cell("ours", "entries", Some((0.5, 0.4, 0.6))), "50.0 (40.0–60.0)");
        assert_eq!(cell("ours", "leak", Some((0.5, 0.5, 0.5))), "50.0");
        assert_eq!(cell("profi", "leak", Some((0.0, 0.0, 0.0))), "–");
        assert_eq!(exact_cell("ours", "leak", Some(0.25)), "25.0");
    }
}

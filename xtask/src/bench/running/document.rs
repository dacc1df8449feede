//! The paper's table, row by row: how fast are small programs with compilation while they run?
//!
//! The paper measured thirteen programs as compilers build them, while samples are collected, and with what is made of
//! them. Programs in `corpus/document` do the same work in our own text. They are run with arguments of their own, so that
//! `clang -O2` takes about three seconds: at least one on a faster machine.

use super::bench::Bench;
use super::contender::{ADAPTIVE, Contender, PLAIN, TWO_PASS, UNSAMPLED};
use super::{contest, table};
use crate::bench::paper::ROWS;
use crate::bench::setup::{self, reason};
use std::fmt::Write;

const CONTENDERS: [Contender; 5] = [PLAIN, Contender::Gcc, UNSAMPLED, ADAPTIVE, TWO_PASS];

/// The arguments of each row; in the order of the rows.
const ARGUMENTS: [&[&str]; ROWS.len()] = [
    &["330000"],
    &["3600", "13"],
    &["750", "60000"],
    &["2700", "400000"],
    &["330000000"],
    &["46"],
    &["1100"],
    &["1100"],
    &["1100"],
    &["1100"],
    &["1100"],
    &["4000"],
    &["1500"],
];

/// The section.
pub(super) fn section(bench: &Bench) -> String {
    let titles: Vec<String> = CONTENDERS.iter().map(|one| format!("`{}`", one.title())).collect();
    let mut text = format!(
        "\n## The paper's table\n\nWall seconds, with compilation, and their ratio in brackets. `--mode compile --rate 1` is a run \
         without samples. The paper has a column of runs that only collect samples. opcost has no flag for this, so the \
         column is left out.\n\n| program | {} |\n|---|{}\n",
        titles.join(" | "),
        "---:|".repeat(titles.len())
    );
    for ((name, title), arguments) in ROWS.iter().zip(ARGUMENTS) {
        if !bench.is_chosen(name) {
            continue;
        }
        let job = setup::program_of_any_list(name).and_then(|program| bench.job(name, program, arguments));
        match job {
            Ok(job) => {
                let cells = contest::rounds(&job, &CONTENDERS, bench.rounds);
                let _ = writeln!(text, "| {title} |{}", table::brief(&cells));
            }
            Err(failure) => {
                let none = " |".repeat(CONTENDERS.len() - 1);
                let _ = writeln!(text, "| {title} | not measured: {} |{none}", reason(&failure));
            }
        }
    }
    text
}

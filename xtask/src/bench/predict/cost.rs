//! What does `opcost predict` take next to `opcost loops`, on SQLite's bitcode?

use crate::bench::{figures, setup, timed};
use crate::command;
use crate::failure::Result;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What a prediction takes next to trip counts alone, on SQLite's bitcode.
pub(super) fn part(rounds: usize, opcost: &Path, folder: &Path) -> Result<String> {
    let sqlite = setup::program("sqlite")?;
    let source = setup::source(&sqlite, "sqlite3.c")?;
    let bitcode = folder.join("sqlite.bc");
    let flags = ["-O1", "-w", "-c", "-emit-llvm"];
    command::output_of(Command::new("clang-22").args(flags).arg(source).arg("-o").arg(&bitcode))?;
    let verbs = ["loops", "predict"];
    let mut taken: [Vec<timed::Taken>; 2] = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        eprintln!("bench: round {} of {}", round + 1, rounds);
        for step in 0..verbs.len() {
            let column = (round + step) % verbs.len();
            let mut verb = Command::new(opcost);
            verb.arg(verbs[column]).arg("--json").arg(folder.join("answer.json")).arg("--output");
            verb.arg(folder.join("answer.txt")).arg(&bitcode);
            taken[column].push(timed::run(&mut verb, &[], folder)?.1);
        }
    }
    let seconds = |column: usize| taken[column].iter().map(|one| one.seconds).collect::<Vec<f64>>();
    let megabytes = |column: usize| taken[column].iter().map(|one| one.megabytes).collect::<Vec<f64>>();
    let ratios: Vec<f64> = seconds(1).iter().zip(seconds(0)).map(|(own, loops)| own / loops).collect();
    let mut page = String::new();
    let _ = write!(
        page,
        "\n## What it takes\n\nCPU time and peak memory on SQLite's bitcode (-O1), medians of {} interleaved rounds.\n\n\
         | | seconds | MB |\n|---|---:|---:|\n",
        rounds
    );
    for (column, verb) in verbs.iter().enumerate() {
        let _ = writeln!(
            page,
            "| `opcost {verb}` | {:.2} | {:.0} |",
            figures::median(&seconds(column)).unwrap_or(0.0),
            figures::median(&megabytes(column)).unwrap_or(0.0)
        );
    }
    let _ =
        writeln!(page, "| ratio, median of the rounds | {:.2} | |", figures::median(&ratios).unwrap_or(0.0));
    Ok(page)
}

//! How much of the distance to exact counts could a solver close at all?
//!
//! Samples are made up of exact counts, with noise that is no other than our repair takes
//! it to be (`crates/recover/examples/peers/planted.rs`), and go through both solvers. What
//! is left between ours and the ceiling then is not for want of knowing the noise; what
//! real samples leave beside that is the difference to the tables.

use super::build::Built;
use super::gate::closed;
use super::measures::{self, Of, Results, Run, spread};
use super::peer;
use super::tools::Tools;
use crate::failure::Result;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How often samples are made up.
const SEEDS: usize = 5;

/// Runs of made-up samples, as many as those; kept ones where they are to be taken.
pub(super) fn measure(
    tools: &Tools,
    built: &Built,
    samples: &Path,
    is_kept: impl Fn(&Path) -> Option<Run>,
) -> Result<Vec<Run>> {
    let one = |seed| {
        let path = path_of(&built.folder, seed);
        if let Some(run) = is_kept(&path) {
            return Ok(run);
        }
        eprintln!("bench: {}, made-up samples {seed} of {SEEDS}", built.folder.display());
        let run = peer::compare_planted(tools, built, samples, seed)?;
        measures::save(&path, &run)?;
        Ok(run)
    };
    (1..=SEEDS).map(one).collect()
}

/// What an earlier run left.
pub(super) fn load(folder: &Path) -> Vec<Run> {
    (1..=SEEDS).filter_map(|seed| measures::load(&path_of(folder, seed))).collect()
}

fn path_of(folder: &Path, seed: usize) -> PathBuf {
    folder.join(format!("planted-{seed}.json"))
}

const INTRODUCTION: &str = "
## What a solver can close

The solver alone, of made-up samples, as many as were taken at the highest rate: of exact counts, with waiting drawn for
each segment from the distribution by which our repair weighs observations, and chance. It knows all of such noise that
can be known beforehand, so that this is about the most it can close of real samples, whose noise it knows less of.
Medians of draws.

| program | | profi | opcost | ceiling | closed |
|---|---|---:|---:|---:|---:|
";

/// The table; nothing if nothing was measured.
pub(super) fn section(all: &[Results], columns: &[(&str, Of)]) -> String {
    let mut text = String::new();
    for results in all {
        for (name, of) in columns {
            let median = |way| spread(&results.planted, way, *of).map(|(median, ..)| median);
            let ceiling = results.ceilings.get("profi").and_then(of);
            if let (Some(profi), Some(ours), Some(ceiling)) = (median("profi"), median("ours"), ceiling) {
                let share = 100.0 * closed(profi, ours, ceiling);
                let [profi, ours, ceiling] = [profi, ours, ceiling].map(|one| 100.0 * one);
                let _ = writeln!(
                    text,
                    "| {} | {name} | {profi:.1} | {ours:.1} | {ceiling:.1} | {share:.0} % |",
                    results.program
                );
            }
        }
    }
    if text.is_empty() { text } else { INTRODUCTION.to_owned() + &text }
}

#[cfg(test)]
mod tests {
    use super::super::measures::{Agreement, example};
    use super::*;

    #[test]
    fn the_share_is_of_the_medians() {
        let run = |profi, ours| {
            let agreement = [("profi", profi), ("ours", ours)];
            let agreement: Agreement =
                agreement.iter().map(|&(way, value)| (way.to_owned(), example(value))).collect();
            Run { summary: String::new(), agreement }
        };
        let mut results = Results {
            program: "zstd".to_owned(),
            arguments: Vec::new(),
            ceilings: run(1.0, 1.0).agreement,
            planted: vec![run(0.8, 0.7), run(0.6, 0.7), run(0.2, 0.9)],
            rates: Vec::new(),
        };
        let columns: [(&str, Of); 1] = [("in function", |one| Some(one.in_function_block))];
        let text = section(std::slice::from_ref(&results), &columns);
        assert!(text.ends_with("| zstd | in function | 60.0 | 70.0 | 100.0 | 25 % |\n"), "{text}");
        results.planted.clear();
        assert_eq!(section(&[results], &columns), "");
    }
}

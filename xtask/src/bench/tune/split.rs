//! What are copies of hot joins worth by themselves?
//!
//! The verb builds the program by its profile, with copies and without, and `--verify` counts the one with copies
//! once more. *Wrong in copies* is how far counts in copies are from that run, in parts of all executions there.

use super::build::{Bench, TuneRequest};
use super::programs::{all_steps, millions, side, time_gain};
use super::simulated::Simulated;
use crate::failure::{Failure, Result};
use std::fmt::Write;

pub(super) const HEAD: &str = "\n## Split alone\n\nCopies of hot joins, over the build with a profile and without them. *Wrong in copies* is by how much divided counts \
     differ from those of a counted run, in all executions of copies.\n\n\
     | program | copies | instructions, M | change | mispredicts | change | wrong in copies | gain in time |\n\
     |---|---:|---:|---:|---:|---:|---:|---|\n";

/// The row of one program.
pub(super) fn row(bench: &Bench<'_>, runs: usize) -> Result<String> {
    let flags = &["--only", "split", "--verify", "--simulate"];
    let document = bench.tuned(&TuneRequest { flags, judge: &bench.program.arguments, runs })?;
    let missing = || Failure::new("opcost tune says nothing of the step split");
    let step = all_steps(&document).iter().find(|one| one["name"] == "split").ok_or_else(missing)?;
    if step["done"] != true {
        return Err(Failure::new(
            step["refused"][0]["why"].as_str().unwrap_or("split was not done").to_owned(),
        ));
    }
    let gain = &step["gain"];
    let figures = side(gain, "before").zip(side(gain, "after"));
    let (before, after) = figures.ok_or_else(|| Failure::new("valgrind is not installed"))?;
    let of = |figure: fn(Simulated) -> u64| change(figure(before), figure(after));
    let conserved = &document["conserved"];
    let wrong = match (conserved["wrong_in_copies"].as_f64(), conserved["copied_executions"].as_f64()) {
        (Some(wrong), Some(all)) if all > 0.0 => format!("{:.2} %", wrong / all * 100.0),
        _ => "–".to_owned(),
    };
    let mut row = String::new();
    let _ = writeln!(
        row,
        "| {} | {} | {:.3} | {} | {} | {} | {wrong} | {} |",
        bench.program.name,
        conserved["copies"],
        millions(after.instructions),
        of(|one| one.instructions),
        after.mispredicted,
        of(|one| one.mispredicted),
        time_gain(&gain["time"]),
    );
    Ok(row)
}

/// A change in per cent.
pub(super) fn change(before: u64, after: u64) -> String {
    format!("{:+.1} %", (after as f64 / before as f64 - 1.0) * 100.0)
}

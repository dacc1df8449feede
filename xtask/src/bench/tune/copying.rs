//! What is each kind of copy worth by itself: inlined calls, hot joins, bodies of loops?
//!
//! The verb builds the program by its profile, with copies and without, and `--verify` counts the one with copies
//! once more. *Wrong in copies* is how far counts in copies are from that run, in parts of all executions there.

use super::build::{Bench, TuneRequest};
use super::figures::{all_steps, change, millions, side};
use super::simulated::Simulated;
use crate::bench::setup::reason;
use crate::failure::{Failure, Result};
use serde_json::Value;
use std::fmt::Write;

pub(super) const HEAD: &str = "\n## Each kind of copy alone\n\nInlined calls, copies of hot joins and of bodies of loops, each over the build with a profile and nothing else. *Wrong in \
     copies* is by how much divided counts differ from those of a counted run, in all executions of copies. Bodies of loops have no \
     divided counts.\n\n\
     | program | step | copies | instructions, M | change | mispredicts | change | wrong in copies |\n\
     |---|---|---:|---:|---:|---:|---:|---:|\n";

/// The rows of one program.
pub(super) fn rows(bench: &Bench<'_>) -> Result<String> {
    let mut rows = String::new();
    for step in ["inline", "split", "unroll"] {
        let flags = &["--only", step, "--verify", "--simulate"];
        let document = bench.tuned(&TuneRequest { flags, judge: &bench.program.small, runs: 1 })?;
        let name = &bench.program.name;
        match row(step, &document) {
            Ok(row) => _ = writeln!(rows, "| {name} | {step} | {row} |"),
            Err(failure) => _ = writeln!(rows, "| {name} | {step} | not done: {} |", reason(&failure)),
        }
    }
    Ok(rows)
}

/// The figures of a step.
fn row(name: &str, document: &Value) -> Result<String> {
    let missing = || Failure::new(format!("opcost tune says nothing of the step {name}"));
    let step = all_steps(document).iter().find(|one| one["name"] == name).ok_or_else(missing)?;
    if step["done"] != true {
        let why = step["refused"][0]["why"].as_str().unwrap_or("the step was not done");
        return Err(Failure::new(why.to_owned()));
    }
    let gain = &step["gain"];
    let figures = side(gain, "before").zip(side(gain, "after"));
    let (before, after) = figures.ok_or_else(|| Failure::new("valgrind is not installed"))?;
    let of = |figure: fn(Simulated) -> u64| change(figure(before), figure(after));
    let conserved = &document["conserved"];
    let wrong = match (conserved["wrong_in_copies"].as_f64(), conserved["copied_executions"].as_f64()) {
        (Some(wrong), Some(all)) if all > 0.0 && name != "unroll" => {
            format!("{:.2} %", wrong / all * 100.0)
        }
        _ => "–".to_owned(),
    };
    let count = |list: &str| document[list].as_array().map_or(0, Vec::len);
    let copies = match name {
        "inline" => count("inlined"),
        "split" => count("copies"),
        _ => document["unrolled"]
            .as_array()
            .map_or(0, |all| all.iter().filter(|one| one["done"] == true).count()),
    };
    Ok(format!(
        "{copies} | {:.3} | {} | {} | {} | {wrong}",
        millions(after.instructions),
        of(|one| one.instructions),
        after.mispredicted,
        of(|one| one.mispredicted),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_has_its_copies_and_what_is_wrong_in_them() {
        let figures = |before: u64, after: u64| json!({"before": before, "after": after});
        let gain = json!({"time": null, "instructions": figures(2_000_000, 1_000_000),
            "instruction_misses": figures(5, 4), "mispredicted": figures(10, 9)});
        let document = json!({"conserved": {"wrong_in_copies": 1, "copied_executions": 100}, "inlined": [1, 2],
            "transforms": [{"name": "inline", "done": true, "refused": [], "gain": gain}]});
        let row = row("inline", &document).unwrap();
        assert_eq!(row, "2 | 1.000 | -50.0 % | 9 | -10.0 % | 1.00 %");
        assert!(super::row("split", &document).is_err());
    }
}

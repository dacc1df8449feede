//! What is each step worth on a program, next to clang's builds, BOLT, samples, and no profile?
//!
//! Gains in time are those that the verb measures. Builds of others have exact figures alone. *From samples* is the
//! step `profile` once more, by a sampled training run in place of a counted one; its share is of the instructions
//! that counts save.

use super::build::{Bench, FIXED, TuneRequest};
use super::figures::{all_steps, millions, side, time_gain};
use super::simulated::{Simulated, simulate};
use crate::bench::setup::{reason, short};
use crate::failure::Result;
use serde_json::Value;
use std::fmt::Write;

pub(super) const HEAD: &str = "\n## Programs\n\n*As it comes, again* is noise. *Control* is the bitcode that the profile's pass would read, compiled again \
     without a profile. *From samples* is the step `profile` by a training run that is sampled at 10 kHz.\n";

/// A row of the table.
struct Row {
    build: String,
    simulated: Option<Simulated>,
    /// The gain in time over the build before it, or why there are no figures.
    gain: String,
}

impl Row {
    fn of(build: &str, simulated: Result<Simulated>) -> Self {
        let gain = simulated.as_ref().err().map_or_else(String::new, reason);
        Self { build: build.to_owned(), simulated: simulated.ok(), gain }
    }
}

/// Builds of clang, and their flags; the last as `--link static` does it.
const PEERS: [(&str, &[&str]); 3] = [
    ("clang's profile", &[]),
    ("clang's profile, no PIE", FIXED),
    ("clang's profile, static", &["-fno-pie", "-static"]),
];

/// With fewer rounds a gain in time has no interval.
const FEWEST: usize = 6;

/// The section of one program.
pub(super) fn table(bench: &Bench<'_>, runs: usize) -> Result<String> {
    let program = &bench.program;
    // A simulator is 50 times slower, so its runs are short; times of such runs say nothing.
    let judge = &program.small;
    let flags = ["--link", "static", "--inline", "--unroll", "--simulate"];
    let document = bench.tuned(&TuneRequest { flags: &flags, judge, runs: 1 })?;
    let long = TuneRequest { flags: &flags[..flags.len() - 1], judge: &program.arguments, runs };
    let timed = (runs >= FEWEST).then(|| bench.tuned(&long)).transpose()?;
    let mut rows = steps(&document, timed.as_ref());
    rows.push(sampled(bench, &document));
    let judged = |made: Result<std::path::PathBuf>| made.and_then(|made| simulate(&made, judge));
    rows.push(Row::of("control", judged(bench.control())));
    for (build, flags) in PEERS {
        let made = bench.peer(build, flags);
        rows.push(Row::of(build, judged(made.clone())));
        if flags == FIXED
            && let Ok(made) = made
        {
            let counts = bench.bolt_counts(&made).transpose();
            rows.extend(counts.map(|counts| {
                let placed = counts.and_then(|counts| bench.bolted(&made, &counts, &[]));
                Row::of("the same, BOLT", judged(placed.map(|placed| placed.program)))
            }));
        }
    }
    let mut page = format!(
        "\n### {}\n\n{}. Trained by `{}`, judged by `{}`, timed by `{}`. Outputs {}. In the training run {} of {} taken branches remain.\n\n\
         | build | instructions, M | I1 misses | mispredicts | gain in time |\n|---|---:|---:|---:|---|\n",
        program.name,
        program.about,
        short(&program.long),
        short(judge),
        short(&program.arguments),
        match document["outputs_equal"].as_bool() {
            Some(true) => "are equal",
            Some(false) => "**differ**",
            None => "were not compared",
        },
        document["taken_branches"]["after"],
        document["taken_branches"]["before"],
    );
    for row in rows {
        let figures = row.simulated.map_or_else(
            || "– | – | –".to_owned(),
            |one| {
                format!(
                    "{:.3} | {} | {}",
                    millions(one.instructions),
                    one.instruction_misses,
                    one.mispredicted
                )
            },
        );
        let _ = writeln!(page, "| {} | {figures} | {} |", row.build, row.gain);
    }
    Ok(page)
}

/// The rows of opcost's own steps, with times of longer runs. What was not possible says why.
fn steps(document: &Value, timed: Option<&Value>) -> Vec<Row> {
    let transforms = all_steps(document);
    let time = |name: &str| {
        let step = all_steps(timed?).iter().find(|one| one["name"] == name)?;
        Some(time_gain(&step["gain"]["time"]))
    };
    let first = transforms.iter().find(|one| one["done"] == true).map_or(&Value::Null, |one| &one["gain"]);
    let mut rows =
        vec![Row { build: "as it comes".to_owned(), simulated: side(first, "before"), gain: String::new() }];
    rows.extend(transforms.iter().map(|one| {
        let is_done = one["done"] == true;
        let refused = one["refused"][0]["why"].as_str().unwrap_or("not done");
        Row {
            build: format!("+ {}", one["name"].as_str().unwrap_or_default()),
            simulated: side(&one["gain"], "after"),
            gain: match one["name"].as_str() {
                Some(name) if is_done => time(name).unwrap_or_default(),
                _ => refused.replace('|', "/"),
            },
        }
    }));
    rows.push(Row {
        build: "as it comes, again".to_owned(),
        simulated: None,
        gain: timed.map_or_else(String::new, |timed| time_gain(&timed["control"])),
    });
    rows
}

/// The step `profile` by samples in place of counts.
fn sampled(bench: &Bench<'_>, counted: &Value) -> Row {
    let build = "profile from samples";
    let flags = &["--link", "static", "--simulate", "--only", "profile", "--sample=10000"];
    let document = match bench.tuned(&TuneRequest { flags, judge: &bench.program.small, runs: 1 }) {
        Ok(document) => document,
        Err(failure) => return Row { build: build.to_owned(), simulated: None, gain: reason(&failure) },
    };
    let figure = |document: &Value, at: &str| {
        let step = all_steps(document).iter().find(|one| one["name"] == "profile")?;
        side(&step["gain"], at)
    };
    let simulated = figure(&document, "after");
    let gain = figure(counted, "before")
        .zip(figure(counted, "after"))
        .zip(simulated)
        .map_or_else(String::new, |((before, counted), sampled)| share([before, counted, sampled]));
    Row { build: build.to_owned(), simulated, gain }
}

/// What samples save of the instructions that counts save: without a profile, by counts, by samples. A share of
/// next to nothing would be noise.
fn share(builds: [Simulated; 3]) -> String {
    let [before, counted, sampled] = builds.map(|one| one.instructions as f64);
    let saved = before - counted;
    if saved < before * 0.005 {
        return "counts save less than 0.5 % of instructions".to_owned();
    }
    format!("{:.0} % of the instructions that counts save", (before - sampled) / saved * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_share_is_of_what_counts_save() {
        let of = |instructions| Simulated { instructions, instruction_misses: 0, mispredicted: 0 };
        assert!(share([of(1000), of(900), of(925)]).starts_with("75 % of"));
        assert!(share([of(1000), of(900), of(1010)]).starts_with("-10 % of"));
        assert!(share([of(1000), of(999), of(925)]).contains("less than"));
        assert!(share([of(1000), of(1100), of(925)]).contains("less than"));
    }

    #[test]
    fn a_step_that_was_not_done_says_why() {
        let figures = |before: u64| json!({"before": before, "after": before - 1});
        let gain = json!({"time": {"median": 0.5, "low": 0.25, "high": 1.0}, "instructions": figures(9),
            "instruction_misses": figures(5), "mispredicted": figures(3)});
        let document = json!({"control": null, "transforms": [
            {"name": "split", "done": false, "refused": [{"why": "no join is hot"}], "gain": null},
            {"name": "profile", "done": true, "refused": [], "gain": gain},
        ]});
        let rows = steps(&document, Some(&document));
        let texts: Vec<&str> = rows.iter().map(|row| &*row.gain).collect();
        assert_eq!(texts, ["", "no join is hot", "+50.0 % (+25.0 to +100.0)", ""]);
        assert_eq!(rows[0].simulated.map(|one| one.instructions), Some(9));
        assert_eq!(rows[2].simulated.map(|one| one.mispredicted), Some(2));
    }
}

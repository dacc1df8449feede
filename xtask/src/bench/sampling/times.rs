//! What sampling costs and how long the repair takes: measured, shown and judged.

use super::gate::Gate;
use super::measures::Results;
use super::overhead::{self, Cost};
use super::tools::Tools;
use crate::failure::{Failure, Result};
use std::fmt::Write;
use std::path::Path;

/// Both.
pub(super) struct Times {
    pub(super) costs: Vec<Cost>,
    pub(super) repairs: Vec<RepairTime>,
}

/// How long the repairs of the runs at one rate take.
pub(super) struct RepairTime {
    program: String,
    rate: u64,
    /// Seconds of each run's repair, ascending.
    seconds: Vec<f64>,
}

/// What the reader may cost over a bare event, of the unsampled run.
const READER: f64 = 0.01;

/// What a repair of all of SQLite may take.
const REPAIR: f64 = 0.3;

/// Measures both, the first in so many rounds.
pub(super) fn measure(tools: &Tools, all: &[Results], folder: &Path, rounds: usize) -> Result<Times> {
    let mut repairs = Vec::new();
    for results in all {
        eprintln!("bench: how long the repair of {} takes", results.program);
        for (rate, runs) in &results.rates {
            let folder = folder.join(&results.program);
            let one =
                |run| seconds(tools, &folder.join("sampled"), &folder.join(format!("{rate}k-{run}.data")));
            let mut seconds = (0..runs.len()).map(one).collect::<Result<Vec<f64>>>()?;
            seconds.sort_by(f64::total_cmp);
            repairs.push(RepairTime { program: results.program.clone(), rate: *rate, seconds });
        }
    }
    Ok(Times { repairs, costs: overhead::measure(rounds)? })
}

fn seconds(tools: &Tools, program: &Path, samples: &Path) -> Result<f64> {
    let text = tools.peers(&["seconds".as_ref(), program.as_ref(), samples.as_ref()])?;
    let number = text.trim().strip_suffix(" s").and_then(|number| number.parse().ok());
    number.ok_or_else(|| Failure::new(format!("the example peers says {text}")))
}

pub(super) fn time_sections(times: &Times) -> String {
    let mut text = String::from(REPAIRS);
    for RepairTime { program, rate, seconds } in &times.repairs {
        if let [least, .., most] = seconds[..] {
            let median = seconds[seconds.len() / 2];
            let _ = writeln!(text, "| {program} | {rate} | {median:.3} | {least:.3} to {most:.3} |");
        } else if let [only] = seconds[..] {
            let _ = writeln!(text, "| {program} | {rate} | {only:.3} | |");
        }
    }
    text + &cost_section(&times.costs)
}

pub(super) fn time_gates(times: &Times) -> Vec<Gate> {
    let of_sqlite = times.repairs.iter().filter(|one| one.program == "sqlite" && !one.seconds.is_empty());
    let repairs = of_sqlite.map(|RepairTime { rate, seconds, .. }| {
        let median = seconds[seconds.len() / 2];
        Gate {
            what: format!("repair of all of SQLite, {rate} kHz"),
            required: format!("≤ {REPAIR} s"),
            actual: format!("{median:.2} s"),
            holds: median <= REPAIR,
        }
    });
    repairs.chain(cost_gates(&times.costs)).collect()
}

const REPAIRS: &str = "
## How long the repair takes

Seconds by the clock on one processor, of all functions of the program together: the fastest of nine for each run;
median of the runs, and least to most. Without reading files and placing samples. Made by `cargo run --release -p
opcost-recover --example peers seconds PROGRAM SAMPLES`.

| program | kHz | s | least to most |
|---|---:|---:|---|
";

const COSTS: &str = "
## What sampling costs

Processor time of the program and of the reader, by that of the same program unsampled in the same round: median, and
least to most. The program works by itself for some seconds. A bare event has no ring and no reader: no sampler costs
less. \"reader alone\" is by the sampled program's own time. Made by `cargo run --release -p opcost-sample --example
overhead`.

| Hz | | added, % | least to most |
|---:|---|---:|---|
";

fn cost_section(costs: &[Cost]) -> String {
    let mut text = String::from(COSTS);
    for Cost { hertz, name, ratios } in costs {
        let [median, least, most] = ratios.map(|ratio| 100.0 * (ratio - 1.0));
        let _ = writeln!(text, "| {hertz} | {name} | {median:.1} | {least:.1} to {most:.1} |");
    }
    text
}

/// Ours costs a bare event and a point more at most: within rounds, for from one round to
/// the next these machines differ by more.
fn cost_gates(costs: &[Cost]) -> Vec<Gate> {
    let median = |hertz: u64, name: &str| {
        costs.iter().find(|cost| cost.hertz == hertz && cost.name == name).map(|cost| cost.ratios[0])
    };
    let at = |hertz: u64| {
        let (bare, over) = (median(hertz, "bare event")?, median(hertz, "opcost over bare")?);
        let more = bare * (over - 1.0);
        Some(Gate {
            what: format!("sampling at {hertz} Hz, over a bare event ({:.1} %)", 100.0 * (bare - 1.0)),
            required: format!("≤ {:.0} point more", 100.0 * READER),
            actual: format!("{:.1} points", 100.0 * more),
            holds: more <= READER,
        })
    };
    [4_000, 10_000].into_iter().filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_judged_by_what_a_bare_event_costs() {
        let cost = |name: &str, ratio| Cost { hertz: 4_000, name: name.to_owned(), ratios: [ratio; 3] };
        let judged = |over| cost_gates(&[cost("bare event", 1.06), cost("opcost over bare", over)])[0].holds;
        assert!(judged(1.009) && !judged(1.0096));
    }

    #[test]
    fn repairs_are_judged_by_their_medians() {
        let times = |seconds: &[f64]| Times {
            costs: Vec::new(),
            repairs: vec![RepairTime { program: "sqlite".to_owned(), rate: 4, seconds: seconds.to_vec() }],
        };
        let verdict =
            |seconds: &[f64]| time_gates(&times(seconds)).iter().map(|gate| gate.holds).collect::<Vec<_>>();
        assert_eq!(verdict(&[0.1, 0.29, 0.5]), [true]);
        assert_eq!(verdict(&[0.1, 0.31, 0.5]), [false]);
        assert!(verdict(&[]).is_empty());
        let text = time_sections(&times(&[0.1, 0.31, 0.5]));
        assert!(text.contains("| sqlite | 4 | 0.310 | 0.100 to 0.500 |"), "{text}");
    }
}

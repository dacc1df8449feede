//! What was done to make a program faster, as text: the gain first, then each step, then functions.
//!
//! Cost: the functions.

use std::fmt::Write;

use opcost_answer::names::shown_name;
use opcost_answer::numbers::{counted, grouped};
use opcost_answer::tune::{Gain, Simulation, Transform, Tuned, TunedStep};

use super::copies::{print_conserved, print_inlined, print_splits, print_unrolled};
use super::json::totals;
use super::report::FUNCTIONS;
use crate::kit::numbers::percent;
use crate::kit::style::{BAD, DIM, STRONG, WARM, cut, paint, printable};

pub use super::report::TuneReport;

/// Functions that are named among those that were left as they are.
const LEFT: usize = 3;

/// The text, in lines of so many cells.
pub fn print_tune(report: &TuneReport<'_>, width: usize) -> String {
    let tuned = report.tuned;
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint(STRONG, headline(tuned)));
    let _ = writeln!(text, "{}", printable(&report.about));
    match tuned.outputs_equal {
        Some(true) => {}
        Some(false) => {
            let words = "a tuned program printed something else, or ended differently; it was not written";
            let _ = writeln!(text, "{}", paint(BAD, words));
        }
        None if tuned.runs > 0 => {
            let words = "the program prints something else each time, so outputs were not compared";
            let _ = writeln!(text, "{}", paint(WARM, words));
        }
        None => {}
    }
    if tuned.runs > 0 {
        print_steps(tuned, &mut text);
    }
    for refused in &tuned.refused {
        let words = format!("not done: {}: {}", refused.transform.name(), refused.why);
        let _ = writeln!(text, "{}", printable(&words));
    }
    print_inlined(report, width, &mut text);
    print_splits(report, width, &mut text);
    print_unrolled(report, width, &mut text);
    print_conserved(tuned, &mut text);
    print_functions(report, width, &mut text);
    print_left(report, &mut text);
    if !report.next.is_empty() {
        text.push('\n');
    }
    for next in &report.next {
        let _ = writeln!(text, "{}", paint(DIM, format!("next: {next}")));
    }
    text
}

/// What was gained, in a sentence.
fn headline(tuned: &Tuned) -> String {
    let last = tuned.steps.last().filter(|_| tuned.steps.len() > 1);
    match last {
        None => "nothing was done".to_owned(),
        Some(TunedStep { seconds: None, .. }) => "built; the gain was not measured (--runs)".to_owned(),
        Some(TunedStep { whole: None, .. }) => {
            format!("too few runs to say what was gained ({}, at least 6)", tuned.runs)
        }
        Some(TunedStep { whole: Some(gain), .. }) if gain.low > 0.0 => {
            format!("{} faster ({})", percent(gain.median), interval(*gain))
        }
        Some(TunedStep { whole: Some(gain), .. }) if gain.high < 0.0 => {
            format!("slower: {} ({})", signed(gain.median), interval(*gain))
        }
        Some(TunedStep { whole: Some(gain), .. }) => {
            format!("no gain above noise: {} ({})", signed(gain.median), interval(*gain))
        }
    }
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

fn interval(gain: Gain) -> String {
    format!("{:+.1} to {:+.1} %", gain.low * 100.0, gain.high * 100.0)
}

fn names(transforms: &[Transform]) -> String {
    transforms.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
}

/// A row for each step.
fn print_steps(tuned: &Tuned, text: &mut String) {
    let is_simulated = tuned.steps.iter().any(|step| step.simulated.is_some());
    let more = if is_simulated { "  instructions  I1 misses  mispredicts" } else { "" };
    let _ = writeln!(text, "\n{:<20} {:>9}  {:>8}  {:<18}{more}", "step", "seconds", "gain", "interval");
    for (number, step) in tuned.steps.iter().enumerate() {
        let name =
            if number == 0 { "as it comes".to_owned() } else { format!("+ {}", names(&step.transforms)) };
        let seconds = step.seconds.map_or_else(String::new, |seconds| format!("{seconds:.3}"));
        row(&name, &seconds, step.gain, step.simulated, text);
    }
    row("the first again", "", tuned.control, None, text);
    let _ = writeln!(
        text,
        "{}",
        paint(
            DIM,
            format!(
                "gains are over the step before: medians of {}, each program linked {}",
                counted(tuned.runs, "run"),
                match tuned.links {
                    1 => "once".to_owned(),
                    links => format!("{links} times with other gaps between functions"),
                }
            )
        )
    );
}

fn row(name: &str, seconds: &str, gain: Option<Gain>, simulated: Option<Simulation>, text: &mut String) {
    let (median, range) = gain.map_or_else(Default::default, |gain| (signed(gain.median), interval(gain)));
    let figures = simulated.map_or_else(String::new, |one| {
        format!(
            "  {:>12}  {:>9}  {:>11}",
            grouped(one.instructions),
            grouped(one.instruction_misses),
            grouped(one.mispredicted)
        )
    });
    let line = format!("{name:<20} {seconds:>9}  {median:>8}  {range:<18}{figures}");
    let _ = writeln!(text, "{}", line.trim_end());
}

/// What placement did.
fn print_functions(report: &TuneReport<'_>, width: usize, text: &mut String) {
    let tuned = report.tuned;
    if tuned.functions.is_empty() {
        return;
    }
    let (score, taken) = totals(&tuned.functions);
    let moved = tuned.functions.iter().filter(|function| function.is_moved).count();
    let _ = writeln!(
        text,
        "\nplacement: blocks of {} of {} moved; by the training run {} of {} taken branches went, and the score rose \
         from {:.0} to {:.0}",
        grouped(moved),
        counted(tuned.functions.len(), "function"),
        grouped(taken.before.saturating_sub(taken.after)),
        grouped(taken.before),
        score.before,
        score.after,
    );
    let _ = writeln!(text, "{:>14} {:>14} {:>9}  function", "taken before", "after", "blocks");
    let shown = if report.explain { tuned.functions.len() } else { FUNCTIONS };
    for function in tuned.functions.iter().take(shown) {
        let line = format!(
            "{:>14} {:>14} {:>9}  {}",
            grouped(function.taken.before),
            grouped(function.taken.after),
            format!("{}/{}", function.executed_blocks, function.blocks),
            shown_name(&function.name)
        );
        let _ = writeln!(text, "{}", cut(&printable(&line), width));
    }
    if tuned.functions.len() > shown {
        let _ = writeln!(text, "  and {} more (--explain lists all)", tuned.functions.len() - shown);
    }
}

/// Functions that were left as they are.
fn print_left(report: &TuneReport<'_>, text: &mut String) {
    let tuned = report.tuned;
    if !tuned.left.is_empty() {
        let named: Vec<String> = tuned
            .left
            .iter()
            .take(if report.explain { tuned.left.len() } else { LEFT })
            .map(|one| format!("{} ({})", shown_name(&one.name), one.why))
            .collect();
        let more = if named.len() < tuned.left.len() { ", …" } else { "" };
        let words = format!(
            "left as they are: {}: {}{more}",
            counted(tuned.left.len(), "function"),
            named.join(", ")
        );
        let _ = writeln!(text, "{}", printable(&words));
    }
}

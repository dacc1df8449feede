//! A program that was run with versions, as text: how it was run first, then each version, then what stays.
//!
//! Cost: the versions.

use std::fmt::Write;

use opcost_answer::live::{LiveAnswers, LiveVersion, RunMode};
use opcost_answer::names::shown_name;
use opcost_answer::numbers::{counted, grouped};

use crate::kit::numbers::percent;
use crate::kit::style::{DIM, STRONG, cut_name, padded, paint, printable};

/// Versions that are listed.
const LISTED: usize = 20;
/// Functions that are named among those that stay.
const EXCLUDED: usize = 5;

/// The text, in lines of so many cells.
pub fn print_live(answers: &LiveAnswers, width: usize) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint(STRONG, headline(answers)));
    let samples = &answers.samples;
    if samples.all > 0 {
        let share = |part: u64| percent(part as f64 / samples.all as f64);
        let _ = writeln!(
            text,
            "{} samples: {} in first versions · {} in later ones · the rest in libraries and the system",
            grouped(samples.all),
            share(samples.first),
            share(samples.later),
        );
    }
    if !answers.versions.is_empty() {
        let _ =
            writeln!(text, "\n   at (s)  made in (ms)  samples before, in it  loops  constants  function");
    }
    for version in answers.versions.iter().take(LISTED) {
        print_version(version, width, &mut text);
    }
    if answers.versions.len() > LISTED {
        let more = answers.versions.len() - LISTED;
        let _ = writeln!(text, "{}", paint(DIM, format!("and {more} more; --json has them all")));
    }
    for refused in &answers.refused {
        let words = format!("not replaced: {}: {}", shown_name(&refused.function), refused.why);
        let _ = writeln!(text, "{}", printable(&words));
    }
    for one in answers.excluded.iter().take(EXCLUDED) {
        let what = if one.is_entered { "its loops are not left" } else { "it has no versions" };
        let words = format!("{}: {what}: {}", shown_name(&one.function), one.why);
        let _ = writeln!(text, "{}", printable(&words));
    }
    text
}

fn headline(answers: &LiveAnswers) -> String {
    let versions = counted(answers.versions.len() as u64, "version");
    let how = match answers.mode {
        RunMode::Compile => "compiled once".to_owned(),
        RunMode::TwoPass => format!("{versions} of functions, entered at calls"),
        RunMode::Adaptive => format!("{versions} of functions, entered at calls and in loops"),
    };
    format!(
        "{how}; started after {:.2} s, ran {:.2} s",
        answers.milliseconds_to_start / 1e3,
        answers.milliseconds / 1e3
    )
}

fn print_version(version: &LiveVersion, width: usize, text: &mut String) {
    let samples = format!("{} → {}", grouped(version.samples), grouped(version.later_samples));
    let line = format!(
        "{:>9.3}  {:>12.1}  {}  {:>5}  {:>9}  ",
        version.at / 1e3,
        version.compile,
        padded(&samples, 22),
        version.loops.len(),
        version.constants
    );
    let room = width.saturating_sub(line.chars().count()).max(20);
    let _ = writeln!(text, "{line}{}", cut_name(&shown_name(&version.function), room));
}

//! The page: what was aimed at and what holds, then for each program and in
//! total what is declared, what LLVM and opcost know and what was seen.

use super::findings;
use super::large::{self, Large};
use super::modules::World;
use super::outcome::Outcome;
use super::own::{Certified, Own};
use super::sums::{COLUMNS, ObservedSums, Sums};
use crate::bench::machine::Facts;
use crate::bench::setup;
use std::fmt::Write;

/// How much of LLVM's head-room on values that were computed is to be closed.
const WANTED: [(World, f64); 2] = [(World::Closed, 0.60), (World::Open, 0.42)];

/// CPU seconds that a program may take.
const SECONDS: f64 = 1.0;

const INTRODUCTION: &str = "\
# How many bits values need

Written by `cargo xtask bench bits`; the next run replaces it. Sums over all integers of at most 64 bits in
kernels, in bits; the programs are in `corpus/bits`. opcost and LLVM are asked about the very same modules.

";

const WORDS: &str = "
LVI, SCEV, known: LazyValueInfo, ScalarEvolution's ranges, ValueTracking's known bits; demanded: DemandedBits.
Fwd: the meet of the first three. type: what a smaller type could have by all four; All: Fwd without bits inside that
are known or not demanded. ours: opcost's ranges as types, as far as a certificate holds them; slice: without bits
inside that are always the same, by the same certificate. A constant counts with the bits of its number but for All
and slice, of what never runs nothing counts. seen: the bits of all that runs computed, varying: those of them that
were not always the same. closed: how much of Fwd minus seen is closed by ours; narrower: by the narrower of Fwd and
ours on each value. A run is not all runs: seen may be too few.
";

/// All of it.
pub(super) fn write(outcomes: &[Outcome], large: &[Large], seeds: usize, facts: &Facts) -> String {
    let mut text = String::from(INTRODUCTION);
    text += &setup::head(facts);
    text += &goals(outcomes, large, seeds);
    for world in World::ALL {
        let of_world: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.world == world).collect();
        if of_world.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {} world: what is known\n\n", capital(world.word()));
        text += &known_table(&of_world);
        if seeds > 0 {
            let _ = write!(
                text,
                "\n## {} world: values that {seeds} runs computed\n\n{}",
                capital(world.word()),
                observed_table(&of_world)
            );
        }
    }
    text += WORDS;
    text += &findings::weaker_section(outcomes);
    if seeds > 0 {
        text += &against_runs(outcomes);
    }
    text += &certificates(outcomes);
    text += &times(outcomes);
    text + &large::section(large)
}

/// What a checker believes, which shares nothing with the analysis.
fn certificates(outcomes: &[Outcome]) -> String {
    let mut text = String::from(CERTIFIED);
    for world in World::ALL {
        let mut total = [0u64; 3];
        for outcome in outcomes.iter().filter(|outcome| outcome.world == world) {
            let kernels = outcome.values.iter().filter(|value| !value.row.drives);
            let bits = |own: Option<&Own>, width: u32| u64::from(own.map_or(width, Own::needed));
            let sums = kernels.fold([0u64; 3], |[fwd, told, own], value| {
                let width = value.row.width;
                [
                    fwd + u64::from(value.row.fwd),
                    told + bits(value.uncertified.as_ref(), width),
                    own + bits(value.own.as_ref(), width),
                ]
            });
            let Certified { holds, claims, given, seconds } = outcome.certificate;
            let verdict = if holds { "holds" } else { "**does not hold**" };
            let (title, world, [fwd, told, own]) = (outcome.title(), world.word(), sums);
            let _ = writeln!(
                text,
                "| {title} | {world} | {fwd} | {told} | {own} | {claims} | {given} | {verdict} | {seconds:.2} |"
            );
            total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        let [fwd, told, own] = total;
        let world = world.word();
        let _ = writeln!(text, "| **total** | {world} | {fwd} | {told} | {own} | | | | |");
    }
    text
}

fn goals(outcomes: &[Outcome], large: &[Large], seeds: usize) -> String {
    let mut text = String::from("\n## What was aimed at\n\n| | wanted | is | |\n|---|---|---|---|\n");
    let mut line = |what: &str, wanted: &str, is: &str, holds: bool| {
        let word = if holds { "holds" } else { "**does not hold**" };
        let _ = writeln!(text, "| {what} | {wanted} | {is} | {word} |");
    };
    for (world, wanted) in WANTED {
        let of_world: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.world == world).collect();
        let total = observed_total(&of_world);
        if let Some(closed) = total.closed_by(total.ours()) {
            let what = format!("LLVM's head-room closed, {} world", world.word());
            let wanted_words = format!("at least {}", percent(wanted));
            line(&what, &wanted_words, &percent(closed), closed >= wanted);
        }
    }
    if seeds > 0 {
        let wrong = findings::contradictions(outcomes).len();
        line("values outside of what opcost says", "0", &wrong.to_string(), wrong == 0);
    }
    let weaker = findings::count_of_weaker(outcomes);
    line("values wider than LLVM's Fwd", "0", &weaker.to_string(), weaker == 0);
    let told = findings::count_of_weaker_uncertified(outcomes);
    line("the same, told without a certificate", "0", &told.to_string(), told == 0);
    let slowest = outcomes.iter().max_by(|a, b| a.taken.seconds.total_cmp(&b.taken.seconds));
    if let Some(slowest) = slowest {
        let is = format!("{:.2} s ({})", slowest.taken.seconds, slowest.title());
        line("slowest program", &format!("at most {SECONDS:.0} s"), &is, slowest.taken.seconds <= SECONDS);
    }
    large::goals(large).iter().for_each(|(what, wanted, is, holds)| line(what, wanted, is, *holds));
    text
}

fn known_table(outcomes: &[&Outcome]) -> String {
    let mut text = format!(
        "| program | values | {} | ours of declared |\n|---|{}---:|---:|\n",
        COLUMNS.join(" | "),
        "---:|".repeat(COLUMNS.len())
    );
    let (mut total, mut everything) = (Sums::default(), Sums::default());
    for outcome in outcomes {
        let mut sums = Sums::default();
        for value in &outcome.values {
            everything.add(value);
            if !value.row.drives {
                sums.add(value);
            }
        }
        total.join(&sums);
        known_line(&mut text, &outcome.title(), &sums);
    }
    known_line(&mut text, "**total**", &total);
    known_line(&mut text, "with all that drives them", &everything);
    text
}

fn known_line(text: &mut String, name: &str, sums: &Sums) {
    let [declared, .., ours, _] = sums.columns;
    let _ = write!(text, "| {name} | {}", sums.values);
    for column in sums.columns {
        let _ = write!(text, " | {column}");
    }
    let share = if declared == 0 { "–".to_owned() } else { percent(ours as f64 / declared as f64) };
    let _ = writeln!(text, " | {share} |");
}

fn observed_total(outcomes: &[&Outcome]) -> ObservedSums {
    let mut total = ObservedSums::default();
    for outcome in outcomes {
        total.join(&ObservedSums::of(&outcome.values));
    }
    total
}

fn observed_table(outcomes: &[&Outcome]) -> String {
    let mut text = String::from(
        "| program | values | declared | Fwd | type | All | ours | slice | seen | varying | closed | narrower |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for outcome in outcomes {
        observed_line(&mut text, &outcome.title(), &ObservedSums::of(&outcome.values));
    }
    observed_line(&mut text, "**total**", &observed_total(outcomes));
    text
}

fn observed_line(text: &mut String, name: &str, sums: &ObservedSums) {
    let [declared, _, _, _, _, fwd, narrow, all, ours, slice] = sums.of_widths.columns;
    let closed = |bits| sums.closed_by(bits).map_or_else(|| "–".to_owned(), percent);
    let _ = writeln!(
        text,
        "| {name} | {} | {declared} | {fwd} | {narrow} | {all} | {ours} | {slice} | {} | {} | {} | {} |",
        sums.of_widths.values,
        sums.width,
        sums.varying,
        closed(ours),
        closed(sums.narrower),
    );
}

fn against_runs(outcomes: &[Outcome]) -> String {
    let mut text = String::from("\n## Against the runs\n");
    text += &findings::list(
        &findings::contradictions(outcomes),
        "No run shows a value outside of what opcost says of it, of drivers and kernels.",
        "values were what opcost says they cannot be:",
    );
    text += &findings::list(
        &findings::beyond_llvm(outcomes),
        "No run shows more bits than LLVM allows.",
        "values show more bits than LLVM allows:",
    );
    text + &findings::list(
        &findings::missing(outcomes),
        "opcost speaks of every value that LLVM was asked for.",
        "values are none of opcost's, and count as declared:",
    )
}

const CERTIFIED: &str = "
## The certificates

All that is *ours* in the tables above is what `opcost bits --certificate` tells: only what a checker can follow \
that shares nothing with the analysis and leaves arithmetic to z3; `opcost bits --check` then asks of each claim \
whether it follows. *told* is what `opcost bits` says without. Bits of kernels, as types; \
*given* counts what the certificate lists as taken for granted. Seconds are opcost's own, without z3's.

| program | world | Fwd | told | ours | claims | given | checked | CPU seconds |
|---|---|---:|---:|---:|---:|---:|---|---:|
";

fn times(outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "\n## What it takes\n\nOf `opcost bits --json - FILE.bc`, one run each, wanted: at most {SECONDS:.0} s.\n\n\
         | program | world | CPU seconds | peak, millions of bytes |\n|---|---|---:|---:|\n"
    );
    for outcome in outcomes {
        let (title, world, taken) = (outcome.title(), outcome.world.word(), outcome.taken);
        let _ = writeln!(text, "| {title} | {world} | {:.2} | {:.0} |", taken.seconds, taken.megabytes);
    }
    text
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// With one decimal, never rounded up to what it does not reach.
fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0 + 1e-9).floor() / 10.0)
}

#[cfg(test)]
mod tests;

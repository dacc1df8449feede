//! Taken branches and misses of placed code: ours and BOLT's, over several layouts.
//!
//! One link says little of misses, because sets of the cache collide by luck. Ours is linked several times with
//! other gaps between functions. Builds of clang have one alignment of functions in each layout, and so has BOLT.
//! Misses are medians. Taken branches are those of the training run: opcost's by its counts, BOLT's by its own.
//!
//! The judging run is a short one (`small`), because each layout is simulated.

use super::build::{Bench, FIXED, TuneRequest};
use super::figures::{all_steps, change, millions, side};
use super::simulated::{Simulated, simulate};
use crate::failure::Result;
use std::fmt::Write;

pub(super) const HEAD: &str = "\n## Placement over several layouts\n\nMedians of several layouts: other gaps between functions (opcost), other alignments of functions (clang, BOLT). \
     None is a PIE. *Taken branches* are those of the training run that placement leaves. The run that judges is short.\n\n\
     | program | build | taken branches | instructions, M | I1 misses | change |\n|---|---|---:|---:|---:|---:|\n";

/// Alignments of functions that make other layouts.
const ALIGNMENTS: [u32; 5] = [16, 32, 64, 128, 256];

/// The rows of one program.
pub(super) fn rows(bench: &Bench<'_>, links: usize) -> Result<String> {
    let judge = &bench.program.small;
    let (count, simulated) = (links.to_string(), format!("--simulate={links}"));
    let flags = &["--link", "no-pie", "--links", &count, &simulated];
    let document = bench.tuned(&TuneRequest { flags, judge, runs: 1 })?;
    let mut text = String::new();
    let mut write = |build: &str, taken: &str, one: Simulated, before: Option<Simulated>| {
        let change = before
            .map_or_else(String::new, |before| change(before.instruction_misses, one.instruction_misses));
        let _ = writeln!(
            text,
            "| {} | {build} | {taken} | {:.3} | {} | {change} |",
            bench.program.name,
            millions(one.instructions),
            one.instruction_misses
        );
    };
    let placement = all_steps(&document).iter().find(|one| one["name"] == "placement" && one["done"] == true);
    if let Some(gain) = placement.map(|one| &one["gain"])
        && let (Some(before), Some(after)) = (side(gain, "before"), side(gain, "after"))
    {
        let taken = &document["taken_branches"];
        let remain = taken["before"].as_u64().zip(taken["after"].as_u64());
        write("opcost's profile", "", before, None);
        write(
            "+ placement",
            &remain.map_or_else(String::new, |(before, after)| remaining(before, after)),
            after,
            Some(before),
        );
    }
    let profile = bench.peer_profile("layouts", FIXED)?;
    let (mut before, mut after, mut taken) = (Vec::new(), Vec::new(), None);
    for alignment in ALIGNMENTS.iter().cycle().take(links.min(ALIGNMENTS.len())) {
        let align = format!("-falign-functions={alignment}");
        let peer = bench.peer_again("layouts", &[FIXED, &[&align]].concat(), &profile)?;
        before.push(simulate(&peer, judge)?);
        if let Some(counts) = bench.bolt_counts(&peer)? {
            let flags = [format!("-align-functions={alignment}")];
            let bolted = bench.bolted(&peer, &counts, &flags)?;
            after.push(simulate(&bolted.program, judge)?);
            taken = bolted.taken.or(taken);
        }
    }
    if let Some(before) = median(&before) {
        write("clang's profile", "", before, None);
        if let Some(after) = median(&after) {
            write(
                "+ BOLT",
                &taken.map_or_else(String::new, |(before, after)| remaining(before, after)),
                after,
                Some(before),
            );
        }
    }
    Ok(text)
}

/// How many of the taken branches remain.
fn remaining(before: u64, after: u64) -> String {
    format!("{after} of {before} ({})", change(before, after))
}

/// The median of each figure.
fn median(all: &[Simulated]) -> Option<Simulated> {
    let middle = |figure: fn(&Simulated) -> u64| {
        let mut sorted: Vec<u64> = all.iter().map(figure).collect();
        sorted.sort_unstable();
        sorted.get(sorted.len().checked_sub(1)? / 2).copied()
    };
    Some(Simulated {
        instructions: middle(|one| one.instructions)?,
        instruction_misses: middle(|one| one.instruction_misses)?,
        mispredicted: middle(|one| one.mispredicted)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_of_each_figure() {
        let one =
            |misses| Simulated { instructions: 7, instruction_misses: misses, mispredicted: 10 - misses };
        let middle = median(&[one(9), one(1), one(2)]).unwrap();
        assert_eq!((middle.instruction_misses, middle.mispredicted), (2, 8));
        assert_eq!(median(&[]), None);
        assert_eq!(remaining(200, 150), "150 of 200 (-25.0 %)");
    }
}

//! `cargo xtask bench pgo`: what is an exported profile worth to a compiler?
//!
//! SQLite is trained by one program (`corpus/sqlite/training.c`) and judged by another
//! (`corpus/sqlite/driver.c`), which has no statement and no table of it. Profiles are
//! made in each way: by clang's own counters, by `perf` and clang's inference, by
//! `opcost count` and `opcost sample`; each is exported and compiled with. The builds then
//! run interleaved, round by round, each round starting with another; what counts is
//! processor time by what the builds of the round take, of which the median is shown, and
//! which part of the gain of clang's own counters that is. The plain build runs twice: the
//! distance of the two is noise. What is made of samples is another profile after each run,
//! and near the thresholds of an inliner that is another program; so one way has five. And so
//! it is with counters that are trained a little more or less, of which there are three.
//!
//! The training takes six seconds and more: of less, samples say little of code that takes
//! a hundredth of the time. It is the same for counters.

mod builds;
mod columns;
mod options;
mod page;
mod peer;
mod workshop;

use super::{machine, setup, timed};
use crate::failure::{Failure, Result};
use columns::{COLUMNS, Column};
use options::Options;
use std::path::Path;
use std::process::Command;
use workshop::Workshop;

/// The verb: builds, runs, and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("pgo")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let workshop = Workshop::prepare(&options, opcost, folder)?;
    let mut columns = builds::columns(&workshop)?;
    run_rounds(&mut columns, &options, &workshop.folder)?;
    let head = setup::head(&machine::facts(Ok(&workshop.opcost), &before, &[&["pgo"], flags].concat()));
    setup::publish(&page::write(&head, &columns, &options), &options.out)
}

/// Runs all builds, round by round; each must say the same.
fn run_rounds(columns: &mut [Column], options: &Options, folder: &Path) -> Result<()> {
    let mut answer = None;
    for round in 0..options.rounds {
        eprintln!("bench: round {} of {}", round + 1, options.rounds);
        for step in 0..columns.len() {
            let column = &mut columns[(round + step) % COLUMNS.len()];
            if column.missing.is_some() {
                continue;
            }
            let mut command = Command::new(&column.program);
            let (text, taken) = timed::run(command.arg(&options.rows), &[], folder)?;
            column.seconds.push(taken.seconds);
            if *answer.get_or_insert_with(|| text.clone()) != text {
                return Err(Failure::new(format!("{} answers otherwise", column.title)));
            }
        }
    }
    Ok(())
}

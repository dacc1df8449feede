//! `cargo xtask bench predict`: how right are counts and times that nobody ran for?
//!
//! Three questions, each a part of one page: how near predicted counts are to those of a run
//! (`counts`), how near predicted time is to measured time when counts are exact (`time`), and
//! what a prediction takes (`cost`). Output: `benchmarks/predict.md`. Cost: half an hour on a
//! machine that does nothing else.

mod cost;
mod counts;
mod time;

use super::{machine, setup};
use crate::failure::{Failure, Result};
use crate::root::repository;
use std::path::PathBuf;
use time::TimeOptions;

struct Options {
    rounds: usize,
    runs: usize,
    programs: Vec<String>,
    timing: Option<PathBuf>,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// The verb: counts, predicts, times, and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("predict")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let programs = &options.programs;
    let time = TimeOptions { runs: options.runs, timing: options.timing.as_deref(), programs };
    let mut parts = counts::part(programs, &opcost, &folder)?;
    parts += &time::part(&time, &opcost, &folder)?;
    if parts.is_empty() {
        return Err(Failure::usage(format!("no program is called {}", programs.join(" or "))));
    }
    if options.rounds > 0 {
        parts += &cost::part(options.rounds, &opcost, &folder)?;
    }
    let mut page = String::from(
        "# How right are counts and times that are predicted from the code?\n\n\
         Written by `cargo xtask bench predict`; the next run replaces it.\n\n",
    );
    page += &setup::head(&machine::facts(Ok(&opcost), &before, &[&["predict"], flags].concat()));
    page += &parts;
    setup::publish(&page, &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 7,
            runs: 9,
            programs: Vec::new(),
            timing: None,
            opcost: None,
            out: repository()?.join("benchmarks/predict.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--rounds" => options.rounds = number(flag, value()?, 0)?,
                "--runs" => options.runs = number(flag, value()?, 1)?,
                "--programs" => options.programs = value()?.split(',').map(str::to_owned).collect(),
                "--timing" => options.timing = Some(PathBuf::from(value()?)),
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench predict has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

fn number(flag: &str, text: &str, least: usize) -> Result<usize> {
    text.parse()
        .ok()
        .filter(|&number| number >= least)
        .ok_or_else(|| Failure::usage(format!("{flag} wants a number from {least}, not {text}")))
}

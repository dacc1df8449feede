//! `cargo xtask bench bits`: how many bits the integers of a program need, by
//! what LLVM knows of them and by what runs show.
//!
//! The programs of `corpus/bits` are compiled at -O2, without the passes that
//! make copies of loops and without kernels being put into what drives them, into
//! one module each: as it is (the open world, where anyone may call what is not
//! static), and with `main` as the only entry, optimised again as at link time
//! (the closed world). LLVM is asked by a program
//! of ours (`xtask/oracle/bits.cpp`) for LazyValueInfo, ScalarEvolution,
//! ValueTracking and DemandedBits of every integer with at most 64 bits. The
//! module is then rewritten to tell what its values are, and run with many seeds.
//!
//! opcost is asked the same of the same module (`opcost bits --json`), so each
//! row is one value with three answers.
//!
//! Sums are over kernels: not `main`, not what verifies or makes inputs
//! (`plain_…`, `drive_…`), not what all programs share (`bits_…`). A value of which a run
//! shows more bits than LLVM allows is named: one of the two is wrong. Status 3 if
//! a run, of a driver or a kernel, shows what opcost says cannot be.

mod findings;
mod large;
mod modules;
mod observed;
mod outcome;
mod own;
mod page;
mod peer;
mod sums;

use super::{machine, oracle, setup};
use crate::bits;
use crate::bits::Member;
use crate::failure::{Failure, Result};
use crate::root::repository;
use modules::World;
use outcome::{Outcome, Value};
use own::Own;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug)]
struct Options {
    sets: Vec<String>,
    worlds: Vec<World>,
    seeds: usize,
    /// Whether programs as large as SQLite are left out.
    is_small: bool,
    rows: Option<PathBuf>,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// The verb.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    bits::check_frozen()?;
    let folder = setup::folder("bits")?;
    let before = machine::load();
    let program = oracle::build("bits", &folder)?;
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let tools = Tools { oracle: &program, opcost: &opcost, seeds: options.seeds, folder: &folder };
    let mut outcomes = Vec::new();
    for world in &options.worlds {
        for member in
            bits::members()?.into_iter().filter(|member| options.sets.iter().any(|set| set == member.set))
        {
            eprintln!("bench: {} {}, {} world", member.set, member.name, world.word());
            outcomes.push(gather(&tools, member, *world)?);
        }
    }
    let large = if options.is_small { Vec::new() } else { large::query(&opcost, &folder)? };
    let words = [&["bits"], flags].concat();
    let text = page::write(&outcomes, &large, options.seeds, &machine::facts(Ok(&opcost), &before, &words));
    let text = text.replace(&*repository()?.to_string_lossy(), ".");
    println!("{text}");
    fs::write(&options.out, &text).map_err(|error| Failure::at("write", &options.out, error))?;
    eprintln!("bench: written to {}", options.out.display());
    if let Some(path) = &options.rows {
        write_rows(&outcomes, path)?;
    }
    if let Some(outcome) = outcomes.iter().find(|outcome| !outcome.certificate.holds) {
        return Err(Failure::verdict(format!("the certificate of {} does not hold", outcome.title())));
    }
    match findings::contradictions(&outcomes).len() {
        0 => Ok(()),
        wrong => Err(Failure::verdict(format!("{wrong} values were what opcost says they cannot be"))),
    }
}

/// What answers, and where it works.
struct Tools<'t> {
    oracle: &'t Path,
    opcost: &'t Path,
    /// Runs of each program.
    seeds: usize,
    folder: &'t Path,
}

/// All that is known of a program's values.
fn gather(tools: &Tools<'_>, member: Member, world: World) -> Result<Outcome> {
    let Tools { oracle: program, opcost, seeds, folder } = *tools;
    let module = modules::make(program, &member, world, folder)?;
    let rows = peer::query(program, &module)?;
    let mut observations = observed::run(program, &module, seeds, folder)?;
    let (mut answers, taken) = own::query(opcost, &module, world, folder)?;
    let (mut certified, certificate) = own::query_certified(opcost, &module, world, folder)?;
    let values = rows.into_iter().map(|row| Value {
        observed: observations.remove(&(row.function.clone(), row.index)),
        own: certified.remove(&own::key(&row)),
        uncertified: answers.remove(&own::key(&row)),
        row,
    });
    Ok(Outcome { set: member.set, name: member.name, world, values: values.collect(), taken, certificate })
}

fn write_rows(outcomes: &[Outcome], path: &Path) -> Result<()> {
    let mut text = String::new();
    for outcome in outcomes {
        for Value { row, observed, own, uncertified } in &outcome.values {
            let line = serde_json::json!({
                "set": outcome.set, "program": outcome.name, "world": outcome.world.word(),
                "value": row, "seen": observed,
                "seen_width": observed.map(|observed| observed.width()),
                "told": uncertified.as_ref().map(Own::needed),
                "needed": own.as_ref().map(Own::needed), "slice": own.as_ref().map(Own::slice),
                "text": own.as_ref().map(|own| &own.text), "range": own.as_ref().map(|own| &own.range),
                "because": own.as_ref().and_then(|own| own.because.as_ref()),
            });
            let _ = writeln!(text, "{line}");
        }
    }
    fs::write(path, text).map_err(|error| Failure::at("write", path, error))
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            sets: vec!["programs".to_owned()],
            worlds: World::ALL.to_vec(),
            seeds: 20,
            is_small: false,
            rows: None,
            opcost: None,
            out: repository()?.join("benchmarks/bits.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let value =
                flags.next().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))?;
            match *flag {
                "--sets" => options.sets = words(value, &["programs", "twins", "hard"])?,
                "--worlds" => {
                    let words = words(value, &World::ALL.map(World::word))?;
                    options.worlds = World::ALL
                        .into_iter()
                        .filter(|world| words.iter().any(|word| word == world.word()))
                        .collect();
                }
                "--seeds" => {
                    let wrong = |_| Failure::usage(format!("--seeds wants a number, not {value}"));
                    options.seeds = value.parse().map_err(wrong)?;
                }
                "--large" => options.is_small = words(value, &["yes", "no"])? == ["no"],
                "--opcost" => options.opcost = Some(PathBuf::from(value)),
                "--out" => options.out = PathBuf::from(value),
                "--rows" => options.rows = Some(PathBuf::from(value)),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench bits has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

fn words(text: &str, known: &[&str]) -> Result<Vec<String>> {
    let words: Vec<String> = text.split(',').map(str::to_owned).collect();
    match words.iter().find(|word| !known.contains(&&***word)) {
        Some(word) => Err(Failure::usage(format!("there is no {word}; there are {}", known.join(", ")))),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let options =
            Options::parse(&["--worlds", "closed", "--seeds", "3", "--sets", "twins,hard"]).unwrap();
        assert_eq!((options.worlds, options.seeds), (vec![World::Closed], 3));
        assert_eq!(options.sets, ["twins", "hard"]);
        for wrong in [&["--seeds"][..], &["--seeds", "x"], &["--sets", "all"], &["--colour", "red"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}

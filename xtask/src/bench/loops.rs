//! `cargo xtask bench loops`: what is known of every loop before it runs, by
//! LLVM's ScalarEvolution and by opcost, on the same bitcode.
//!
//! The programs of `corpus/loops`, whose files are pinned, and SQLite and Lua
//! are compiled at each level into one module each, file by file as a user
//! would, with lines. LLVM is asked by a program of ours that links it
//! (`xtask/oracle/evolution.cpp`), opcost by `opcost loops --json`. Rows are
//! joined by function and header block, so one row is one loop of that very
//! module: copies that inlining made count again, loops that unrolling removed
//! are gone. opcost's claims are held against runs by `opcost values --verify`.
//!
//! The answer is no (status 3) if LLVM has an exact count for a loop of which
//! opcost says unknown or nothing, if both say a number and not the same, or if
//! a claim of opcost's is wrong. Where opcost has no such verb yet, the page is
//! shown and not kept.

mod bitcode;
mod ceiling;
mod join;
mod marked;
mod outcome;
mod own;
mod page;
mod peer;
mod row;
mod verify;

use super::{machine, setup};
use crate::failure::{Failure, Result};
use crate::loops;
use crate::loops::sets::{self, LEVELS};
use crate::root::repository;
use bitcode::Unit;
use ceiling::Ceiling;
use join::Comparison;
use marked::Marked;
use outcome::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// The sets in the order of the page.
const SETS: [&str; 6] = ["fortran", "c", "kernels", "hard", "sqlite", "lua"];

#[derive(Debug)]
struct Options {
    sets: Vec<String>,
    levels: Vec<String>,
    verify: bool,
    as_built: bool,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// The tools that answer.
struct Tools {
    oracle: PathBuf,
    opcost: Result<PathBuf>,
    /// Why nothing is verified.
    verify: Result<()>,
    ceiling: Ceiling,
    folder: PathBuf,
}

/// The verb.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    loops::check_frozen()?;
    let folder = repository()?.join("target/bench/loops");
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    let before = machine::load();
    let tools = Tools::prepare(&options, folder)?;
    let mut outcomes = Vec::new();
    for set in &options.sets {
        let units = bitcode::units(set)?;
        for level in &options.levels {
            eprintln!("bench: {set} {level}");
            outcomes.push(compare(set, level, &units, &options, &tools)?);
        }
    }
    let words = [&["loops"], flags].concat();
    let facts = machine::facts(tools.opcost.as_deref(), &before, &words);
    let reason = tools.verify.as_ref().err().map(ToString::to_string);
    let text = page::write(&outcomes, reason.as_deref(), &facts)?;
    let text = text.replace(&*repository()?.to_string_lossy(), ".");
    println!("{text}");
    match &tools.opcost {
        Ok(_) => {
            fs::write(&options.out, &text).map_err(|error| Failure::at("write", &options.out, error))?;
            eprintln!("bench: written to {}", options.out.display());
        }
        Err(failure) => eprintln!("bench: half a page is not kept: {failure}"),
    }
    verdict(&outcomes)
}

/// No, if something must not be.
fn verdict(outcomes: &[Outcome]) -> Result<()> {
    let count = |of: &dyn Fn(&Comparison) -> usize| -> usize {
        outcomes.iter().map(|outcome| of(&outcome.comparison)).sum()
    };
    let misses = count(&|comparison| comparison.misses.len());
    let disagreements = count(&|comparison| comparison.disagreements.len());
    let by_runs = count(&|comparison| usize::try_from(comparison.verified.wrong).unwrap_or(usize::MAX));
    let by_marks: usize =
        outcomes.iter().filter_map(|outcome| outcome.marked.as_ref()).map(|marked| marked.wrong.len()).sum();
    let wrong = by_runs + by_marks;
    if misses + disagreements + wrong == 0 {
        return Ok(());
    }
    Err(Failure::verdict(format!(
        "{misses} loops that LLVM counts and opcost does not, {disagreements} numbers that differ, {wrong} wrong \
         claims"
    )))
}

impl Tools {
    fn prepare(options: &Options, folder: PathBuf) -> Result<Self> {
        let path = setup::opcost(options.opcost.as_deref())?;
        let opcost = own::has_verb(&path, "loops").map(|()| path.clone());
        let verify = match (&opcost, options.verify) {
            (Err(failure), _) => Err(failure.clone()),
            (Ok(_), false) => Err(Failure::new("--no-verify")),
            (Ok(path), true) => own::has_verb(path, "values"),
        };
        let ceiling = Ceiling::read(&sets::folder()?.join("ceiling.txt"))?;
        Ok(Self { oracle: peer::build(&folder)?, opcost, verify, ceiling, folder })
    }
}

fn compare(set: &str, level: &str, units: &[Unit], options: &Options, tools: &Tools) -> Result<Outcome> {
    let mut comparison = Comparison::new(tools.opcost.is_ok());
    let (mut taken, mut marked) = (None, None::<Marked>);
    for unit in units {
        let bitcode = bitcode::make(unit, set, level, options.as_built, &tools.folder)?;
        let (theirs, their_time) = peer::query(&tools.oracle, &bitcode, &tools.folder)?;
        let ours = match &tools.opcost {
            Ok(opcost) => Some(own::query(opcost, &bitcode, &tools.folder)?),
            Err(_) => None,
        };
        let (ours, our_time) = ours.map_or((None, None), |(rows, time)| (Some(rows), Some(time)));
        comparison.add(&format!("{set}/{} {level}", unit.name), &theirs, ours.as_deref(), &tools.ceiling);
        if set == "sqlite" {
            taken = Some((their_time, our_time));
        }
        if let (Ok(opcost), "hard", "-O0", [source]) = (&tools.opcost, set, level, unit.sources.as_slice()) {
            marked.get_or_insert_default().add(marked::query(opcost, source, &bitcode, &tools.folder)?);
        }
        // Without a loop there is nothing to record.
        if !theirs.is_empty() {
            verify_unit(unit, &bitcode, tools, &mut comparison)?;
        }
    }
    Ok(Outcome { set: set.to_owned(), level: level.to_owned(), comparison, marked, taken })
}

fn verify_unit(unit: &Unit, bitcode: &Path, tools: &Tools, comparison: &mut Comparison) -> Result<()> {
    if let (Ok(opcost), Ok(())) = (&tools.opcost, &tools.verify) {
        for run in &unit.runs {
            comparison.verified.add(verify::run(opcost, bitcode, run, &tools.folder)?);
        }
    }
    Ok(())
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            sets: SETS.map(str::to_owned).to_vec(),
            levels: LEVELS.map(str::to_owned).to_vec(),
            verify: true,
            as_built: false,
            opcost: None,
            out: repository()?.join("benchmarks/loops.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--sets" => options.sets = some_of(value()?, &SETS)?,
                "--levels" => options.levels = some_of(value()?, &LEVELS)?,
                "--no-verify" => options.verify = false,
                "--as-built" => options.as_built = true,
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench loops has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

/// The words of a list, each of which must be known.
fn some_of(text: &str, known: &[&str]) -> Result<Vec<String>> {
    let words: Vec<String> = text.split(',').map(str::to_owned).collect();
    match words.iter().find(|word| !known.contains(&word.as_str())) {
        Some(word) => {
            Err(Failure::usage(format!("nothing is called {word}; there are {}", known.join(", "))))
        }
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let options =
            Options::parse(&["--sets", "c,lua", "--levels", "-O0", "--no-verify", "--as-built"]).unwrap();
        assert_eq!((options.sets.len(), options.levels.len()), (2, 1));
        assert!(!options.verify && options.as_built);
        for flags in [&["--sets", "d"][..], &["--levels", "-O9"], &["--sets"], &["--what"]] {
            assert_eq!(Options::parse(flags).err().map(|failure| failure.status()), Some(2), "{flags:?}");
        }
    }

    #[test]
    fn the_verdict_is_no_only_for_a_reason() {
        let outcome = |change: &dyn Fn(&mut Comparison)| {
            let mut comparison = Comparison::new(true);
            change(&mut comparison);
            let outcome =
                Outcome { set: String::new(), level: String::new(), comparison, marked: None, taken: None };
            verdict(&[outcome]).err().map(|failure| failure.status())
        };
        assert_eq!(outcome(&|_| {}), None);
        assert_eq!(outcome(&|comparison| comparison.weaker.push("bound only".to_owned())), None);
        assert_eq!(outcome(&|comparison| comparison.misses.push("a loop".to_owned())), Some(3));
        assert_eq!(outcome(&|comparison| comparison.disagreements.push("a loop".to_owned())), Some(3));
        assert_eq!(outcome(&|comparison| comparison.verified.wrong = 1), Some(3));
    }
}

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
//! Sums are over kernels: not `main`, not what verifies or makes inputs
//! (`plain_…`, `drive_…`), not what all programs share (`bits_…`). A value of which a run
//! shows more bits than LLVM allows is named: one of the two is wrong.

mod modules;
mod observed;
mod page;
mod peer;

use super::oracle;
use crate::failure::{Failure, Result};
use crate::{bits, repository};
use modules::World;
use observed::Seen;
use peer::Row;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug)]
struct Options {
    sets: Vec<String>,
    worlds: Vec<World>,
    seeds: usize,
    rows: Option<PathBuf>,
}

/// One program in one world.
struct Outcome {
    set: &'static str,
    name: String,
    world: World,
    /// Its values, and what was seen of those that were ever computed.
    values: Vec<(Row, Option<Seen>)>,
}

impl Outcome {
    /// Its name in a table: a twin has its program's.
    fn title(&self) -> String {
        if self.set == "programs" { self.name.clone() } else { format!("{}/{}", self.set, self.name) }
    }
}

/// The verb.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    bits::check_frozen()?;
    let folder = repository()?.join("target/bench/bits");
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    let program = oracle::build("bits", &folder)?;
    let mut outcomes = Vec::new();
    for world in &options.worlds {
        for member in
            bits::members()?.into_iter().filter(|member| options.sets.iter().any(|set| set == member.set))
        {
            eprintln!("bench: {} {}, {} world", member.set, member.name, world.word());
            let module = modules::make(&program, &member, *world, &folder)?;
            let rows = peer::ask(&program, &module)?;
            let mut seen = observed::run(&program, &module, options.seeds, &folder)?;
            let values = rows.into_iter().map(|row| {
                let seen = seen.remove(&(row.function.clone(), row.index));
                (row, seen)
            });
            outcomes.push(Outcome {
                set: member.set,
                name: member.name,
                world: *world,
                values: values.collect(),
            });
        }
    }
    println!("{}", page::write(&outcomes, options.seeds));
    if let Some(path) = &options.rows {
        write_rows(&outcomes, path)?;
    }
    Ok(())
}

fn write_rows(outcomes: &[Outcome], path: &Path) -> Result<()> {
    let mut text = String::new();
    for outcome in outcomes {
        for (row, seen) in &outcome.values {
            let line = serde_json::json!({
                "set": outcome.set, "program": outcome.name, "world": outcome.world.word(),
                "value": row, "seen": seen,
                "seen_width": seen.map(|seen| seen.width()),
            });
            let _ = writeln!(text, "{line}");
        }
    }
    fs::write(path, text).map_err(|error| Failure::at("write", path, error))
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options =
            Self { sets: vec!["programs".to_owned()], worlds: World::ALL.to_vec(), seeds: 20, rows: None };
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

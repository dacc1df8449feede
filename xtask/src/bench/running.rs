//! `cargo xtask bench run`: what does a program cost that gets faster while it runs, and what does it bring?
//!
//! Everything is timed from the sources to the end of the program: compilers, the program, and what compiles it again
//! meanwhile. Each part of the page is a module.
//!
//! - [`kernels`]: a kernel that is called once, next to clang, gcc and LLVM's interpreter `lli`.
//! - [`document`]: the table of the paper that this follows, row by row.
//! - [`programs`]: real programs, with the share of time in later versions.
//! - [`costs`]: time to the first output, time to make a version, memory, sampling.
//! - [`linkers`]: the own linker of versions, next to those of the system.
//!
//! [`contender`] has how a program is compiled and run; [`contest`] runs contenders in interleaved rounds.
//! What fails is in the page with its reason, and the rest goes on.
//!
//! Output: `benchmarks/run.md`. Cost: about 20 minutes with three rounds, much of it builds of SQLite and zstd.

mod bench;
mod contender;
mod contest;
mod costs;
mod document;
mod kernels;
mod linkers;
mod memory;
mod programs;
mod table;

use super::{machine, paper, setup};
use crate::failure::{Failure, Result};
use crate::root::repository;
use bench::Bench;
use std::cell::RefCell;
use std::path::PathBuf;

/// A part of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Kernels,
    Document,
    Programs,
    Costs,
    Linkers,
}

const PARTS: [(&str, Part); 5] = [
    ("kernels", Part::Kernels),
    ("document", Part::Document),
    ("programs", Part::Programs),
    ("costs", Part::Costs),
    ("linkers", Part::Linkers),
];

#[derive(Debug)]
struct Options {
    rounds: usize,
    /// Those to measure; all if there are none.
    programs: Vec<String>,
    parts: Vec<Part>,
    /// Whether all work is small: a try of the bench itself.
    is_small: bool,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// The verb: builds, measures, writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("run")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let Options { rounds, is_small, .. } = options;
    let installed = bench::install(&opcost, &folder)?;
    let (chosen, documents) = (options.programs, RefCell::default());
    let bench = Bench { rounds, is_small, chosen, opcost, folder, installed, documents };
    let mut tables = String::new();
    for part in &options.parts {
        tables += &match part {
            Part::Kernels => kernels::section(&bench),
            Part::Document => document::section(&bench),
            Part::Programs => programs::section(&bench),
            Part::Costs => costs::section(&bench),
            Part::Linkers => linkers::section(&bench),
        };
    }
    let mut page = String::from(
        "# What does a program cost that gets faster while it runs, and what does it bring?\n\n\
         Written by `cargo xtask bench run`; the next run replaces it.\n\n",
    );
    page += &setup::head(&machine::facts(Ok(&bench.opcost), &before, &[&["run"], flags].concat()));
    page += &format!(
        "\nTimes are of everything from the sources to the end of the program, compilers included. *Wall* is by the \
         clock, and *user* is user CPU time of all processes. Figures are medians of {} interleaved rounds. A ratio \
         is the median of ratios within a round, to `clang -O2`. *Spread* is the distance of the quartiles by the \
         median. What opcost makes once for all programs is there, and nothing of the program. Outputs are compared with those of `clang -O2`.\n",
        bench.rounds
    );
    if bench.is_small {
        page += "\nThe work was small (`--small`), so these figures say nothing.\n";
    }
    page += &tables;
    setup::publish(&page, &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 3,
            programs: Vec::new(),
            parts: PARTS.map(|(_, part)| part).to_vec(),
            is_small: false,
            opcost: None,
            out: repository()?.join("benchmarks/run.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--rounds" => options.rounds = setup::number(flag, value()?)?,
                "--programs" => options.programs = programs_in(value()?)?,
                "--parts" => options.parts = setup::parts(&PARTS, value()?)?,
                "--small" => options.is_small = true,
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench run has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

fn programs_in(text: &str) -> Result<Vec<String>> {
    let kernels = kernels::KERNELS.iter().map(|kernel| kernel.name);
    let rows = paper::ROWS.iter().map(|(name, _)| *name);
    let all: Vec<&str> =
        kernels.chain(rows).chain(programs::PROGRAMS.iter().map(|(name, _)| *name)).collect();
    let known = |name: &str| {
        let unknown =
            || Failure::usage(format!("no program here is called {name}; there are {}", all.join(", ")));
        all.contains(&name).then(|| name.to_owned()).ok_or_else(unknown)
    };
    text.split(',').map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_and_wrong_ones_are_refused() {
        let options =
            Options::parse(&["--rounds", "1", "--programs", "lua,fibonacci", "--parts", "costs", "--small"])
                .unwrap();
        assert_eq!((options.rounds, options.programs.len(), options.is_small), (1, 2, true));
        assert_eq!(options.parts, [Part::Costs]);
        assert!(options.out.ends_with("benchmarks/run.md"));
        for wrong in
            [&["--rounds", "0"][..], &["--rounds"], &["--what"], &["--programs", "x"], &["--parts", "x"]]
        {
            assert_eq!(Options::parse(wrong).err().map(|failure| failure.status()), Some(2), "{wrong:?}");
        }
    }
}

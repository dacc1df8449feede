//! `cargo xtask bench tune`: what is each step of `opcost tune` worth, next to clang's own profile and BOLT?
//!
//! Programs of the corpus are trained with one input (`long`) and judged with another (`arguments`). Constants of
//! opcost were fit on none of them. The parts of the page, a module each:
//!
//! - [`programs`]: each step's instructions, misses, mispredictions and gain in time, next to clang's builds, BOLT,
//!   a profile of samples in place of counts, and the same bitcode without a profile.
//! - [`copying`]: what each kind of copy is worth by itself, and how right its counts are.
//! - [`layouts`]: taken branches and misses of placement and of BOLT, over several layouts of the same code.
//! - [`document`]: the table of the paper that this follows, row by row.
//!
//! What fails is in the page with its reason, and the rest goes on.
//!
//! Output: `benchmarks/tune.md`. Cost: about ten minutes for SQLite, less for others.

mod build;
mod copying;
mod document;
mod figures;
mod layouts;
mod programs;
mod simulated;

use super::setup::reason;
use super::{machine, setup};
use crate::failure::{Failure, Result};
use crate::root::repository;
use build::Bench;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Programs that are measured if none are named.
const PROGRAMS: [&str; 7] = ["sqlite", "lua", "zstd", "kernel", "clipper", "wren", "webp"];

/// Of these, those whose copies and layouts are measured, too.
const DETAILED: [&str; 2] = ["sqlite", "lua"];

/// A part of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Programs,
    Copies,
    Layouts,
    Document,
}

const PARTS: [(&str, Part); 4] = [
    ("programs", Part::Programs),
    ("copies", Part::Copies),
    ("layouts", Part::Layouts),
    ("document", Part::Document),
];

#[derive(Debug)]
struct Options {
    runs: usize,
    /// Layouts of each build whose misses are simulated.
    links: usize,
    programs: Vec<String>,
    parts: Vec<Part>,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// The verb: builds, measures, writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("tune")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let mut tables = String::new();
    for &part in &options.parts {
        tables += &part_of_page(part, &options, &opcost, &folder);
    }
    let mut page = String::from(
        "# What is each step of tuning worth?\n\nWritten by `cargo xtask bench tune`; the next run replaces it.\n\n",
    );
    page += &setup::head(&machine::facts(Ok(&opcost), &before, &[&["tune"], flags].concat()));
    let _ = write!(
        page,
        "\nEach program is trained with one run and judged by another. *Instructions*, *I1 misses* and *mispredicts* are \
         cachegrind's, of a short run. *Gain* is in user CPU time over the build before it, of a longer run. It is the median \
         of {} interleaved runs, with an interval of 95 % confidence, and blank with fewer than 6. Each program is linked \
         five times with other gaps between functions.\n",
        options.runs
    );
    page += &tables;
    setup::publish(&page, &options.out)
}

/// The text of a part; where it fails, its reason.
fn part_of_page(part: Part, options: &Options, opcost: &Path, folder: &Path) -> String {
    if part == Part::Document {
        return document::section(opcost, &folder.join("document"), options.runs);
    }
    let mut text = match part {
        Part::Programs => programs::HEAD,
        Part::Copies => copying::HEAD,
        Part::Layouts | Part::Document => layouts::HEAD,
    }
    .to_owned();
    for name in &options.programs {
        if part != Part::Programs && !DETAILED.contains(&&**name) {
            continue;
        }
        eprintln!("bench: {name}");
        let section = setup::program_of_any_list(name).and_then(|program| {
            let bench = Bench::new(opcost, program, folder.join(name))?;
            match part {
                Part::Programs => programs::table(&bench, options.runs),
                Part::Copies => copying::rows(&bench),
                Part::Layouts | Part::Document => layouts::rows(&bench, options.links),
            }
        });
        match section {
            Ok(section) => text += &section,
            Err(failure) if part == Part::Programs => {
                let _ = writeln!(text, "\n### {name}\n\nNot measured: {}.", reason(&failure));
            }
            Err(failure) => {
                let _ = writeln!(text, "| {name} | not measured: {} |", reason(&failure));
            }
        }
    }
    text
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            runs: 15,
            links: 5,
            programs: PROGRAMS.map(str::to_owned).to_vec(),
            parts: PARTS.map(|(_, part)| part).to_vec(),
            opcost: None,
            out: repository()?.join("benchmarks/tune.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--runs" => options.runs = setup::number(flag, value()?)?,
                "--links" => options.links = setup::number(flag, value()?)?,
                "--programs" => options.programs = value()?.split(',').map(str::to_owned).collect(),
                "--parts" => options.parts = setup::parts(&PARTS, value()?)?,
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench tune has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_and_wrong_ones_are_refused() {
        let options =
            Options::parse(&["--runs", "3", "--programs", "lua,zstd", "--parts", "copies"]).unwrap();
        assert_eq!((options.runs, options.programs.len()), (3, 2));
        assert_eq!(options.parts, [Part::Copies]);
        assert!(options.out.ends_with("benchmarks/tune.md"));
        for wrong in [&["--runs", "0"][..], &["--runs"], &["--what"], &["--links", "x"], &["--parts", "x"]] {
            assert!(Options::parse(wrong).is_err());
        }
    }
}

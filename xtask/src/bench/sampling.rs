//! `cargo xtask bench sampling`: how good are counts made of samples, by LLVM's
//! inference ("profi") and by `opcost sample`, against exact counts?
//!
//! Each program is compiled by `clang -O2` to one module of bitcode, which is the
//! anchor: built to be sampled, to be counted, and as it is with its line tables. The
//! code of the first and the last is the same byte for byte (checked), so one run's
//! samples serve both sides. Measured is with `opcost overlap` on ledgers of the same
//! blocks; what LLVM infers becomes such a ledger too (`crates/recover/examples/peers/main.rs`).
//!
//! - The solver alone: the counts that samples by cycles say of blocks are given to
//!   LLVM's loader of sample profiles, each block a line (`xtask/oracle/profi.cpp`),
//!   with profi and without, and to our repair.
//! - End to end: samples become a profile of source lines as LLVM's users make it
//!   (`llvm-profgen`), loaded on the blocks of the anchor, where both sides can be
//!   compared, and where clang loads it, in front of the inliner, against exact counts
//!   of those blocks.
//!
//! Each way has a ceiling: exact counts in place of samples. What sampling costs is the
//! measurement of `crates/sample/examples/overhead.rs`. Status 3 if a gate of the page
//! does not hold.
//!
//! Builds, samples and results are kept in `target/bench/sampling`; `--take` goes on
//! from there. Cost: about a quarter of an hour.

mod build;
mod gate;
mod measures;
mod overhead;
mod page;
mod peer;
mod planted;
mod times;
mod tools;
pub(crate) mod training;

use super::{machine, setup};
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use crate::root::repository;
use build::Built;
use measures::{Results, Run};
use std::fs;
use std::path::{Path, PathBuf};
use tools::Tools;

/// What of an earlier run is taken as it is; each includes those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Taken {
    Nothing,
    Builds,
    Samples,
    Results,
    /// Nothing else is measured.
    Page,
}

#[derive(Debug)]
struct Options {
    programs: Vec<String>,
    /// Thousands of samples a second.
    rates: Vec<u64>,
    runs: usize,
    /// Rounds of the measurement of costs; 0 leaves it out.
    rounds: usize,
    taken: Taken,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

const PROGRAMS: [&str; 3] = ["sqlite", "lua", "zstd"];

/// Arguments for some seconds of work: of what is asked of the corpus too little would
/// be seen at 1000 samples a second.
fn workload(program: &Program) -> Vec<String> {
    let mut words = program.arguments.clone();
    let (at, word) = match &*program.name {
        "sqlite" => (0, "1500000"),
        "lua" => (1, "800"),
        _ => (0, "120"),
    };
    words[at] = word.to_owned();
    words
}

/// The verb.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let before = machine::load();
    let folder = setup::folder("sampling")?;
    let tools = Tools::find(options.opcost.clone(), &folder)?;
    let names: Vec<&str> = options.programs.iter().map(String::as_str).collect();
    let mut all = Vec::new();
    for program in corpus::programs(&names)?.into_iter().filter(|one| names.contains(&&*one.name)) {
        all.push(measure(&tools, &program, &options, &folder.join(&program.name))?);
    }
    all.sort_by_key(|one| PROGRAMS.iter().position(|name| *name == one.program));
    let times = match options.rounds {
        0 => None,
        rounds => Some(times::measure(&tools, &all, &folder, rounds)?),
    };
    let words = [&["sampling"], flags].concat();
    let facts = machine::facts(Ok(&tools.opcost), &before, &words);
    let (text, failed) = page::write(&all, times.as_ref(), &facts);
    let text = text.replace(&*repository()?.to_string_lossy(), ".");
    println!("{text}");
    fs::write(&options.out, &text).map_err(|error| Failure::at("write", &options.out, error))?;
    eprintln!("bench: written to {}", options.out.display());
    match failed {
        0 => Ok(()),
        failed => Err(Failure::verdict(format!("{failed} gates do not hold"))),
    }
}

/// All of one program.
fn measure(tools: &Tools, program: &Program, options: &Options, folder: &Path) -> Result<Results> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("create", folder, error))?;
    let (name, arguments) = (&program.name, workload(program));
    let takes = |what| options.taken >= what;
    let is_kept = |path: &Path| takes(Taken::Results).then(|| measures::load(path)).flatten();
    let built = match options.taken {
        Taken::Page => Built { folder: folder.to_owned() },
        taken => build::make(tools, program, &arguments, folder, taken >= Taken::Builds)?,
    };
    let path = folder.join("ceilings.json");
    let ceilings = match is_kept(&path) {
        Some(kept) => kept,
        None if takes(Taken::Page) => Run::default(),
        None => {
            eprintln!("bench: {name}, ceilings");
            let run = Run { summary: String::new(), agreement: peer::ceilings(tools, &built)? };
            measures::save(&path, &run)?;
            run
        }
    };
    let mut rates = Vec::new();
    for &rate in &options.rates {
        let mut runs = Vec::new();
        for turn in 0..options.runs {
            let path = folder.join(format!("{rate}k-{turn}.json"));
            match is_kept(&path) {
                Some(run) => runs.push(run),
                None if takes(Taken::Page) => {}
                None => {
                    eprintln!("bench: {name}, {rate} kHz, run {} of {}", turn + 1, options.runs);
                    let samples = path.with_extension("data");
                    if !(takes(Taken::Samples) && samples.is_file()) {
                        build::sample(tools, &built, &arguments, rate, &samples)?;
                    }
                    runs.push(peer::compare(tools, &built, &samples)?);
                    measures::save(&path, &runs[runs.len() - 1])?;
                }
            }
        }
        rates.push((rate, runs));
    }
    let planted = match options.rates.last() {
        Some(rate) if !takes(Taken::Page) => {
            planted::measure(tools, &built, &folder.join(format!("{rate}k-0.data")), is_kept)?
        }
        _ => planted::load(folder),
    };
    Ok(Results { program: name.clone(), arguments, ceilings: ceilings.agreement, planted, rates })
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            programs: PROGRAMS.map(str::to_owned).to_vec(),
            rates: vec![1, 4, 10],
            runs: 3,
            rounds: 9,
            taken: Taken::Nothing,
            opcost: None,
            out: repository()?.join("benchmarks/sampling.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let value =
                flags.next().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))?;
            let number = |text: &str| {
                text.parse().map_err(|_| Failure::usage(format!("{flag} wants numbers, not {text}")))
            };
            match *flag {
                "--only" => {
                    options.programs = value.split(',').map(str::to_owned).collect();
                    if let Some(odd) = options.programs.iter().find(|one| !PROGRAMS.contains(&one.as_str())) {
                        return Err(Failure::usage(format!("{odd} is none of {}", PROGRAMS.join(", "))));
                    }
                }
                "--rates" => {
                    let rates: Result<Vec<usize>> = value.split(',').map(number).collect();
                    options.rates = rates?.into_iter().map(|rate| rate as u64).collect();
                    options.rates.sort_unstable();
                    options.rates.dedup();
                }
                "--runs" => options.runs = number(value)?.max(1),
                "--rounds" => options.rounds = number(value)?,
                "--take" => {
                    options.taken = match *value {
                        "builds" => Taken::Builds,
                        "samples" => Taken::Samples,
                        "results" => Taken::Results,
                        "page" => Taken::Page,
                        _ => return Err(Failure::usage("--take wants builds, samples, results or page")),
                    }
                }
                "--opcost" => options.opcost = Some(PathBuf::from(value)),
                "--out" => options.out = PathBuf::from(value),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench sampling has no flag {flag}; see `cargo xtask help`"
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
    fn flags_are_read() {
        let options =
            Options::parse(&["--only", "lua,zstd", "--rates", "10,1", "--runs", "2", "--take", "samples"])
                .unwrap();
        assert_eq!((options.programs.len(), options.rates, options.runs), (2, vec![1, 10], 2));
        assert!(options.taken >= Taken::Builds && options.taken < Taken::Results);
        for wrong in
            [&["--only", "ripgrep"][..], &["--rates", "x"], &["--take", "all"], &["--rounds"], &["--a", "b"]]
        {
            assert_eq!(Options::parse(wrong).err().map(|failure| failure.status()), Some(2), "{wrong:?}");
        }
    }
}

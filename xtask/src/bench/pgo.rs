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

mod page;
mod peer;

use super::{machine, setup, timed};
use crate::command;
use crate::failure::{Failure, Result};
use crate::root::repository;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

struct Options {
    rounds: usize,
    rows: String,
    training: u64,
    rate: String,
    opcost: Option<PathBuf>,
    as_built: bool,
    out: PathBuf,
}

/// One way to build SQLite.
struct Column {
    title: &'static str,
    program: PathBuf,
    /// Why it is not there.
    missing: Option<String>,
    seconds: Vec<f64>,
}

const PLAIN: usize = 0;
/// clang's own counters.
const COUNTERS: Range<usize> = 2..5;
/// Its inference from samples.
const PROFI: usize = 5;
/// Five runs of the way that is asked of.
const SAMPLED: Range<usize> = 7..12;

/// Titles and files of the builds.
const COLUMNS: [(&str, &str); 15] = [
    ("clang -O2", "plain"),
    ("the same again", "plain"),
    ("clang -fprofile-generate, -fprofile-use", "counters"),
    ("the same, trained a tenth less", "counters-less"),
    ("the same, trained a tenth more", "counters-more"),
    ("clang -fprofile-sample-use, profi, samples of perf", "profi"),
    ("opcost count --anchor pgo, profdata", "counted-profdata"),
    ("opcost sample --anchor pgo, profdata", "sampled-profdata"),
    ("a second run of it", "sampled-profdata-2"),
    ("a third", "sampled-profdata-3"),
    ("a fourth", "sampled-profdata-4"),
    ("a fifth", "sampled-profdata-5"),
    ("opcost sample --anchor pgo --optimised, profdata", "optimised-profdata"),
    ("opcost sample, bitcode", "sampled-bitcode"),
    ("opcost sample, llvm-sample", "sampled-lines"),
];

/// The verb: builds, runs, and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("pgo")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let bench = Bench::prepare(&options, opcost, folder)?;
    let mut columns = bench.columns()?;
    bench.run_rounds(&mut columns, &options)?;
    let head = setup::head(&machine::facts(Ok(&bench.opcost), &before, &[&["pgo"], flags].concat()));
    setup::publish(&page::write(&head, &columns, &options), &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 41,
            rows: "300000".to_owned(),
            training: 2_000_000,
            rate: "10000".to_owned(),
            opcost: None,
            as_built: false,
            out: repository()?.join("benchmarks/pgo.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--rounds" => options.rounds = number(flag, value()?)?,
                "--rows" => value()?.clone_into(&mut options.rows),
                "--training" => options.training = number(flag, value()?)?,
                "--rate" => value()?.clone_into(&mut options.rate),
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--as-built" => options.as_built = true,
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench pgo has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

/// A number above 0.
fn number<N: FromStr + PartialOrd + Default>(flag: &str, text: &str) -> Result<N> {
    let number = text.parse().ok().filter(|number| *number > N::default());
    number.ok_or_else(|| Failure::usage(format!("{flag} wants a number, not {text}")))
}

struct Bench {
    opcost: PathBuf,
    folder: PathBuf,
    sqlite: PathBuf,
    /// The judge, compiled once.
    driver: PathBuf,
    training: PathBuf,
    flags: Vec<String>,
    rows: u64,
    rate: String,
    is_built: bool,
}

impl Bench {
    fn prepare(options: &Options, opcost: PathBuf, folder: PathBuf) -> Result<Bench> {
        let program = setup::program("sqlite")?;
        let bench = Bench {
            opcost,
            sqlite: setup::source(&program, "sqlite3.c")?.to_owned(),
            driver: folder.join("driver.o"),
            training: repository()?.join("corpus/sqlite/training.c"),
            flags: [program.flags.clone(), vec!["-w".to_owned()]].concat(),
            rows: options.training,
            rate: options.rate.clone(),
            is_built: options.as_built,
            folder,
        };
        let driver = setup::source(&program, "driver.c")?.display().to_string();
        let object = bench.driver.display().to_string();
        bench.clang(&["-c", &driver, "-o", &object])?;
        Ok(bench)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// clang -O2 with SQLite's flags, and these.
    fn clang(&self, words: &[&str]) -> Result<String> {
        command::output_of(
            Command::new("clang-22").arg("-O2").args(&self.flags).args(words).current_dir(&self.folder),
        )
    }

    fn opcost(&self, words: &[&str]) -> Result<String> {
        command::output_of(Command::new(&self.opcost).args(words).current_dir(&self.folder))
    }

    /// All builds; what cannot be built says why.
    fn columns(&self) -> Result<Vec<Column>> {
        let mut columns = Vec::new();
        for (title, file) in COLUMNS {
            let program = self.folder.join(file);
            let is_there = columns.iter().any(|column: &Column| column.program == program);
            eprintln!("bench: building {title}");
            let built = if is_there || self.is_built { Ok(()) } else { self.build(file) };
            let missing = built.err().map(|failure| failure.to_string());
            columns.push(Column { title, program, missing, seconds: Vec::new() });
        }
        match &columns[PLAIN].missing {
            Some(why) => Err(Failure::new(why.clone())),
            None => Ok(columns),
        }
    }

    fn build(&self, file: &str) -> Result<()> {
        let (sqlite, object) = (self.sqlite.display().to_string(), self.path(&format!("{file}.o")));
        let with = |flag: &str| self.clang(&[flag, "-c", &sqlite, "-o", &object]);
        match file {
            "plain" => with("-w"),
            _ if file.starts_with("counters") => {
                with(&format!("-fprofile-use={}", self.clangs_profile(&sqlite, file)?))
            }
            "profi" => {
                let flag = format!("-fprofile-sample-use={}", peer::profile(self)?);
                let lines = ["-gline-tables-only", "-fdebug-info-for-profiling"];
                let loader = ["-mllvm", "-sample-profile-use-profi", &flag, "-c", &sqlite, "-o", &object];
                self.clang(&[&lines[..], &loader].concat())
            }
            "counted-profdata" => {
                let profile = self.exported("count", &["--anchor", "pgo"], "profdata", file)?;
                with(&format!("-fprofile-use={profile}"))
            }
            _ if file.starts_with("sampled-profdata") => {
                let profile = self.exported("sample", &["--anchor", "pgo"], "profdata", file)?;
                with(&format!("-fprofile-use={profile}"))
            }
            "optimised-profdata" => {
                let how = ["--anchor", "pgo", "--optimised"];
                let profile = self.exported("sample", &how, "profdata", file)?;
                with(&format!("-fprofile-use={profile}"))
            }
            "sampled-bitcode" => {
                let bitcode = self.exported("sample", &[], "bitcode", file)?;
                self.clang(&["-Xclang", "-disable-llvm-passes", "-c", "-x", "ir", &bitcode, "-o", &object])
            }
            "sampled-lines" => {
                let profile = self.exported("sample", &[], "llvm-sample", file)?;
                let (lines, profile) = ("-gline-tables-only", format!("-fprofile-sample-use={profile}"));
                let words = [lines, "-fdebug-info-for-profiling", &profile, "-c", &sqlite, "-o", &object];
                self.clang(&words)
            }
            other => Err(Failure::new(format!("nobody knows how to build {other}"))),
        }?;
        let (driver, program) = (self.driver.display().to_string(), self.path(file));
        self.clang(&[&object, &driver, "-lm", "-o", &program]).map(drop)
    }

    /// A profile by clang's own counters, of the training, or of somewhat less or more of it.
    fn clangs_profile(&self, sqlite: &str, file: &str) -> Result<String> {
        let (program, raw, profile) =
            (self.path("train"), self.path("train.profraw"), self.path("train.profdata"));
        let training = self.training.display().to_string();
        self.clang(&["-fprofile-generate", sqlite, &training, "-lm", "-o", &program])?;
        let tenths = match file {
            "counters-less" => 9,
            "counters-more" => 11,
            _ => 10,
        };
        let rows = (self.rows * tenths / 10).to_string();
        let _ = fs::remove_file(&raw);
        command::output_of(Command::new(&program).arg(rows).env("LLVM_PROFILE_FILE", &raw))?;
        command::output_of(Command::new("llvm-profdata-22").args(["merge", "-o", &profile, &raw]))?;
        Ok(profile)
    }

    /// A profile by opcost, of the training, exported.
    fn exported(&self, verb: &str, how: &[&str], format: &str, file: &str) -> Result<String> {
        let (ledger, profile) = (self.path(&format!("{file}.opc")), self.path(&format!("{file}.{format}")));
        let (sqlite, training) = (self.sqlite.display().to_string(), self.training.display().to_string());
        // Two exports of one training share its ledger; the first makes it.
        let shared = self.path(&format!("{verb}{}.opc", how.concat()));
        if format != "llvm-sample" || !Path::new(&shared).exists() {
            let flags: Vec<String> = self.flags.iter().map(|flag| format!("--cflag={flag}")).collect();
            let mut words = vec![verb, "-l", "m", "--ledger", &ledger];
            words.extend(how);
            if verb == "sample" {
                words.extend(["--rate", &self.rate]);
            }
            words.extend(flags.iter().map(String::as_str));
            let rows = self.rows.to_string();
            words.extend([&sqlite, &training, "--", &rows]);
            self.opcost(&words)?;
            fs::rename(&ledger, &shared).map_err(|error| Failure::at("rename", Path::new(&ledger), error))?;
        }
        self.opcost(&["export", "--to", format, &shared, &sqlite, "-o", &profile])?;
        Ok(profile)
    }

    fn run_rounds(&self, columns: &mut [Column], options: &Options) -> Result<()> {
        let mut answer = None;
        for round in 0..options.rounds {
            eprintln!("bench: round {} of {}", round + 1, options.rounds);
            for step in 0..columns.len() {
                let column = &mut columns[(round + step) % COLUMNS.len()];
                if column.missing.is_some() {
                    continue;
                }
                let mut command = Command::new(&column.program);
                let (text, taken) = timed::run(command.arg(&options.rows), &[], &self.folder)?;
                column.seconds.push(taken.seconds);
                if *answer.get_or_insert_with(|| text.clone()) != text {
                    return Err(Failure::new(format!("{} answers otherwise", column.title)));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let options = Options::parse(&["--rounds", "2", "--rate", "4000", "--as-built"]).unwrap();
        assert_eq!((options.rounds, &*options.rate, options.as_built), (2, "4000", true));
        for flags in [&["--rounds", "0"][..], &["--rounds"], &["--training", "many"], &["--what"]] {
            assert_eq!(Options::parse(flags).err().map(|failure| failure.status()), Some(2), "{flags:?}");
        }
    }
}

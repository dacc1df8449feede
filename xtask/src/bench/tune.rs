//! `cargo xtask bench tune`: what is each step of `opcost tune` worth, beside clang's own profile and BOLT?
//!
//! Each program of the corpus is trained with its arguments for timing (`long`) and judged with others
//! (`arguments`). opcost builds it as it comes, linked statically, with the profile, and with its code placed.
//! clang builds it by counters of its own (`-fprofile-generate`, `-fprofile-use`) from the same training, as it
//! comes, without PIE, and linked statically. BOLT, if it is installed, places the one without PIE by its own
//! counters.
//!
//! Machine instructions, misses of the cache of instructions and mispredicted branches are cachegrind's, of one
//! run each, so they are exact and say nothing of luck with positions. Gains in time are those that the verb
//! measures: medians of interleaved runs of five links, with their intervals.
//!
//! Output: `benchmarks/tune.md`. Cost: about five minutes for SQLite, less for others.

use super::{machine, setup, timed};
use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use crate::root::repository;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs that are measured if none are named.
const PROGRAMS: [&str; 4] = ["sqlite", "lua", "zstd", "kernel"];

struct Options {
    runs: usize,
    programs: Vec<String>,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// What cachegrind counts of a program.
#[derive(Clone, Copy)]
struct Simulated {
    instructions: u64,
    instruction_misses: u64,
    mispredicted: u64,
}

/// A row of the table.
struct Row {
    build: String,
    simulated: Option<Simulated>,
    /// The gain in time over the build before it, in words.
    gain: String,
}

/// The verb: builds, measures, writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("tune")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let mut tables = String::new();
    for name in &options.programs {
        eprintln!("bench: {name}");
        let program = setup::program(name)?;
        let bench = Bench { opcost: &opcost, program: &program, folder: folder.join(name) };
        bench.table(options.runs, &mut tables)?;
    }
    let mut page = String::from(
        "# What is each step of tuning worth?\n\nWritten by `cargo xtask bench tune`; the next run replaces it.\n\n",
    );
    page += &setup::head(&machine::facts(Ok(&opcost), &before, &[&["tune"], flags].concat()));
    let _ = write!(
        page,
        "\nEach program is trained with one run and judged by another. *Instructions*, *I1 misses* and *mispredicts* are \
         cachegrind's, of one link. *Gain* is in user CPU time over the build before it. It is the median of {} interleaved \
         runs, with an interval of 95 % confidence. Each program is linked five times with other gaps between \
         functions. *As it comes, again* is noise. Builds of clang and BOLT have exact figures alone.\n",
        options.runs
    );
    page += &tables;
    setup::publish(&page, &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            runs: 15,
            programs: PROGRAMS.map(str::to_owned).to_vec(),
            opcost: None,
            out: repository()?.join("benchmarks/tune.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--runs" => {
                    let text = value()?;
                    options.runs =
                        text.parse().ok().filter(|&runs| runs > 0).ok_or_else(|| {
                            Failure::usage(format!("--runs wants a number from 1, not {text}"))
                        })?;
                }
                "--programs" => options.programs = value()?.split(',').map(str::to_owned).collect(),
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

/// One program, and where it is built.
struct Bench<'a> {
    opcost: &'a Path,
    program: &'a Program,
    folder: PathBuf,
}

impl Bench<'_> {
    fn table(&self, runs: usize, page: &mut String) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(|error| Failure::at("create", &self.folder, error))?;
        let document = self.tuned(runs)?;
        let mut rows = self.steps(&document);
        for (build, flags) in PEERS {
            let path = self.peer(build, flags)?;
            rows.push(Row { build: build.to_owned(), simulated: self.simulate(&path)?, gain: String::new() });
            if flags == FIXED
                && let Some(bolted) = self.bolted(&path)?
            {
                rows.push(Row {
                    build: "the same, BOLT".to_owned(),
                    simulated: self.simulate(&bolted)?,
                    gain: String::new(),
                });
            }
        }
        let _ = write!(
            page,
            "\n## {}\n\nTrained by `{}`, judged by `{}`. Outputs {}. In the training run {} of {} taken branches remain.\n\n\
             | build | instructions, M | I1 misses | mispredicts | gain in time |\n|---|---:|---:|---:|---|\n",
            self.program.name,
            short(&self.program.long),
            short(&self.program.arguments),
            match document["outputs_equal"].as_bool() {
                Some(true) => "are equal",
                Some(false) => "**differ**",
                None => "were not compared",
            },
            document["taken_branches"]["after"],
            document["taken_branches"]["before"],
        );
        for row in rows {
            let figures = row.simulated.map_or_else(
                || "– | – | –".to_owned(),
                |one| {
                    format!(
                        "{:.3} | {} | {}",
                        one.instructions as f64 / 1e6,
                        one.instruction_misses,
                        one.mispredicted
                    )
                },
            );
            let _ = writeln!(page, "| {} | {figures} | {} |", row.build, row.gain);
        }
        Ok(())
    }

    /// The document of `opcost tune`.
    fn tuned(&self, runs: usize) -> Result<Value> {
        let program = self.program;
        let mut command = Command::new(self.opcost);
        command.current_dir(&self.folder).args(["tune", "--link", "static", "--simulate", "--json", "-"]);
        command.args(["--runs", &runs.to_string(), "-o", "tuned", "--judge", &program.arguments.join(" ")]);
        command.args(program.flags.iter().map(|flag| format!("--cflag={flag}")));
        command.args(&program.libraries).args(&program.sources).arg("--").args(&program.long);
        let (text, _) = timed::run(&mut command, &[3], &self.folder)?;
        serde_json::from_str(&text).map_err(|error| Failure::new(format!("{}: {error}", program.name)))
    }

    /// The rows of opcost's own steps.
    fn steps(&self, document: &Value) -> Vec<Row> {
        let none = Vec::new();
        let transforms = document["transforms"].as_array().unwrap_or(&none);
        let of = |gain: &Value, side: &str| {
            let figure = |name: &str| gain[name][side].as_u64();
            Some(Simulated {
                instructions: figure("instructions")?,
                instruction_misses: figure("instruction_misses")?,
                mispredicted: figure("mispredicted")?,
            })
        };
        let words =
            |gain: &Value| match (gain["median"].as_f64(), gain["low"].as_f64(), gain["high"].as_f64()) {
                (Some(median), Some(low), Some(high)) => {
                    format!("{:+.1} % ({:+.1} to {:+.1})", median * 100.0, low * 100.0, high * 100.0)
                }
                _ => String::new(),
            };
        let first = transforms.first().map_or(&Value::Null, |one| &one["gain"]);
        let mut rows = vec![Row {
            build: "as it comes".to_owned(),
            simulated: of(first, "before"),
            gain: String::new(),
        }];
        rows.extend(transforms.iter().filter(|one| one["done"] == true).map(|one| Row {
            build: format!("+ {}", one["name"].as_str().unwrap_or_default()),
            simulated: of(&one["gain"], "after"),
            gain: words(&one["gain"]["time"]),
        }));
        rows.push(Row {
            build: "as it comes, again".to_owned(),
            simulated: None,
            gain: words(&document["control"]),
        });
        rows
    }

    /// The program as clang builds it by its own counters.
    fn peer(&self, build: &str, flags: &[&str]) -> Result<PathBuf> {
        let clang = |more: &[&str], output: &Path| {
            let mut command = Command::new("clang-22");
            command.args(["-O2", "-w", "-fuse-ld=lld"]).args(&self.program.flags).args(flags).args(more);
            command.args(&self.program.sources).args(&self.program.libraries).arg("-o").arg(output);
            command::output_of(&mut command).map(drop)
        };
        let name = build.replace([' ', ',', '\''], "-");
        let (counted, raw, profile) = (
            self.folder.join(format!("{name}.counted")),
            self.folder.join(format!("{name}.profraw")),
            self.folder.join(format!("{name}.profdata")),
        );
        clang(&["-fprofile-generate"], &counted)?;
        let mut training = Command::new(&counted);
        training.args(&self.program.long).env("LLVM_PROFILE_FILE", &raw);
        timed::run(&mut training, &[], &self.folder)?;
        command::output_of(Command::new("llvm-profdata-22").arg("merge").arg(&raw).arg("-o").arg(&profile))?;
        let made = self.folder.join(name);
        clang(&[&format!("-fprofile-use={}", profile.display()), "-Wl,-q"], &made)?;
        Ok(made)
    }

    /// A program as BOLT places it by its own counters; none if BOLT is not installed.
    fn bolted(&self, program: &Path) -> Result<Option<PathBuf>> {
        let bolt = "llvm-bolt-22";
        if Command::new(bolt).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            return Ok(None);
        }
        let (counting, counts, made) =
            (self.folder.join("bolt.counted"), self.folder.join("bolt.fdata"), self.folder.join("bolted"));
        let mut instrument = Command::new(bolt);
        instrument.arg(program).arg("-instrument").arg("-o").arg(&counting);
        instrument.arg(format!("-instrumentation-file={}", counts.display()));
        command::output_of(&mut instrument)?;
        timed::run(Command::new(&counting).args(&self.program.long), &[], &self.folder)?;
        let mut order = Command::new(bolt);
        order.arg(program).arg(format!("-data={}", counts.display())).arg("-o").arg(&made);
        order.args([
            "-reorder-blocks=ext-tsp",
            "-reorder-functions=cdsort",
            "-split-functions",
            "-split-all-cold",
        ]);
        command::output_of(&mut order)?;
        Ok(Some(made))
    }

    /// What cachegrind counts, with the caches that the verb simulates.
    fn simulate(&self, program: &Path) -> Result<Option<Simulated>> {
        let output = Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", "--I1=32768,8,64"])
            .args(["--D1=32768,8,64", "--LL=33554432,16,64", "--cachegrind-out-file=/dev/null"])
            .arg(program)
            .args(&self.program.arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Failure::new(format!("valgrind does not start: {error}")))?;
        let text = String::from_utf8_lossy(&output.stderr);
        let figure = |name: &str| {
            let line = text.lines().find(|line| line.contains(name))?;
            let number = line.rsplit_once(name)?.1.trim_start_matches([':', ' ']);
            let digits: String =
                number.split([' ', '(']).next()?.chars().filter(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        let (Some(instructions), Some(instruction_misses), Some(mispredicted)) =
            (figure("I   refs"), figure("I1  misses"), figure("Mispredicts"))
        else {
            return Ok(None);
        };
        Ok(Some(Simulated { instructions, instruction_misses, mispredicted }))
    }
}

/// What makes a program that is loaded at one address. BOLT's counters do not work in a static one.
const FIXED: &[&str] = &["-fno-pie", "-no-pie"];

/// Builds of clang, and their flags; the last as `--link static` does it.
const PEERS: [(&str, &[&str]); 3] = [
    ("clang's profile", &[]),
    ("clang's profile, no PIE", FIXED),
    ("clang's profile, static", &["-fno-pie", "-static"]),
];

/// Arguments without the folders of files.
fn short(words: &[String]) -> String {
    let name = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    words.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_and_wrong_ones_are_refused() {
        let options = Options::parse(&["--runs", "3", "--programs", "lua,zstd"]).unwrap();
        assert_eq!((options.runs, options.programs.len()), (3, 2));
        assert!(options.out.ends_with("benchmarks/tune.md"));
        for wrong in [&["--runs", "0"][..], &["--runs"], &["--what"]] {
            assert!(Options::parse(wrong).is_err());
        }
        assert_eq!(short(&["/a/b/bench.lua".to_owned(), "80".to_owned()]), "bench.lua 80");
    }
}

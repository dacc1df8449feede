//! `cargo xtask bench suite`: how much sooner is the same asked a second time?
//!
//! Each question is asked of an unchanged program, in turns: without the cache, with an empty one, and twice
//! with what was kept. Wall time, medians. Of `count` the time of the counted program by itself is taken off,
//! since every way runs it. The answers are compared: one that differs fails the bench. `clang hello.c` stands beside, as
//! what a user waits for without opcost. A build under make has a part of its own (`made`).
//!
//! Output: `benchmarks/suite.md`. Cost: some minutes, most of it SQLite's analyses.

mod made;
mod wall;

use super::{figures, machine, setup};
use crate::failure::{Failure, Result};
use crate::root::repository;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use wall::timed;

struct Options {
    rounds: usize,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// One question, in each way.
struct Line {
    name: String,
    /// Medians of wall seconds, by [`WAYS`].
    seconds: [f64; WAYS.len()],
    /// Of the counted program itself.
    program: f64,
}

/// How a question is asked.
const WAYS: [&str; 3] = ["without the cache", "first", "again"];

const HELLO: &str = "#include <stdio.h>\nint main(void) {\n    puts(\"hello\");\n    return 0;\n}\n";

/// The verb: asks, compares, and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("suite")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let hello = folder.join("hello.c");
    fs::write(&hello, HELLO).map_err(|error| Failure::at("write", &hello, error))?;
    let bench = Bench { opcost: &opcost, folder: &folder, rounds: options.rounds };
    let mut lines = vec![bench.measure("hello", "count", &[hello.clone().into()], &[])?];
    let sqlite = setup::program("sqlite")?;
    let words: Vec<OsString> = (sqlite.flags.iter().map(OsString::from))
        .chain(sqlite.sources.iter().map(|source| source.clone().into_os_string()))
        .collect();
    for verb in ["count", "loops", "bits", "slice", "predict"] {
        let arguments = if verb == "count" { &sqlite.small[..] } else { &[] };
        lines.push(bench.measure("sqlite", verb, &words, arguments)?);
    }
    let clang = bench.clang(&hello)?;
    let made = made::measure(&opcost, &folder, options.rounds)?;
    let facts = machine::facts(Ok(&opcost), &before, &[&["suite"], flags].concat());
    let mut text = page(&lines, clang, options.rounds, &setup::head(&facts));
    text += &made::page(&made, options.rounds);
    setup::publish(&text, &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self { rounds: 3, opcost: None, out: repository()?.join("benchmarks/suite.md") };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let value = flags.next();
            let value = value.ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))?;
            match *flag {
                "--rounds" => {
                    options.rounds = value.parse().ok().filter(|&rounds| rounds > 0).ok_or_else(|| {
                        Failure::usage(format!("--rounds wants a number from 1, not {value}"))
                    })?;
                }
                "--opcost" => options.opcost = Some(PathBuf::from(value)),
                "--out" => options.out = PathBuf::from(value),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench suite has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

struct Bench<'a> {
    opcost: &'a Path,
    folder: &'a Path,
    rounds: usize,
}

impl Bench<'_> {
    fn measure(&self, program: &str, verb: &str, words: &[OsString], arguments: &[String]) -> Result<Line> {
        let cache = self.folder.join("cache");
        let mut seconds: [Vec<f64>; WAYS.len()] = Default::default();
        let mut answers = Vec::new();
        for round in 0..self.rounds {
            eprintln!("bench: opcost {verb} of {program}, round {} of {}", round + 1, self.rounds);
            match fs::remove_dir_all(&cache) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::at("remove", &cache, error));
                }
                _ => {}
            }
            for (way, seconds) in seconds.iter_mut().enumerate() {
                let mut command = self.question(verb, words, arguments);
                command.env("OPCOST_CACHE", if way == 0 { Path::new("off") } else { &cache });
                let (answer, took) = timed(&mut command)?;
                seconds.push(took);
                answers.push(answer);
            }
        }
        if answers.iter().any(|answer| *answer != answers[0]) {
            return Err(Failure::new(format!("opcost {verb} of {program} answers otherwise from the cache")));
        }
        let program_seconds = if verb == "count" { self.program(words, arguments)? } else { 0.0 };
        let median = |times: &Vec<f64>| figures::median(times).unwrap_or(0.0);
        Ok(Line {
            name: format!("opcost {verb}, {program}"),
            seconds: [median(&seconds[0]), median(&seconds[1]), median(&seconds[2])],
            program: program_seconds,
        })
    }

    fn question(&self, verb: &str, words: &[OsString], arguments: &[String]) -> Command {
        let mut command = Command::new(self.opcost);
        command.arg(verb);
        if verb == "count" {
            command.args(["--stdout", "/dev/null"]);
        }
        for word in words {
            let is_flag = word.to_string_lossy().starts_with('-');
            let mut flag = OsString::from(if is_flag { "--cflag=" } else { "" });
            flag.push(word);
            command.arg(flag);
        }
        if !arguments.is_empty() {
            command.arg("--").args(arguments);
        }
        command
    }

    /// Median of what the counted program takes by itself.
    fn program(&self, words: &[OsString], arguments: &[String]) -> Result<f64> {
        let counted = self.folder.join("counted");
        let mut build = self.question("count", words, &[]);
        build.args(["--emit", "exe", "-o"]).arg(&counted);
        // What is built is not run, so nothing is written of its output.
        let words: Vec<OsString> = build.get_args().map(OsString::from).collect();
        let is_stdout = |at: usize| words[at] == "--stdout" || at > 0 && words[at - 1] == "--stdout";
        let words = (0..words.len()).filter(|&at| !is_stdout(at)).map(|at| words[at].clone());
        timed(Command::new(self.opcost).args(words))?;
        let mut all = Vec::new();
        for _ in 0..self.rounds {
            let mut run = Command::new(&counted);
            run.args(arguments).env("OPCOST_RAW", self.folder.join("raw"));
            all.push(timed(&mut run)?.1);
        }
        Ok(figures::median(&all).unwrap_or(0.0))
    }

    fn clang(&self, source: &Path) -> Result<f64> {
        let mut all = Vec::new();
        for _ in 0..self.rounds.max(5) {
            let mut clang = Command::new("clang-22");
            all.push(timed(clang.arg("-O2").arg(source).arg("-o").arg(self.folder.join("hello")))?.1);
        }
        Ok(figures::median(&all).unwrap_or(0.0))
    }
}

fn page(lines: &[Line], clang: f64, rounds: usize, head: &str) -> String {
    let mut page = format!(
        "# How much sooner is the same asked a second time?\n\n\
         Written by `cargo xtask bench suite`; the next run replaces it.\n\n{head}\n\
         ## Questions about an unchanged program\n\n\
         Wall seconds, medians of {rounds} interleaved rounds. *Sooner* is the time without the cache by that of \
         asking again, without what the counted program takes itself. The answers are the same, byte for byte.\n\n\
         | | {} | the program itself | sooner |\n|---|{}---:|---:|\n",
        WAYS.join(" | "),
        "---:|".repeat(WAYS.len()),
    );
    for Line { name, seconds, program } in lines {
        let own = |at: usize| (seconds[at] - program).max(0.001);
        let shown: Vec<String> = seconds.iter().map(|seconds| format!("{seconds:.2}")).collect();
        let _ =
            writeln!(page, "| `{name}` | {} | {program:.2} | {:.0}× |", shown.join(" | "), own(0) / own(2));
    }
    let _ = writeln!(page, "\n`clang -O2 hello.c` takes {clang:.2} s.");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_takes_is_no_gain() {
        let line = Line { name: "opcost count, x".to_owned(), seconds: [11.0, 12.0, 2.0], program: 1.0 };
        let page = page(&[line], 0.08, 3, "");
        assert!(page.contains("| `opcost count, x` | 11.00 | 12.00 | 2.00 | 1.00 | 10× |"), "{page}");
        assert!(page.contains("takes 0.08 s"), "{page}");
    }
}

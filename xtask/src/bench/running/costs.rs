//! What does `opcost run` cost besides time: until the first output, for each version, in memory, by samples?
//!
//! The first output is SQLite's, whose compilation is long. Memory and samples are measured on Lua. The time to make a
//! version is taken from the runs of all programs.

use super::bench::Bench;
use super::contender::{ADAPTIVE, Contender, Job, LONGEST, ONCE, PLAIN, UNSAMPLED, installed, limited};
use super::memory::{Peaks, peaks};
use super::table::{self, array, ratio, seconds};
use super::{contest, programs};
use crate::bench::setup::{self, reason, short};
use crate::bench::{figures, timed};
use crate::failure::{Failure, Result};
use serde_json::Value;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The program whose first output is awaited.
const STARTED: &str = "sqlite";

/// The program whose memory and samples are measured.
const PROGRAM: &str = "lua";

/// How few rows the driver of SQLite can have.
const LITTLE: &str = "100";

/// Samples in a second that are compared with one sample.
const SAMPLED: Contender = Contender::Opcost(&["--mode", "compile", "--rate", "1000"]);

/// The section.
pub(super) fn section(bench: &Bench) -> String {
    let parts: [fn(&Bench, &mut String) -> Result<()>; 4] = [first_output, versions, memory, samples];
    let mut text = "\n## Small costs\n".to_owned();
    for part in parts {
        if let Err(failure) = part(bench, &mut text) {
            let _ = writeln!(text, "\nNot measured: {}.", reason(&failure));
        }
    }
    text
}

/// How a program that is there as bitcode gives its first output.
#[derive(Clone, Copy)]
enum Start {
    Clang(&'static str),
    Opcost(&'static [&'static str]),
    /// With what an earlier run cached.
    Cached,
    Lli(&'static [&'static str]),
}

const STARTS: [Start; 7] = [
    Start::Clang("-O2"),
    Start::Clang("-O0"),
    Start::Opcost(&[]),
    Start::Opcost(&["--mode", "compile"]),
    Start::Cached,
    Start::Lli(&[]),
    Start::Lli(&["-jit-kind=orc-lazy"]),
];

impl Start {
    fn title(self) -> String {
        match self {
            Self::Clang(level) => format!("`clang {level}`, then the program"),
            Self::Opcost(flags) => format!("`{}`", Contender::Opcost(flags).title()),
            Self::Cached => "`opcost run`, again, with its cache".to_owned(),
            Self::Lli(flags) => format!("`{}`", Contender::Lli(flags).title()),
        }
    }

    /// Seconds to the first byte.
    fn measure(self, job: &Job, bitcode: &Path) -> Result<f64> {
        match self {
            Self::Clang(level) => {
                let made = job.path("started");
                let mut compile = setup::clang(&job.program);
                compile.args([level, "-w"]).arg(bitcode).args(&job.program.libraries).arg("-o").arg(&made);
                let (_, taken) = contest::run(&mut limited(&compile), &job.folder)?;
                let mut run = Command::new(made);
                Ok(taken.wall + first_byte(limited(run.args(&job.arguments)))?)
            }
            Self::Opcost(flags) => {
                job.forget()?;
                first_byte(limited(&opcost(job, flags, bitcode)))
            }
            Self::Cached => {
                let mut run = limited(&opcost(job, &[], bitcode));
                timed::run(&mut run, &[], &job.folder)?;
                first_byte(run)
            }
            Self::Lli(flags) => {
                installed("lli-22")?;
                first_byte(limited(&job.interpreter(flags, bitcode)))
            }
        }
    }
}

fn opcost(job: &Job, flags: &[&str], bitcode: &Path) -> Command {
    let mut run = job.opcost(flags);
    run.args(&job.program.libraries).arg(bitcode).arg("--").args(&job.arguments);
    run
}

/// Runs a command to its end; seconds until it printed something.
fn first_byte(mut command: Command) -> Result<f64> {
    let begun = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| Failure::new(format!("it does not start: {error}")))?;
    let mut output = child.stdout.take().ok_or_else(|| Failure::new("it has no output"))?;
    let read = output.read(&mut [0; 1]);
    let took = begun.elapsed().as_secs_f64();
    let rest = output.read_to_end(&mut Vec::new());
    let status = child.wait().map_err(|error| Failure::new(format!("cannot wait for it: {error}")))?;
    match (status.code(), read.and_then(|read| rest.map(|_| read))) {
        (Some(0), Ok(1)) => Ok(took),
        (Some(124), _) => Err(Failure::new(format!("it was ended after {LONGEST} s"))),
        (Some(0), _) => Err(Failure::new("it prints nothing")),
        _ => Err(Failure::new(format!("it ended with {status}"))),
    }
}

fn first_output(bench: &Bench, text: &mut String) -> Result<()> {
    let mut job = programs::job(bench, STARTED)?;
    job.arguments = vec![LITTLE.to_owned()];
    let _ = writeln!(
        text,
        "\n### Time to the first output\n\nWall seconds from one file of bitcode to the first byte that SQLite's driver prints, with \
         {LITTLE} rows. It prints little, so the C library writes it at the end. The bitcode is what clang's front \
         end makes at -O2, not optimised. `clang-repl` reads no bitcode, so it is not here.\n\n| | s | spread |\n|---|---:|---:|"
    );
    let (commands, bitcode) = job.bitcode(&["-O2", "-Xclang", "-disable-llvm-passes"]);
    for command in &commands {
        contest::run(&mut limited(command), &job.folder)?;
    }
    let mut all: [Result<Vec<f64>>; STARTS.len()] = [const { Ok(Vec::new()) }; STARTS.len()];
    for round in 0..bench.rounds {
        eprintln!("bench: first output, round {} of {}", round + 1, bench.rounds);
        for step in 0..STARTS.len() {
            let at = (round + step) % STARTS.len();
            if let Ok(times) = &mut all[at] {
                match STARTS[at].measure(&job, &bitcode) {
                    Ok(time) => times.push(time),
                    Err(failure) => all[at] = Err(failure),
                }
            }
        }
    }
    for (start, times) in STARTS.iter().zip(&all) {
        let _ = match times {
            Ok(times) => writeln!(
                text,
                "| {} | {} | {} |",
                start.title(),
                seconds(figures::median(times)),
                table::percent(figures::spread(times).filter(|_| times.len() > 1))
            ),
            Err(failure) => writeln!(text, "| {} | {} | |", start.title(), reason(failure)),
        };
    }
    Ok(())
}

fn versions(bench: &Bench, text: &mut String) -> Result<()> {
    *text += "\n### Time to make a version\n\nProcessor time of the process that compiles, as opcost reports it of one run. A function may have \
              several versions. *Refused* are versions that were not made, or not taken.\n\n\
              | program | its functions | with versions | versions | median, ms | largest, ms | largest of | all, ms | bytes | refused |\n\
              |---|---:|---:|---:|---:|---:|---|---:|---:|---:|\n";
    for (name, _) in programs::PROGRAMS.iter().filter(|(name, _)| bench.is_chosen(name)) {
        let row = report(bench, name).map(|document| version_row(&document));
        let _ = match row {
            Ok(row) => writeln!(text, "| {name} | {row} |"),
            Err(failure) => {
                writeln!(text, "| {name} | not measured: {} |{}", reason(&failure), " |".repeat(8))
            }
        };
    }
    Ok(())
}

/// What opcost reports of an adaptive run: one that was made for another part, or a new one.
fn report(bench: &Bench, name: &str) -> Result<Value> {
    if let Some(document) = bench.documents.borrow().get(name) {
        return Ok(document.clone());
    }
    let job = programs::job(bench, name)?;
    for command in &mut ADAPTIVE.commands(&job)? {
        contest::run(command, &job.folder)?;
    }
    contest::document(&job)
}

fn version_row(document: &Value) -> String {
    let versions = array(document, "versions");
    let time = |version: &Value| version["compile"].as_f64().unwrap_or_default();
    let times: Vec<f64> = versions.iter().map(time).collect();
    let functions: std::collections::BTreeSet<_> =
        versions.iter().map(|one| (one["module"].as_str(), one["function"].as_str())).collect();
    let largest = versions.iter().max_by(|left, right| time(left).total_cmp(&time(right)));
    let milliseconds =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
    format!(
        "{} | {} | {} | {} | {} | {} | {:.1} | {} | {}",
        document["functions"],
        functions.len(),
        versions.len(),
        milliseconds(figures::median(&times)),
        milliseconds(largest.map(time)),
        largest.and_then(|one| one["function"].as_str()).map_or("–".to_owned(), |name| format!("`{name}`")),
        times.iter().fold(0.0, |sum, time| sum + time),
        document["bytes"],
        array(document, "refused").len(),
    )
}

fn memory(bench: &Bench, text: &mut String) -> Result<()> {
    let job = programs::job(bench, PROGRAM)?;
    let _ = writeln!(
        text,
        "\n### Memory\n\nThe largest resident memory (`VmHWM`) of Lua's own process, and of the largest process of opcost, in \
         megabytes. It is that of one run with `{}`.\n\n| | the program | opcost |\n|---|---:|---:|",
        short(&job.arguments)
    );
    for contender in [PLAIN, ONCE, ADAPTIVE] {
        let title = contender.title();
        let _ = match peaks_of(contender, &job) {
            Ok(peaks) => {
                writeln!(text, "| `{title}` | {} | {} |", megabytes(peaks.program), megabytes(peaks.opcost))
            }
            Err(failure) => writeln!(text, "| `{title}` | {} | |", reason(&failure)),
        };
    }
    Ok(())
}

/// A peak, if the process ran long enough for one.
fn megabytes(peak: f64) -> String {
    if peak > 0.0 { format!("{peak:.1}") } else { "–".to_owned() }
}

fn peaks_of(contender: Contender, job: &Job) -> Result<Peaks> {
    let mut commands = contender.commands(job)?;
    let mut last = commands.pop().ok_or_else(|| Failure::new("there is nothing to run"))?;
    for command in &mut commands {
        contest::run(command, &job.folder)?;
    }
    peaks(&mut last, &job.opcost)
}

fn samples(bench: &Bench, text: &mut String) -> Result<()> {
    let job = programs::job(bench, PROGRAM)?;
    let contenders = [UNSAMPLED, SAMPLED];
    let cells = contest::rounds(&job, &contenders, bench.rounds);
    let _ = writeln!(
        text,
        "\n### Samples\n\nLua with `{}`, compiled once and sampled, so that nothing is replaced. The time is that of opcost, its \
         compilation and the program. A ratio is to one sample in a second.\n\n\
         | | user, s | ratio | wall, s | ratio | spread |\n|---|---:|---:|---:|---:|---:|",
        short(&job.arguments)
    );
    for (contender, cell) in contenders.iter().zip(&cells) {
        let title = contender.title();
        let _ = match &cell.trouble {
            Some(trouble) => writeln!(text, "| `{title}` | {} | | | | |", reason(trouble)),
            None => writeln!(
                text,
                "| `{title}` | {} | {} | {} | {} | {} |",
                seconds(cell.median(|taken| taken.user)),
                ratio(cell.ratio(&cells[0], |taken| taken.user)),
                seconds(cell.median(|taken| taken.wall)),
                ratio(cell.ratio(&cells[0], |taken| taken.wall)),
                table::percent(cell.spread(|taken| taken.user)),
            ),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_has_the_median_and_the_largest_version() {
        let version =
            |function: &str, compile: f64| json!({"function": function, "module": "a", "compile": compile});
        let document = json!({"functions": 9, "bytes": 77, "refused": [{}],
            "versions": [version("f", 2.0), version("g", 10.0), version("f", 3.0)]});
        assert_eq!(version_row(&document), "9 | 2 | 3 | 3.0 | 10.0 | `g` | 15.0 | 77 | 1");
        let none = json!({"functions": 9, "bytes": 0, "refused": [], "versions": []});
        assert_eq!(version_row(&none), "9 | 0 | 0 | – | – | – | 0.0 | 0 | 0");
    }

    #[test]
    fn the_first_byte_is_waited_for_and_silence_is_an_error() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            first_byte(command)
        };
        assert!(shell("echo one; echo two").unwrap() < 5.0);
        assert!(shell("true").is_err() && shell("echo one; exit 3").is_err());
    }
}

//! `cargo xtask bench life`: what following an instruction costs the compiler,
//! and whether watching changes any program of the corpus.
//!
//! SQLite's amalgamation is compiled by clang as it is (twice: the distance of the
//! two is the noise), by clang from the same unoptimised bitcode (its back end
//! alone), and by `opcost life`, once for the largest function whole and once for
//! one line. Rounds are interleaved and start with another column each; what
//! counts is CPU time, user and system, of the process and all that it starts,
//! and ratios within a round, of which the median is shown. `opcost life` says
//! itself what of its time was the watched build. `--sweep` takes every source of
//! the corpus at every level and asks whether the code is that of clang.

use super::{figures, machine, setup};
use crate::command;
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::manifest::{Language, Program};
use crate::root::repository;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wait4::Wait4;

/// SQLite's largest function, and a line of it.
const FUNCTION: &str = "sqlite3VdbeExec";
const LINE_WITH: &str = "sqlite3VdbeMemShallowCopy(pOut";

struct Options {
    rounds: usize,
    opcost: Option<PathBuf>,
    sweep: Vec<String>,
    levels: Vec<String>,
    out: PathBuf,
}

/// What one run took.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// User and system.
    seconds: f64,
    /// Of the largest process.
    megabytes: f64,
    /// Of these seconds, the watched build; 0 of what watches nothing.
    watched: f64,
}

/// One way to compile.
struct Column {
    title: &'static str,
    command: Vec<String>,
    runs: Vec<Taken>,
}

/// The verb: runs and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("life")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let mut page = String::from(
        "# What following an instruction costs the compiler\n\n\
         Written by `cargo xtask bench life`; the next run replaces it.\n\n",
    );
    let mut body = String::new();
    if options.rounds > 0 {
        let sqlite = setup::program("sqlite")?;
        let mut columns = columns(&sqlite, &opcost, &folder)?;
        run_rounds(&mut columns, options.rounds, &folder)?;
        write_times(&mut body, &columns, options.rounds);
        write_coverage(&mut body, &folder.join("function.json"))?;
    }
    if !options.sweep.is_empty() {
        write_sweep(&mut body, &options, &opcost, &folder)?;
    }
    page += &setup::head(&machine::facts(Ok(&opcost), &before, &[&["life"], flags].concat()));
    page += &body;
    setup::publish(&page, &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 5,
            opcost: None,
            sweep: Vec::new(),
            levels: ["-O0", "-O1", "-O2", "-O3"].map(str::to_owned).to_vec(),
            out: repository()?.join("benchmarks/life.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            let list = |text: &str| text.split(',').map(str::to_owned).collect();
            match *flag {
                "--rounds" => {
                    let text = value()?;
                    options.rounds = text
                        .parse()
                        .map_err(|_| Failure::usage(format!("--rounds wants a number, not {text}")))?;
                }
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--sweep" => options.sweep = list(value()?),
                "--levels" => options.levels = list(value()?),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench life has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

fn columns(sqlite: &Program, opcost: &Path, folder: &Path) -> Result<Vec<Column>> {
    let source = setup::source(sqlite, "sqlite3.c")?;
    let text = fs::read_to_string(source).map_err(|error| Failure::at("read", source, error))?;
    let line = text.lines().position(|line| line.contains(LINE_WITH));
    let line = line.ok_or_else(|| Failure::new(format!("sqlite3.c has no {LINE_WITH}")))? + 1;
    let path = |name: &str| folder.join(name).display().to_string();
    let input = source.display().to_string();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let bitcode = path("sqlite.bc");
    let front = ["-O2", "-w", "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm", &input, "-o", &bitcode];
    command::output_of(Command::new("clang-22").args(front))?;
    let plain = words(&["clang-22", "-O2", "-w", "-c", &input, "-o", &path("plain.o")]);
    let back = words(&["clang-22", "-O2", "-w", "-c", &bitcode, "-o", &path("back.o")]);
    let tool = opcost.display().to_string();
    let function =
        words(&[&tool, "life", "-O2", "--function", FUNCTION, "--json", &path("function.json"), &input]);
    let one = words(&[&tool, "life", "-O2", "--json", &path("line.json"), &format!("{input}:{line}")]);
    let column = |title, command| Column { title, command, runs: Vec::new() };
    Ok(vec![
        column("clang", plain.clone()),
        column("clang again", plain),
        column("clang's back end alone", back),
        column("one function", function),
        column("one line", one),
    ])
}

fn run_rounds(columns: &mut [Column], rounds: usize, folder: &Path) -> Result<()> {
    for round in 0..rounds {
        eprintln!("bench: round {} of {rounds}", round + 1);
        for step in 0..columns.len() {
            let turn = (round + step) % columns.len();
            let taken = take(&columns[turn].command, folder)?;
            columns[turn].runs.push(taken);
        }
    }
    Ok(())
}

/// Runs it; what it says goes to a file.
fn take(command: &[String], folder: &Path) -> Result<Taken> {
    let said = folder.join("said");
    let file = || fs::File::create(&said).map_err(|error| Failure::at("create", &said, error));
    let child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file()?)
        .spawn()
        .map_err(|error| Failure::new(format!("{} does not start: {error}", command[0])))?;
    let used = child.wait4().map_err(|error| Failure::new(format!("{}: {error}", command[0])))?;
    if !used.status.success() {
        let said = fs::read_to_string(&said).unwrap_or_default();
        return Err(Failure::new(format!(
            "{} ended with {}: {}",
            command.join(" "),
            used.status,
            said.trim()
        )));
    }
    let document = command.iter().position(|word| word == "--json").map(|at| PathBuf::from(&command[at + 1]));
    let watched = document.map(|path| read(&path)).transpose()?;
    let watched = watched.and_then(|life| life["coverage"]["work"]["milliseconds"].as_f64()).unwrap_or(0.0);
    Ok(Taken {
        seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        megabytes: used.rusage.maxrss as f64 / 1e6,
        watched: watched / 1000.0,
    })
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read(path).map_err(|error| Failure::at("read", path, error))?;
    serde_json::from_slice(&text).map_err(|error| Failure::at("understand", path, error))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    figures::median(&values.collect::<Vec<_>>()).unwrap_or(0.0)
}

fn write_times(page: &mut String, columns: &[Column], rounds: usize) {
    let (plain, back) = (&columns[0].runs, &columns[2].runs);
    let row = |page: &mut String, title: String, seconds: &dyn Fn(&Taken) -> f64, column: &Column| {
        let taken = median(column.runs.iter().map(seconds));
        let to = |others: &[Taken]| {
            median(column.runs.iter().zip(others).map(|(one, other)| seconds(one) / other.seconds))
        };
        let peak = median(column.runs.iter().map(|run| run.megabytes));
        let _ = writeln!(page, "| {title} | {taken:.2} | {:.2} | {:.2} | {peak:.0} |", to(plain), to(back));
    };
    let _ = write!(
        page,
        "\n## CPU time, median of {rounds} interleaved rounds\n\n\
         SQLite's amalgamation at -O2; user and system time of the process and all that it starts. The \
         watched build is optimiser and code generation with the recorder looking on, on its own; it stands \
         against clang's back end on the same bitcode. The whole command is front end, watched build and \
         what is told, and one whole compile by the user's own clang, whose object the watched one is \
         compared with: two compiles at least, whatever watching costs.\n\n\
         | what | seconds | ÷ clang | ÷ back end | peak MB |\n|---|---|---|---|---|\n"
    );
    for column in columns {
        let is_watched = column.runs.iter().any(|run| run.watched > 0.0);
        let title =
            if is_watched { format!("{}, whole command", column.title) } else { column.title.to_owned() };
        if is_watched {
            row(page, format!("{}, watched build", column.title), &|run| run.watched, column);
        }
        row(page, title, &|run| run.seconds, column);
    }
}

fn write_coverage(page: &mut String, document: &Path) -> Result<()> {
    let life = read(document)?;
    let coverage = &life["coverage"];
    let number = |name: &str| coverage[name].as_u64().unwrap_or(0);
    let all = number("instructions").max(1) as f64;
    let _ = write!(
        page,
        "\n## What the machine code comes from\n\n`.text` is identical to clang's: {}. \
         Copies and constants of which LLVM kept the location, inferred without it: {} right, {} wrong, \
         {} not inferred. Behind all passes {} instructions and nodes were compared, {} printed.\n\n\
         | machine instructions | number | share |\n|---|---|---|\n",
        life["self_check"]["compiler_identical"],
        coverage["referee"]["right"],
        coverage["referee"]["wrong"],
        coverage["referee"]["silent"],
        coverage["work"]["compared"],
        coverage["work"]["printed"],
    );
    let mut row = |name: &str, count: u64| {
        let _ = writeln!(page, "| {name} | {count} | {:.2} % |", 100.0 * count as f64 / all);
    };
    for name in ["instructions", "explained", "keyed", "merged", "inferred"] {
        row(name, number(name));
    }
    let mut reasons: Vec<(&String, u64)> = coverage["reasons"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(reason, count)| Some((reason, count.as_u64()?)))
        .collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in reasons.iter().take(12) {
        row(reason, *count);
    }
    let rest = reasons.iter().skip(12);
    row(&format!("{} other reasons", rest.len()), rest.map(|(_, count)| count).sum());
    Ok(())
}

fn write_sweep(page: &mut String, options: &Options, opcost: &Path, folder: &Path) -> Result<()> {
    let names: Vec<&str> = options.sweep.iter().map(String::as_str).collect();
    let programs = corpus::programs(&names)?;
    page.push_str(
        "\n## Is watched code the compiler's own?\n\nEvery source on its own: sources whose text \
         sections are those of `clang LEVEL -c`, byte for byte, of all that have code.\n\n| program |",
    );
    for level in &options.levels {
        let _ = write!(page, " {level} |");
    }
    let _ = writeln!(page, "\n|---|{}", "---|".repeat(options.levels.len()));
    let is_meant = |program: &&Program| {
        names.contains(&&*program.name) && matches!(program.language, Language::C | Language::Cpp)
    };
    let mut others = Vec::new();
    for program in programs.iter().filter(is_meant) {
        let _ = write!(page, "| {} |", program.name);
        for level in &options.levels {
            let mut counts = (0, 0);
            for source in &program.sources {
                eprintln!("bench: {} {level}", source.display());
                let Some(is_same) = is_identical(program, source, level, opcost, folder)? else { continue };
                counts = (counts.0 + usize::from(is_same), counts.1 + 1);
                if !is_same {
                    others.push(format!("{} {level}", source.display()));
                }
            }
            let _ = write!(page, " {} of {} |", counts.0, counts.1);
        }
        page.push('\n');
    }
    if !others.is_empty() {
        let _ = writeln!(page, "\nNot identical: {}.", others.join(", "));
    }
    Ok(())
}

/// Of one source; none if it has no function.
fn is_identical(
    program: &Program,
    source: &Path,
    level: &str,
    opcost: &Path,
    folder: &Path,
) -> Result<Option<bool>> {
    let (object, document) = (folder.join("sweep.o"), folder.join("sweep.json"));
    let compiler = if program.language == Language::Cpp { "clang++-22" } else { "clang-22" };
    // Without optimisation all functions are still there.
    command::output_of(
        Command::new(compiler)
            .args(["-O0", "-w", "-c"])
            .args(&program.flags)
            .arg(source)
            .arg("-o")
            .arg(&object),
    )?;
    let names = command::output_of(Command::new("llvm-nm-22").args(["--defined-only", "-P"]).arg(&object))?;
    let is_code = |line: &&str| line.split(' ').nth(1).is_some_and(|kind| matches!(kind, "T" | "t" | "W"));
    let Some(function) = names.lines().find(is_code).and_then(|line| line.split(' ').next()) else {
        return Ok(None);
    };
    let mut command = Command::new(opcost);
    command.args(["life", level, "--function", function, "--json"]).arg(&document);
    command.args(program.flags.iter().map(|flag| format!("--cflag={flag}"))).arg(source);
    let output = command.output().map_err(|error| Failure::at("start", opcost, error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    // Status 1 with a document: watching changed the code.
    if !output.status.success() && !said.trim().is_empty() {
        return Err(Failure::new(format!("{} {level}: {}", source.display(), said.trim())));
    }
    let check = &read(&document)?["self_check"];
    Ok(Some(check["text_identical"] == true && check["compiler_identical"] == true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let options = Options::parse(&["--rounds", "2", "--sweep", "kernel,lua", "--levels", "-O2"]).unwrap();
        assert_eq!((options.rounds, options.levels.len()), (2, 1));
        assert_eq!(options.sweep, ["kernel", "lua"]);
        for flags in [&["--rounds", "few"][..], &["--sweep"], &["--what"]] {
            assert_eq!(Options::parse(flags).err().map(|failure| failure.status()), Some(2), "{flags:?}");
        }
    }

    #[test]
    fn the_middle_of_an_even_number_lies_between_two() {
        assert!((median([3.0, 1.0, 2.0].into_iter()) - 2.0).abs() < 1e-9);
        assert!((median([4.0, 1.0].into_iter()) - 2.5).abs() < 1e-9);
    }
}

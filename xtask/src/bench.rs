//! `cargo xtask bench count` and `bench fuel`: what counting costs the program
//! that is counted, and what fuel costs the one that is metered.
//!
//! Every program is built once per column: as it is, counted in several ways
//! by opcost, and instrumented by its rivals: clang's own `-fprofile-generate`,
//! wasmtime's fuel. The builds
//! then run interleaved, round by round, each round starting with another
//! column, so that a machine that slows down slows all of them; what counts
//! is user CPU time, medians, and ratios to the plain build. A second plain
//! column runs the very same file again: its ratio is the noise of this
//! round, and differences below it mean nothing. Instructions under callgrind
//! and the size of the text section stand beside the times because they have
//! no noise. What counting costs the build itself is measured last.
//!
//! Every run's output is compared with the plain build's. A column that
//! cannot be built or answers wrongly stays in the table and is named with
//! its reason; it never drops out silently.

pub(crate) mod bits;
mod building;
mod columns;
mod figures;
pub(crate) mod hdl;
pub(crate) mod life;
pub(crate) mod loops;
mod machine;
mod measure;
mod oracle;
mod page;
mod paper;
pub(crate) mod pgo;
pub(crate) mod predict;
mod question;
pub(crate) mod running;
pub(crate) mod sampling;
mod setup;
pub(crate) mod slice;
pub(crate) mod suite;
mod timed;
pub(crate) mod tune;
mod wasm;

use crate::corpus;
use crate::failure::{Failure, Result};
use crate::manifest::{Language, Program};
use crate::root::repository;
use columns::{Builder, Column};
use figures::{Cell, Row};
pub(crate) use question::Question;
use std::fs;
use std::path::{Path, PathBuf};

/// What the command line asks for.
struct Options {
    rounds: usize,
    programs: Vec<String>,
    columns: Vec<Column>,
    opcost: Option<PathBuf>,
    callgrind: bool,
    building: bool,
    as_built: bool,
    out: PathBuf,
}

/// What is measured is what opcost does, not what it did before: this process begins again with the
/// cache off. `bench suite` sets its own.
pub(crate) fn without_cache() {
    use std::os::unix::process::CommandExt;
    if std::env::var_os("OPCOST_CACHE").is_none_or(|value| value != "off") {
        let again = std::env::current_exe().map(|own| {
            let mut again = std::process::Command::new(own);
            again.args(std::env::args_os().skip(1)).env("OPCOST_CACHE", "off").exec()
        });
        eprintln!("bench: cannot begin again without the cache: {again:?}");
    }
}

/// The verb: builds, runs, and writes the page.
pub(crate) fn run(question: Question, flags: &[&str]) -> Result<()> {
    let options = Options::parse(question, flags)?;
    let (programs, empty) = requested_programs(&options)?;
    let folder = repository()?.join("target/bench");
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    let before = machine::load();
    let mut builder = Builder::prepare(&options.columns, options.opcost.clone(), &folder)?;
    builder.is_built = options.as_built;
    let empty = build(empty, &options.columns, &builder);
    let mut rows: Vec<Row> =
        programs.into_iter().map(|program| build(program, &options.columns, &builder)).collect();
    for row in &mut rows {
        let cells = row.cells.iter_mut().zip(&empty.cells).zip(&options.columns);
        for ((cell, empty), _) in cells.filter(|(_, column)| !column.is_wasm()) {
            cell.measure_text(empty);
        }
    }
    run_rounds(&mut rows, &options, &folder)?;
    if options.callgrind {
        count_instructions(&mut rows, &options.columns, &folder)?;
    }
    let building = if options.building { building::measure(&rows, &builder, &folder)? } else { Vec::new() };
    let words = [&[question.word()], flags].concat();
    let facts = machine::facts(builder.opcost(), &before, &words);
    let figures = page::Figures { question, rows: &rows, columns: &options.columns, building: &building };
    let text = page::write(&figures, options.rounds, &facts)?;
    let text = text.replace(&*repository()?.to_string_lossy(), ".");
    fs::write(&options.out, &text).map_err(|error| Failure::at("write", &options.out, error))?;
    println!("{text}");
    eprintln!("bench: written to {}", options.out.display());
    Ok(())
}

impl Options {
    fn parse(question: Question, flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 9,
            programs: Vec::new(),
            columns: Column::of(question).to_vec(),
            opcost: None,
            callgrind: true,
            building: question == Question::Count,
            as_built: false,
            out: repository()?.join(format!("benchmarks/{}.md", question.word())),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--rounds" => options.rounds = rounds(value()?)?,
                "--programs" => options.programs = value()?.split(',').map(str::to_owned).collect(),
                "--columns" => options.columns = columns(question, value()?)?,
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--no-callgrind" => options.callgrind = false,
                "--as-built" => options.as_built = true,
                "--no-building" => options.building = false,
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench {} has no flag {flag}; see `cargo xtask help`",
                        question.word()
                    )));
                }
            }
        }
        Ok(options)
    }
}

fn rounds(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err(Failure::usage(format!("--rounds wants a number from 1, not {text}"))),
    }
}

/// The columns named, always with plain as the first: all ratios are to it.
fn columns(question: Question, text: &str) -> Result<Vec<Column>> {
    let mut columns = vec![Column::Plain];
    for word in text.split(',') {
        let all = Column::of(question);
        let column = all.iter().find(|column| column.word() == word).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|column| column.word()).collect();
            Failure::usage(format!("no column is called {word}; there are {}", known.join(", ")))
        })?;
        if !columns.contains(column) {
            columns.push(*column);
        }
    }
    Ok(columns)
}

/// The programs to measure, and the empty one.
fn requested_programs(options: &Options) -> Result<(Vec<Program>, Program)> {
    let names: Vec<&str> = if options.programs.is_empty() {
        vec!["kernel", "lua", "zstd", "sqlite"]
    } else {
        options.programs.iter().map(String::as_str).collect()
    };
    let all = corpus::programs(&names)?;
    let chosen = |name: &str| all.iter().find(|program| program.name == name).cloned();
    let programs: Vec<Program> = names.iter().filter_map(|name| chosen(name)).collect();
    match programs.iter().find(|program| !matches!(program.language, Language::C | Language::Cpp)) {
        Some(program) => {
            Err(Failure::usage(format!("{} is not in C or C++: clang has no column for it", program.name)))
        }
        None => match chosen("empty") {
            Some(empty) => Ok((programs, empty)),
            None => Err(Failure::new("corpus/programs.toml lacks the program `empty`")),
        },
    }
}

fn build(program: Program, columns: &[Column], builder: &Builder) -> Row {
    let mut cells: Vec<Cell> = Vec::new();
    for column in columns {
        eprintln!("bench: building {}, {}", program.name, column.title());
        let built = match (column, cells.first()) {
            (Column::PlainAgain, Some(plain)) => {
                plain.executable.clone().ok_or_else(|| Failure::new(plain.trouble()))
            }
            _ => builder.build(*column, &program),
        };
        cells.push(match built {
            Ok(executable) => Cell::built(executable),
            Err(failure) => Cell::failed(format!("not built: {failure}")),
        });
    }
    Row { program, cells }
}

/// One untimed run of each build to compare its output and warm the caches,
/// then the rounds.
fn run_rounds(rows: &mut [Row], options: &Options, folder: &Path) -> Result<()> {
    let mut expected = Vec::new();
    for row in rows.iter_mut() {
        let plain = row.cells[0].executable.clone().ok_or_else(|| {
            Failure::new(format!(
                "{} has no plain build to compare with: {}",
                row.program.name,
                row.cells[0].trouble()
            ))
        })?;
        expected.push(measure::run(&plain, &row.program.long, folder)?.output);
        for cell in &mut row.cells {
            cell.run(&row.program.long, &expected[expected.len() - 1], folder);
            cell.seconds.clear();
        }
    }
    for round in 0..options.rounds {
        eprintln!("bench: round {} of {}", round + 1, options.rounds);
        for (row, expected) in rows.iter_mut().zip(&expected) {
            for step in 0..row.cells.len() {
                let turn = (round + step) % row.cells.len();
                row.cells[turn].run(&row.program.long, expected, folder);
            }
        }
    }
    Ok(())
}

fn count_instructions(rows: &mut [Row], columns: &[Column], folder: &Path) -> Result<()> {
    for row in rows {
        for (cell, column) in row.cells.iter_mut().zip(columns) {
            let Some(executable) = cell.executable.clone() else { continue };
            if *column == Column::PlainAgain || column.is_wasm() {
                continue;
            }
            eprintln!("bench: {} under callgrind, {}", row.program.name, column.title());
            match measure::instructions(&executable, &row.program.small, folder) {
                Ok(instructions) => cell.instructions = Some(instructions),
                Err(failure) if *column == Column::Plain => return Err(failure),
                Err(failure) => cell.fail(format!("fails under callgrind: {failure}")),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let options =
            Options::parse(Question::Count, &["--rounds", "3", "--columns", "pgo,again", "--no-callgrind"])
                .unwrap();
        assert_eq!(options.rounds, 3);
        assert_eq!(options.columns, [Column::Plain, Column::ProfileGenerate, Column::PlainAgain]);
        assert!(!options.callgrind);
    }

    #[test]
    fn wrong_flags_are_usage_errors() {
        for flags in [&["--rounds", "0"][..], &["--rounds"], &["--columns", "fast"], &["--what"]] {
            assert_eq!(
                Options::parse(Question::Count, flags).err().map(|failure| failure.status()),
                Some(2),
                "{flags:?}"
            );
        }
    }
}

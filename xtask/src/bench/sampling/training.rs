//! `cargo xtask bench training`: how good are counts made of samples on the programs on
//! which the constants were fit that make them?
//!
//! `corpus/training.toml` lists them; none is in `bench sampling`. Constants of
//! `crates/recover/src/duration.rs`, `arrival.rs` and `repair/evidence.rs` are chosen by the means at the
//! foot of this table, and told of in the tables of `bench sampling`. Samples are kept in
//! `target/bench/training`: who tries other constants goes on from there (`--take samples`).
//!
//! The peer is as in "the solver alone" of `bench sampling`: LLVM's inference, given the
//! same observations of blocks, so that its columns change with those constants too that
//! make counts of time.
//!
//! Input: the programs. Output: a page, one run for each rate. Cost: some minutes.

use super::build::{self, Built};
use super::measures::{Of, Run};
use super::peer;
use super::tools::{Tools, write};
use crate::bench::{machine, setup};
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use crate::root::repository;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What of an earlier run is taken as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Taken {
    Nothing,
    Builds,
    Samples,
}

#[derive(Debug)]
struct Options {
    programs: Vec<String>,
    /// Thousands of samples a second.
    rates: Vec<u64>,
    taken: Taken,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// A program's run at a rate.
struct Row {
    program: String,
    rate: u64,
    run: Run,
}

/// The verb.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let before = machine::load();
    let folder = setup::folder("training")?;
    let names: Vec<&str> = options.programs.iter().map(String::as_str).collect();
    let programs = corpus::training(&names)?;
    let tools = Tools::find(options.opcost.clone(), &folder)?;
    let mut rows = Vec::new();
    for program in programs.iter().filter(|one| names.is_empty() || names.contains(&&*one.name)) {
        rows.extend(measure(&tools, program, &options, &folder.join(&program.name))?);
    }
    rows.sort_by_key(|row| row.rate);
    let words = [&["training"], flags].concat();
    let facts = machine::facts(Ok(&tools.opcost), &before, &words);
    let page = format!("{INTRODUCTION}{}{}", setup::head(&facts), tables(&rows));
    setup::publish(&page, &options.out)
}

fn measure(tools: &Tools, program: &Program, options: &Options, folder: &Path) -> Result<Vec<Row>> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("create", folder, error))?;
    let built = Built { folder: folder.to_owned() };
    // Written last: what lies before it is whole.
    let done = built.file("built");
    let facts = program.arguments.join(" ");
    let is_kept = fs::read_to_string(&done).is_ok_and(|kept| kept == facts);
    if !(options.taken >= Taken::Builds && is_kept) {
        let _ = fs::remove_file(&done);
        build::anchored(tools, program, &program.arguments, &built)?;
        write(&done, &facts)?;
    }
    let mut rows = Vec::new();
    for &rate in &options.rates {
        eprintln!("bench: {}, {rate} kHz", program.name);
        let samples = built.file(&format!("{rate}k.data"));
        if !(options.taken >= Taken::Samples && is_kept && samples.is_file()) {
            build::sample(tools, &built, &program.arguments, rate, &samples)?;
        }
        let run = peer::compare_solvers(tools, &built, &samples)?;
        rows.push(Row { program: program.name.clone(), rate, run });
    }
    Ok(rows)
}

const INTRODUCTION: &str = "\
# Counts made of samples, on the programs that constants were fit on

Written by `cargo xtask bench training`; the next run replaces it. Agreement with exact counts (`opcost overlap`), in
per cent, by LLVM's inference (\"profi\") and by `opcost sample`, as in \"the solver alone\" of benchmarks/sampling.md,
whose programs are none of these. One run at each rate. The means were what the constants of
`crates/recover/src/duration.rs` and `repair/evidence.rs` were chosen by. All counts: those of opcost together, by the
exact ones, in the same run of the program; samples tell time, and how long code waits is not known.

";

const MEASURES: [(&str, Of); 4] = [
    ("in function", |one| Some(one.in_function_block)),
    ("program", |one| Some(one.program_block)),
    ("function totals", |one| Some(one.function_total)),
    ("entries", |one| one.entry),
];

const WAYS: [&str; 2] = ["profi", "ours"];

fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    for rows in rows.chunk_by(|one, next| one.rate == next.rate) {
        let _ = write!(text, "\n## At {} kHz\n\nEach cell: profi, opcost.\n\n| program |", rows[0].rate);
        MEASURES.iter().for_each(|(name, _)| text += &format!(" {name} |"));
        text += " all counts |\n|---|";
        text += &"---:|".repeat(MEASURES.len() + 1);
        text.push('\n');
        for row in rows {
            let cells = MEASURES.map(|(_, of)| WAYS.map(|way| row.run.agreement.get(way).and_then(of)));
            let scale = row.run.agreement.get("ours").and_then(|one| one.scale);
            text += &line(&row.program, &cells, scale);
        }
        let mean = |way: &str, of: Of| {
            let all: Vec<f64> =
                rows.iter().filter_map(|row| row.run.agreement.get(way).and_then(of)).collect();
            (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        text += &line("**mean**", &MEASURES.map(|(_, of)| WAYS.map(|way| mean(way, of))), None);
    }
    text
}

fn line(name: &str, cells: &[[Option<f64>; 2]], scale: Option<f64>) -> String {
    let one = |value: &Option<f64>| value.map_or("–".to_owned(), |value| format!("{:.1}", 100.0 * value));
    let cells: Vec<String> =
        cells.iter().map(|ways| ways.iter().map(one).collect::<Vec<_>>().join(", ")).collect();
    let scale = scale.map_or_else(String::new, |scale| format!("{scale:.2} ×"));
    format!("| {name} | {} | {scale} |\n", cells.join(" | "))
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            programs: Vec::new(),
            rates: vec![1, 10],
            taken: Taken::Nothing,
            opcost: None,
            out: repository()?.join("benchmarks/training.md"),
        };
        for pair in flags.chunks(2) {
            let &[flag, value] = pair else {
                return Err(Failure::usage(format!("{} wants a value after it", pair[0])));
            };
            match flag {
                "--only" => options.programs = value.split(',').map(str::to_owned).collect(),
                "--rates" => {
                    let number = |word: &str| word.parse().ok().filter(|&rate| rate > 0);
                    let rates: Option<Vec<u64>> = value.split(',').map(number).collect();
                    options.rates =
                        rates.ok_or_else(|| Failure::usage(format!("{flag} wants numbers, not {value}")))?;
                }
                "--take" => {
                    options.taken = match value {
                        "builds" => Taken::Builds,
                        "samples" => Taken::Samples,
                        _ => return Err(Failure::usage("--take wants builds or samples")),
                    }
                }
                "--opcost" => options.opcost = Some(PathBuf::from(value)),
                "--out" => options.out = PathBuf::from(value),
                _ => {
                    let text = format!("bench training has no flag {flag}; see `cargo xtask help`");
                    return Err(Failure::usage(text));
                }
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measures::{Agreement, example};
    use super::*;

    #[test]
    fn flags_are_read() {
        let options = Options::parse(&["--only", "zlib,xz", "--rates", "4", "--take", "builds"]).unwrap();
        assert_eq!((options.programs.len(), options.rates, options.taken), (2, vec![4], Taken::Builds));
        for wrong in [&["--rates", "0"][..], &["--take", "results"], &["--only"], &["--runs", "3"]] {
            assert_eq!(Options::parse(wrong).err().map(|failure| failure.status()), Some(2), "{wrong:?}");
        }
    }

    #[test]
    fn each_rate_has_a_table_and_means() {
        let row = |program: &str, rate, profi, ours| {
            let agreement = [("profi", profi), ("ours", ours)];
            let agreement: Agreement =
                agreement.iter().map(|&(way, value)| (way.to_owned(), example(value))).collect();
            Row { program: program.to_owned(), rate, run: Run { summary: String::new(), agreement } }
        };
        let text = tables(&[row("a", 1, 0.5, 0.75), row("b", 1, 0.25, 0.85), row("a", 10, 0.1, 0.2)]);
        assert_eq!(text.matches("## At ").count(), 2);
        assert!(
            text.contains("\n| b | 25.0, 85.0 | 25.0, 85.0 | 25.0, 85.0 | 25.0, 85.0 | 1.70 × |\n"),
            "{text}"
        );
        assert!(
            text.contains("| **mean** | 37.5, 80.0 |") && text.contains("| **mean** | 10.0, 20.0 |"),
            "{text}"
        );
    }
}

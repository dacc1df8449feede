//! `cargo xtask bench slice`: how small and how fast is the part of a program that decides its loops?
//!
//! Every program of `corpus/loops` but the hard ones is sliced at -O1 with `--level 3`, and verified with the
//! inputs of `corpus/loops/inputs`, some of them with more steps, so that they take longer: the streams of all
//! loops of the program and of its slice are compared. The exit status may be another one (`--any-status`): that of
//! these programs says whether their results are right, and so would keep all that they compute.
//! Then both run, the program as `--level 0` makes it: the same counters of loops and the same optimiser, with
//! nothing cut. Runs are interleaved, each round begins with the other one, and what counts is the median of user
//! CPU time.
//!
//! A program that cannot be sliced stays in the table with its reason. Output: `benchmarks/slice.md`.

use super::{figures, machine, setup, timed};
use crate::command;
use crate::failure::{Failure, Result};
use crate::loops::sets::{self, Member};
use crate::root::repository;
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sets of `corpus/loops` that are programs with a meaning.
const SETS: [&str; 3] = ["fortran", "c", "kernels"];

/// Inputs with more steps than those of the corpus: the name of the file, and its text.
const LONG: [(&str, &str); 4] = [
    ("inputadi.data", "2000\n0.0008\n12 12 12\n"),
    ("inputpenta.data", "2000\n0.0015\n14 14 14\n"),
    ("inputrng.data", "25\n"),
    ("inputstencil.data", "62 20000\n0.02 0.002\n"),
];

struct Options {
    rounds: usize,
    programs: Vec<String>,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// What is measured of a program.
struct Sliced {
    /// The document of `opcost slice --verify`.
    document: Value,
    /// Medians of user seconds: of the program, and of its slice.
    seconds: [f64; 2],
}

/// One line of the table.
struct Line {
    name: String,
    /// What was measured, or why nothing was.
    sliced: std::result::Result<Sliced, String>,
}

/// The verb: slices, verifies, times, and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("slice")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let mut lines = Vec::new();
    for set in sets::sets()?.into_iter().filter(|set| SETS.contains(&set.name)) {
        for member in &set.members {
            let name = format!("{}/{}", set.name, member.name);
            if options.programs.is_empty() || options.programs.contains(&name) {
                eprintln!("bench: {name}");
                let bench = Bench { opcost: &opcost, folder: folder.join(name.replace('/', "-")) };
                let sliced = bench.measure(member, options.rounds).map_err(|failure| failure.to_string());
                lines.push(Line { name, sliced });
            }
        }
    }
    if lines.is_empty() {
        return Err(Failure::usage(format!("no program is called {}", options.programs.join(" or "))));
    }
    let mut page = String::from(
        "# How small and how fast is the part of a program that decides its loops?\n\n\
         Written by `cargo xtask bench slice`; the next run replaces it.\n\n",
    );
    page += &setup::head(&machine::facts(Ok(&opcost), &before, &[&["slice"], flags].concat()));
    write_table(&mut page, &lines, options.rounds);
    setup::publish(&page, &options.out)
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 5,
            programs: Vec::new(),
            opcost: None,
            out: repository()?.join("benchmarks/slice.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--rounds" => {
                    let text = value()?;
                    options.rounds = text.parse().ok().filter(|&rounds| rounds > 0).ok_or_else(|| {
                        Failure::usage(format!("--rounds wants a number from 1, not {text}"))
                    })?;
                }
                "--programs" => options.programs = value()?.split(',').map(str::to_owned).collect(),
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench slice has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

/// Where one program is measured.
struct Bench<'a> {
    opcost: &'a Path,
    /// A folder with copies of all inputs, in which it runs.
    folder: PathBuf,
}

impl Bench<'_> {
    fn measure(&self, member: &Member, rounds: usize) -> Result<Sliced> {
        fs::create_dir_all(&self.folder).map_err(|error| Failure::at("create", &self.folder, error))?;
        self.copy_inputs()?;
        let mut verify = self.slice(member, &["--level", "3", "--verify", "--json", "-"]);
        // Status 3: the streams differ, which the table has to show.
        let (text, _) = timed::run(&mut verify, &[3], &self.folder)?;
        let document =
            serde_json::from_str(&text).map_err(|error| Failure::new(format!("{}: {error}", member.name)))?;
        for (level, program) in [("0", "whole"), ("3", "mini")] {
            command::output_of(&mut self.slice(member, &["--level", level, "-o", program]))?;
        }
        let mut runs: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            for step in 0..2 {
                let position = (round + step) % 2;
                let mut program = Command::new(self.folder.join(["whole", "mini"][position]));
                program.current_dir(&self.folder);
                // A program that finds its result wrong ends with 1.
                let (_, taken) = timed::run(&mut program, &[1], &self.folder)?;
                runs[position].push(taken.user);
            }
        }
        let seconds = runs.map(|runs| figures::median(&runs).unwrap_or(0.0));
        Ok(Sliced { document, seconds })
    }

    fn copy_inputs(&self) -> Result<()> {
        let inputs = sets::folder()?.join("inputs");
        for entry in fs::read_dir(&inputs).map_err(|error| Failure::at("list", &inputs, error))? {
            let path = entry.map_err(|error| Failure::at("list", &inputs, error))?.path();
            let copy = self.folder.join(path.file_name().unwrap_or_default());
            fs::copy(&path, &copy).map_err(|error| Failure::at("write", &copy, error))?;
        }
        for (name, text) in LONG {
            let path = self.folder.join(name);
            fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
        }
        Ok(())
    }

    fn slice(&self, member: &Member, flags: &[&str]) -> Command {
        let sources = [&member.source].into_iter().chain(&member.common);
        let inputs: Vec<OsString> = sources.map(|path| path.clone().into_os_string()).collect();
        let mut command = Command::new(self.opcost);
        command.current_dir(&self.folder).args(["slice", "-O1", "--any-status"]).args(flags);
        // A slice takes libraries; programs with threads are not sliced.
        let libraries = member.libraries.iter().filter(|flag| flag.starts_with("-l"));
        command.args(&member.flags).args(inputs).args(libraries);
        command
    }
}

/// How many times as fast the slice is. What takes less than the clock shows has no ratio.
fn times(seconds: [f64; 2]) -> String {
    const SHOWN: f64 = 0.0005;
    match seconds {
        [whole, _] if whole < 10.0 * SHOWN => "–".to_owned(),
        [whole, slice] if slice < SHOWN => format!("> {:.0}", whole / SHOWN),
        [whole, slice] => format!("{:.1}", whole / slice),
    }
}

fn write_table(page: &mut String, lines: &[Line], rounds: usize) {
    let _ = write!(
        page,
        "\n## Programs of `corpus/loops`\n\nWith the inputs of `corpus/loops/inputs`, those of adi, penta, rng and stencil with more steps, at `--level 3 \
         --any-status`. With the exit status, which says whether results are right, most of each program stays. *Instructions* are those of \
         functions that run, and *stay* those in the slice. *Constant*: loops that iterate equally often each time, and need \
         not be in the slice. *Streams*: whether all entries and iterations of all loops came in the same order. Seconds \
         are user CPU time, medians of {rounds} interleaved rounds; the program is built as its slice is, with nothing cut. \
         *Because*: the first comparison of computed numbers that stays, if there is one.\n\n\
         | program | instructions | stay | share | loops | constant | streams | program, s | slice, s | times | because |\n\
         |---|---:|---:|---:|---:|---:|---|---:|---:|---:|---|\n",
    );
    for line in lines {
        let sliced = match &line.sliced {
            Ok(sliced) => sliced,
            Err(reason) => {
                let reason = reason.lines().next().unwrap_or_default().replace('|', "/");
                let _ = writeln!(page, "| {} | none: {reason} | | | | | | | | | |", line.name);
                continue;
            }
        };
        let Sliced { document, seconds } = sliced;
        let number = |name: &str| document[name].as_u64().unwrap_or(0);
        let share = 100.0 * number("kept") as f64 / number("instructions").max(1) as f64;
        let loops = document["loops"].as_array().map_or(&[][..], Vec::as_slice);
        let constant = loops.iter().filter(|one| one["fate"] == "constant").count();
        let streams = if document["streams_equal"] == true { "equal" } else { "**differ**" };
        let because = match &document["computed"][0]["place"] {
            Value::Object(place) => {
                let file = place["file"].as_str().unwrap_or_default();
                let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
                format!("`{name}:{}`", place["line"])
            }
            _ => String::new(),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {share:.0} % | {} | {constant} | {streams} | {:.3} | {:.3} | {} | {because} |",
            line.name,
            number("instructions"),
            number("kept"),
            loops.len(),
            seconds[0],
            seconds[1],
            times(*seconds),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_program_and_reasons() {
        let document = serde_json::json!({
            "instructions": 200, "kept": 50, "streams_equal": false,
            "loops": [{"fate": "constant"}, {"fate": "whole"}],
            "computed": [{"place": {"file": "/a/b.c", "line": 7}}],
        });
        let lines = [
            Line { name: "c/a".to_owned(), sliced: Ok(Sliced { document, seconds: [1.5, 0.25] }) },
            Line { name: "c/b".to_owned(), sliced: Err("it | stops\nhere".to_owned()) },
        ];
        let mut page = String::new();
        write_table(&mut page, &lines, 3);
        for wanted in [
            "| c/a | 200 | 50 | 25 % | 2 | 1 | **differ** | 1.500 | 0.250 | 6.0 | `b.c:7` |",
            "| c/b | none: it / stops |",
            "medians of 3 interleaved rounds",
        ] {
            assert!(page.contains(wanted), "{wanted}\n{page}");
        }
    }

    #[test]
    fn what_the_clock_does_not_show_has_no_ratio() {
        assert_eq!(times([0.001, 0.001]), "–");
        assert_eq!(times([1.0, 0.0]), "> 2000");
        assert_eq!(times([1.0, 0.5]), "2.0");
    }
}

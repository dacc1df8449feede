//! How right is predicted time, when counts are exact?
//!
//! Each program is built by its compiler as it is and run several times, of which the least user time
//! counts: what else the machine does only adds. It is counted by opcost, and `opcost predict --counts
//! --timing` predicts its time by a timing file that was measured before. Beside it stand simpler
//! models: one cycle for each instruction of the IR, each machine instruction's share of a processor
//! that LLVM calls generic, and the operations of the IR at their measured times. All models but that of
//! the product have their factors fit on the other programs (leave-one-out); the product's are constants.
//!
//! Input: programs of the corpus. Output: a part of `benchmarks/predict.md`. Cost: some minutes.

mod fit;

use crate::bench::timed;
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::root::repository;
use fit::{Point, fit, leave_one_out};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How time is measured.
pub(super) struct TimeOptions<'a> {
    /// Timed runs of each program.
    pub(super) runs: usize,
    /// A timing file; without one the machine is measured.
    pub(super) timing: Option<&'a Path>,
    /// Names of programs; empty: all.
    pub(super) programs: &'a [String],
}

/// A program, as it is built and run.
struct Subject {
    name: String,
    compiler: &'static str,
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    libraries: Vec<String>,
    arguments: Vec<String>,
    /// A file that it reads, and its text.
    input: Option<(&'static str, &'static str)>,
}

/// What was measured and predicted of it.
struct Row {
    name: String,
    /// The least of all runs.
    measured: f64,
    /// And the greatest.
    slowest: f64,
    instructions: f64,
    host: Value,
    generic: Value,
}

/// Programs of `corpus/loops/c`, with inputs under which they run long enough to be timed.
const LOOPS: [(&str, Option<(&str, &str)>); 9] = [
    ("adi", None),
    ("penta", None),
    ("ssor", None),
    ("rng", Some(("inputrng.data", "23\n"))),
    ("fft", None),
    ("cg", Some(("cg.input", "60\n"))),
    ("mg", None),
    ("mesh", None),
    ("stencil", Some(("inputstencil.data", "150 120\n0.02 0.00002\n"))),
];
/// Fortran programs and their arguments.
const FORTRAN: [(&str, &str); 3] = [("heat", "12000"), ("matmul", "640"), ("strings", "")];
/// Programs of the corpus of real ones.
const REAL: [&str; 2] = ["kernel", "lua"];
/// Least seconds of a run that counts.
const SHORTEST: f64 = 0.05;

/// Times and predicts each program: the part of the page about time.
pub(super) fn part(options: &TimeOptions<'_>, opcost: &Path, folder: &Path) -> Result<String> {
    let wanted: Vec<Subject> = subjects()?
        .into_iter()
        .filter(|subject| options.programs.is_empty() || options.programs.contains(&subject.name))
        .collect();
    if wanted.is_empty() {
        return Ok(String::new());
    }
    let timing = match options.timing {
        Some(path) => std::path::absolute(path).map_err(|error| Failure::at("find", path, error))?,
        None => measured(opcost, folder)?,
    };
    let generic = generic(&timing, folder)?;
    let mut rows = Vec::new();
    let mut left_out = Vec::new();
    for subject in wanted {
        eprintln!("bench: time of {}", subject.name);
        let place = folder.join(&subject.name);
        let how = How { runs: options.runs, timings: [&timing, &generic] };
        match measure(&subject, opcost, &place, &how) {
            Ok(row) if row.measured >= SHORTEST => rows.push(row),
            Ok(row) => left_out.push(format!("{} runs {:.3} s only", row.name, row.measured)),
            Err(failure) => left_out.push(format!("{}: {failure}", subject.name)),
        }
    }
    Ok(page(&rows, &left_out))
}

/// Programs that are timed.
fn subjects() -> Result<Vec<Subject>> {
    let corpus = repository()?.join("corpus");
    let loops = corpus.join("loops/c");
    let common = ["clock.c", "random.c", "report.c"].map(|name| loops.join("common").join(name));
    let mut all: Vec<Subject> = LOOPS
        .into_iter()
        .map(|(name, input)| Subject {
            name: name.to_owned(),
            compiler: "clang-22",
            sources: [&[loops.join(format!("{name}.c"))], common.as_slice()].concat(),
            flags: vec![format!("-I{}", loops.display())],
            libraries: vec!["-lm".to_owned()],
            arguments: Vec::new(),
            input,
        })
        .collect();
    all.extend(FORTRAN.into_iter().map(|(name, argument)| Subject {
        name: name.to_owned(),
        compiler: "flang-22",
        sources: vec![corpus.join(format!("fortran/{name}.f90"))],
        flags: Vec::new(),
        libraries: Vec::new(),
        arguments: argument.split_whitespace().map(str::to_owned).collect(),
        input: None,
    }));
    all.extend(corpus::programs(&REAL)?.into_iter().filter(|program| REAL.contains(&&*program.name)).map(
        |program| Subject {
            name: program.name,
            compiler: "clang-22",
            sources: program.sources,
            flags: program.flags,
            libraries: program.libraries,
            arguments: program.arguments,
            input: None,
        },
    ));
    Ok(all)
}

/// A timing file of this machine.
fn measured(opcost: &Path, folder: &Path) -> Result<PathBuf> {
    let path = folder.join("this.toml");
    answer(Command::new(opcost).args(["timing", "--measure", "-o"]).arg(&path), &[], folder)?;
    Ok(path)
}

/// The same, with the model of a processor that LLVM calls generic.
fn generic(timing: &Path, folder: &Path) -> Result<PathBuf> {
    let text = fs::read_to_string(timing).map_err(|error| Failure::at("read", timing, error))?;
    let lines =
        text.lines().map(|line| if line.starts_with("model = ") { "model = \"x86-64\"" } else { line });
    let path = folder.join("generic.toml");
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    Ok(path)
}

fn answer(command: &mut Command, also: &[i32], folder: &Path) -> Result<String> {
    timed::run(command, also, folder).map(|(text, _)| text)
}

/// How a program is measured.
struct How<'a> {
    runs: usize,
    timings: [&'a Path; 2],
}

fn measure(subject: &Subject, opcost: &Path, folder: &Path, how: &How<'_>) -> Result<Row> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("create", folder, error))?;
    if let Some((name, text)) = subject.input {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    let program = folder.join("program");
    let mut build = Command::new(subject.compiler);
    build
        .arg("-O2")
        .args(&subject.flags)
        .args(&subject.sources)
        .arg("-o")
        .arg(&program)
        .args(&subject.libraries);
    answer(&mut build, &[], folder)?;
    let mut seconds = Vec::new();
    for _ in 0..how.runs {
        // Another size than usual is no known result, which is status 1.
        let mut command = Command::new(&program);
        command.args(&subject.arguments).current_dir(folder);
        seconds.push(timed::run(&mut command, &[1], folder)?.1.user);
    }
    seconds.sort_by(f64::total_cmp);
    let ledger = folder.join("run.opc");
    let counts = folder.join("count.json");
    let mut count = Command::new(opcost);
    count.arg("count").arg("-O2").current_dir(folder);
    count.args(subject.flags.iter().map(|flag| format!("--cflag={flag}")));
    count.args(&subject.libraries).arg("--ledger").arg(&ledger).arg("--json").arg(&counts);
    count.args(["-o", "/dev/null"]).args(&subject.sources).arg("--").args(&subject.arguments);
    answer(&mut count, &[4], folder)?;
    let predicted = |timing: &Path| -> Result<Value> {
        let mut command = Command::new(opcost);
        command.args(["predict", "--json", "-", "--counts"]).arg(&ledger).arg("--timing").arg(timing);
        parsed(&answer(command.current_dir(folder), &[], folder)?)
    };
    let text = fs::read_to_string(&counts).map_err(|error| Failure::at("read", &counts, error))?;
    Ok(Row {
        name: subject.name.clone(),
        measured: seconds[0],
        slowest: seconds[seconds.len() - 1],
        instructions: number(&parsed(&text)?, "/total"),
        host: predicted(how.timings[0])?,
        generic: predicted(how.timings[1])?,
    })
}

fn parsed(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Failure::new(format!("opcost says {text}: {error}")))
}

/// A number of a document; what is not there is not a number.
fn number(document: &Value, pointer: &str) -> f64 {
    document.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn source(document: &Value, name: &str) -> f64 {
    let sources = document["timing"]["sources"].as_array().into_iter().flatten();
    sources.filter(|one| one["name"] == name).map(|one| number(one, "/seconds")).next().unwrap_or(f64::NAN)
}

/// A way to predict.
struct Model {
    title: &'static str,
    points: fn(&Row) -> Point,
    /// Whether its factors are fit; else they are 1.
    is_fit: bool,
}

const MODELS: [Model; 9] = [
    Model {
        title: "1 cycle an IR instruction",
        points: |row| point(row, 0.0, vec![row.instructions]),
        is_fit: true,
    },
    Model {
        title: "irinst",
        points: |row| point(row, calls(row), vec![source(&row.host, "irinst") - calls(row)]),
        is_fit: true,
    },
    Model {
        title: "irinst-max",
        points: |row| point(row, calls(row), vec![source(&row.host, "irinst-max") - calls(row)]),
        is_fit: true,
    },
    Model {
        title: "generic model",
        points: |row| point(row, calls(row), vec![number(&row.generic, "/timing/parts/blocks")]),
        is_fit: true,
    },
    Model {
        title: "host, one factor, no calls",
        points: |row| point(row, 0.0, vec![blocks(row)]),
        is_fit: true,
    },
    Model {
        title: "host, one factor",
        points: |row| point(row, calls(row), vec![blocks(row)]),
        is_fit: true,
    },
    Model {
        title: "host, branches",
        points: |row| point(row, calls(row), vec![blocks(row), branches(row)]),
        is_fit: true,
    },
    Model {
        title: "host, branches, memory",
        points: |row| {
            point(
                row,
                calls(row),
                vec![blocks(row), branches(row), number(&row.host, "/timing/parts/memory")],
            )
        },
        is_fit: true,
    },
    Model {
        title: "opcost predict",
        points: |row| point(row, 0.0, vec![number(&row.host, "/seconds")]),
        is_fit: false,
    },
];

fn blocks(row: &Row) -> f64 {
    number(&row.host, "/timing/parts/blocks")
}

fn branches(row: &Row) -> f64 {
    number(&row.host, "/timing/parts/mispredicted")
}

fn calls(row: &Row) -> f64 {
    number(&row.host, "/timing/parts/calls")
}

fn point(row: &Row, fixed: f64, features: Vec<f64>) -> Point {
    Point { measured: row.measured, fixed, features }
}

impl Model {
    /// Of each program (predicted − measured) / measured, and the factors of all of them.
    fn errors(&self, rows: &[Row]) -> Judged {
        let points: Vec<Point> = rows.iter().map(self.points).collect();
        if self.is_fit {
            return Judged { errors: leave_one_out(&points), factors: fit(&points) };
        }
        let factors = vec![1.0];
        Judged { errors: points.iter().map(|point| point.error(&factors)).collect(), factors }
    }
}

struct Judged {
    errors: Vec<f64>,
    factors: Vec<f64>,
}

fn page(rows: &[Row], left_out: &[String]) -> String {
    let mut text = String::from(
        "\n## Time, when counts are exact\n\nCounts are \
         exact, so these are errors of timing alone. Measured is the least user time of all runs, next to the \
         greatest. Each error is (predicted − measured) / measured. All models but the last have their factors fit on \
         the other programs (leave-one-out). The last is what the command prints: its factors are constants. Models \
         but the first and the fifth take calls of library functions at their measured times.\n\n",
    );
    let judged: Vec<Judged> = MODELS.iter().map(|model| model.errors(rows)).collect();
    text += "| program | least s | greatest s |";
    MODELS.iter().for_each(|model| text += &format!(" {} |", model.title));
    text += "\n|---|---|---|";
    text += &"---|".repeat(MODELS.len());
    text += "\n";
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(text, "| {} | {:.3} | {:.3} |", row.name, row.measured, row.slowest);
        judged.iter().for_each(|one| text += &format!(" {:+.1} % |", 100.0 * one.errors[at]));
        text += "\n";
    }
    let mean = |errors: &[f64]| errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
    let worst = |errors: &[f64]| errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
    for (name, of) in [("mean of absolute errors", &mean as &dyn Fn(&[f64]) -> f64), ("worst", &worst)] {
        let _ = write!(text, "| **{name}** | | |");
        judged.iter().for_each(|one| text += &format!(" **{:.1} %** |", 100.0 * of(&one.errors)));
        text += "\n";
    }
    text += "| factors, fit on all | | |";
    for one in &judged {
        let factors: Vec<String> = one.factors.iter().map(|factor| format!("{factor:.3e}")).collect();
        text += &format!(" {} |", factors.join(", "));
    }
    text += "\n\n";
    for why in left_out {
        let _ = writeln!(text, "- left out: {why}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{MODELS, Row, page};
    use serde_json::json;

    fn row(name: &str, seconds: f64) -> Row {
        let document = json!({
            "seconds": seconds,
            "timing": {
                "parts": {"blocks": seconds / 2.0, "mispredicted": seconds / 4.0, "calls": 0.0, "memory": seconds / 4.0},
                "sources": [{"name": "irinst", "seconds": seconds}, {"name": "irinst-max", "seconds": seconds}],
            },
        });
        let (host, generic) = (document.clone(), document);
        Row {
            name: name.to_owned(),
            measured: 2.0 * seconds,
            slowest: 3.0,
            instructions: 1e9 * seconds,
            host,
            generic,
        }
    }

    #[test]
    fn constants_are_judged_as_they_are_and_factors_by_other_programs() {
        let rows = [row("a", 1.0), row("b", 2.0), row("c", 5.0)];
        let errors: Vec<f64> = MODELS.iter().map(|model| model.errors(&rows).errors[0]).collect();
        assert!(errors[..8].iter().all(|error| error.abs() < 1e-9), "{errors:?}");
        assert_eq!(errors[8], -0.5);
        let text = page(&rows, &["d: it fails".to_owned()]);
        assert!(
            text.contains("| a | 2.000 | 3.000 | +0.0 % |")
                || text.contains("| a | 2.000 | 3.000 | -0.0 % |"),
            "{text}"
        );
        assert!(text.contains("**50.0 %**") && text.contains("left out: d: it fails"), "{text}");
    }
}

//! `cargo xtask bench hdl`: what are proven widths worth in hardware?
//!
//! Kernels of `corpus/hdl` and `corpus/bits` become circuits for an iCE40 four times: with widths of their
//! types, by LLVM's analyses, as proven, and as certified. The schedule is made without widths, so all four
//! take the same cycles, and what they differ in comes from widths alone. Each is simulated against the
//! C function with the same inputs at random, as Verilog and as yosys' netlist; cells are counted
//! after yosys has cleaned up. Then the circuits are placed, once for each seed.
//!
//! Further circuits have a schedule of their own, by their own widths, or other resources.
//!
//! A kernel that cannot be measured stays in the table with its reason. Status 3 if a run is wrong.
//! Output: `benchmarks/hdl.md`, with the chart `hdl.svg`.

mod chart;
mod page;

use super::{machine, setup, timed};
use crate::failure::{Failure, Result};
use crate::root::repository;
use page::{Line, Other, WIDTHS};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel: set and file, function, and what its callers keep or its memories need.
struct Kernel {
    set: &'static str,
    file: &'static str,
    function: &'static str,
    flags: &'static [&'static str],
}

const fn kernel(
    set: &'static str,
    file: &'static str,
    function: &'static str,
    flags: &'static [&'static str],
) -> Kernel {
    Kernel { set, file, function, flags }
}

const STRIDES: &[&str] = &[
    "--elements=4096",
    "--assume=chroma_interpolate.to_stride=8",
    "--assume=chroma_interpolate.from_stride=12",
    "--assume=chroma_interpolate.width=2,4,8",
    "--assume=chroma_interpolate.height=2,4,8",
];

/// The kernels of Antoniadis (2011), then those of `corpus/bits`.
const KERNELS: [Kernel; 17] = [
    kernel("hdl", "lum_interpol", "lum_interpol", &[]),
    kernel("hdl", "chrom_interpol", "chrom_interpol", &[]),
    kernel("hdl", "db_filter", "db_filter", &[]),
    kernel("hdl", "jacobi", "jacobi", &[]),
    kernel("hdl", "idct", "inverse_transform", &[]),
    kernel("bits", "idct", "idct", &[]),
    kernel("bits", "jacobi", "jacobi", &["--elements=1024"]),
    kernel("bits", "chroma", "chroma_interpolate", STRIDES),
    kernel("bits", "softdouble", "soft_add", &[]),
    kernel("bits", "loops", "masked_contents", &[]),
    kernel("bits", "loops", "energy", &[]),
    kernel("bits", "loops", "meeting", &[]),
    kernel("bits", "loops", "reversed", &[]),
    kernel("bits", "loops", "sums_up_to", &[]),
    kernel("bits", "loops", "greatest_divisor", &[]),
    kernel("bits", "loops", "saturating", &["--assume=saturating.length=0..64"]),
    kernel("bits", "loops", "congruential", &["--assume=congruential.turns=0..40"]),
];

/// A kind of circuit: its widths, and flags besides those of its kernel.
struct Arm {
    /// What the page calls it; empty for those at the common schedule.
    name: &'static str,
    widths: &'static str,
    flags: &'static [&'static str],
    /// Whether it is made of the document's kernels alone, and not placed.
    is_resources: bool,
}

const fn own(widths: &'static str) -> Arm {
    Arm { name: "own schedule", widths, flags: &["--schedule=own"], is_resources: false }
}

const fn resources(name: &'static str, widths: &'static str, flags: &'static [&'static str]) -> Arm {
    Arm { name, widths, flags, is_resources: true }
}

const ONE: (&str, &[&str]) = ("1 multiplier, 1 port", &["--multipliers=1", "--memory-ports=1"]);
const TWO: (&str, &[&str]) = ("2 multipliers, 2 ports", &["--multipliers=2", "--memory-ports=2"]);
const FOUR: (&str, &[&str]) = ("4 multipliers, 4 ports", &["--multipliers=4", "--memory-ports=4"]);

/// What is made besides the four kinds of widths. Declared widths have the common schedule as their own.
const OTHERS: [Arm; 8] = [
    own("llvm"),
    own("proven"),
    resources(ONE.0, "declared", ONE.1),
    resources(ONE.0, "proven", ONE.1),
    resources(TWO.0, "declared", TWO.1),
    resources(TWO.0, "proven", TWO.1),
    resources(FOUR.0, "declared", FOUR.1),
    resources(FOUR.0, "proven", FOUR.1),
];

struct Options {
    runs: u32,
    seeds: u32,
    /// Whether circuits that an earlier run measured are taken as they are.
    as_built: bool,
    /// Whether circuits are made with schedules of their own, and with other resources.
    others: bool,
    kernels: Vec<String>,
    opcost: Option<PathBuf>,
    out: PathBuf,
}

/// The verb: makes, simulates, synthesises, places, and writes the page.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let folder = setup::folder("hdl")?;
    let before = machine::load();
    let opcost = setup::opcost(options.opcost.as_deref())?;
    let mut lines = Vec::new();
    for kernel in &KERNELS {
        let name = format!("{}/{}", kernel.file, kernel.function);
        let whole = format!("{}/{}", kernel.set, kernel.function);
        let is_asked = options.kernels.is_empty()
            || options.kernels.iter().any(|one| *one == kernel.function || *one == whole);
        if !is_asked {
            continue;
        }
        eprintln!("bench: {} {name}", kernel.set);
        let circuit = |arm: &Arm| measure(&opcost, kernel, arm, &options, &folder);
        let plain = |widths| Arm { name: "", widths, flags: &[], is_resources: false };
        let measured = WIDTHS.iter().map(|widths| circuit(&plain(widths))).collect();
        let is_there =
            |arm: &Arm| options.as_built && folder.join(format!("{}.json", file_name(kernel, arm))).is_file();
        let is_wished = |arm: &Arm| options.others && (kernel.set == "hdl" || !arm.is_resources);
        let asked = OTHERS.iter().filter(|arm| is_wished(arm) || is_there(arm));

        let others = asked.map(|arm| Other { name: arm.name, widths: arm.widths, measured: circuit(arm) });
        let others = others.collect();
        lines.push(Line { set: kernel.set, name, measured, others });
    }
    if lines.is_empty() {
        return Err(Failure::usage(format!("no kernel is called {}", options.kernels.join(" or "))));
    }
    let facts = machine::facts(Ok(&opcost), &before, &[&["hdl"], flags].concat());
    let mut facts = setup::head(&facts);
    for tool in ["yosys -V", "nextpnr-ice40 --version", "iverilog -V"] {
        // Some say it where they complain.
        let version = crate::command::first_line_of(Command::new("sh").args(["-c", &format!("{tool} 2>&1")]));
        let name = tool.split(' ').next().unwrap_or_default();
        facts += &format!("| {name} | {} |\n", version.replace('|', "/"));
    }
    let picture = options.out.with_extension("svg");
    fs::write(&picture, chart::draw(&lines)).map_err(|error| Failure::at("write", &picture, error))?;
    setup::publish(&page::write(&lines, &facts), &options.out)?;
    match page::wrong_runs(&lines) {
        0 => Ok(()),
        wrong => Err(Failure::verdict(format!("{wrong} runs of circuits were not as in C"))),
    }
}

/// What the files of a circuit are called.
fn file_name(kernel: &Kernel, arm: &Arm) -> String {
    let mut name = format!("{}-{}-{}-{}", kernel.set, kernel.file, kernel.function, arm.widths);
    for word in arm.name.split([' ', ',']).filter(|word| !word.is_empty()) {
        name += &format!("-{word}");
    }
    name
}

/// The document of one circuit.
fn measure(opcost: &Path, kernel: &Kernel, arm: &Arm, options: &Options, folder: &Path) -> Result<Value> {
    let source = repository()?.join("corpus").join(kernel.set).join(format!("{}.c", kernel.file));
    let name = file_name(kernel, arm);
    let path = folder.join(format!("{name}.json"));
    if !(options.as_built && path.is_file()) {
        let mut command = Command::new(opcost);
        command.args(["hdl", "--synthesise", "ice40", "--widths", arm.widths, "--top", kernel.function]);
        command.args(kernel.flags).args(arm.flags).arg(&source).arg("-o").arg(folder.join(&name));
        let seeds = if arm.is_resources { 0 } else { options.seeds };
        command.args(["--cosimulate", &options.runs.to_string(), "--seeds", &seeds.to_string()]);
        command.args(["--json", "-"]);
        let own = folder.join(&name);
        fs::create_dir_all(&own).map_err(|error| Failure::at("create", &own, error))?;
        // Status 3: a run is wrong, which the table has to show.
        let (text, _) = timed::run(&mut command, &[3], &own)?;
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    let text = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("{name}: {error}")))
}

fn number(flag: &str, text: &str) -> Result<u32> {
    text.parse().map_err(|_| Failure::usage(format!("{flag} wants a number, not {text}")))
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            runs: 100,
            seeds: 5,
            as_built: false,
            others: false,
            kernels: Vec::new(),
            opcost: None,
            out: repository()?.join("benchmarks/hdl.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--runs" => options.runs = number(flag, value()?)?,
                "--seeds" => options.seeds = number(flag, value()?)?,
                "--as-built" => options.as_built = true,
                "--others" => options.others = true,
                "--kernels" => options.kernels = value()?.split(',').map(str::to_owned).collect(),
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench hdl has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

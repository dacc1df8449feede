//! `cargo xtask bench hdl`: what are proven widths worth in hardware?
//!
//! Kernels of `corpus/hdl` and `corpus/bits` become circuits for an iCE40 four times: with widths of their
//! types, by LLVM's analyses, as proven, and as certified. The schedule is made without widths, so all four
//! take the same cycles, and what they differ in comes from widths alone. Each is simulated against the
//! C function with the same inputs at random, as Verilog and as yosys' netlist; cells are counted
//! after yosys has cleaned up. Then the circuits are placed, once for each seed.
//!
//! A kernel that cannot be measured stays in the table with its reason. Status 3 if a run is wrong.
//! Output: `benchmarks/hdl.md`.

mod page;

use super::{machine, setup, timed};
use crate::failure::{Failure, Result};
use crate::root::repository;
use page::{Line, WIDTHS};
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

/// The kernels of the source document, then those of `corpus/bits`.
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

struct Options {
    runs: u32,
    seeds: u32,
    /// Whether circuits that an earlier run measured are taken as they are.
    as_built: bool,
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
        let measured = measure(&opcost, kernel, &options, &folder).map_err(|failure| failure.to_string());
        lines.push(Line { set: kernel.set, name, measured });
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
    setup::publish(&page::write(&lines, &facts), &options.out)?;
    match page::wrong_runs(&lines) {
        0 => Ok(()),
        wrong => Err(Failure::verdict(format!("{wrong} runs of circuits were not as in C"))),
    }
}

fn measure(opcost: &Path, kernel: &Kernel, options: &Options, folder: &Path) -> Result<Vec<Value>> {
    let source = repository()?.join("corpus").join(kernel.set).join(format!("{}.c", kernel.file));
    let mut documents = Vec::new();
    for widths in WIDTHS {
        let name = format!("{}-{}-{}-{widths}", kernel.set, kernel.file, kernel.function);
        let path = folder.join(format!("{name}.json"));
        if !(options.as_built && path.is_file()) {
            let mut command = Command::new(opcost);
            command.args(["hdl", "--synthesise", "ice40", "--widths", widths, "--top", kernel.function]);
            command.args(kernel.flags).arg(&source).arg("-o").arg(folder.join(&name));
            command.args(["--cosimulate", &options.runs.to_string(), "--seeds", &options.seeds.to_string()]);
            command.args(["--json", "-"]);
            let own = folder.join(&name);
            fs::create_dir_all(&own).map_err(|error| Failure::at("create", &own, error))?;
            // Status 3: a run is wrong, which the table has to show.
            let (text, _) = timed::run(&mut command, &[3], &own)?;
            fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
        }
        let text = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
        let document =
            serde_json::from_str(&text).map_err(|error| Failure::new(format!("{name}: {error}")))?;
        documents.push(document);
    }
    Ok(documents)
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

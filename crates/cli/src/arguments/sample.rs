//! Flags of `opcost sample` and `opcost overlap`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use opcost_recover::RepairSolver;
use thiserror::Error;

use super::{CompileArguments, ShowArguments};

pub(crate) const SAMPLE_EXAMPLES: &str = include_str!("../examples/sample.txt");

pub(crate) const REPAIR_EXAMPLES: &str = include_str!("../examples/repair.txt");

pub(crate) const OVERLAP_EXAMPLES: &str = include_str!("../examples/overlap.txt");

#[derive(Args, Debug)]
pub(crate) struct SampleArguments {
    /// Sources (C, C++, Fortran), .bc, .ll, objects and archives; or one program built by opcost sample.
    #[arg(value_name = "INPUT", required_unless_present = "pid")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Samples per second of processor time. The report says if the machine allows fewer.
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rate: u64,
    /// Takes as many samples as cost this part of the time, such as 2%.
    #[arg(long, value_name = "PERCENT", value_parser = parse_overhead, conflicts_with = "rate")]
    pub(crate) overhead: Option<f64>,
    /// The event: cpu-clock (the default), or a counter of the machine (cycles, cache-misses).
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Also takes the processor's records of branches (LBR), where it has them. Counts are then made of
    /// branches and not of time.
    #[arg(long)]
    pub(crate) branches: bool,
    /// Also takes call stacks, which show the callers of hot functions. Programs are built with frame
    /// pointers then.
    #[arg(long)]
    pub(crate) stacks: bool,
    /// Writes call stacks for flame graphs, one per line. Implies --stacks.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) collapsed: Option<PathBuf>,
    /// A process that runs already. Its program must be built by opcost sample. May be repeated.
    #[arg(long, value_name = "PID", conflicts_with_all = ["inputs", "perf", "emit"])]
    pub(crate) pid: Vec<u32>,
    /// How long, in seconds, instead of to the end. A program that opcost started then gets SIGTERM.
    #[arg(long = "for", value_name = "SECONDS", conflicts_with_all = ["perf", "emit"], value_parser = parse_seconds)]
    pub(crate) seconds: Option<f64>,
    /// Reads samples that perf record took of the program, instead of a run.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["emit", "stdin", "stdout"])]
    pub(crate) perf: Option<PathBuf>,
    /// The program as it was linked, if it ran stripped or was moved since. It is matched by build-id.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) image: Vec<PathBuf>,
    /// Writes the samples as perf.data while they are taken. They survive a SIGKILL of opcost.
    #[arg(id = "keep", long = "keep", value_name = "FILE", conflicts_with_all = ["perf", "emit"])]
    pub(crate) samples_file: Option<PathBuf>,
    /// Runs clang's optimiser after the anchor (source or pgo), so that the program is as fast as a
    /// normal build.
    #[arg(long, conflicts_with_all = ["pid", "perf"])]
    pub(crate) optimised: bool,
    /// Writes the program and does not run it.
    #[arg(long, value_name = "KIND", requires = "output", conflicts_with = "json", value_parser = ["exe"])]
    pub(crate) emit: Option<String>,
    /// Where to write. With --emit that is the program, without it the report.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
    /// Writes the consistent counts to a ledger (.opc).
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Writes the counts before they are made consistent (.opc), for opcost repair and overlap.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) raw: Option<PathBuf>,
    /// How counts are made consistent: likeliest (the whole program) or classic (each function by itself).
    #[arg(long, value_name = "METHOD", default_value = "likeliest", value_parser = parse_solver)]
    pub(crate) solver: RepairSolver,
    /// Reads the program's input from a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// Writes the program's output to a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdout: Option<PathBuf>,
    /// Ignores the program's status.
    #[arg(short, long)]
    pub(crate) ignore_status: bool,
    /// Arguments of the program, after `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct RepairArguments {
    /// A ledger that opcost sample --raw wrote.
    #[arg(value_name = "RAW")]
    pub(crate) raw: PathBuf,
    /// The program that was sampled, or its sources.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// How counts are made consistent: likeliest (the whole program) or classic (each function by itself).
    #[arg(long, value_name = "METHOD", default_value = "likeliest", value_parser = parse_solver)]
    pub(crate) solver: RepairSolver,
    /// Where to write the consistent ledger (.opc).
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Writes opcost.repair/1 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct OverlapArguments {
    /// The ledger that is judged.
    #[arg(value_name = "ESTIMATE")]
    pub(crate) estimate: PathBuf,
    /// The ledger to compare with, usually a counted one of the same build.
    #[arg(value_name = "TRUTH")]
    pub(crate) truth: PathBuf,
    /// Writes opcost.overlap/1 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Why a word does not say how to sample.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum SampleWordError {
    #[error("'{0}' is no share of the time: write 2% (more than 0, at most 50)")]
    Overhead(String),
    #[error("'{0}' is no time: write seconds, such as 10 or 0.5")]
    Seconds(String),
    #[error("'{0}' is no method: likeliest or classic")]
    Solver(String),
}

fn parse_overhead(text: &str) -> Result<f64, SampleWordError> {
    let number = text.trim_end_matches('%').trim();
    match number.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 50.0 => Ok(percent / 100.0),
        _ => Err(SampleWordError::Overhead(text.to_owned())),
    }
}

fn parse_seconds(text: &str) -> Result<f64, SampleWordError> {
    match text.trim_end_matches('s').parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e7 => Ok(seconds),
        _ => Err(SampleWordError::Seconds(text.to_owned())),
    }
}

fn parse_solver(text: &str) -> Result<RepairSolver, SampleWordError> {
    match text {
        "likeliest" => Ok(RepairSolver::Likeliest),
        "classic" => Ok(RepairSolver::Classic),
        _ => Err(SampleWordError::Solver(text.to_owned())),
    }
}

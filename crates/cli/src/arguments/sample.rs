//! Flags of `opcost sample` and `opcost overlap`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use opcost_recover::RepairSolver;
use thiserror::Error;

use super::{CompileArguments, ShowArguments};

pub(crate) const SAMPLE_EXAMPLES: &str = "\
Examples:
  opcost sample prog.c -- args                  like count at a few per cent of the time: sampled, made consistent
  opcost sample --rate 10000 prog.c -- args     more samples in a second of processor time
  opcost sample --overhead 2% prog.c -- args    as many as cost 2 % of the time
  opcost sample --emit exe -o prog prog.c       build now; run later: opcost sample ./prog -- args
  opcost sample --pid 1234 --for 10             a program that was built so and runs already
  opcost sample --for 10 --ledger r.opc ./server  a server that never ends; kill -USR1 opcost writes r-1.opc, r-2.opc …
  opcost sample --stacks prog.c                 who called what is hot (--collapsed FILE for flame graphs)
  opcost sample --perf perf.data ./prog         samples that perf record took of it (of perf record -b: its branches)
  opcost sample --ledger run.opc prog.c         for opcost report, diff, merge and overlap

Nothing is added to what runs: code is byte for byte that of a build without opcost; what it stands for lies beside it.
Counts are estimates: time by samples, divided by the cycles that the processor's model expects, then made consistent.

^C and SIGTERM end the program and not the report; SIGUSR1 (with --pid: or Enter) tells what there is so far.

Exit status: 0 fine (also when the program ended because it was told to), 1 opcost failed, 2 usage, 4 the program failed.";

pub(crate) const REPAIR_EXAMPLES: &str = "\
Examples:
  opcost sample --raw raw.opc ./prog -- args         keeps what samples say beside the repaired counts
  opcost repair raw.opc ./prog -o repaired.opc       makes it consistent, and tells how much had to move, where
  opcost repair --solver classic raw.opc prog.c      by the method of 2012; sources are built again as they were

Without a program, the one that the ledger names is taken. Raw ledgers of one build merge: opcost merge a.opc b.opc.

Exit status: 0 fine, 1 opcost failed, 2 usage.";

pub(crate) const OVERLAP_EXAMPLES: &str = "\
Examples:
  opcost overlap sampled.opc counted.opc            how near is the first to the second?
  opcost overlap --json - sampled.opc counted.opc   the same for a machine

Exit status: 0 fine, 1 opcost failed, 2 usage.";

#[derive(Args, Debug)]
pub(crate) struct SampleArguments {
    /// Sources (C, C++, Fortran), .bc, .ll, objects and archives, or one program built by opcost sample.
    #[arg(value_name = "INPUT", required_unless_present = "pid")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Samples in a second of processor time; no more than the machine takes, which is told.
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rate: u64,
    /// As many samples as cost this part of the time, such as 2%.
    #[arg(long, value_name = "PERCENT", value_parser = parse_overhead, conflicts_with = "rate")]
    pub(crate) overhead: Option<f64>,
    /// What is counted: cpu-clock (the default), or a counter that the machine has (cycles, cache-misses).
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// The processor's own records of branches (LBR) too, where it has them: counts are made of these then, not of time.
    #[arg(long)]
    pub(crate) branches: bool,
    /// Call stacks too: who called what is hot. Programs are built with frame pointers then.
    #[arg(long)]
    pub(crate) stacks: bool,
    /// Writes call stacks as tools for flame graphs read them, one in a line; implies --stacks.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) collapsed: Option<PathBuf>,
    /// A process that runs already; may be repeated. It must have been built by opcost sample.
    #[arg(long, value_name = "PID", conflicts_with_all = ["inputs", "perf", "emit"])]
    pub(crate) pid: Vec<u32>,
    /// How long, in seconds; else to the end. A program that opcost started is ended then (SIGTERM).
    #[arg(long = "for", value_name = "SECONDS", conflicts_with_all = ["perf", "emit"], value_parser = parse_seconds)]
    pub(crate) seconds: Option<f64>,
    /// Samples that perf record took of the program, in place of a run.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["emit", "stdin", "stdout"])]
    pub(crate) perf: Option<PathBuf>,
    /// A build as it was linked, for one that ran stripped or lies elsewhere by now; found by its build-id.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) image: Vec<PathBuf>,
    /// Keeps the samples while they come, as perf.data: they outlive even a sampler that is killed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["perf", "emit"])]
    pub(crate) keep: Option<PathBuf>,
    /// Runs clang's optimiser behind the anchor (source or pgo), so that the program is as fast as the user's own build.
    #[arg(long, conflicts_with_all = ["pid", "perf"])]
    pub(crate) optimised: bool,
    /// Writes the program instead of running it: exe.
    #[arg(long, value_name = "KIND", requires = "output", conflicts_with = "json", value_parser = ["exe"])]
    pub(crate) emit: Option<String>,
    /// Where to write: the program with --emit, else the report.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
    /// Writes what was sampled and repaired to a ledger (.opc).
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Writes what samples say before it is made consistent (.opc), for opcost repair and overlap.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) raw: Option<PathBuf>,
    /// How counts are made consistent: likeliest, or classic (each function by itself, as in 2012).
    #[arg(long, value_name = "METHOD", default_value = "likeliest", value_parser = parse_solver)]
    pub(crate) solver: RepairSolver,
    /// Reads the program's input from a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// Writes the program's output to a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdout: Option<PathBuf>,
    /// Does not mind the program's status.
    #[arg(short, long)]
    pub(crate) ignore_status: bool,
    /// Arguments of the program, behind `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct RepairArguments {
    /// What opcost sample --raw wrote.
    #[arg(value_name = "RAW")]
    pub(crate) raw: PathBuf,
    /// The program that was sampled, or its sources.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// How counts are made consistent: likeliest, or classic (each function by itself, as in 2012).
    #[arg(long, value_name = "METHOD", default_value = "likeliest", value_parser = parse_solver)]
    pub(crate) solver: RepairSolver,
    /// Where the consistent ledger (.opc) goes.
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
    /// The ledger that it is held against, as a rule a counted one of the same build.
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

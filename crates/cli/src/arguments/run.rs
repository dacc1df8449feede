//! Flags of `opcost run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CompileArguments;

pub(crate) const RUN_EXAMPLES: &str = include_str!("../examples/run.txt");

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArgument {
    /// Compiled once, before it begins.
    Compile,
    /// Hot functions are replaced where they are entered.
    TwoPass,
    /// So are loops that run.
    Adaptive,
}

#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    /// Sources (C, C++, Fortran), .bc, .ll, objects and archives. Together they are one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// How it is run.
    #[arg(long, value_name = "MODE", value_enum, default_value = "adaptive")]
    pub(crate) mode: ModeArgument,
    /// Samples in a second of processor time.
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(1..=50_000))]
    pub(crate) rate: u64,
    /// Begins with what earlier runs sampled in each module, and adds what this one does, for opcost export, too. The
    /// folder is made.
    #[arg(long, value_name = "DIR")]
    pub(crate) profile_store: Option<PathBuf>,
    /// Replaces every function and loop again and again, by versions chosen at random: a test of opcost itself.
    #[arg(long, value_name = "SEED")]
    pub(crate) stress: Option<u64>,
    /// Counts each block meanwhile, with --stress, and keeps a ledger. It is that of `opcost count --anchor pgo`.
    #[arg(long, value_name = "FILE", requires = "stress", conflicts_with_all = ["report", "ledger"])]
    pub(crate) counts: Option<PathBuf>,
    /// Leaves the program and its versions in this folder, where perf report finds names and code afterwards.
    #[arg(long, value_name = "DIR")]
    pub(crate) perf: Option<PathBuf>,
    /// Says at the end, on the error stream, what was replaced.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Shows at the end, on the error stream, what samples say of all versions: the report of opcost sample.
    #[arg(long)]
    pub(crate) report: bool,
    /// Writes the same to a ledger (.opc), for opcost report and export.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Writes what was replaced as JSON (opcost.run/1).
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Arguments of the program, after `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

//! Flags of `opcost slice`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ProgramArguments;

pub(crate) const SLICE_EXAMPLES: &str = include_str!("../examples/slice.txt");

/// What stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlicePurpose {
    /// Entries and iterations of all loops, in their order.
    TripCounts,
}

/// What is no share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no share: it is more than 0 and not more than 1, such as 0.01 for 1 %")]
struct ShareError(String);

/// A share of all: more than 0, and not more than 1.
fn share(text: &str) -> Result<f64, ShareError> {
    let number = text.parse::<f64>().ok().filter(|&number| number > 0.0 && number <= 1.0);
    number.ok_or_else(|| ShareError(text.to_owned()))
}

#[derive(Args, Debug)]
pub(crate) struct SliceArguments {
    /// Sources (C, C++, Fortran), .bc or .ll. Together they are one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write the slice: a program, or bitcode if the name ends in .bc. The program reports its
    /// loops in the file that the environment's variable OPCOST_SLICE names.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What stays.
    #[arg(long = "keep", value_name = "WHAT", value_enum, default_value = "trip-counts")]
    pub(crate) purpose: SlicePurpose,
    /// How much may go: 0 nothing, 1 all but branches, 2 all but calls of functions of the program. At 3
    /// calls go that nothing needs, and loops that iterate equally often each time. At 4 loops go whose counts
    /// follow from the arguments after --, and at 5 those below a share (--below).
    #[arg(long = "level", value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=5))]
    pub(crate) cut: u8,
    /// Drops loops that execute less than this share of all instructions, such as 0.01, as predicted. Their counts are
    /// missing then, and the report says how much that is. This is level 5.
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "criterion")]
    pub(crate) below: Option<f64>,
    /// Takes how often loops iterate from the ledger of a count of the same build, with --below.
    #[arg(long, value_name = "LEDGER", requires = "below")]
    pub(crate) trip_counts: Option<PathBuf>,
    /// Lists every line with how much of it stays, and why.
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Shows the chain that keeps each instruction of a line.
    #[arg(long, value_name = "FILE:LINE")]
    pub(crate) why: Option<String>,
    /// Writes all instructions that stay, and what keeps each, as a graph for Graphviz.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// Keeps what decides the values of a line, in place of loops.
    #[arg(long, value_name = "FILE:LINE", conflicts_with_all = ["verify", "bounded"])]
    pub(crate) criterion: Option<String>,
    /// The loop that begins in this line may go, with those inside of it: its count is then not that of
    /// the program. May be repeated.
    #[arg(long, value_name = "FILE:LINE")]
    pub(crate) bounded: Vec<String>,
    /// Lets the program return another exit status. That of many programs says whether their results are
    /// right, and so keeps all that they compute.
    #[arg(long)]
    pub(crate) any_status: bool,
    /// Runs the program and its slice, and compares the sequences of all loops.
    #[arg(long)]
    pub(crate) verify: bool,
    /// File that both read as their input, with --verify, in place of that of opcost.
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub(crate) stdin: Option<PathBuf>,
    /// For tests of --verify: leaves out the store or branch of this number, though it must stay.
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) without: Option<u32>,
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Writes opcost.slice/1 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Arguments of the program, with --verify, and at levels 4 and 5.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

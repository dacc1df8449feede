//! Flags of `opcost predict`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{InputArguments, ProgramArguments, TimeArguments};

pub(crate) const PREDICT_EXAMPLES: &str = include_str!("../examples/predict.txt");

#[derive(Args, Debug)]
pub(crate) struct PredictArguments {
    /// Sources (C, C++, Fortran), .bc or .ll. Together they are one program.
    #[arg(required_unless_present_any = ["counts", "diff"], value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Exact counts in place of a prediction: a ledger (.opc), or raw counters (.opcraw). It names its own
    /// sources. Run this where it was made, with unchanged sources.
    #[arg(long, value_name = "LEDGER", requires = "timing",
        conflicts_with_all = ["inputs", "bindings", "defaults", "guess", "against", "trip_counts", "diff", "ledger", "arguments"])]
    pub(crate) counts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) values: InputArguments,
    /// Guesses the trip counts of loops whose inputs have no value, by static probabilities.
    #[arg(long)]
    pub(crate) guess: bool,
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Measures how right the prediction is: the ledger of a count of the same build.
    #[arg(long, value_name = "LEDGER")]
    pub(crate) against: Option<PathBuf>,
    /// Takes how often loops iterate from the ledger of a count of the same build, on average, where no
    /// formula gives it.
    #[arg(long, value_name = "LEDGER")]
    pub(crate) trip_counts: Option<PathBuf>,
    /// Runs the program's slice with the arguments after --, and takes what it counts. What decides no loop is not
    /// computed and nothing is printed, so a long run takes seconds. See opcost slice.
    #[arg(long, conflicts_with_all = ["counts", "bindings", "defaults", "trip_counts", "diff", "emit"])]
    pub(crate) by_slice: bool,
    /// File that the slice reads as its input, with --by-slice, in place of that of opcost.
    #[arg(long, value_name = "FILE", requires = "by_slice")]
    pub(crate) stdin: Option<PathBuf>,
    /// Compares ledgers of one name in two folders, block by block: how near is the first to the second?
    #[arg(long, num_args = 2, value_names = ["DIR1", "DIR2"], conflicts_with_all = ["inputs", "bindings", "defaults", "guess", "against", "trip_counts", "timing", "json", "ledger", "arguments"])]
    pub(crate) diff: Option<Vec<PathBuf>>,
    #[command(flatten)]
    pub(crate) time: TimeArguments,
    /// How many functions and blocks are listed.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// Writes opcost.predict/2 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the prediction to a ledger (.opc), for report, diff, export and overlap.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Builds the program with its prediction in it, and does not run it. Run by you, it works as before. At its
    /// end it writes its predicted instructions to the file that OPCOST_PREDICTED names, else to stderr.
    #[arg(long, value_name = "KIND", requires = "output",
        conflicts_with_all = ["counts", "bindings", "defaults", "guess", "against", "timing", "ledger", "json",
            "world", "effects", "arguments"])]
    pub(crate) emit: Option<PredictEmit>,
    /// Where to write the text, instead of stdout. With --emit where to write the program.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Arguments of the program: values of argv[1] and so on. Nothing is run, but the slice with --by-slice.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

/// What is built with the prediction in it.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PredictEmit {
    /// A program.
    Exe,
    /// Bitcode of one input, with what it needs at its end.
    Bc,
}

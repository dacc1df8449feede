//! Flags of `opcost tune`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use opcost_answer::tune::Transform;

use super::CompileArguments;

pub(crate) const TUNE_EXAMPLES: &str = include_str!("../examples/tune.txt");

/// One step alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnlyStep {
    /// The optimiser reads counts.
    Profile,
    /// Hot calls are inlined.
    Inline,
    /// Hot joins are copied.
    Split,
    /// Bodies of loops are copied.
    Unroll,
    /// Code is ordered.
    Placement,
}

/// How the program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkMode {
    /// As the compiler does it.
    AsItComes,
    /// To be loaded at one address.
    NoPie,
    /// With its libraries in it.
    Static,
}

#[derive(Args, Debug)]
pub(crate) struct TuneArguments {
    /// Sources (C, C++, Fortran, Rust), .bc, .ll, objects and archives. Together they are one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write the tuned program.
    #[arg(short, long, value_name = "FILE", default_value = "tuned.out")]
    pub(crate) output: PathBuf,
    /// Takes counts from a ledger of opcost count or sample, in place of a training run. One at --anchor pgo
    /// serves both steps, another one placement alone. Functions that have changed are left as they are.
    #[arg(long, value_name = "LEDGER")]
    pub(crate) profile: Option<PathBuf>,
    /// Samples the training run N times in a second of processor time, in place of counting it. Counts are then
    /// estimates, and no code is copied.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "10000",
        value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["profile", "inline", "split", "unroll", "verify"])]
    pub(crate) sample: Option<u64>,
    /// Does one step alone. Those that copy code do `profile` first.
    #[arg(long, value_name = "STEP", value_enum)]
    pub(crate) only: Option<OnlyStep>,
    /// Replaces hot calls by what they call, too, and trains once more.
    #[arg(long)]
    pub(crate) inline: bool,
    /// Copies bodies of hot loops as often as their trip counts say, too, and trains once more for these.
    #[arg(long)]
    pub(crate) unroll: bool,
    /// Copies hot joins for each way in, too. Mispredicted branches get fewer, and instructions may get more.
    #[arg(long)]
    pub(crate) split: bool,
    /// How the program is linked.
    #[arg(long = "link", value_name = "HOW", value_enum, default_value = "as-it-comes")]
    pub(crate) link_mode: LinkMode,
    /// Generates code for the processor at hand; the program may not run on another.
    #[arg(long)]
    pub(crate) native: bool,
    /// Moves the program's code into huge pages when it starts. It is then loaded at one address.
    #[arg(long)]
    pub(crate) huge_pages: bool,
    /// Takes counts of a training run whatever its status is. Programs are still held to end alike.
    #[arg(short, long)]
    pub(crate) ignore_status: bool,
    /// The words that the gain is measured with, separated by blanks, in place of those of the training run.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub(crate) judge: Option<String>,
    /// File that all runs read as their input; nothing without it.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// File that runs read as their input while the gain is measured, in place of --stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) judge_stdin: Option<PathBuf>,
    /// How often each program runs to measure the gain; 0 only builds.
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) runs: usize,
    /// How many times each program is linked, with other gaps between functions each time.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(crate) links: u8,
    /// Runs each program in cachegrind, too: machine instructions, cache misses, mispredicted branches. With a
    /// number so many links of each run there, and figures are medians.
    #[arg(long, value_name = "LINKS", num_args = 0..=1, require_equals = true, default_missing_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(crate) simulate: Option<u8>,
    /// Counts the tuned program once more, and compares the counts with those that it was tuned by.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Writes the optimised modules into a folder, as bitcode: to count, sample or follow the tuned program.
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Lists every function, with what was done to it or why not.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Writes opcost.tune/1 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Arguments of the program in its training run; with --profile, those that it is judged with.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

impl TuneArguments {
    /// What is to be done.
    pub(crate) fn transforms(&self) -> std::collections::BTreeSet<Transform> {
        let mut all: std::collections::BTreeSet<Transform> = match self.only {
            None => [Transform::Profile, Transform::Placement].into(),
            Some(OnlyStep::Profile) => [Transform::Profile].into(),
            Some(OnlyStep::Inline) => [Transform::Profile, Transform::Inline].into(),
            Some(OnlyStep::Split) => [Transform::Profile, Transform::Split].into(),
            Some(OnlyStep::Unroll) => [Transform::Profile, Transform::Unroll].into(),
            Some(OnlyStep::Placement) => [Transform::Placement].into(),
        };
        let copying = [
            (self.inline, Transform::Inline),
            (self.split, Transform::Split),
            (self.unroll, Transform::Unroll),
        ];
        for (_, transform) in copying.into_iter().filter(|(is_asked, _)| *is_asked) {
            // The counts of copies are part of the profile.
            all.extend([Transform::Profile, transform]);
        }
        match self.link_mode {
            LinkMode::AsItComes => {}
            LinkMode::NoPie => _ = all.insert(Transform::Fixed),
            LinkMode::Static => _ = all.insert(Transform::Static),
        }
        if self.native {
            all.insert(Transform::Native);
        }
        if self.huge_pages {
            all.insert(Transform::Huge);
            if self.link_mode == LinkMode::AsItComes {
                // Its gain is not that of one address.
                all.insert(Transform::Fixed);
            }
        }
        all
    }
}

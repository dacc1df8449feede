//! Flags of the verbs that show, keep and judge counts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use opcost_report::count::list::{ListKind, ListSort};
use opcost_report::count::mine::Mine;

/// What a report shows, and where else it goes; one set for all verbs that
/// report counts.
#[derive(Args, Debug, Default, Clone)]
pub(crate) struct ShowArguments {
    /// Shows the source of the hottest functions with how often each line ran.
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Shows the machine instructions that each line became (of C, C++, .bc and .ll whose sources are
    /// here), in the code that nobody counts in, with how often they ran; implies --annotate.
    #[arg(long)]
    pub(crate) asm: bool,
    /// Shows the instructions of the hottest functions in IR text, block by block, with how often they
    /// ran (of a ledger with --program); implies --annotate.
    #[arg(long)]
    pub(crate) ir: bool,
    /// Shows this function's source whole (its name, demangled or not); may be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Vec<String>,
    /// Gives the lines of your own files the work that was inlined into them from headers and crates.
    /// Without it that is so of functions most of whose work came from there; --mine=never leaves it.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", default_value = "auto", hide_default_value = true)]
    pub(crate) mine: MineWord,
    /// Rows in the report.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// Lists all of one kind in place of the report: functions, lines, blocks, edges, paths (counted with
    /// --paths) or instructions (of a ledger with --program); --json then has schema opcost.list/1.
    #[arg(long, value_name = "KIND")]
    pub(crate) list: Option<ListWord>,
    /// Order of the list: count, name, place or none (as in the ledger).
    #[arg(long, value_name = "KEY", requires = "list", default_value = "count")]
    pub(crate) sort: SortWord,
    /// Writes JSON (schema opcost.count/1) to a file, or with `-` to stdout, which then has it
    /// alone: the program's output and the report go to stderr.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes a page for a browser: one file, nothing loaded from elsewhere.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// When work is shown at own lines, as a flag takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MineWord {
    /// Of functions most of whose work was inlined into own lines.
    #[default]
    Auto,
    /// Of all functions.
    Always,
    /// Of none.
    Never,
}

impl From<MineWord> for Mine {
    fn from(word: MineWord) -> Mine {
        match word {
            MineWord::Auto => Mine::WhereMostIsElsewhere,
            MineWord::Always => Mine::Always,
            MineWord::Never => Mine::Never,
        }
    }
}

impl ShowArguments {
    /// Whether what is shown is made of a ledger.
    pub(crate) fn wants_ledger(&self) -> bool {
        self.asm || self.list.is_some()
    }
}

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// A ledger (.opc), or raw counters (.opcraw) of one run.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
    #[command(flatten)]
    pub(crate) raw: RawArguments,
    /// Writes the facts to a ledger (.opc), for example from raw counters.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Where to write the report; else it goes to stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// For raw counters, which mean nothing without their program.
#[derive(Args, Debug, Default)]
pub(crate) struct RawArguments {
    /// The program that wrote the .opcraw files, when it was moved since; of a ledger, the program that was
    /// counted.
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct MergeArguments {
    /// Ledgers of one build.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The ledger to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Takes the mean run in place of the sum, rounded to the nearest.
    #[arg(long, conflicts_with = "subtract")]
    pub(crate) average: bool,
    /// Takes all other ledgers away from the first one; what would be below zero is refused.
    #[arg(long)]
    pub(crate) subtract: bool,
    /// Keeps blocks and drops edges (which must agree with them).
    #[arg(long)]
    pub(crate) to_blocks: bool,
    #[command(flatten)]
    pub(crate) raw: RawArguments,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The ledger to compare with.
    pub(crate) before: PathBuf,
    /// The ledger to compare.
    pub(crate) after: PathBuf,
    /// Rows in each list.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// Writes JSON (schema opcost.diff/1) to a file, or with `-` to stdout; the report then goes to stderr.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Compares even what another compiler, other flags or another target made.
    #[arg(long)]
    pub(crate) force: bool,
    /// Fails with status 3 when this is so.
    #[arg(long, value_name = "WHEN")]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) raw: RawArguments,
    /// Where to write the report; else it goes to stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// When a comparison fails.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// The program as a whole does more work.
    MoreWork,
    /// Some function does more work, or is new.
    MoreWorkAnywhere,
    /// Anything differs.
    AnyChange,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The file with the named runs and their limits.
    #[arg(long, value_name = "FILE", default_value = "opcost.toml")]
    pub(crate) file: PathBuf,
    /// Checks only this run; may be repeated.
    #[arg(long = "run", value_name = "NAME")]
    pub(crate) runs: Vec<String>,
    /// Writes what was counted into the file as the new limits: of each run, and of functions that do
    /// much of it by themselves (without what they call). Each run is made twice, and a number that
    /// differs becomes no limit.
    #[arg(long, requires = "reason")]
    pub(crate) update: bool,
    /// Why the limits change; it is written beside them.
    #[arg(long, value_name = "TEXT", requires = "update")]
    pub(crate) reason: Option<String>,
    /// How the result is written: text, markdown (for a job summary) or github (annotations).
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Writes JSON (schema opcost.check/1) to a file, or with `-` to stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Where to write the result; else it goes to stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How a check's result is written.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckFormat {
    /// For a person at a terminal.
    Text,
    /// For a job summary or a comment.
    Markdown,
    /// Annotations of GitHub Actions, beside the text.
    Github,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionArguments {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// One verb's page; without it, that of opcost.
    pub(crate) verb: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct SchemaArguments {
    /// count, fuel, fuel-check, life, diff, check or error.
    pub(crate) name: String,
}

pub(crate) const REPORT_EXAMPLES: &str = "\
Examples:
  opcost report run.opc                      the report again, without the program
  opcost report run.opc --html run.html      as a page
  opcost report *.opcraw --ledger run.opc    raw counters that a counted program left behind
  opcost report run.opc --list edges --sort place       every edge (functions, lines, blocks, paths)
  opcost report run.opc --program ./a --list instructions
  opcost report loops.opc                    answers that are no counts, by key (of loops, bits, values --ledger)

Of answers all rows are shown, or those of --function; --json then has schema opcost.answers/1.";

pub(crate) const MERGE_EXAMPLES: &str = "\
Examples:
  opcost merge monday.opc tuesday.opc -o week.opc             adds runs of one build
  opcost merge --average *.opc -o mean.opc                    the mean run
  opcost merge --subtract run.opc warmup.opc -o steady.opc    what the first does beyond the others
  opcost merge --to-blocks run.opc -o blocks.opc              without edges

Counted and sampled ledgers do not mix, nor do builds. A sum of more than 64 bits stays at 2^64 - 1
and is a lower bound from then on, which is told.";

pub(crate) const DIFF_EXAMPLES: &str = "\
Examples:
  opcost count --ledger before.opc a.c; edit a.c; opcost count --ledger after.opc a.c
  opcost diff before.opc after.opc
  opcost diff --fail-on more-work before.opc after.opc    (for CI: status 3 when it does more)

Ledgers of another compiler, other flags, another target or cost model are refused (status 1).";

pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  opcost check                                           every run of opcost.toml
  opcost check --update --reason \"first limits\"          writes what was counted as limits
  opcost check --format markdown >> $GITHUB_STEP_SUMMARY

opcost.toml:
  [run.small-map]
  inputs = [\"bot.cpp\"]         # as for opcost count: sources, or a program built by opcost
  flags = [\"-O2\", \"-lm\"]       # flags of opcost count
  args = [\"20\"]
  stdin = \"map.txt\"
  limit = 2_500_000_000
  [run.small-map.functions]
  \"search(Board&, int)\" = 1_600_000_000

Exit status: 0 within all limits, 3 over one, 4 a program failed, 1 no verdict: opcost failed, or
compiler, flags, target or cost model are not those that the limits were recorded with.";

/// What is listed, as a flag takes it.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListWord {
    /// Functions with their calls and cost.
    Functions,
    /// Lines of the source with their cost.
    Lines,
    /// Blocks.
    Blocks,
    /// Edges between blocks.
    Edges,
    /// Paths through functions.
    Paths,
    /// Instructions in IR text.
    Instructions,
}

impl From<ListWord> for ListKind {
    fn from(word: ListWord) -> ListKind {
        match word {
            ListWord::Functions => ListKind::Functions,
            ListWord::Lines => ListKind::Lines,
            ListWord::Blocks => ListKind::Blocks,
            ListWord::Edges => ListKind::Edges,
            ListWord::Paths => ListKind::Paths,
            ListWord::Instructions => ListKind::Instructions,
        }
    }
}

/// How a list is sorted, as a flag takes it.
#[derive(ValueEnum, Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortWord {
    /// The most first: cost of functions and lines, else how often.
    #[default]
    Count,
    /// By name.
    Name,
    /// By file and line.
    Place,
    /// As it stands in the ledger.
    None,
}

impl From<SortWord> for ListSort {
    fn from(word: SortWord) -> ListSort {
        match word {
            SortWord::Count => ListSort::Count,
            SortWord::Name => ListSort::Name,
            SortWord::Place => ListSort::Place,
            SortWord::None => ListSort::None,
        }
    }
}

//! Flags of the verbs that show, keep and judge counts.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use opcost_answer::list::{ListKind, ListSort};
use opcost_report::count::mine::Mine;

/// What a report shows, and where else it goes; one set for all verbs that
/// report counts.
#[derive(Args, Debug, Default, Clone)]
pub(crate) struct ShowArguments {
    /// Shows the source of the hottest functions, with how often the code of each line ran.
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Shows the machine instructions of each line, with how often they ran. They are those of the
    /// uninstrumented program. Works for C, C++, .bc and .ll whose sources are here. Implies --annotate.
    #[arg(long)]
    pub(crate) asm: bool,
    /// Shows the instructions of the hottest functions in IR text, block by block, with how often they
    /// ran. A ledger needs --program for it. Implies --annotate.
    #[arg(long)]
    pub(crate) ir: bool,
    /// Shows the whole source of this function (its name, demangled or not). May be repeated.
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
    /// Names every module with its compiler and all flags, however many there are.
    #[arg(long)]
    pub(crate) full: bool,
    /// Lists all of one kind instead of the report. Paths must be counted with --paths. Instructions of
    /// a ledger need --program. --json then has the schema opcost.list/1.
    #[arg(long, value_name = "KIND")]
    pub(crate) list: Option<ListWord>,
    /// Order of the list.
    #[arg(long, value_name = "KEY", requires = "list", default_value = "count")]
    pub(crate) sort: SortWord,
    /// Writes JSON (schema opcost.count/1) to a file; - is stdout. Then only JSON goes to stdout: the
    /// program's output and the report go to stderr.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes a page for a browser: one file, which loads nothing.
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
    /// Writes a ledger (.opc), for example from raw counters.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Where to write the report, instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// For raw counters, which mean nothing without their program.
#[derive(Args, Debug, Default)]
pub(crate) struct RawArguments {
    /// The program that wrote the .opcraw files, if it was moved since. For a ledger, the program that
    /// was counted.
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
    /// Writes the mean run instead of the sum, rounded to the nearest integer.
    #[arg(long, conflicts_with = "subtract")]
    pub(crate) average: bool,
    /// Subtracts all other ledgers from the first. A count below zero is an error.
    #[arg(long)]
    pub(crate) subtract: bool,
    /// Writes blocks without edges. Both must agree.
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
    /// Writes JSON (schema opcost.diff/1) to a file; - is stdout. The report then goes to stderr.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Compares also builds of different anchors, compilers, flags or targets.
    #[arg(long)]
    pub(crate) force: bool,
    /// Fails with status 3 in this case.
    #[arg(long, value_name = "WHEN")]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) raw: RawArguments,
    /// Where to write the report, instead of stdout.
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
    /// Counts, opcodes or types differ anywhere.
    AnyChange,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The file with the named runs and their limits.
    #[arg(long, value_name = "FILE", default_value = "opcost.toml")]
    pub(crate) file: PathBuf,
    /// Checks only this run. May be repeated.
    #[arg(long = "run", value_name = "NAME")]
    pub(crate) runs: Vec<String>,
    /// Writes the counts into the file as new limits: of each run, and of functions with a limit of their
    /// own. It also records what other functions did. Each run is made twice. A number that differs becomes
    /// no limit.
    #[arg(long, requires = "reason")]
    pub(crate) update: bool,
    /// Why the limits change. It is written into the file.
    #[arg(long, value_name = "TEXT", requires = "update")]
    pub(crate) reason: Option<String>,
    /// How the result is written.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Writes JSON (schema opcost.check/1) to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Where to write the result, instead of stdout.
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
    /// Annotations of GitHub Actions, and the text.
    Github,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionArguments {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// The verb. Without it the page of opcost itself.
    pub(crate) verb: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct SchemaArguments {
    /// The document, by the name after `opcost.` in its field `schema`.
    #[arg(value_parser = PossibleValuesParser::new(opcost_report::schema::document_names()))]
    pub(crate) name: String,
}

pub(crate) const REPORT_EXAMPLES: &str = "\
Examples:
  opcost report run.opc                      the report again, without the program
  opcost report run.opc --html run.html      as a page
  opcost report *.opcraw --ledger run.opc    raw counters that a counted program left behind
  opcost report run.opc --list edges --sort place       every edge (functions, lines, blocks, paths)
  opcost report run.opc --program ./a --list instructions
  opcost report loops.opc                    answers of loops, bits or values --ledger

Of answers all rows are shown, or those of --function. --json then has the schema opcost.answers/1.";

pub(crate) const MERGE_EXAMPLES: &str = "\
Examples:
  opcost merge monday.opc tuesday.opc -o week.opc             adds runs of one build
  opcost merge --average *.opc -o mean.opc                    the mean run
  opcost merge --subtract run.opc warmup.opc -o steady.opc    the first without the others
  opcost merge --to-blocks run.opc -o blocks.opc              without edges

Counted and sampled ledgers do not merge, and neither do different builds. A sum of more than 64 bits
becomes 2^64 - 1, and is reported as a lower bound.";

pub(crate) const DIFF_EXAMPLES: &str = "\
Examples:
  opcost count --ledger before.opc a.c; edit a.c; opcost count --ledger after.opc a.c
  opcost diff before.opc after.opc
  opcost diff --fail-on more-work before.opc after.opc    (for CI: status 3 if it does more)

Ledgers of another compiler, other flags, another target or cost model are refused (status 1); modules
of both compare one by one. Lines compare by what is written on them, wherever they are now. Where a
ledger does not have that, the file is named and its lines are not compared.";

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
  tolerance = \"0.5 %\"           # or a number of instructions; also at the top, and of a function
  [run.small-map.functions]     # limits that you choose; each by itself, without what it calls
  \"search(Board&, int)\" = 1_600_000_000

The total decides, and functions that have a limit here. What other functions did is only recorded.

Exit status: 0 within all limits, 3 over one, 4 a program failed, 1 no verdict. There is no verdict if
opcost failed, or if compiler, flags, target or cost model differ from those of the limits.";

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
    /// The largest first: cost of functions and lines, counts of all others.
    #[default]
    Count,
    /// By name.
    Name,
    /// By file and line.
    #[value(name = "place")]
    Location,
    /// As in the ledger.
    None,
}

impl From<SortWord> for ListSort {
    fn from(word: SortWord) -> ListSort {
        match word {
            SortWord::Count => ListSort::Count,
            SortWord::Name => ListSort::Name,
            SortWord::Location => ListSort::Location,
            SortWord::None => ListSort::None,
        }
    }
}

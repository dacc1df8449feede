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
    /// The report of a terminal, without flags.
    pub(crate) fn plain() -> ShowArguments {
        ShowArguments {
            annotate: false,
            asm: false,
            ir: false,
            function: Vec::new(),
            mine: MineWord::default(),
            top: 10,
            full: false,
            list: None,
            sort: SortWord::default(),
            json: None,
            html: None,
        }
    }

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

pub(crate) const REPORT_EXAMPLES: &str = include_str!("../examples/report.txt");

pub(crate) const MERGE_EXAMPLES: &str = include_str!("../examples/merge.txt");

pub(crate) const DIFF_EXAMPLES: &str = include_str!("../examples/diff.txt");

pub(crate) const CHECK_EXAMPLES: &str = include_str!("../examples/check.txt");

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

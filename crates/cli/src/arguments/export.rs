//! Flags of `opcost export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use opcost_job::profile::ExportFormat;

use super::RawArguments;

pub(crate) const EXPORT_EXAMPLES: &str = include_str!("../examples/export.txt");

#[derive(Args, Debug)]
pub(crate) struct ExportArguments {
    /// What to write.
    #[arg(long = "to", value_name = "FORMAT")]
    pub(crate) format: FormatWord,
    /// Ledgers (.opc) of one build, raw counters (.opcraw) of one run, or the folder of opcost run
    /// --profile-store. Sources or bitcode choose modules of it; without them all are exported.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) raw: RawArguments,
}

/// Who reads the profile.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormatWord {
    /// The module at its anchor with branch weights, for clang -x ir and llc.
    Bitcode,
    /// For clang -fprofile-use and rustc -Cprofile-use. Takes a ledger at the anchor pgo.
    Profdata,
    /// For clang -fprofile-sample-use, by function and line.
    LlvmSample,
    /// For go tool pprof, and for others that read its files.
    Pprof,
    /// Folded stacks of inlined functions, for flame graphs.
    Collapsed,
}

impl From<FormatWord> for ExportFormat {
    fn from(word: FormatWord) -> ExportFormat {
        match word {
            FormatWord::Bitcode => ExportFormat::Bitcode,
            FormatWord::Profdata => ExportFormat::Profdata,
            FormatWord::LlvmSample => ExportFormat::LlvmSample,
            FormatWord::Pprof => ExportFormat::Pprof,
            FormatWord::Collapsed => ExportFormat::Collapsed,
        }
    }
}

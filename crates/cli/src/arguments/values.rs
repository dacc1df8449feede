//! Flags of `opcost values`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use thiserror::Error;

use super::CompileArguments;

pub(crate) const VALUES_EXAMPLES: &str = include_str!("../examples/values.txt");

#[derive(Args, Debug)]
pub(crate) struct ValuesArguments {
    /// Sources (C, C++, Fortran), .bc, .ll, objects and archives; or one program built by opcost values.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Records the trip count of every loop, for each activation.
    #[arg(long, alias = "trips")]
    pub(crate) trip_counts: bool,
    /// Compares the predicted trip count of every loop with the run. Implies --trip-counts.
    #[arg(long)]
    pub(crate) verify: bool,
    /// For tests: every claim is off by one.
    #[arg(long, hide = true, requires = "verify")]
    pub(crate) lie: bool,
    /// The function whose values are recorded: what it returns, or with --line what that line computes,
    /// stores and returns. With --trip-counts only its loops.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// A line of that function.
    #[arg(long, value_name = "N", requires = "function")]
    pub(crate) line: Option<u32>,
    /// One value of it, by its name in the IR: %mul.
    #[arg(long, value_name = "NAME", requires = "function")]
    pub(crate) value: Option<String>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Memory for sequences and histograms in each process. If it is full, sequences are thinned and
    /// histograms coarse, and the report says so.
    #[arg(long, value_name = "SIZE", default_value = "4M", value_parser = parse_room)]
    pub(crate) memory: u64,
    /// Records only every N-th value of each loop. The number of values stays exact.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: u64,
    /// Order of the table.
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = ValuesOrder::Iterations)]
    pub(crate) sort: ValuesOrder,
    /// Rows of the table. 0 shows all.
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) top: usize,
    /// Draws the recorded values over time, as SVG; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Draws how often each value occurred, as SVG; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) histogram: Option<PathBuf>,
    /// Writes JSON (schema opcost.values/1) to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the recording to a ledger (.opc), one row for each answer, for report, merge (several
    /// runs of one program) and readers of Parquet tables.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) ledger: Option<PathBuf>,
    /// Where to write the report, instead of stderr. With --emit where to write the program.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Writes the recording (.opcval) into a new folder.
    #[arg(id = "keep", long = "keep", value_name = "DIR", conflicts_with_all = ["emit", "read"])]
    pub(crate) recording_folder: Option<PathBuf>,
    /// Runs nothing. Reads the recording of an earlier run of INPUT, a built program: .opcval files or
    /// folders of them.
    #[arg(long, value_name = "FILE", conflicts_with = "emit")]
    pub(crate) read: Vec<PathBuf>,
    /// Writes the program that records, and does not run it.
    #[arg(long, value_name = "KIND", requires = "output", conflicts_with_all = ["json", "plot", "histogram"])]
    pub(crate) emit: Option<ValuesEmit>,
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
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// In which order loops and values are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValuesOrder {
    /// Those with the most iterations in total first.
    #[value(name = "turns")]
    Iterations,
    /// Those entered most often first.
    Activations,
    /// Those with the greatest value first.
    Max,
    /// By file and line.
    Line,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValuesEmit {
    /// A program.
    Exe,
    /// One object file.
    Obj,
    /// Bitcode that records.
    Bc,
}

/// A word that is no size of memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no size of memory; write 64K, 4M or 1G, at least 16K")]
struct RoomError(String);

/// `4M` and the like. Powers of two, as memory is sold.
fn parse_room(text: &str) -> Result<u64, RoomError> {
    let wrong = || RoomError(text.to_owned());
    let (number, scale) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let size = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << scale));
    size.filter(|size| (16 << 10..=16 << 30).contains(size)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::parse_room;

    #[test]
    fn room_is_sold_in_powers_of_two() {
        assert_eq!(parse_room("4M"), Ok(4 << 20));
        assert_eq!(parse_room("65536"), Ok(65536));
        for text in ["", "M", "1K", "-4M", "4MB", "99999999G"] {
            assert!(parse_room(text).is_err(), "{text}");
        }
    }
}

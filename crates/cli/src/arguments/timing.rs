//! Flags of `opcost timing`, and those of `opcost predict` that are about time.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use opcost_timing::TimeSource;
use thiserror::Error;

pub(crate) const TIMING_EXAMPLES: &str = include_str!("../examples/timing.txt");

#[derive(Args, Debug)]
pub(crate) struct TimingArguments {
    /// A timing file (.toml) to check and show.
    #[arg(value_name = "FILE", required_unless_present = "measure", conflicts_with_all = ["measure", "output"])]
    pub(crate) file: Option<PathBuf>,
    /// Measures this machine.
    #[arg(long, requires = "output")]
    pub(crate) measure: bool,
    /// Where to write the timing file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How executions become seconds.
#[derive(Args, Debug)]
pub(crate) struct TimeArguments {
    /// What a machine takes (opcost timing --measure makes it): executions become seconds.
    #[arg(long, value_name = "FILE")]
    pub(crate) timing: Option<PathBuf>,
    /// The source of the time of blocks.
    #[arg(long, value_name = "SOURCE", value_enum, default_value = "schedule", requires = "timing")]
    pub(crate) source: SourceWord,
    /// The time that the program took, in seconds; it is shown next to the prediction.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "timing")]
    pub(crate) against_seconds: Option<f64>,
}

/// A source of the time of blocks.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceWord {
    /// Machine code, simulated by LLVM's model of the processor.
    Schedule,
    /// Instructions of the IR that wait for each other.
    Irinst,
    /// Instructions that do not; of a block the costlier of integers and floating-point numbers.
    IrinstMax,
    /// Arithmetic alone.
    Lmbench,
}

impl From<SourceWord> for TimeSource {
    fn from(word: SourceWord) -> TimeSource {
        match word {
            SourceWord::Schedule => TimeSource::Schedule,
            SourceWord::Irinst => TimeSource::Irinst,
            SourceWord::IrinstMax => TimeSource::IrinstMax,
            SourceWord::Lmbench => TimeSource::Lmbench,
        }
    }
}

/// Why a word is no time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no time in seconds; write a number above 0, such as 1.25")]
pub(crate) struct SecondsError(String);

pub(crate) fn parse_seconds(text: &str) -> Result<f64, SecondsError> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| SecondsError(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::parse_seconds;

    #[test]
    fn seconds_are_a_number_above_zero() {
        assert_eq!(parse_seconds("1.25"), Ok(1.25));
        for wrong in ["0", "-1", "inf", "NaN", "1s", ""] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}

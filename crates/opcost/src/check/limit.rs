//! What is a limit, and by how much may a count be above it?
//!
//! A limit is a number of instructions. A tolerance is a number of instructions, or a percentage of the
//! limit that it belongs to; a part of an instruction is dropped. The nearest tolerance counts: that of a
//! function before that of its run, and that before that of the file. Where none is written, limits that
//! opcost recorded have one of 0.1 %, and others none: a check of an argument that is new in `main` is no
//! regression, and a limit that somebody chose is one.

use serde::Deserialize;
use thiserror::Error;

use opcost_answer::budget::{BudgetError, parse_budget};

/// A number of instructions: `2_500_000_000` or `"2.5G"`.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "LimitText")]
pub struct CountLimit(pub u128);

#[derive(Deserialize)]
#[serde(untagged, expecting = "a limit is a number of instructions: 2_500_000_000 or \"2.5G\"")]
enum LimitText {
    Number(u64),
    Text(String),
}

impl TryFrom<LimitText> for CountLimit {
    type Error = BudgetError;
    fn try_from(text: LimitText) -> Result<CountLimit, BudgetError> {
        match text {
            LimitText::Number(number) => Ok(CountLimit(number.into())),
            LimitText::Text(text) => parse_budget(&text).map(CountLimit),
        }
    }
}

/// By how much a count may be above its limit: `500`, `"5k"` or `"0.5 %"`.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "ToleranceText")]
pub enum Tolerance {
    /// Instructions.
    Instructions(u128),
    /// Parts of a million of the limit.
    Share(u128),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a tolerance is a percentage in quotes, \"0.5 %\", or a number of instructions: 500 or \"5k\""
)]
enum ToleranceText {
    Number(u64),
    Text(String),
}

/// Why a text is no limit and no tolerance.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum LimitError {
    /// It is no number of instructions.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// It is no percentage.
    #[error("'{0}' is no tolerance; write a percentage up to 100 with at most four decimals, as \"0.5 %\"")]
    Percentage(String),
}

impl TryFrom<ToleranceText> for Tolerance {
    type Error = LimitError;
    fn try_from(text: ToleranceText) -> Result<Tolerance, LimitError> {
        match text {
            ToleranceText::Number(number) => Ok(Tolerance::Instructions(number.into())),
            ToleranceText::Text(text) => match text.trim().strip_suffix('%') {
                Some(number) => share(number.trim()).ok_or(LimitError::Percentage(text)),
                None => Ok(Tolerance::Instructions(parse_budget(&text)?)),
            },
        }
    }
}

/// Parts of a million that a percentage is.
fn share(number: &str) -> Option<Tolerance> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() > 3 || fraction.len() > 4 {
        return None;
    }
    let parts = whole.parse::<u128>().ok()? * 10_000 + format!("{fraction:0<4}").parse::<u128>().ok()?;
    (parts <= MILLION).then_some(Tolerance::Share(parts))
}

const MILLION: u128 = 1_000_000;

impl Tolerance {
    /// What limits that opcost recorded have where nothing is written.
    pub const RECORDED: Tolerance = Tolerance::Share(1_000);

    /// Instructions that a count may be above a limit.
    pub fn of(self, limit: u128) -> u128 {
        match self {
            Tolerance::Instructions(number) => number,
            // A product that does not fit belongs to a limit that no run gets to.
            Tolerance::Share(parts) => limit.saturating_mul(parts) / MILLION,
        }
    }
}

/// Limit of a function: a number, or `{ limit = 1_000, tolerance = "1 %" }`.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "FunctionText")]
pub struct FunctionLimit {
    /// The most that it may do by itself.
    pub limit: CountLimit,
    /// A tolerance of its own.
    pub tolerance: Option<Tolerance>,
    /// Whether it is a number alone, as earlier versions of opcost wrote it.
    pub is_plain: bool,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a limit of a function is a number of instructions, 1_600_000 or \"1.6M\", or { limit = 1_600_000, tolerance = \"1 %\" }"
)]
enum FunctionText {
    Number(u64),
    Text(String),
    Table(FunctionTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FunctionTable {
    limit: LimitText,
    tolerance: Option<ToleranceText>,
}

impl TryFrom<FunctionText> for FunctionLimit {
    type Error = LimitError;
    fn try_from(text: FunctionText) -> Result<FunctionLimit, LimitError> {
        let (limit, tolerance, is_plain) = match text {
            FunctionText::Number(number) => (LimitText::Number(number), None, true),
            FunctionText::Text(text) => (LimitText::Text(text), None, false),
            FunctionText::Table(table) => (table.limit, table.tolerance, false),
        };
        let tolerance = tolerance.map(Tolerance::try_from).transpose()?;
        Ok(FunctionLimit { limit: limit.try_into()?, tolerance, is_plain })
    }
}

#[cfg(test)]
mod tests {
    use super::{Tolerance, ToleranceText};

    fn read(text: &str) -> Option<Tolerance> {
        Tolerance::try_from(ToleranceText::Text(text.to_owned())).ok()
    }

    #[test]
    fn tolerances_are_exact() {
        assert_eq!(read("0.5 %"), Some(Tolerance::Share(5_000)));
        assert_eq!(read("100%"), Some(Tolerance::Share(1_000_000)));
        assert_eq!(read("0.0001 %"), Some(Tolerance::Share(1)));
        assert_eq!(read("5k"), Some(Tolerance::Instructions(5_000)));
        for wrong in ["100.1 %", "-1 %", "0,5 %", ".5 %", "0.00001 %", "%", "1e2 %", "many"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(Tolerance::RECORDED.of(765_665), 765);
        assert_eq!(Tolerance::Share(5_000).of(199), 0);
    }
}

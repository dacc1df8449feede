//! What is shown of a recording, as words: its numbers, its lines, how the program ended.

use opcost_profile::opcval::layout::double;

use crate::kit::numbers::grouped;
use crate::kit::style::printable;
use opcost_answer::points::Meaning;
use opcost_answer::run::Finish;
use opcost_answer::values::{RecordedValues, ValueRow};

/// How the program ended, in words, if not well.
pub(crate) fn ending(recorded: &RecordedValues) -> Option<String> {
    match recorded.finish? {
        Finish::Exited(0) => None,
        Finish::Exited(status) => Some(format!("the program exited with status {status}")),
        Finish::Killed(signal) => {
            Some(format!("signal {signal} ended the program; what it had recorded is here"))
        }
    }
}

/// A recorded number as its point means it.
pub fn number(meaning: Meaning, value: i64) -> String {
    match meaning {
        Meaning::Float => format!("{}", double(value)),
        Meaning::Unsigned if value.unsigned_abs() > 1 << 40 => format!("{:#x}", value as u64),
        Meaning::BackEdges | Meaning::Unsigned => grouped(value as u64),
        Meaning::Signed => grouped(value),
    }
}

/// `prog.c:12`, or the block or instruction where no line is known.
pub(crate) fn place(row: &ValueRow) -> String {
    match &row.file {
        Some(file) if row.line > 0 => format!("{}:{}", printable(file), row.line),
        _ => format!("%{}", printable(&row.text)),
    }
}

/// How often values were in each of `columns` equal parts of the range.
pub(crate) fn shape(row: &ValueRow, columns: usize) -> Vec<u64> {
    let Some([least, _, most]) = row.range else { return Vec::new() };
    let width = i128::from(most) - i128::from(least) + 1;
    let columns = columns.min(usize::try_from(width).unwrap_or(columns)).max(1);
    let mut shape = vec![0; columns];
    let at = |value: i64| ((i128::from(value) - i128::from(least)) * columns as i128 / width) as usize;
    for &(value, count) in &row.values {
        shape[at(value).min(columns - 1)] += count;
    }
    for &(from, to, count) in &row.rough {
        let middle = (i128::from(from.max(least)) + i128::from(to.min(most))) / 2;
        shape[at(middle.clamp(least.into(), most.into()) as i64).min(columns - 1)] += count;
    }
    shape
}

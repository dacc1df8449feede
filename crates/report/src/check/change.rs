//! Does a run do more or less than when its limits were recorded?
//!
//! The same number is the same work. Another number within the tolerance is other code. Beyond it, it is
//! more work, or less.

use std::fmt;

use crate::kit::numbers::grouped;

/// What a run did when its limits were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedTotal {
    /// Its instructions, in units of the cost model.
    pub total: u128,
    /// Difference up to which it is the same work by other code.
    pub tolerance: u128,
}

/// What a run does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkChange {
    /// More than the tolerance.
    MoreWork,
    /// Less than the tolerance.
    LessWork,
    /// Another number within the tolerance.
    OtherCode,
    /// The same number.
    SameWork,
}

impl fmt::Display for WorkChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WorkChange::MoreWork => "more work",
            WorkChange::LessWork => "less work",
            WorkChange::OtherCode => "other code",
            WorkChange::SameWork => "same work",
        })
    }
}

impl RecordedTotal {
    /// What a run does that does `total` now.
    pub fn change(self, total: u128) -> WorkChange {
        match total.abs_diff(self.total) {
            0 => WorkChange::SameWork,
            change if change <= self.tolerance => WorkChange::OtherCode,
            _ if total > self.total => WorkChange::MoreWork,
            _ => WorkChange::LessWork,
        }
    }

    /// ` (-161,263, -21.1 %)`; nothing where nothing changed.
    pub(super) fn difference(self, total: u128) -> String {
        let change = total.abs_diff(self.total);
        let sign = if total > self.total { "+" } else { "-" };
        match (change, self.total) {
            (0, _) => String::new(),
            (_, 0) => format!(" ({sign}{})", grouped(change)),
            _ if change <= self.tolerance => {
                format!(" ({sign}{}, tolerance {})", grouped(change), grouped(self.tolerance))
            }
            _ => {
                let percent = change as f64 / self.total as f64 * 100.0;
                format!(" ({sign}{}, {sign}{percent:.1} %)", grouped(change))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordedTotal, WorkChange};

    #[test]
    fn a_small_difference_is_other_code() {
        let recorded = RecordedTotal { total: 765_665, tolerance: 765 };
        for (total, change, difference) in [
            (765_665, WorkChange::SameWork, ""),
            (765_667, WorkChange::OtherCode, " (+2, tolerance 765)"),
            (604_402, WorkChange::LessWork, " (-161,263, -21.1 %)"),
            (766_431, WorkChange::MoreWork, " (+766, +0.1 %)"),
        ] {
            assert_eq!((recorded.change(total), &*recorded.difference(total)), (change, difference));
        }
    }
}

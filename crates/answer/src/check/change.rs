//! Does a run do more or less than when its limits were recorded?
//!
//! The same number is the same work. Another number within the tolerance is other code. Beyond it, it is
//! more work, or less.

use std::fmt;

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
}

#[cfg(test)]
mod tests {
    use super::{RecordedTotal, WorkChange};

    #[test]
    fn a_small_difference_is_other_code() {
        let recorded = RecordedTotal { total: 765_665, tolerance: 765 };
        for (total, change) in [
            (765_665, WorkChange::SameWork),
            (765_667, WorkChange::OtherCode),
            (604_402, WorkChange::LessWork),
            (766_431, WorkChange::MoreWork),
        ] {
            assert_eq!(recorded.change(total), change);
        }
    }
}

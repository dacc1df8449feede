//! Of which function is the time taken for a call that no timing file measures?
//!
//! Of one that does about the same work (`timed.txt`).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::table::lines;

static TABLE: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let rows = lines(include_str!("timed.txt")).map(|line| line.split_once(':').expect("a line has a colon"));
    rows.flat_map(|(measured, others)| others.split_whitespace().map(|other| (other, measured.trim())))
        .collect()
});

/// A function whose calls take about as long, and which is measured.
pub fn timed_as(name: &str) -> Option<&'static str> {
    TABLE.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_has_no_other() {
        assert_eq!(timed_as("calloc"), Some("malloc"));
        assert!(TABLE.values().all(|measured| timed_as(measured).is_none()));
    }
}

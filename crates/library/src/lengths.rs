//! How many bytes does a function work on?
//!
//! `lengths.txt` says which arguments it hangs on, of functions and intrinsics that have such arguments.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::table::clauses;

/// How long what a function works on is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkedLength {
    /// Arguments, from 0, whose product is the number of bytes. One or two.
    pub arguments: Vec<u32>,
    /// All of it is copied or filled.
    pub moves: bool,
}

static TABLE: LazyLock<BTreeMap<&'static str, WorkedLength>> = LazyLock::new(|| {
    let rows = clauses("lengths.txt", include_str!("lengths.txt"), read_length);
    let count = rows.len();
    let table: BTreeMap<&'static str, WorkedLength> = rows.into_iter().collect();
    assert_eq!(table.len(), count, "lengths.txt has a name twice");
    table
});

/// All functions whose length an argument says, by name; intrinsics without suffix.
pub fn worked_lengths() -> &'static BTreeMap<&'static str, WorkedLength> {
    &TABLE
}

fn read_length(text: &str) -> Option<WorkedLength> {
    let (arguments, rest) = text.split_once(' ').unwrap_or((text, ""));
    let arguments: Option<Vec<u32>> =
        arguments.split('*').map(|one| one.strip_prefix('@')?.parse().ok()).collect();
    let moves = match rest {
        "" => false,
        "moves" => true,
        _ => return None,
    };
    arguments.filter(|all| (1..=2).contains(&all.len())).map(|arguments| WorkedLength { arguments, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read() {
        let calloc = &worked_lengths()["calloc"];
        assert_eq!((&*calloc.arguments, calloc.moves), (&[0, 1][..], true));
        assert_eq!(read_length("@2"), Some(WorkedLength { arguments: vec![2], moves: false }));
        assert!(["", "2", "@1 copies", "@1*@2*@3", "@x"].iter().all(|text| read_length(text).is_none()));
    }
}

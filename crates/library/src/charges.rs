//! How is the work of a call charged under `fuel/1`?
//!
//! `charges.txt` says it, measured on the library itself (`cargo xtask calls`), and says what its words mean. The
//! functions are those that a program only declares.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::table::{NameTable, lines, unversioned};

/// How the work of a function is charged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallCharge {
    /// By a weight, and by what arguments and memory hold.
    Weight {
        /// Of a call.
        weight: u32,
        /// On the worst arguments that were found it does this many times of what is charged, if that was measured.
        worst: Option<f64>,
    },
    /// By a weight that is right when the caller catches what is thrown; opcost's library charges frames between.
    Frames(u32),
    /// By every instruction: it is compiled with the program.
    Compiled,
    /// Once, since it ends the program or a plain address of it is all that is used.
    Once,
}

/// What a call may do at most, in times of what is charged for it.
const MOST_TIMES: f64 = 4.0;

static TABLE: LazyLock<NameTable<CallCharge>> = LazyLock::new(|| {
    let mut table = NameTable::default();
    for line in lines(include_str!("charges.txt")) {
        let (name, charge) = read_line(line).unwrap_or_else(|| panic!("charges.txt: {line}"));
        assert!(table.insert(name, charge).is_none(), "charges.txt has {name} twice");
    }
    table
});

impl CallCharge {
    /// What a call weighs, if it has a weight of its own.
    pub fn weight(self) -> Option<u32> {
        match self {
            CallCharge::Weight { weight, .. } | CallCharge::Frames(weight) => Some(weight),
            CallCharge::Compiled | CallCharge::Once => None,
        }
    }

    /// Whether a call does no more than four times of what is charged, whatever its arguments are.
    pub fn holds(self) -> bool {
        match self {
            CallCharge::Weight { worst, .. } => worst.is_some_and(|worst| worst <= MOST_TIMES),
            CallCharge::Frames(_) | CallCharge::Compiled | CallCharge::Once => true,
        }
    }
}

/// How a call of this name is charged; none if only as an instruction.
pub fn charge(name: &str) -> Option<CallCharge> {
    TABLE.of(name).or_else(|| TABLE.of(unversioned(name))).copied()
}

/// All weights, by name.
pub fn weights() -> BTreeMap<String, u32> {
    let weight = |name: &str| Some((name.to_owned(), TABLE.of(name)?.weight()?));
    TABLE.names().filter_map(weight).collect()
}

fn read_line(line: &'static str) -> Option<(&'static str, CallCharge)> {
    let (name, rest) = line.split_once(' ')?;
    let weight = |text: &str| text.parse().ok().filter(|&weight| weight > 0);
    let charge = match rest.split_once(' ') {
        None if rest == "compiled" => CallCharge::Compiled,
        None if rest == "once" => CallCharge::Once,
        None => CallCharge::Weight { weight: weight(rest)?, worst: None },
        Some((number, "frames")) => CallCharge::Frames(weight(number)?),
        Some((number, found)) => {
            let (worst, made) = found.split_once(' ')?;
            made.parse::<u64>().ok()?;
            CallCharge::Weight { weight: weight(number)?, worst: Some(worst.parse().ok()?) }
        }
    };
    Some((name, charge))
}

/// Whole names of the table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_or_does_more_does_not_hold() {
        let weight = |worst| Some(("a", CallCharge::Weight { weight: 5, worst }));
        assert_eq!(read_line("a 5"), weight(None));
        assert_eq!(read_line("a 5 frames"), Some(("a", CallCharge::Frames(5))));
        assert_eq!(read_line("a 5 3.9 7"), weight(Some(3.9)));
        let faults = ["a", "a 0", "a 0 1.0 7", "a -", "a 5 x", "a 5 3.9", "a 5 3.9 x"];
        assert!(faults.iter().all(|line| read_line(line).is_none()));
        let holds = |name: &str| charge(name).is_some_and(CallCharge::holds);
        assert!(holds("malloc") && holds("__isoc99_scanf") && holds("qsort") && holds("exit"));
        assert!(!holds("regexec") && !holds("strxfrm") && !holds("no_such_function"));
    }

    #[test]
    fn the_names_of_newer_standards_are_the_same_functions() {
        assert_eq!(charge("__isoc23_scanf"), charge("scanf"));
        assert!(charge("__isoc99_scanf").and_then(CallCharge::weight).is_some_and(|weight| weight > 100));
        assert!(weights().len() > 500);
    }
}

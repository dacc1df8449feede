//! What is a function to a metered program?
//!
//! Which calls may run code of the program, which end it, which names it may use at all: `fuel.txt` says what its words
//! mean. It names what C, POSIX and the C++ standard reserve, so it applies to declarations only. Limit: what a library
//! does by itself is not seen.

use std::sync::LazyLock;

use crate::table::{NameTable, lines, unversioned};

/// What a metered program may do with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuelClass {
    /// Neither looks nor ends anything.
    Computes,
    /// The same, and reads or writes files or the like.
    World,
    /// The same of streams and formats. It runs functions that the program set for them.
    Streams,
    /// The same, and what it gives differs from run to run.
    Differs,
    /// May unwind, jump or end the program; calls nothing back.
    Ends,
    /// May run code of the program.
    Calls,
    /// A variable.
    Data,
    /// No metered program may call it, for this reason.
    Refused(&'static str),
    /// `--check` rejects it, for this reason.
    Outside(&'static str),
}

impl FuelClass {
    /// Whether it was looked at closely, and a metered program may call it: then it runs nothing of the program but
    /// what a stream has.
    pub fn is_understood(self) -> bool {
        use FuelClass::{Computes, Differs, Ends, Streams, World};
        matches!(self, Computes | World | Streams | Differs | Ends)
    }
}

/// The table as text: what a program was admitted by.
pub const FUEL_TABLE: &str = include_str!("fuel.txt");

static TABLE: LazyLock<NameTable<FuelClass>> = LazyLock::new(|| {
    let mut table = NameTable::default();
    for line in lines(FUEL_TABLE) {
        let (name, class) = read_line(line).unwrap_or_else(|| panic!("fuel.txt: {line}"));
        assert!(table.insert(name, class).is_none(), "fuel.txt has {name} twice");
    }
    table
});

fn read_line(line: &'static str) -> Option<(&'static str, FuelClass)> {
    let (name, rest) = line.split_once(' ')?;
    let (word, reason) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
    let known = match word {
        "computes" => FuelClass::Computes,
        "world" => FuelClass::World,
        "streams" => FuelClass::Streams,
        "differs" => FuelClass::Differs,
        "ends" => FuelClass::Ends,
        "calls" => FuelClass::Calls,
        "data" => FuelClass::Data,
        "refused" => FuelClass::Refused(reason.trim_start()),
        "outside" => FuelClass::Outside(reason.trim_start()),
        _ => return None,
    };
    let has_reason = matches!(known, FuelClass::Refused(_) | FuelClass::Outside(_));
    (has_reason != reason.is_empty()).then_some((name, known))
}

/// What the function or variable of this name is to a metered program; none if nothing is known.
pub fn fuel_class(name: &str) -> Option<FuelClass> {
    TABLE.of(unversioned(name)).copied()
}

/// Whole names of the table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pattern_and_the_exact_name_win() {
        assert_eq!(fuel_class("_ZNSt6thread15_M_start_threadEx"), Some(FuelClass::Refused("starts threads")));
        assert!(matches!(fuel_class("_ZNSt6thread4joinEv"), Some(FuelClass::Outside(_))));
        assert_eq!(fuel_class("_Znwm"), Some(FuelClass::Ends));
        assert_eq!(fuel_class("_ZnwmRKSt9nothrow_tx"), Some(FuelClass::Calls));
        assert_eq!(fuel_class("__isoc99_fscanf"), Some(FuelClass::Streams));
        assert_eq!(fuel_class("strlenx"), None);
        assert_eq!(fuel_class(""), None);
        assert!(TABLE.len() > 1000);
    }
}

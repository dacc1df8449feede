//! What does a function do outside of the program: what does it print, open and change there?
//!
//! `system.txt` says it, as far as somebody asks. One function may do several of these.

use std::sync::LazyLock;

use crate::table::{NameTable, clauses};

/// Something that a function does outside of the program. Arguments are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemEffect {
    /// Prints to standard output or error.
    Prints,
    /// Prints to the stream in this argument.
    PrintsTo(usize),
    /// Begins a statement that prints to the unit in this argument.
    PrintsToUnit(usize),
    /// May lead standard output elsewhere, or looks at what was printed.
    Redirects,
    /// With it a program may read files.
    ReadsFiles,
    /// Begins a statement that reads the unit in this argument.
    ReadsUnit(usize),
    /// With it a Fortran program may look at what it wrote, or lead units elsewhere.
    InspectsUnits,
    /// Opens a stream; the mode is the text in this argument.
    OpensByMode(usize),
    /// Opens a file; this argument has the flags.
    OpensByFlags(usize),
    /// Begins to open the unit in this argument, or one with a new number.
    OpensUnit(Option<usize>),
    /// Changes what others see: files, processes, the network, the terminal.
    Changes,
    /// Says where a link leads.
    FollowsLink,
    /// Says something of the program's own code: its frames, its addresses, what is loaded.
    InspectsCode,
    /// Reads flags of exceptions of arithmetic, or the state of the heap.
    Observes,
    /// Numbers with a point may be rounded in another way from then on.
    ChangesRounding,
    /// Gives the time.
    ReadsClock,
    /// What it writes and gives follows from what it reads, and it does nothing else.
    Computes,
}

static TABLE: LazyLock<NameTable<Vec<SystemEffect>>> = LazyLock::new(|| {
    let read = |clause: &'static str| clause.split(';').map(|one| read_effect(one.trim())).collect();
    NameTable::of_rows("system.txt", clauses("system.txt", include_str!("system.txt"), read))
});

/// All that a function of this name does outside of the program, as far as it is known.
pub fn system_effects(name: &str) -> &'static [SystemEffect] {
    TABLE.of(name).map_or(&[], |effects| effects)
}

fn read_effect(clause: &str) -> Option<SystemEffect> {
    use SystemEffect::{OpensByFlags, OpensByMode, OpensUnit, PrintsTo, PrintsToUnit, ReadsUnit};
    let argument = |beginning: &str| clause.strip_prefix(beginning)?.parse().ok();
    Some(match clause {
        "prints" => SystemEffect::Prints,
        "redirects" => SystemEffect::Redirects,
        "reads files" => SystemEffect::ReadsFiles,
        "inspects units" => SystemEffect::InspectsUnits,
        "opens a new unit" => OpensUnit(None),
        "changes" => SystemEffect::Changes,
        "follows a link" => SystemEffect::FollowsLink,
        "observes" => SystemEffect::Observes,
        "changes rounding" => SystemEffect::ChangesRounding,
        "inspects code" => SystemEffect::InspectsCode,
        "reads a clock" => SystemEffect::ReadsClock,
        "computes" => SystemEffect::Computes,
        _ => {
            let units =
                argument("prints to unit ").map(PrintsToUnit).or(argument("reads unit ").map(ReadsUnit));
            let opens = argument("opens unit ").map(|unit| OpensUnit(Some(unit)));
            let files =
                argument("opens by mode ").map(OpensByMode).or(argument("opens by flags ").map(OpensByFlags));
            return units.or(opens).or(files).or(argument("prints to ").map(PrintsTo));
        }
    })
}

/// Whole names of the table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read() {
        assert_eq!(system_effects("fputc"), [SystemEffect::PrintsTo(1)]);
        assert_eq!(system_effects("openat"), [SystemEffect::ReadsFiles, SystemEffect::OpensByFlags(2)]);
        assert_eq!(system_effects("_FortranAioBeginOpenNewUnit"), [SystemEffect::OpensUnit(None)]);
        assert_eq!(system_effects("MPI_File_open"), [SystemEffect::Changes]);
        assert!(system_effects("strlen").is_empty());
        assert!(read_effect("prints to").is_none() && read_effect("opens by mode x").is_none());
    }
}

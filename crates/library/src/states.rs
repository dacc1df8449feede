//! What does a library remember from one call to the next?
//!
//! A stream remembers its buffer and its callbacks, `localtime` the memory that it gives, MPI the
//! operators that it was told of. Each such memory is a *state*. A function *holds* one where it keeps a
//! pointer or a callback there, or gives memory that a later call of the same part rewrites. It *uses* one
//! where it may write what is held, read it, or call it back. Where a program calls one that holds a
//! state, each call that uses it reaches whatever escaped. A variable of the library that is named holds the state that
//! it shows.
//!
//! Input: the table of effects says both by name. A function of which it says nothing uses all but
//! what waits for the end of the program, unless it only computes. One that no table knows holds all
//! that it is handed a pointer for. Limit: in the open world, what others handed to the
//! library before is not told.

/// States, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LibraryStates(u16);

/// Their names in the table, and what is remembered.
const NAMES: [(&str, &str); 15] = [
    ("stream", "buffers and callbacks of C's streams, and conversions of printf"),
    ("unit", "callbacks of Fortran's input and output"),
    ("processes", "operators, callbacks and pending messages of MPI"),
    ("signal", "handlers of signals"),
    ("thread", "destructors of a thread's data"),
    ("time", "broken-down time and its text"),
    ("directory", "the entry that was read last"),
    ("locale", "the locale and its tables"),
    ("message", "texts and names that the next call overwrites"),
    ("token", "where strtok stopped"),
    ("environment", "the environment's strings"),
    ("random", "the state of random"),
    ("sign", "the sign of lgamma"),
    ("error", "errno"),
    ("exit", "what runs at the end of the program"),
];
/// The generators of pseudo-random numbers.
const AT_RANDOM: u16 = 1 << 11;
/// The last: nobody uses it before the end.
const AT_EXIT: u16 = 1 << (NAMES.len() - 1);

impl LibraryStates {
    /// None.
    pub const NONE: LibraryStates = LibraryStates(0);
    /// All.
    pub const ALL: LibraryStates = LibraryStates((1 << NAMES.len()) - 1);
    /// All but what waits for the end of the program.
    pub const BEFORE_EXIT: LibraryStates = LibraryStates(LibraryStates::ALL.0 & !AT_EXIT);

    /// `errno`. Nothing of the program is there, and what uses any state may set it.
    pub const ERROR: LibraryStates = LibraryStates(AT_EXIT >> 1);

    /// Of the generators of pseudo-random numbers.
    pub const RANDOM: LibraryStates = LibraryStates(AT_RANDOM);

    /// The state of a name.
    pub fn named(name: &str) -> Option<LibraryStates> {
        NAMES.iter().position(|(known, _)| *known == name).map(|at| LibraryStates(1 << at))
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// All but `errno`.
    #[must_use]
    pub fn but_error(self) -> LibraryStates {
        LibraryStates(self.0 & !LibraryStates::ERROR.0)
    }

    /// Both sets as one.
    #[must_use]
    pub fn and(self, other: LibraryStates) -> LibraryStates {
        LibraryStates(self.0 | other.0)
    }

    /// Whether they have one in common.
    pub fn meet(self, other: LibraryStates) -> bool {
        self.0 & other.0 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_their_names() {
        assert_eq!(LibraryStates::named("random"), Some(LibraryStates::RANDOM));
        assert_eq!(LibraryStates::named("error"), Some(LibraryStates::ERROR));
        assert!(!LibraryStates::BEFORE_EXIT.meet(LibraryStates::named("exit").expect("the last")));
    }
}

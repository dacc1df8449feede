//! What is known of the functions of the C and C++ libraries?
//!
//! One table (`library.txt`, which says what its words mean) for all who ask:
//! which calls look at the fuel (`looks`), which are refused (`refusals`), which
//! names a module may use at all (`allowed`). It names what C, POSIX and the C++
//! standard reserve, so it applies to declarations only. A host adds names of its own; they
//! are taken to run any code of the program.
//!
//! Cost: the table is read once; a look-up is one hash, and one for each longer
//! pattern length. Limit: what a library does by itself is not seen.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use opcost_key::{Hash128, Hasher128};

/// What is known of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryFact {
    /// Neither looks nor ends anything.
    Computes,
    /// The same, and reads or writes streams or files.
    World,
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

const TEXT: &str = include_str!("library.txt");

struct Table {
    names: HashMap<&'static str, LibraryFact>,
    /// Beginnings of names, and their lengths, the longest first.
    starts: HashMap<&'static str, LibraryFact>,
    lengths: Vec<usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { names: HashMap::new(), starts: HashMap::new(), lengths: Vec::new() };
    let mut lengths = BTreeSet::new();
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        let (name, known) = read_line(line).expect("library.txt is well-formed");
        match name.strip_suffix('*') {
            Some(start) => {
                lengths.insert(start.len());
                table.starts.insert(start, known);
            }
            None => {
                table.names.insert(name, known);
            }
        }
    }
    table.lengths = lengths.into_iter().rev().collect();
    table
});

fn read_line(line: &'static str) -> Option<(&'static str, LibraryFact)> {
    let (name, rest) = line.split_once(' ')?;
    let (word, reason) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
    let known = match word {
        "computes" => LibraryFact::Computes,
        "world" => LibraryFact::World,
        "differs" => LibraryFact::Differs,
        "ends" => LibraryFact::Ends,
        "calls" => LibraryFact::Calls,
        "data" => LibraryFact::Data,
        "refused" => LibraryFact::Refused(reason.trim_start()),
        "outside" => LibraryFact::Outside(reason.trim_start()),
        _ => return None,
    };
    let has_reason = matches!(known, LibraryFact::Refused(_) | LibraryFact::Outside(_));
    (has_reason != reason.is_empty()).then_some((name, known))
}

/// What the table says of a name.
pub(crate) fn known(name: &str) -> Option<LibraryFact> {
    let plain = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    let table = &*TABLE;
    table.names.get(plain).copied().or_else(|| {
        let starts = table.lengths.iter().filter_map(|&length| plain.get(..length));
        starts.into_iter().find_map(|start| table.starts.get(start).copied())
    })
}

/// The table, and what a host adds to it.
#[derive(Clone, Debug, Default)]
pub struct Library {
    allowed: BTreeSet<String>,
}

impl Library {
    /// The table with names that the host allows too.
    pub fn with(allowed: impl IntoIterator<Item = String>) -> Library {
        Library { allowed: allowed.into_iter().collect() }
    }

    /// Whether the host allows this name.
    pub(crate) fn adds(&self, name: &str) -> bool {
        self.allowed.contains(name)
    }

    /// Over the table and what was added to it.
    pub fn hash(&self) -> Hash128 {
        let mut hasher = Hasher128::new();
        hasher.text(TEXT).number(self.allowed.len() as u64);
        for name in &self.allowed {
            hasher.text(name);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads_and_no_name_stands_twice() {
        let mut seen = BTreeSet::new();
        for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
            let (name, _) = read_line(line).unwrap_or_else(|| panic!("{line}"));
            assert!(seen.insert(name), "{name} stands twice");
        }
        assert!(seen.len() > 1000);
    }

    #[test]
    fn the_longest_pattern_and_the_exact_name_win() {
        assert_eq!(known("_ZNSt6thread15_M_start_threadEx"), Some(LibraryFact::Refused("starts threads")));
        assert!(matches!(known("_ZNSt6thread4joinEv"), Some(LibraryFact::Outside(_))));
        assert_eq!(known("_Znwm"), Some(LibraryFact::Ends));
        assert_eq!(known("_ZnwmRKSt9nothrow_tx"), Some(LibraryFact::Calls));
        assert_eq!(known("__isoc99_fscanf"), Some(LibraryFact::World));
        assert_eq!(known("strlenx"), None);
        assert_eq!(known(""), None);
    }

    #[test]
    fn the_hash_changes_with_what_is_added() {
        let own = Library::default().hash();
        let one = Library::with(["a".to_owned()]).hash();
        assert!(own != one && one == Library::with(["a".to_owned()]).hash());
    }
}

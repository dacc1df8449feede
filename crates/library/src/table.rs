//! How is a record found by a name? By the whole name, and then by the longest beginning of it.
//!
//! A table is text in which a name with `*` at its end stands for all that begin so. Input: names with their records.
//! Output: a look-up. Cost: one hash, and one for each length of a beginning.

use rustc_hash::FxHashMap;

/// Records by names and by beginnings of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameTable<T> {
    by_name: FxHashMap<Box<str>, T>,
    by_beginning: FxHashMap<Box<str>, T>,
    /// Lengths of the beginnings in bytes, the longest first.
    lengths: Vec<usize>,
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        Self { by_name: FxHashMap::default(), by_beginning: FxHashMap::default(), lengths: Vec::new() }
    }
}

impl<T> NameTable<T> {
    /// Adds a record; what the same name or beginning had is given back.
    pub(crate) fn insert(&mut self, name: &str, record: T) -> Option<T> {
        let Some(beginning) = name.strip_suffix('*') else {
            return self.by_name.insert(name.into(), record);
        };
        let length = beginning.len();
        if let Err(at) = self.lengths.binary_search_by(|other| length.cmp(other)) {
            self.lengths.insert(at, length);
        }
        self.by_beginning.insert(beginning.into(), record)
    }

    /// A table of rows; no name is there twice.
    pub(crate) fn of_rows(file: &str, rows: Vec<(&'static str, T)>) -> NameTable<T> {
        let mut table = NameTable::default();
        for (name, record) in rows {
            assert!(table.insert(name, record).is_none(), "{file} has {name} twice");
        }
        table
    }

    /// The record of a name.
    pub(crate) fn of(&self, name: &str) -> Option<&T> {
        self.by_name.get(name).or_else(|| {
            let mut beginnings = self.lengths.iter().filter_map(|&length| name.get(..length));
            beginnings.find_map(|beginning| self.by_beginning.get(beginning))
        })
    }

    /// How many names and beginnings it has.
    pub(crate) fn len(&self) -> usize {
        self.by_name.len() + self.by_beginning.len()
    }

    /// All records, to be changed.
    pub(crate) fn records_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.by_name.values_mut().chain(self.by_beginning.values_mut())
    }

    /// Whole names of it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(|name| &**name)
    }
}

/// Lines of a table that are neither empty nor a remark.
pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The rows `names: clause` of a table: each name with what `read` makes of its clause. Panics name the table.
pub(crate) fn clauses<T: Clone>(
    file: &str,
    text: &'static str,
    read: fn(&'static str) -> Option<T>,
) -> Vec<(&'static str, T)> {
    let mut rows = Vec::new();
    for line in lines(text) {
        let (names, clause) = line.split_once(':').unwrap_or_else(|| panic!("{file}: no colon in {line}"));
        let record = read(clause.trim()).unwrap_or_else(|| panic!("{file}: unknown clause in {line}"));
        rows.extend(names.split_whitespace().map(|name| (name, record.clone())));
    }
    rows
}

/// The name without what scanf's of newer standards have before it.
pub fn unversioned(name: &str) -> &str {
    name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_comes_first_and_then_the_longest_beginning() {
        let mut table = NameTable::default();
        for (name, record) in [("f*", 1), ("foo*", 2), ("foo_bar", 3), ("fo*", 4)] {
            assert_eq!(table.insert(name, record), None);
        }
        let found =
            ["foo_bar", "foo_baz", "fool", "fob", "fa", "f", "g", ""].map(|name| table.of(name).copied());
        assert_eq!(found, [Some(3), Some(2), Some(2), Some(4), Some(1), Some(1), None, None]);
        assert_eq!(table.insert("fo*", 5), Some(4));
        assert_eq!((table.len(), table.of("föo")), (4, Some(&1)));
    }
}

//! Which loops hang on data that only a run has?
//!
//! `corpus/loops/ceiling.txt` lists them, by people who read the sources: a
//! search that ends where it finds something, a residual that falls, a list
//! that grows while it is walked. No analysis of the program alone gives their
//! counts, so what is possible is less than everything, and the page says by how
//! much. A line is FILE:LINE, as the bitcode has it, of a loop's header at any
//! level; then, if other loops share that line, `depth=N` or `function=NAME`;
//! then words. Only loops that LLVM has no exact count for are looked up.

use super::row::Row;
use crate::failure::{Failure, Result};
use std::fs;
use std::path::Path;

/// The list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ceiling {
    entries: Vec<Entry>,
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    file: String,
    line: u32,
    depth: Option<u32>,
    function: Option<String>,
}

impl Ceiling {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| Failure::at("read", path, error))?;
        Self::parse(&text).map_err(|reason| Failure::at("understand", path, reason))
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(Self { entries: lines.map(entry).collect::<Result<_>>()? })
    }

    /// Whether the row is of such a loop.
    pub(super) fn has(&self, row: &Row) -> bool {
        self.entries.iter().any(|entry| {
            entry.file == row.file
                && entry.line == row.line
                && entry.depth.is_none_or(|depth| depth == row.depth)
                && entry.function.as_ref().is_none_or(|function| *function == row.function)
        })
    }
}

fn entry(line: &str) -> Result<Entry> {
    let wrong = |how: &str| Failure::new(format!("`{line}` {how}"));
    let mut words = line.split_whitespace();
    let place = words.next().and_then(|place| place.split_once(':'));
    let (file, number) = place.ok_or_else(|| wrong("does not begin with FILE:LINE"))?;
    let number = number.parse().map_err(|_| wrong("has no number after its file"))?;
    let mut entry = Entry { file: file.to_owned(), line: number, depth: None, function: None };
    for word in words {
        if let Some(depth) = word.strip_prefix("depth=") {
            entry.depth = Some(depth.parse().map_err(|_| wrong("has a depth that is no number"))?);
        } else if let Some(function) = word.strip_prefix("function=") {
            entry.function = Some(function.to_owned());
        }
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::super::row::{Kind, example as row};
    use super::*;

    #[test]
    fn a_loop_is_found_by_its_place() {
        let text = "# words\n\na.c:10 a search\na.c:20 depth=2 a list\na.c:30 function=g more\n";
        let ceiling = Ceiling::parse(text).unwrap();
        assert!(ceiling.has(&row(1, Kind::Unknown, None)));
        assert!(!ceiling.has(&row(2, Kind::Unknown, None)));
        assert!(!ceiling.has(&row(3, Kind::Unknown, None)));
        let mut deeper = row(2, Kind::Unknown, None);
        deeper.depth = 2;
        assert!(ceiling.has(&deeper));
    }

    #[test]
    fn a_wrong_line_is_refused() {
        for text in ["a.c", "a.c:x", "a.c:3 depth=y"] {
            assert!(Ceiling::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_list_is_of_files_that_are_there() {
        let folder = crate::loops::sets::folder().unwrap();
        let ceiling = Ceiling::read(&folder.join("ceiling.txt")).unwrap();
        assert!(ceiling.entries.len() > 30);
        for entry in &ceiling.entries {
            let is_there = |set: &&str| folder.join(set).join(&entry.file).is_file();
            assert!(
                ["fortran", "c", "kernels", "hard", "fortran/common", "c/common"].iter().any(is_there),
                "{}",
                entry.file
            );
        }
    }
}

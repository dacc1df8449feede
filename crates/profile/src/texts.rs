//! What is written on the lines of the program?
//!
//! A ledger keeps no sources, and an earlier one is compared when they have changed. A hash of what
//! stands on a line is enough to find the same line in another build, whatever was inserted above it.
//! A line that modules were compiled from in two versions, or of which one module does not tell, has
//! none. Input: maps. Output: [`LineTexts`]. Cost: log lines for each.

use std::collections::BTreeMap;
use std::sync::Arc;

use opcost_key::{ModuleMap, Place};

use crate::SourcePlace;

/// Hashes of lines of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTexts(BTreeMap<Arc<str>, BTreeMap<u32, u32>>);

impl LineTexts {
    /// Lines that have code, where all modules agree that have code there.
    pub fn of<'a>(maps: impl Iterator<Item = &'a ModuleMap>) -> Self {
        Self::agreed(maps.flat_map(|map| {
            let texts: BTreeMap<_, _> = map.texts.iter().map(|texts| (texts.file, &texts.lines)).collect();
            let text = move |place: &Place| {
                let lines = texts.get(&place.file)?;
                let at = lines.binary_search_by_key(&place.line, |text| text.line).ok()?;
                Some(lines[at].hash)
            };
            let places = map.places.values().filter(|place| place.line != 0);
            places.map(move |place| ((map.files[place.file].as_str(), place.line), text(place)))
        }))
    }

    /// Those of ledgers of one build, but for lines of which they have two.
    pub(crate) fn merged<'a>(all: impl Iterator<Item = &'a LineTexts>) -> Self {
        Self::agreed(all.flat_map(|texts| {
            let lines = texts.0.iter().flat_map(|(file, lines)| lines.iter().map(move |line| (file, line)));
            lines.map(|(file, (line, text))| ((&**file, *line), Some(*text)))
        }))
    }

    /// The lines of which all have the same text.
    fn agreed<'a>(told: impl Iterator<Item = ((&'a str, u32), Option<u32>)>) -> Self {
        let mut first: BTreeMap<(&str, u32), Option<u32>> = BTreeMap::new();
        for (line, text) in told {
            let known = first.entry(line).or_insert(text);
            if *known != text {
                *known = None;
            }
        }
        let mut texts = Self::default();
        for ((file, line), text) in first {
            if let Some(text) = text {
                texts.insert(SourcePlace { file: file.into(), line }, text);
            }
        }
        texts
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of a line.
    pub fn get(&self, place: &SourcePlace) -> Option<u32> {
        self.of_line(&place.file, place.line)
    }

    /// The text of a line of a file.
    pub fn of_line(&self, file: &str, line: u32) -> Option<u32> {
        self.0.get(file)?.get(&line).copied()
    }

    /// Adds the text of a line.
    pub(crate) fn insert(&mut self, place: SourcePlace, text: u32) {
        self.0.entry(place.file).or_default().insert(place.line, text);
    }

    /// Only the lines that are wanted.
    #[must_use]
    pub fn only(mut self, is_wanted: impl Fn(&SourcePlace) -> bool) -> Self {
        for (file, lines) in &mut self.0 {
            lines.retain(|line, _| is_wanted(&SourcePlace { file: file.clone(), line: *line }));
        }
        self.0.retain(|_, lines| !lines.is_empty());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::LineTexts;
    use crate::example::place;

    fn texts(lines: &[(u32, u32)]) -> LineTexts {
        let mut texts = LineTexts::default();
        lines.iter().for_each(|&(line, text)| texts.insert(place(line), text));
        texts
    }

    #[test]
    fn ledgers_of_one_build_tell_what_none_of_them_denies() {
        let all = [texts(&[(1, 5), (2, 6)]), texts(&[(2, 7), (3, 8)]), texts(&[(2, 6)])];
        let merged = LineTexts::merged(all.iter());
        assert_eq!(merged, texts(&[(1, 5), (3, 8)]));
        assert_eq!(merged.only(|place| place.line > 1), texts(&[(3, 8)]));
        assert!(LineTexts::merged([].into_iter()).is_empty());
    }
}

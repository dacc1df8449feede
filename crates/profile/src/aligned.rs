//! Which lines of two ledgers are one line of the source?
//!
//! A comment that is inserted moves all numbers below it. So lines are aligned by what tells them apart:
//!
//! - the lines of a function whose body is the same in both, by their distance from its first line, where
//!   these distances are the same in both;
//! - those of a file of Rust's library, by number: its name says of which commit it is;
//! - else what is written on them (hashes, [`LineTexts`]), in the order of the file: an edit script of
//!   *patience* (Cohen; the crate `similar`), in which lines that stand once on each side come first;
//! - within a function of both what is left, for a function may have moved to another place or file.
//!
//! Few lines that were replaced by as many are these, rewritten. One line that became several, or the
//! other way round, is a group: its cost compares as a whole. What no text tells is not guessed: such
//! lines are *blind*, and they say which ledger does not tell.
//!
//! Input: two ledgers and the functions that are one. Output: [`Aligned`]. Cost: lines * log lines, and
//! the edit script. Limits: two texts of one hash are taken for one. A macro's lines are one line.

use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::joined::Joined;
use crate::{Column, Ledger, LineTexts, SourcePlace, Subject};

/// As many lines that were replaced by as many are taken for these, rewritten.
const REWRITTEN: usize = 3;

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: u32,
}

impl At<'_> {
    /// As ledgers have it.
    pub(crate) fn place(self) -> SourcePlace {
        SourcePlace { file: self.file.into(), line: self.line }
    }
}

impl<'a> From<&'a SourcePlace> for At<'a> {
    fn from(place: &'a SourcePlace) -> Self {
        Self { file: &place.file, line: place.line }
    }
}

/// A function of both ledgers.
pub(crate) struct Twin<'a> {
    pub(crate) before: Start<'a>,
    pub(crate) after: Start<'a>,
    /// Whether its body is the same in both.
    pub(crate) has_one_body: bool,
}

/// Where a function of one ledger is written.
pub(crate) struct Start<'a> {
    pub(crate) key: &'a Joined,
    pub(crate) at: At<'a>,
}

/// A line of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair<'a> {
    pub(crate) after: At<'a>,
    /// Whether it has another text now.
    pub(crate) is_rewritten: bool,
}

/// Lines of one ledger in the other.
#[derive(Default)]
pub(crate) struct Aligned<'a> {
    /// Lines of both, by what they were before.
    pub(crate) pairs: BTreeMap<At<'a>, Pair<'a>>,
    /// The lines that are paired, as they are now.
    now: BTreeSet<At<'a>>,
    /// One line that became several, or several that became one: the group of each line before, and
    /// of each line now.
    groups: [BTreeMap<At<'a>, usize>; 2],
    /// Files with lines that cannot be aligned, and whether each ledger has texts of its lines there.
    pub(crate) blind: BTreeMap<&'a str, [bool; 2]>,
}

/// What is compared as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit<'a> {
    /// A line as it is now.
    Line(At<'a>),
    /// A line that is no more.
    Removed(At<'a>),
    /// A group of lines.
    Group(usize),
    /// A line that may be any other of its file.
    Blind(At<'a>),
}

/// What one ledger says of lines.
struct Source<'a> {
    texts: &'a LineTexts,
    /// Lines with a cost, by file.
    lines: BTreeMap<&'a str, BTreeSet<u32>>,
    /// Lines of functions; none in ledgers of schema 2.
    lines_of: BTreeMap<Joined, BTreeSet<At<'a>>>,
    /// First lines of functions, by file.
    starts: BTreeMap<&'a str, BTreeSet<u32>>,
}

/// Aligns the lines of two ledgers.
pub(crate) fn align<'a>(before: &'a Ledger, after: &'a Ledger, twins: &[Twin<'a>]) -> Aligned<'a> {
    let (before, after) = (Source::of(before), Source::of(after));
    let mut aligned = Aligned::default();
    aligned.same_files(&before, &after);
    aligned.same_bodies(&before, &after, twins);
    let (sources, functions) =
        ([&before, &after], |twin: &Twin<'a>| [before.own(&twin.before), after.own(&twin.after)]);
    let files: Vec<[Vec<At<'a>>; 2]> = before.in_both(&after).collect();
    files.iter().for_each(|lines| aligned.by_text(sources, lines.clone(), Rewritten::Left));
    twins.iter().for_each(|twin| aligned.by_text(sources, functions(twin), Rewritten::Left));
    // What has its line elsewhere is not taken for one that was rewritten.
    twins.iter().for_each(|twin| aligned.by_text(sources, functions(twin), Rewritten::Paired));
    files.into_iter().for_each(|lines| aligned.by_text(sources, lines, Rewritten::Paired));
    aligned.find_blind(&before, &after);
    aligned
}

/// What becomes of lines that an edit script replaces by others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rewritten {
    Paired,
    Left,
}

impl<'a> Source<'a> {
    fn of(ledger: &'a Ledger) -> Self {
        let mut source = Self {
            texts: &ledger.about.texts,
            lines: BTreeMap::new(),
            lines_of: BTreeMap::new(),
            starts: BTreeMap::new(),
        };
        for fact in ledger.facts().iter().filter(|fact| fact.column == Column::Instructions) {
            match &fact.subject {
                Subject::Line(place) => drop(source.lines.entry(&place.file).or_default().insert(place.line)),
                Subject::FunctionLine { function, place } => {
                    source.lines_of.entry(Joined::of(function)).or_default().insert(place.into());
                }
                Subject::Function { place: Some(place), .. } => {
                    source.starts.entry(&place.file).or_default().insert(place.line);
                }
                _ => {}
            }
        }
        source
    }

    /// The lines of a function from its first one on, up to the next function of the file. What is
    /// inlined into it from elsewhere is not among them.
    fn own(&self, start: &Start<'a>) -> Vec<At<'a>> {
        let At { file, line } = start.at;
        let behind = self.starts.get(file).and_then(|all| all.range(line + 1..).next());
        let end = behind.copied().unwrap_or(u32::MAX);
        let of_function = self.lines_of.get(start.key);
        let is_own = |at: &At<'a>| of_function.is_none_or(|lines| lines.contains(at));
        let here = self.lines.get(file).into_iter().flat_map(|lines| lines.range(line..end));
        here.map(|&line| At { file, line }).filter(is_own).collect()
    }

    /// The lines of each file of both, before and after.
    fn in_both<'b>(&'b self, after: &'b Self) -> impl Iterator<Item = [Vec<At<'a>>; 2]> + 'b {
        self.lines.iter().filter_map(|(&file, lines)| {
            let now = after.lines.get(file)?;
            Some([lines, now].map(|lines| lines.iter().map(|&line| At { file, line }).collect()))
        })
    }

    fn text(&self, at: At<'_>) -> Option<u32> {
        self.texts.of_line(at.file, at.line)
    }
}

impl<'a> Aligned<'a> {
    /// What a line of the first ledger is compared as.
    pub(crate) fn unit_before(&self, at: At<'a>) -> Unit<'a> {
        match (self.pairs.get(&at), self.groups[0].get(&at)) {
            (Some(pair), _) => Unit::Line(pair.after),
            (None, Some(&group)) => Unit::Group(group),
            (None, None) if self.blind.contains_key(at.file) => Unit::Blind(at),
            (None, None) => Unit::Removed(at),
        }
    }

    /// What a line of the second ledger is compared as.
    pub(crate) fn unit_after(&self, at: At<'a>) -> Unit<'a> {
        match self.groups[1].get(&at) {
            Some(&group) => Unit::Group(group),
            None if !self.now.contains(&at) && self.blind.contains_key(at.file) => Unit::Blind(at),
            None => Unit::Line(at),
        }
    }

    /// What a line of the first ledger is now.
    fn after(&self, before: At<'a>) -> Option<At<'a>> {
        self.pairs.get(&before).map(|pair| pair.after)
    }

    /// Whether a line of the second ledger is one of the first, too.
    pub(crate) fn is_paired(&self, now: At<'a>) -> bool {
        self.now.contains(&now)
    }

    fn pair(&mut self, before: At<'a>, pair: Pair<'a>) {
        self.pairs.insert(before, pair);
        self.now.insert(pair.after);
    }

    /// Pairs lines of files whose name says what is in them, by number.
    fn same_files(&mut self, before: &Source<'a>, after: &Source<'a>) {
        for (file, lines) in before.lines.iter().filter(|(file, _)| is_fixed(file)) {
            for line in after.lines.get(file).into_iter().flat_map(|now| now.intersection(lines)) {
                let at = At { file, line: *line };
                self.pair(at, Pair { after: at, is_rewritten: false });
            }
        }
    }

    /// Pairs lines of functions whose bodies are one, by their distance from the first line.
    fn same_bodies(&mut self, before: &Source<'a>, after: &Source<'a>, twins: &[Twin<'a>]) {
        let mut forth: BTreeMap<At<'a>, BTreeSet<At<'a>>> = BTreeMap::new();
        let mut back: BTreeMap<At<'a>, BTreeSet<At<'a>>> = BTreeMap::new();
        for twin in twins.iter().filter(|twin| twin.has_one_body) {
            let (lines, now) = (before.own(&twin.before), after.own(&twin.after));
            let distances = |lines: &[At<'a>], start: At<'a>| -> Vec<u32> {
                lines.iter().map(|at| at.line - start.line).collect()
            };
            if distances(&lines, twin.before.at) != distances(&now, twin.after.at) {
                continue;
            }
            for (line, now) in lines.into_iter().zip(now) {
                forth.entry(line).or_default().insert(now);
                back.entry(now).or_default().insert(line);
            }
        }
        for (line, now) in forth {
            // A line that two functions put to two places is left to its text.
            let [after_line] = Vec::from_iter(now)[..] else { continue };
            if back[&after_line].len() == 1 && !self.pairs.contains_key(&line) {
                let texts = before.text(line).zip(after.text(after_line));
                let is_rewritten = texts.is_some_and(|(was, is)| was != is);
                self.pair(line, Pair { after: after_line, is_rewritten });
            }
        }
    }

    /// Pairs lines by what is written on them, in their order; lines that are paired already hold
    /// the order of the others.
    fn by_text(&mut self, sources: [&Source<'a>; 2], lines: [Vec<At<'a>>; 2], rewritten: Rewritten) {
        let [mut before, mut after] = lines;
        before.retain(|at| !self.groups[0].contains_key(at));
        after.retain(|at| !self.groups[1].contains_key(at));
        let token_before = |at: &At<'a>, aligned: &Self| match aligned.after(*at) {
            Some(after) => Some(Token::Paired(after)),
            None => sources[0].text(*at).map(Token::Text),
        };
        let token_after = |at: &At<'a>, aligned: &Self| match aligned.is_paired(*at) {
            true => Some(Token::Paired(*at)),
            false => sources[1].text(*at).map(Token::Text),
        };
        let was: Vec<Token<'_>> = before.iter().filter_map(|at| token_before(at, self)).collect();
        let is: Vec<Token<'_>> = after.iter().filter_map(|at| token_after(at, self)).collect();
        before.retain(|at| token_before(at, self).is_some());
        after.retain(|at| token_after(at, self).is_some());
        for step in capture_diff_slices(Algorithm::Patience, &was, &is) {
            match step {
                DiffOp::Equal { old_index, new_index, len } => {
                    for at in 0..len {
                        let after = after[new_index + at];
                        if matches!(is[new_index + at], Token::Text(_)) {
                            self.pair(before[old_index + at], Pair { after, is_rewritten: false });
                        }
                    }
                }
                DiffOp::Replace { old_index, old_len, new_index, new_len }
                    if rewritten == Rewritten::Paired =>
                {
                    let (old, new) =
                        (&before[old_index..old_index + old_len], &after[new_index..new_index + new_len]);
                    self.rewritten(old, new);
                }
                DiffOp::Replace { .. } | DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
            }
        }
    }

    /// Lines that an edit script replaces by others.
    fn rewritten(&mut self, before: &[At<'a>], after: &[At<'a>]) {
        let before: Vec<At<'a>> = before.iter().filter(|at| !self.pairs.contains_key(at)).copied().collect();
        let after: Vec<At<'a>> = after.iter().filter(|&&at| !self.is_paired(at)).copied().collect();
        match (before.len(), after.len()) {
            (0, _) | (_, 0) => {}
            (old, new) if old == new && old <= REWRITTEN => {
                for (line, after) in before.into_iter().zip(after) {
                    self.pair(line, Pair { after, is_rewritten: true });
                }
            }
            (1, _) | (_, 1) => {
                let group = self.groups[0].len();
                self.groups[0].extend(before.into_iter().map(|at| (at, group)));
                self.groups[1].extend(after.into_iter().map(|at| (at, group)));
            }
            _ => {}
        }
    }

    /// Finds files with lines that are in no pair or group, where some text is not known.
    fn find_blind(&mut self, before: &Source<'a>, after: &Source<'a>) {
        for (file, lines) in &before.lines {
            let Some(now) = after.lines.get(file).filter(|_| !is_fixed(file)) else { continue };
            let at = |&line: &u32| At { file, line };
            let is_left = |at: &At<'a>| !self.pairs.contains_key(at) && !self.groups[0].contains_key(at);
            let is_new = |at: &At<'a>| !self.is_paired(*at) && !self.groups[1].contains_key(at);
            let lines: Vec<At<'a>> = lines.iter().map(at).filter(is_left).collect();
            let now: Vec<At<'a>> = now.iter().map(at).filter(is_new).collect();
            // Where each line of one side has its line on the other, the others are gone or new.
            if lines.is_empty() || now.is_empty() {
                continue;
            }
            let tells = [
                lines.iter().all(|&at| before.text(at).is_some()),
                now.iter().all(|&at| after.text(at).is_some()),
            ];
            if tells != [true, true] {
                self.blind.insert(file, tells);
            }
        }
    }
}

/// What lines are compared by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Token<'a> {
    /// Paired already, with this line of the second ledger.
    Paired(At<'a>),
    /// Hash of what is written on it.
    Text(u32),
}

/// Whether a file's name says what is in it: those of Rust's library, by the commit that it is of.
fn is_fixed(file: &str) -> bool {
    const DIGITS: usize = 40;
    let commit = file.split_once("/rustc/").and_then(|(_, behind)| behind.split_once('/'));
    commit.is_some_and(|(commit, _)| {
        commit.len() == DIGITS && commit.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

#[cfg(test)]
#[path = "aligned_tests.rs"]
mod tests;

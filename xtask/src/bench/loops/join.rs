//! Row beside row: what both say of one loop, and how often which is said.
//!
//! A row of ours belongs to the row of LLVM's with the same function and header
//! block. Where LLVM sees a vector body and the loop for what is left over, we
//! may see one source loop: such a row of LLVM's is also satisfied by ours of
//! the same function and line. Every row of LLVM's is counted once for each
//! side, so the columns of both add up to the same loops; what only we see
//! (regions without a header) is counted beside.

use super::ceiling::Ceiling;
use super::row::{Kind, Row};
use super::verify::Verified;
use std::collections::HashMap;

/// How many loops have an answer of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally([usize; 5]);

impl Tally {
    pub(super) fn add(&mut self, kind: Kind) {
        self.0[kind as usize] += 1;
    }

    pub(super) fn of(&self, kind: Kind) -> usize {
        self.0[kind as usize]
    }

    pub(super) fn loops(&self) -> usize {
        self.0.iter().sum()
    }

    pub(super) fn exact(&self) -> usize {
        Kind::ALL.into_iter().filter(|kind| kind.is_exact()).map(|kind| self.of(kind)).sum()
    }

    /// Numbers and formulas over named inputs.
    pub(super) fn resolved(&self) -> usize {
        self.of(Kind::Constant) + self.of(Kind::Inputs)
    }
}

/// One set at one level, both sides.
#[derive(Debug, Clone, Default)]
pub(super) struct Comparison {
    pub(super) theirs: Tally,
    /// None while opcost does not answer.
    pub(super) ours: Option<Tally>,
    /// Ours, of the loops for which LLVM has no exact count.
    pub(super) where_theirs_fails: Tally,
    /// Loops for which LLVM has no exact count.
    pub(super) their_failures: usize,
    /// Loops of these that hang on data, as the list of them says.
    pub(super) by_data: usize,
    /// Rows of ours that LLVM has no loop for.
    pub(super) only_ours: usize,
    /// LLVM has an exact count, we have nothing.
    pub(super) misses: Vec<String>,
    /// LLVM has an exact count, we have a bound.
    pub(super) weaker: Vec<String>,
    /// We have an exact count of a loop that is listed as hanging on data: one of
    /// the two is a mistake.
    pub(super) surprising: Vec<String>,
    /// Both have a number, and not the same.
    pub(super) disagreements: Vec<String>,
    pub(super) verified: Verified,
}

impl Comparison {
    pub(super) fn new(has_ours: bool) -> Self {
        Self { ours: has_ours.then(Tally::default), ..Self::default() }
    }

    /// Adds one program.
    pub(super) fn add(&mut self, program: &str, theirs: &[Row], ours: Option<&[Row]>, ceiling: &Ceiling) {
        let index = ours.map(Index::of);
        for their in theirs {
            self.theirs.add(their.kind);
            if !their.kind.is_exact() {
                self.their_failures += 1;
                self.by_data += usize::from(ceiling.has(their));
            }
            if let Some(index) = &index {
                let our = index.partner(their);
                self.add_pair(program, their, our);
                let is_exact = our.is_some_and(|(row, _)| row.kind.is_exact());
                if is_exact && !their.kind.is_exact() && ceiling.has(their) {
                    self.surprising.push(format!("{program}: {}", their.location()));
                }
            }
        }
        if let Some(ours) = ours {
            let known: std::collections::HashSet<(&str, Option<u32>)> =
                theirs.iter().map(|row| (row.function.as_str(), row.header)).collect();
            self.only_ours +=
                ours.iter().filter(|row| !known.contains(&(row.function.as_str(), row.header))).count();
        }
    }

    fn add_pair(&mut self, program: &str, their: &Row, our: Option<(&Row, bool)>) {
        let kind = our.map_or(Kind::Unknown, |(row, _)| row.kind);
        if let Some(tally) = &mut self.ours {
            tally.add(kind);
        }
        if !their.kind.is_exact() {
            self.where_theirs_fails.add(kind);
            return;
        }
        let words = match our {
            Some((row, _)) if row.words.is_empty() => "no reason given",
            Some((row, _)) => row.words.as_str(),
            None => "no such row",
        };
        match kind {
            Kind::Unknown => self.misses.push(format!("{program}: {}: {words}", their.location())),
            Kind::Bound => self.weaker.push(format!("{program}: {}: {words}", their.location())),
            _ => {}
        }
        if let (Some(number), Some((row, true))) = (their.back_edges, our)
            && row.back_edges.is_some_and(|ours| ours != number)
        {
            let ours = row.back_edges.unwrap_or_default();
            self.disagreements.push(format!("{program}: {}: LLVM {number}, opcost {ours}", their.location()));
        }
    }
}

/// Our rows by what LLVM's can be joined to.
struct Index<'a> {
    by_header: HashMap<(&'a str, u32), &'a Row>,
    by_line: HashMap<(&'a str, u32), &'a Row>,
}

impl<'a> Index<'a> {
    fn of(rows: &'a [Row]) -> Self {
        let mut index = Self { by_header: HashMap::new(), by_line: HashMap::new() };
        for row in rows {
            if let Some(header) = row.header {
                index.by_header.insert((&row.function, header), row);
            }
            if row.line > 0 {
                index.by_line.entry((&row.function, row.line)).or_insert(row);
            }
        }
        index
    }

    /// Our row, and whether it is of the very same loop.
    fn partner(&self, their: &Row) -> Option<(&'a Row, bool)> {
        let header = their.header?;
        if let Some(row) = self.by_header.get(&(their.function.as_str(), header)) {
            return Some((row, true));
        }
        let same_line = self.by_line.get(&(their.function.as_str(), their.line))?;
        their.is_vectorized.then_some((*same_line, false))
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::example as row;
    use super::*;

    fn compare(theirs: &[Row], ours: &[Row]) -> Comparison {
        let mut comparison = Comparison::new(true);
        comparison.add("p", theirs, Some(ours), &Ceiling::default());
        comparison
    }

    #[test]
    fn rows_are_joined_by_function_and_header() {
        let theirs = [
            row(1, Kind::Constant, Some(4)),
            row(2, Kind::Loads, None),
            row(3, Kind::Unknown, None),
            row(4, Kind::Bound, None),
        ];
        let ours = [
            row(4, Kind::Bound, None),
            row(3, Kind::Inputs, None),
            row(2, Kind::Constant, Some(9)),
            row(1, Kind::Constant, Some(4)),
        ];
        let comparison = compare(&theirs, &ours);
        assert_eq!((comparison.theirs.exact(), comparison.theirs.resolved()), (2, 1));
        let tally = comparison.ours.unwrap();
        assert_eq!((tally.exact(), tally.resolved(), tally.loops()), (3, 3, 4));
        assert_eq!(comparison.their_failures, 2);
        assert_eq!(comparison.where_theirs_fails.of(Kind::Inputs), 1);
        assert!(comparison.misses.is_empty() && comparison.disagreements.is_empty());
    }

    #[test]
    fn what_llvm_knows_and_we_do_not_is_listed() {
        let theirs = [row(1, Kind::Constant, Some(4)), row(2, Kind::Loads, None), row(3, Kind::Inputs, None)];
        let mut unknown = row(1, Kind::Unknown, None);
        unknown.words = "a call".to_owned();
        let comparison = compare(&theirs, &[unknown, row(3, Kind::Bound, None)]);
        assert_eq!(
            comparison.misses,
            ["p: a.c:10 in f, block 1: a call", "p: a.c:20 in f, block 2: no such row"]
        );
        assert_eq!(comparison.weaker, ["p: a.c:30 in f, block 3: no reason given"]);
        assert_eq!(comparison.ours.unwrap().of(Kind::Unknown), 2);
    }

    #[test]
    fn two_numbers_must_be_one() {
        let theirs = [row(1, Kind::Constant, Some(4))];
        let comparison = compare(&theirs, &[row(1, Kind::Constant, Some(5))]);
        assert_eq!(comparison.disagreements, ["p: a.c:10 in f, block 1: LLVM 4, opcost 5"]);
    }

    #[test]
    fn a_vector_body_may_be_told_with_its_source_loop() {
        let mut vector = row(7, Kind::Constant, Some(15));
        vector.is_vectorized = true;
        vector.line = 10;
        let ours = [row(1, Kind::Constant, Some(63))];
        let comparison = compare(std::slice::from_ref(&vector), &ours);
        assert!(comparison.misses.is_empty() && comparison.disagreements.is_empty());
        assert_eq!((comparison.ours.unwrap().of(Kind::Constant), comparison.only_ours), (1, 1));
        vector.is_vectorized = false;
        assert_eq!(compare(&[vector], &ours).misses.len(), 1);
    }

    #[test]
    fn an_exact_count_of_a_loop_by_data_is_a_surprise() {
        let ceiling = Ceiling::parse("a.c:10 a search").unwrap();
        let mut comparison = Comparison::new(true);
        let theirs = [row(1, Kind::Unknown, None), row(2, Kind::Unknown, None)];
        let ours = [row(1, Kind::Inputs, None), row(2, Kind::Inputs, None)];
        comparison.add("p", &theirs, Some(&ours), &ceiling);
        assert_eq!(comparison.surprising, ["p: a.c:10 in f, block 1"]);
        assert_eq!((comparison.by_data, comparison.their_failures), (1, 2));
    }

    #[test]
    fn without_ours_only_theirs_is_counted() {
        let mut comparison = Comparison::new(false);
        comparison.add("p", &[row(1, Kind::Loads, None)], None, &Ceiling::default());
        assert_eq!((comparison.theirs.loops(), comparison.ours), (1, None));
        assert!(comparison.misses.is_empty());
    }
}

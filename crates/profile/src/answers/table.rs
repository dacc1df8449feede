//! All answers of a ledger that are no counts, by what they are about.
//!
//! Rows are a set: one that is there already is not there twice, and the order in which they
//! came does not matter, so equal answers are equal files. One thing may have several answers
//! to one question: a formula, and a number that is not less; what was foretold, and what a
//! run did. Cost: rows * log rows to make, log rows to find those of a key.

use std::collections::{BTreeMap, BTreeSet};

use opcost_key::Key;

use super::AnswerRow;

/// Rows that are no counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    rows: BTreeMap<Key, BTreeSet<AnswerRow>>,
}

impl Answers {
    /// Adds a row, if it is not there yet. A line is its own place.
    pub fn push(&mut self, mut row: AnswerRow) {
        row.place = row.place.filter(|_| !matches!(row.key, Key::Line(..)));
        if let Some(rows) = self.rows.get_mut(&row.key) {
            rows.insert(row);
        } else {
            self.rows.insert(row.key.clone(), BTreeSet::from([row]));
        }
    }

    /// What is said of a thing, by question.
    pub fn of(&self, key: &Key) -> impl Iterator<Item = &AnswerRow> + use<'_> {
        self.rows.get(key).into_iter().flatten()
    }

    /// The things of which anything is said, in order.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.rows.keys()
    }

    /// All rows, by key, then by question.
    pub fn iter(&self) -> impl Iterator<Item = &AnswerRow> {
        self.rows.values().flatten()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.values().map(BTreeSet::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Extend<AnswerRow> for Answers {
    fn extend<T: IntoIterator<Item = AnswerRow>>(&mut self, rows: T) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

impl FromIterator<AnswerRow> for Answers {
    fn from_iter<T: IntoIterator<Item = AnswerRow>>(rows: T) -> Self {
        let mut answers = Answers::default();
        answers.extend(rows);
        answers
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::example::{row, sample_rows};
    use super::Answers;

    #[test]
    fn answers_are_found_by_what_they_are_about() {
        let rows = sample_rows();
        let answers: Answers = rows.iter().cloned().collect();
        assert_eq!(answers.len(), rows.len());
        let key = "@main:loop3".parse().unwrap();
        let told: Vec<String> = answers.of(&key).map(|row| row.column.to_string()).collect();
        assert_eq!(told, ["back-edges", "iterations", "iterations", "entered-if"]);
        assert!(answers.of(&"@main:loop4".parse().unwrap()).next().is_none());
        assert!(answers.keys().any(|one| *one == key) && !answers.is_empty());
    }

    proptest! {
        #[test]
        fn rows_are_a_set(rows in prop::collection::vec(row(), 0..8)) {
            let answers: Answers = rows.iter().cloned().collect();
            let twice: Answers = rows.iter().rev().chain(&rows).cloned().collect();
            prop_assert_eq!(&answers, &twice);
            prop_assert!(rows.iter().all(|row| answers.of(&row.key).any(|other| other == row)));
        }
    }
}

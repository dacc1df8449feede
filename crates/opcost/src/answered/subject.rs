//! What is one row about, and what have all rows about it in common?
//!
//! A [`RowSubject`] is a key with its place, what answers about it rest on and how they were had; a
//! question and what is known make a row of it. Cost: the assumptions, once a row.

use std::collections::BTreeSet;
use std::sync::Arc;

use opcost_key::Key;
use opcost_profile::{
    Answer, AnswerColumn, AnswerRow, AnswerState, Assumption, Certainty, Origin, SourcePlace, World,
};

/// What rows are about.
pub(super) struct RowSubject<'a> {
    pub(super) key: &'a Key,
    pub(super) location: Option<SourcePlace>,
    pub(super) rests: BTreeSet<Assumption>,
    pub(super) origin: Origin,
    pub(super) world: World,
}

impl RowSubject<'_> {
    /// What is known of one question.
    pub(super) fn row(&self, column: AnswerColumn, known: AnswerState) -> AnswerRow {
        AnswerRow {
            key: self.key.clone(),
            column,
            assumptions: if matches!(known, AnswerState::Nothing(_)) {
                BTreeSet::new()
            } else {
                self.rests.clone()
            },
            state: known,
            origin: self.origin,
            world: self.world,
            place: self.location.clone(),
        }
    }

    /// A number that is known.
    pub(super) fn number(&self, column: AnswerColumn, number: u64, certainty: Certainty) -> AnswerRow {
        self.row(column, AnswerState::Answer(Answer::Number(number.into()), certainty))
    }
}

/// A line of a file, where both are known.
pub(super) fn location(file: Option<&str>, line: Option<u32>) -> Option<SourcePlace> {
    let line = line.filter(|&line| line > 0)?;
    Some(SourcePlace { file: Arc::from(file?), line })
}

/// The world by its word; what is not known to be closed is open.
pub(super) fn world(word: &str) -> World {
    word.parse().unwrap_or(World::Open)
}

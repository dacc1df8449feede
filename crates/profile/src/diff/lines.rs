//! Which lines of the source cost more or less than before?
//!
//! Lines that are one (`aligned`) compare; others are gone or new. Of a file where that cannot be told,
//! lines that are no pairs are left out, and the file is named, unless nothing differs in it.
//! Cost: log lines for each. Limit: a line that costs as much as before is not listed, whatever stands
//! on it now.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::change::CountChange;
use crate::aligned::{Aligned, At, Unit};
use crate::{Column, Ledger, SourcePlace, Subject};

/// One line before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineDiff {
    /// Where it was; `None`: it is new.
    pub before: Option<SourcePlace>,
    /// Where it is; `None`: it was removed.
    pub after: Option<SourcePlace>,
    /// Whether it has another text now.
    pub is_rewritten: bool,
    /// What it cost.
    pub instructions: CountChange,
}

/// A file with lines that differ and cannot be aligned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UnalignedJson")]
pub struct UnalignedFile {
    /// Its name.
    pub file: String,
    /// How many of its lines, as it is now, may be any lines before.
    pub lines: usize,
    /// Whether the first ledger has the text of such lines.
    #[serde(rename = "before_tells")]
    pub before_has_text: bool,
    /// Whether the second does.
    #[serde(rename = "after_tells")]
    pub after_has_text: bool,
}

type Costs<'a> = BTreeMap<At<'a>, u128>;

/// The lines whose cost differs, by file and number; and files of which more lines may.
pub(super) fn differing_lines(
    before: &Ledger,
    after: &Ledger,
    aligned: &Aligned<'_>,
) -> (Vec<LineDiff>, Vec<UnalignedFile>) {
    let (mut before, mut after) = (costs(before), costs(after));
    let mut lines = Vec::new();
    for (&was, pair) in &aligned.pairs {
        let instructions = CountChange { before: before.remove(&was), after: after.remove(&pair.after) };
        let (before, after) = (Some(was.place()), Some(pair.after.place()));
        lines.push(LineDiff { before, after, is_rewritten: pair.is_rewritten, instructions });
    }
    let mut unaligned = Vec::new();
    for (&file, &[before_tells, after_tells]) in &aligned.blind {
        let is_blind = |unit: Unit<'_>| matches!(unit, Unit::Blind(at) if at.file == file);
        let was: Costs<'_> = before.extract_if(.., |at, _| is_blind(aligned.unit_before(*at))).collect();
        let is: Costs<'_> = after.extract_if(.., |at, _| is_blind(aligned.unit_after(*at))).collect();
        // Where nothing differs, it does not matter which line is which.
        if was != is {
            let file = file.to_owned();
            unaligned.push(UnalignedFile {
                file,
                lines: is.len(),
                before_has_text: before_tells,
                after_has_text: after_tells,
            });
        }
    }
    lines.extend(before.into_iter().map(|(at, cost)| LineDiff {
        before: Some(at.place()),
        after: None,
        is_rewritten: false,
        instructions: CountChange { before: Some(cost), after: None },
    }));
    lines.extend(after.into_iter().map(|(at, cost)| LineDiff {
        before: None,
        after: Some(at.place()),
        is_rewritten: false,
        instructions: CountChange { before: None, after: Some(cost) },
    }));
    lines.retain(LineDiff::differs);
    lines.sort_by(|one, other| one.place().cmp(&other.place()));
    (lines, unaligned)
}

fn costs(ledger: &Ledger) -> Costs<'_> {
    let mut sums = Costs::new();
    for fact in ledger.facts().iter().filter(|fact| fact.column == Column::Instructions) {
        if let (Subject::Line(place), Some(value)) = (&fact.subject, fact.value) {
            *sums.entry(place.into()).or_default() += u128::from(value);
        }
    }
    sums
}

impl LineDiff {
    /// Where it is; of one that was removed, where it was.
    pub fn place(&self) -> Option<&SourcePlace> {
        self.after.as_ref().or(self.before.as_ref())
    }

    fn differs(&self) -> bool {
        self.instructions.before.unwrap_or(0) != self.instructions.after.unwrap_or(0)
    }
}

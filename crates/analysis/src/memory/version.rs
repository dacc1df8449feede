//! What is a version of a place in memory?
//!
//! The place, where the version begins, and what began it. Data only: `web` finds where
//! versions begin, and `webs` numbers those that are read.

use opcost_index::Id;
use opcost_ir::Value;
use opcost_key::InstructionId;

use super::forms::{PlaceId, Point};
use super::verdicts::Reasons;

/// A version of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// The place.
    pub place: PlaceId,
    /// Where it begins.
    pub point: Point,
    /// What it is.
    pub is: Definition,
    pub position: u32,
    /// What it rests on that no write in between changes it.
    pub reasons: Reasons,
}

impl Version {
    /// The first instruction that sees it.
    pub(super) fn first(&self) -> InstructionId {
        InstructionId::new(self.position as usize)
    }

    /// The promises that it rests on, in words.
    pub(super) fn relies_on(&self) -> &'static [&'static str] {
        self.reasons.words()
    }
}

/// Where a version comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// A store of this value to exactly this place.
    Stored(InstructionId, Value),
    /// Versions meet.
    Merge,
    /// What was there when the function was entered.
    Entry,
    /// Written by this instruction, perhaps, and not by a store to exactly here.
    Changed(InstructionId),
    /// Another place from here on: what names it is defined anew.
    Renewed,
    /// Memory that was made here and not written yet.
    Undefined,
}

//! What is to be added to a module so that it adds up what is predicted of it? A list of edits.
//!
//! A *charge* is an amount of predicted instructions. It is constant, or follows from the back edges that a
//! formula gives where a loop is entered. Amounts have 128 bits. What no guess is part of is exact, in whole
//! instructions. All else is an estimate, in parts of [`ESTIMATE_PARTS`].
//!
//! Loops are points, as in a recording, and so are constants. What a formula needs is noted by the edits of a
//! recording. Ids are those of the snapshot; edits at one place happen in the order of the list.

use opcost_index::IdMap;
use opcost_key::FunctionId;

use crate::{CheckStep, EditPoint, PointId, RecordEdit};

/// Parts of an instruction in which estimates are given.
pub const ESTIMATE_PARTS: u64 = 1 << 16;

/// All changes to one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charging {
    /// What is charged.
    pub charges: IdMap<PointId, ChargeAmount>,
    /// Changes to function bodies, by function.
    pub edits: Vec<(FunctionId, ChargeEdit)>,
}

/// What is charged each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeAmount {
    /// The function that it is part of.
    pub function: FunctionId,
    /// How often a loop goes back, from what is noted where it is entered; none: the charge is constant.
    pub back_edges: Option<Vec<CheckStep>>,
    /// Whether `stay` and `leave` are exact, in instructions; otherwise in parts of one.
    pub is_exact: bool,
    /// Of each iteration that goes back.
    pub stay: u128,
    /// Of the last iteration, or of what is constant and exact.
    pub leave: u128,
    /// What is charged where nothing exact is known or the formula has no number: parts of an instruction.
    pub guess: u128,
    /// Whether code that was charged already may never run from here on.
    pub is_early_end: bool,
}

/// One change to one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargeEdit {
    /// What a formula needs: `Enter`, `Note`, `Hold` and `Iteration` only.
    Prepare(RecordEdit),
    /// The charge is made; of a loop after its `Enter` and the notes at the same place.
    Charge {
        /// Where.
        site: EditPoint,
        /// What.
        point: PointId,
    },
}

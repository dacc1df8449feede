//! What is known of a value, and what does that rest on?
//!
//! A formula with its assumptions, each once; and what a variable of a loop's head is iteration by
//! iteration. All of it is reported once for each of two modes. In [`Mode::Strict`] no flag is
//! believed: the machine goes round whatever was promised. In [`Mode::Trusting`] the result of an
//! instruction with a flag is what it would be without wrapping, and the flag is listed with all
//! that rests on it.

use std::rc::Rc;

use opcost_ir::Value;
use opcost_key::InstructionId;

use super::answer::{Reason, TripAssumption};
use crate::cells::CellVersion;
use crate::expression::FormulaId;

/// What is taken as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    /// No flag.
    Strict,
    /// Every flag.
    Trusting,
}

/// What may change from iteration to iteration: a result, or a cell of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variable {
    Result(InstructionId),
    Cell(CellVersion),
}

/// What comes from one block before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arm {
    Value(Value),
    Cell(CellVersion),
}

/// What something rests on, each thing once.
pub(super) type Relies = Rc<[TripAssumption]>;

/// More than this is not listed; what needs more is not looked into.
const MOST_ASSUMPTIONS: usize = 24;

/// A formula and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) formula: FormulaId,
    pub(super) relies: Relies,
}

impl Known {
    pub(super) fn plain(formula: FormulaId) -> Known {
        Known { formula, relies: Rc::new([]) }
    }
}

/// Both lists, each thing once; none if there are too many.
pub(super) fn both(a: &Relies, b: &Relies) -> Option<Relies> {
    if b.iter().all(|assumption| a.contains(assumption)) {
        return Some(a.clone());
    }
    if a.is_empty() {
        return Some(b.clone());
    }
    let mut all = a.to_vec();
    for assumption in b.iter() {
        if !all.contains(assumption) {
            all.push(*assumption);
        }
    }
    (all.len() <= MOST_ASSUMPTIONS).then(|| all.into())
}

/// What a variable of a loop's head is in iteration number `Turn(loop)`.
#[derive(Clone, Debug)]
pub(super) enum Closed {
    /// Being found out.
    Open,
    /// A formula of the iteration.
    Form {
        /// The value.
        value: Known,
        /// The value read without sign, where that is known better than by wrapping.
        unsigned: Option<FormulaId>,
    },
    /// It has none.
    None(Reason),
}

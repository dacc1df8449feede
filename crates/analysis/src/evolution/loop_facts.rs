//! What is found of a loop? Data of the answers that rest on each other.
//!
//! What holds when it is entered, how often it goes back, and where a simulation came out.

use std::rc::Rc;

use opcost_graph::edge::Edge;
use opcost_ir::Predicate;
use opcost_key::BlockId;

use super::answer::{ExitCount, Form, Otherwise, Reason, TripAssumption};
use super::known::{Known, Relies};
use crate::expression::{Facts, FormulaId};

/// How many conditions a formula is worth that needs none and cannot be read.
const HARD_TO_READ: usize = 3;

/// What holds when a loop is entered, and what that rests on.
#[derive(Clone, Debug)]
pub(super) struct Guards {
    pub(super) facts: Facts,
    pub(super) relies: Relies,
    /// What the facts were made of.
    pub(super) comparisons: Vec<Comparison>,
}

/// A comparison that holds, of values of so many bits.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub(super) predicate: Predicate,
    pub(super) left: FormulaId,
    pub(super) right: FormulaId,
    pub(super) bits: u32,
}

impl Guards {
    pub(super) fn nothing() -> Guards {
        Guards { facts: Facts::new(), relies: Rc::new([]), comparisons: Vec::new() }
    }
}

/// What is known of a loop in one mode, as formulas of what is around it.
#[derive(Clone, Debug)]
pub(super) struct LoopCount {
    /// Back edges: exactly, or at most.
    pub(super) back_edges: Option<FormulaId>,
    /// Iterations of the body, likewise.
    pub(super) body: Option<FormulaId>,
    pub(super) is_exact: bool,
    /// Why it is not exact, or not known at all.
    pub(super) reason: Reason,
    /// Expressed by an inverse modulo 2^bits: right, and hard to read.
    pub(super) is_modular: bool,
    pub(super) relies: Relies,
    pub(super) exits: Vec<ExitCount>,
    pub(super) form: Form,
}

impl LoopCount {
    pub(super) fn unknown(reason: Reason, exits: Vec<ExitCount>, form: Form) -> LoopCount {
        let relies = Vec::new().into();
        LoopCount {
            back_edges: None,
            body: None,
            is_exact: false,
            reason,
            is_modular: false,
            relies,
            exits,
            form,
        }
    }

    fn known(&self) -> Option<Known> {
        let needs_nothing = !self.relies.iter().any(is_condition);
        let formula = self.back_edges.filter(|_| needs_nothing)?;
        Some(Known { formula, relies: self.relies.clone() })
    }

    /// Back edges, if they are exact whatever the symbols are.
    pub(super) fn exact_without_conditions(&self) -> Option<Known> {
        self.known().filter(|_| self.is_exact)
    }

    /// What back edges are at most, whatever the symbols are.
    pub(super) fn most_without_conditions(&self) -> Option<Known> {
        self.known()
    }

    /// How good the answer is: the less, the better.
    pub(super) fn rank(&self) -> (u32, usize, usize, usize) {
        let kind = match (self.back_edges, self.is_exact) {
            (Some(_), true) => 0,
            (Some(_), false) => 1,
            (None, _) => 2,
        };
        let count =
            |wanted: fn(&TripAssumption) -> bool| self.relies.iter().filter(|one| wanted(one)).count();
        let differs = count(|one| matches!(one, TripAssumption::Condition(_, Otherwise::Differs)));
        let endless = count(|one| matches!(one, TripAssumption::Condition(_, Otherwise::Endless)));
        (kind, differs, endless + if self.is_modular { HARD_TO_READ } else { 0 }, self.relies.len())
    }
}

/// Where a simulation came out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walked {
    pub(super) back_edges: u32,
    pub(super) exit: Edge<BlockId>,
    /// Whether numbers with a point were computed.
    pub(super) has_floats: bool,
}

/// Whether a claim rests on conditions besides promises in the code.
pub(super) fn is_condition(assumption: &TripAssumption) -> bool {
    matches!(assumption, TripAssumption::Condition(..))
}

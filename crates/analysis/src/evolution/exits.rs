//! When is a loop left by one of its exits? The first turns put together.
//!
//! A loop that goes on while `a && b` leaves at the first of two, one that goes
//! on while `a || b` when both have failed. Each comparison of integers has a
//! first turn in which it fails ([`leaving`](super::leaving)), or none, or it
//! cannot be told. Cost: the comparisons.

use opcost_ir::{Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::answer::{Assumption, ExitTurn, Reason};
use super::logic::Condition;
use super::solver::{Known, Mode, Relies, Solver, both};
use crate::edge::Edge;
use crate::expression::{FormulaId, Test};
use crate::loops::LoopId;

/// When a group of exits is taken first.
#[derive(Clone, Debug)]
pub(super) struct Leaves {
    /// The first turn in which one of those that are known is taken, if there
    /// were no tests in `at_once`.
    pub(super) turn: Option<FormulaId>,
    /// Exits that are taken in the first turn or never.
    pub(super) at_once: Vec<Test>,
    /// Whether all of them are known.
    pub(super) complete: bool,
    /// Why not.
    pub(super) reason: Option<Reason>,
    /// Told by an inverse modulo 2^bits: right, and hard to read.
    pub(super) is_modular: bool,
    pub(super) relies: Relies,
}

impl Leaves {
    pub(super) fn never() -> Leaves {
        Leaves {
            turn: None,
            at_once: Vec::new(),
            complete: true,
            reason: None,
            is_modular: false,
            relies: Vec::new().into(),
        }
    }

    pub(super) fn unknown(reason: Reason) -> Leaves {
        Leaves { complete: false, reason: Some(reason), ..Leaves::never() }
    }

    fn at(turn: FormulaId, relies: Relies) -> Leaves {
        Leaves { turn: Some(turn), relies, ..Leaves::never() }
    }

    /// What is said of the exit alone.
    pub(super) fn exit_turn(&self) -> ExitTurn {
        match (&self.reason, self.turn, &self.at_once[..]) {
            (Some(reason), ..) => ExitTurn::Unknown(reason.clone()),
            (None, Some(turn), []) => ExitTurn::At(turn),
            (None, None, &[test]) => ExitTurn::FirstIf(test),
            (None, None, []) => ExitTurn::Never,
            _ => ExitTurn::Unknown(Reason::TooBig),
        }
    }
}

/// A comparison that a loop goes on with.
#[derive(Clone, Copy)]
struct Comparison {
    at: InstructionId,
    stays: Predicate,
    sides: [Value; 2],
    bits: u32,
    /// The loop can be left in no other way.
    is_only: bool,
}

impl Solver<'_, '_> {
    /// When an exit of a loop is taken, if its block runs in every turn.
    pub(super) fn leaves(&mut self, exit: Edge<BlockId>, id: LoopId, mode: Mode) -> Leaves {
        let is_only = self.source.forest.loops[id].exits.len() == 1;
        let function = self.source.function;
        let terminator = function.terminator_of(exit.from);
        let operands = function.operands_of(terminator);
        let condition = match function.instructions[terminator].opcode {
            Opcode::Br if operands.len() == 3 => self.condition(operands[0], exit.slot == 0),
            Opcode::Switch => self.switch_condition(terminator, exit),
            _ => Condition::Unknown(Reason::NoComparison(terminator)),
        };
        self.leaves_by(&condition, id, mode, is_only)
    }

    /// `is_only`: the loop can be left in no other way.
    fn leaves_by(&mut self, condition: &Condition, id: LoopId, mode: Mode, is_only: bool) -> Leaves {
        match condition {
            Condition::Always(true) => {
                let zero = self.table.constant(0);
                Leaves::at(zero, Vec::new().into())
            }
            Condition::Always(false) => Leaves::never(),
            Condition::Unknown(reason) => Leaves::unknown(reason.clone()),
            Condition::Any(parts) => {
                let parts: Vec<Leaves> =
                    parts.iter().map(|part| self.leaves_by(part, id, mode, false)).collect();
                parts.into_iter().fold(Leaves::never(), |all, part| self.first_of(all, part))
            }
            Condition::All(parts) => self.leaves_by_all(parts, id, mode),
            Condition::Comparison { at, stays, sides, bits } => {
                let comparison = Comparison { at: *at, stays: *stays, sides: *sides, bits: *bits, is_only };
                self.leaves_by_comparison(comparison, id, mode)
            }
        }
    }

    /// Both groups as one: the loop is left at the first of them.
    pub(super) fn first_of(&mut self, a: Leaves, b: Leaves) -> Leaves {
        let turn = match (a.turn, b.turn) {
            (Some(x), Some(y)) => Some(self.table.least(x, y)),
            (x, y) => x.or(y),
        };
        let Some(relies) = both(&a.relies, &b.relies) else { return Leaves::unknown(Reason::TooBig) };
        let mut at_once = a.at_once;
        at_once.extend(b.at_once);
        at_once.dedup();
        let complete = a.complete && b.complete;
        let is_modular = a.is_modular || b.is_modular;
        Leaves { turn, at_once, complete, reason: a.reason.or(b.reason), is_modular, relies }
    }

    /// The loop is left when all have failed at once. That is told where all
    /// but one are decided before the loop begins.
    fn leaves_by_all(&mut self, parts: &[Condition], id: LoopId, mode: Mode) -> Leaves {
        let mut moving: Option<Leaves> = None;
        let mut tests: Vec<Test> = Vec::new();
        for part in parts {
            let leaves = self.leaves_by(part, id, mode, false);
            match (leaves.complete, leaves.turn, &leaves.at_once[..]) {
                (true, None, []) => return Leaves::never(),
                (true, None, &[test]) if leaves.relies.is_empty() => tests.push(test),
                (true, Some(turn), [])
                    if self.table.as_constant(turn) == Some(0) && self.is_fixed(part, id) => {}
                _ if moving.is_none() => moving = Some(leaves),
                _ => return self.not_told(parts),
            }
        }
        match (moving, &tests[..]) {
            (None, []) => {
                let zero = self.table.constant(0);
                Leaves::at(zero, Vec::new().into())
            }
            (None, &[test]) => Leaves { at_once: vec![test], ..Leaves::never() },
            (Some(leaves), []) => leaves,
            _ => self.not_told(parts),
        }
    }

    /// Whether a condition is the same in every turn.
    fn is_fixed(&mut self, part: &Condition, id: LoopId) -> bool {
        let Condition::Comparison { sides, .. } = part else { return matches!(part, Condition::Always(_)) };
        sides.iter().all(|&side| {
            let raw = self.raw_value(side, Mode::Strict);
            self.varying(raw.formula, id).is_none()
        })
    }

    fn not_told(&self, parts: &[Condition]) -> Leaves {
        let comparison = parts.iter().find_map(|part| match part {
            Condition::Comparison { at, stays, .. } => Some((*at, *stays)),
            _ => None,
        });
        match comparison {
            Some((comparison, stays)) => Leaves::unknown(Reason::NoFirstTurn { comparison, stays }),
            None => Leaves::unknown(Reason::TooBig),
        }
    }

    fn leaves_by_comparison(&mut self, comparison: Comparison, id: LoopId, mode: Mode) -> Leaves {
        let Comparison { at, stays, sides, bits, is_only } = comparison;
        let mut known: Vec<Known> = Vec::with_capacity(2);
        for side in sides {
            let raw = self.raw_value(side, mode);
            match self.at_turn(raw, id, mode, None) {
                Ok(side) => known.push(side),
                Err(reason) => return Leaves::unknown(reason),
            }
        }
        let Some(mut relies) = both(&known[0].relies, &known[1].relies) else {
            return Leaves::unknown(Reason::TooBig);
        };
        let guards = self.guards(id, mode);
        if !guards.relies.is_empty() {
            match both(&relies, &guards.relies) {
                Some(all) => relies = all,
                None => return Leaves::unknown(Reason::TooBig),
            }
        }
        let sides = [known[0].formula, known[1].formula].map(|side| self.table.assuming(side, &guards.facts));
        let turn = self.turn(id);
        let trusts = mode == Mode::Trusting && is_only;
        let mut question = super::leaving::Question { table: self.table, facts: &guards.facts, turn, trusts };
        match question.first_turn(stays, sides[0], sides[1], bits) {
            super::leaving::First::Never => Leaves { relies, ..Leaves::never() },
            super::leaving::First::AtOnceIf(test) => {
                Leaves { at_once: vec![test], relies, ..Leaves::never() }
            }
            super::leaving::First::At { turn, conditions, is_modular } => {
                let turn = self.table.assuming(turn, &guards.facts);
                let conditions: Vec<Assumption> = conditions
                    .into_iter()
                    .map(|(test, otherwise)| Assumption::Condition(test, otherwise))
                    .collect();
                match both(&relies, &conditions.into()) {
                    Some(relies) if !self.table.is_too_big(turn) => {
                        Leaves { is_modular, ..Leaves::at(turn, relies) }
                    }
                    _ => Leaves::unknown(Reason::TooBig),
                }
            }
            super::leaving::First::Unknown => Leaves::unknown(Reason::NoFirstTurn { comparison: at, stays }),
        }
    }
}

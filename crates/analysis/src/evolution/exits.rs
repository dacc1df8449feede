//! When is a loop left by one of its exits? The first iterations put together.
//!
//! A loop that goes on while `a && b` leaves at the first of two, one that goes on while `a || b`
//! when both have failed. Each comparison of integers has a first iteration in which it fails
//! ([`leaving`](super::leaving)), or none, or it cannot be determined; `i < x`, x being a byte that
//! anyone changes, has failed when i is 255. An exit by `!=` whose counter steps over its bound is
//! never taken: next to others it counts where it is met only. Cost: the comparisons.

use opcost_ir::{Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::answer::{ExitTurn, Otherwise, Reason, TripAssumption};
use super::known::{Known, Mode, Relies, both};
use super::leaving_question::{Compared, First, Question};
use super::logic::Condition;
use super::predicates::is_signed;
use super::solver::{Ask, Solver};
use crate::expression::{Domain, FormulaId, Symbol, Test};
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;

/// A limit that is above this says no more than the type of the counter does.
const WIDEST_EXTREME: i128 = 1 << 24;

/// When a group of exits is taken first.
#[derive(Clone, Debug)]
pub(super) struct Leaves {
    /// The first iteration in which one of those that are known is taken, if there were none in
    /// `perhaps`.
    pub(super) turn: Option<FormulaId>,
    /// Exits that are taken in an iteration of their own or never.
    pub(super) perhaps: Vec<Perhaps>,
    /// Whether all of them are known.
    pub(super) complete: bool,
    /// Why not.
    pub(super) reason: Option<Reason>,
    /// Expressed by an inverse modulo 2^bits: right, and hard to read.
    pub(super) is_modular: bool,
    pub(super) relies: Relies,
}

/// An exit that is taken where all tests hold, else never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Perhaps {
    /// None of them depends on the iteration.
    pub(super) tests: Vec<Test>,
    /// The iteration in which it is taken then.
    pub(super) turn: FormulaId,
}

impl Leaves {
    pub(super) fn never() -> Leaves {
        Leaves {
            turn: None,
            perhaps: Vec::new(),
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
        match (&self.reason, self.turn, &self.perhaps[..]) {
            (Some(reason), ..) => ExitTurn::Unknown(reason.clone()),
            (None, Some(turn), []) => ExitTurn::At(turn),
            (None, None, [only]) => ExitTurn::AtIf(only.turn, only.tests.clone()),
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
    domain: Domain,
    /// The loop can be left in no other way.
    is_only: bool,
}

/// A truth value that a loop goes on with, or without.
#[derive(Clone, Copy)]
struct Truth {
    value: Value,
    stays_if: bool,
    /// The loop can be left in no other way.
    is_only: bool,
}

/// Formulas of the iteration that are compared.
struct Sides {
    stays: Predicate,
    sides: [FormulaId; 2],
    domain: Domain,
    relies: Relies,
    is_only: bool,
    /// What is said if there is no first iteration.
    reason: Reason,
}

impl Solver<'_, '_> {
    /// When an exit of a loop is taken, if its block runs in every iteration.
    pub(super) fn leaves(&mut self, exit: Edge<BlockId>, id: LoopId, mode: Mode) -> Leaves {
        let is_only = self.source.forest.loops[id].exits.len() == 1;
        let condition = self.exit_condition(exit);
        self.leaves_by(&condition, id, mode, is_only)
    }

    /// Whether what decides an exit is the same all through an iteration of the loop, though the
    /// exit leads out of a loop inside.
    pub(super) fn is_the_same_inside(&mut self, exit: Edge<BlockId>, id: LoopId, mode: Mode) -> bool {
        let chain: Vec<LoopId> = self.source.forest.chain(self.source.forest.innermost[exit.from]).collect();
        let Some(inside) = chain.into_iter().take_while(|&inner| inner != id).last() else { return true };
        let mut work = vec![self.exit_condition(exit)];
        while let Some(condition) = work.pop() {
            match condition {
                Condition::Any(parts) | Condition::All(parts) => work.extend(parts),
                Condition::Unknown(_) => return false,
                Condition::Always(_) | Condition::Comparison { .. } | Condition::Truth { .. } => {
                    if !self.is_fixed(&condition, inside, mode) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// When an edge out of a block is taken, as what would keep from it.
    pub(super) fn exit_condition(&self, exit: Edge<BlockId>) -> Condition {
        let function = self.source.function;
        let terminator = function.terminator_of(exit.from);
        let operands = function.operands_of(terminator);
        match function.instructions[terminator].opcode {
            Opcode::Br if operands.len() == 3 => self.condition(operands[0], exit.slot == 0),
            Opcode::Switch => self.switch_condition(terminator, exit),
            _ => Condition::Unknown(Reason::NoComparison(terminator)),
        }
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
            Condition::Comparison { at, stays, sides, domain } => {
                let comparison =
                    Comparison { at: *at, stays: *stays, sides: *sides, domain: *domain, is_only };
                self.leaves_by_comparison(comparison, id, mode)
            }
            Condition::Truth { value, stays_if } => {
                let truth = Truth { value: *value, stays_if: *stays_if, is_only };
                self.leaves_by_truth(truth, id, mode)
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
        let mut perhaps = a.perhaps;
        for other in b.perhaps {
            if !perhaps.contains(&other) {
                perhaps.push(other);
            }
        }
        let complete = a.complete && b.complete;
        let is_modular = a.is_modular || b.is_modular;
        Leaves { turn, perhaps, complete, reason: a.reason.or(b.reason), is_modular, relies }
    }

    /// The loop is left when all have failed at once. That is known where all but one are decided
    /// before the loop begins.
    fn leaves_by_all(&mut self, parts: &[Condition], id: LoopId, mode: Mode) -> Leaves {
        let mut moving: Option<Leaves> = None;
        let mut tests: Vec<Test> = Vec::new();
        for part in parts {
            let leaves = self.leaves_by(part, id, mode, false);
            match (leaves.complete, leaves.turn, &leaves.perhaps[..]) {
                (true, None, []) => return Leaves::never(),
                (true, None, [only]) if leaves.relies.is_empty() && self.is_fixed(part, id, Mode::Strict) => {
                    tests.extend(&only.tests);
                }
                (true, Some(turn), [])
                    if self.table.as_constant(turn) == Some(0) && self.is_fixed(part, id, Mode::Strict) => {}
                _ if moving.is_none() => moving = Some(leaves),
                _ => return self.not_told(parts),
            }
        }
        match (moving, &tests[..]) {
            (None, []) => {
                let zero = self.table.constant(0);
                Leaves::at(zero, Vec::new().into())
            }
            (None, _) => self.perhaps_at_once(tests),
            (Some(leaves), []) => leaves,
            _ => self.not_told(parts),
        }
    }

    /// Taken in the first iteration where all tests hold, else never.
    fn perhaps_at_once(&mut self, tests: Vec<Test>) -> Leaves {
        let turn = self.table.constant(0);
        Leaves { perhaps: vec![Perhaps { tests, turn }], ..Leaves::never() }
    }

    /// Whether a condition is the same in every iteration.
    fn is_fixed(&mut self, part: &Condition, id: LoopId, mode: Mode) -> bool {
        let sides = match part {
            Condition::Comparison { sides, .. } => &sides[..],
            Condition::Truth { value, .. } => std::slice::from_ref(value),
            _ => return matches!(part, Condition::Always(_)),
        };
        sides.iter().all(|&side| {
            let raw = self.raw_value(side, mode);
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
        let Comparison { at, stays, sides, domain, is_only } = comparison;
        let mut known: Vec<Known> = Vec::with_capacity(2);
        // Why a side is none: the exit is bounded by what the side can hold.
        let mut missing: Option<Reason> = None;
        for (position, side) in sides.into_iter().enumerate() {
            let raw = self.raw_value(side, mode);
            match self.at_turn(raw.clone(), id, mode, None) {
                Ok(side) => known.push(side),
                Err(reason) => {
                    let can_be_bounded = missing.is_none() && matches!(reason, Reason::DependsOn(_));
                    let extreme = self.extreme(raw, stays, position, domain).filter(|_| can_be_bounded);
                    let Some(extreme) = extreme else { return Leaves::unknown(reason) };
                    known.push(extreme);
                    missing = Some(reason);
                }
            }
        }
        let Some(relies) = both(&known[0].relies, &known[1].relies) else {
            return Leaves::unknown(Reason::TooBig);
        };
        let sides = [known[0].formula, known[1].formula];
        let reason = Reason::NoFirstTurn { comparison: at, stays };
        let leaves = self.leaves_by_sides(Sides { stays, sides, domain, relies, is_only, reason }, id, mode);
        match missing {
            None => leaves,
            Some(reason) if leaves.turn.is_none() || !leaves.perhaps.is_empty() => Leaves::unknown(reason),
            Some(reason) => Leaves { complete: false, reason: Some(reason), ..leaves },
        }
    }

    /// What a side that changes without a closed form is at best for going on. The loop is left no
    /// later than if it were always that. Only where that is less than what any counter holds (a
    /// byte, a short).
    fn extreme(&mut self, raw: Known, stays: Predicate, position: usize, domain: Domain) -> Option<Known> {
        use Predicate::*;
        if !domain.signed {
            return None;
        }
        let (is_unsigned, is_greatest) = match stays {
            Slt | Sle => (false, position == 1),
            Sgt | Sge => (false, position == 0),
            Ult | Ule => (true, position == 1),
            Ugt | Uge => (true, position == 0),
            _ => return None,
        };
        let side = if is_unsigned { self.unsigned(raw.formula, domain.bits) } else { raw.formula };
        let range = self.table.range(side);
        let extreme = if is_greatest { range.high } else { range.low };
        let is_narrow = extreme.abs() <= WIDEST_EXTREME;
        is_narrow.then(|| Known { formula: self.table.constant(extreme), relies: raw.relies })
    }

    /// A truth value that is no comparison: a choice, or what merges.
    fn leaves_by_truth(
        &mut self,
        Truth { value, stays_if, is_only }: Truth,
        id: LoopId,
        mode: Mode,
    ) -> Leaves {
        let reason = match value {
            Value::Instruction(id) => Reason::DependsOn(Symbol::Result(id)),
            _ => Reason::TooBig,
        };
        if self.type_of_operand(value).and_then(|ty| self.domain(ty)).is_none_or(|domain| domain.bits != 1) {
            return Leaves::unknown(reason);
        }
        let raw = self.raw_value(value, mode);
        let truth = match self.at_turn(raw, id, mode, None) {
            Ok(truth) => truth,
            Err(reason) => return Leaves::unknown(reason),
        };
        let stays = if stays_if { Predicate::Ne } else { Predicate::Eq };
        let sides = [truth.formula, self.table.constant(0)];
        let (relies, domain) = (truth.relies, Domain { bits: 1, signed: false });
        self.leaves_by_sides(Sides { stays, sides, domain, relies, is_only, reason }, id, mode)
    }

    fn leaves_by_sides(&mut self, compared: Sides, id: LoopId, mode: Mode) -> Leaves {
        let Sides { stays, sides, domain, mut relies, is_only, reason } = compared;
        let are_addresses = domain.bits > 1 && !domain.signed;
        if are_addresses && is_signed(stays) {
            return Leaves::unknown(reason);
        }
        let guards = self.guards(id, mode);
        if !guards.relies.is_empty() {
            match both(&relies, &guards.relies) {
                Some(all) => relies = all,
                None => return Leaves::unknown(Reason::TooBig),
            }
        }
        let sides = sides.map(|side| self.table.assuming(side, &guards.facts));
        let turn = self.turn(id);
        let trusts = mode == Mode::Trusting && is_only;
        let facts = &guards.facts;
        let mut question = Question { table: self.table, facts, turn, trusts, are_addresses };
        let mut first = question.first_turn(Compared { stays, sides, bits: domain.bits });
        // Only where it is needed, since it may rest on promises of its own.
        if matches!(first, First::Unknown)
            && let Some((counters, own)) = self.counters_around(&sides, id, mode)
            && let Some(all) = both(&relies, &own)
        {
            let mut facts = guards.facts.clone();
            counters.into_iter().for_each(|fact| facts.add(self.table, fact));
            let facts = &facts;
            let mut question = Question { table: self.table, facts, turn, trusts, are_addresses };
            first = question.first_turn(Compared { stays, sides, bits: domain.bits });
            relies = all;
        }
        match first {
            First::Never => Leaves { relies, ..Leaves::never() },
            First::AtOnceIf(test) => Leaves { relies, ..self.perhaps_at_once(vec![test]) },
            First::At { turn, conditions, is_modular } => {
                let turn = self.table.assuming(turn, &guards.facts);
                // Never taken, beside other exits: no condition of the claim.
                let is_met = |(_, otherwise): &(Test, Otherwise)| *otherwise == Otherwise::Endless;
                let (met, needed): (Vec<_>, Vec<_>) =
                    conditions.into_iter().partition(|one| !is_only && is_met(one));
                let needed: Vec<TripAssumption> = needed
                    .into_iter()
                    .map(|(test, otherwise)| TripAssumption::Condition(test, otherwise))
                    .collect();
                let tests: Vec<Test> = met.into_iter().map(|(test, _)| test).collect();
                match both(&relies, &needed.into()) {
                    Some(relies) if !self.table.is_too_big(turn) && tests.is_empty() => {
                        Leaves { is_modular, ..Leaves::at(turn, relies) }
                    }
                    Some(relies) if !self.table.is_too_big(turn) => {
                        let perhaps = vec![Perhaps { tests, turn }];
                        Leaves { perhaps, is_modular, relies, ..Leaves::never() }
                    }
                    _ => Leaves::unknown(Reason::TooBig),
                }
            }
            First::Unknown => Leaves::unknown(reason),
        }
    }
}

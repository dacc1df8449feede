//! How often will each loop of a function go round, told from its code?
//!
//! 1. Each result is a formula of what merges at the heads of loops (`raw`,
//!    `operations`, `joins`, `address`); memory is asked through
//!    [`Cells`](crate::cells::Cells), so that a counter in memory is one in a phi.
//! 2. What merges at a head is a recurrence, solved in closed form
//!    (`recurrence`), in terms of the turn and of what is around the loop.
//! 3. Each exit has a first turn in which it is taken (`exits`, `leaving` and its
//!    sisters for choices and for counters that wrap), with
//!    what holds when the loop is entered put in (`guards`); the least of them is
//!    the number of back edges (`counts`). All of that is said of a loop that is
//!    entered, and under which condition it is (`entered`).
//! 4. What is around is put in: counts become formulas of the turns of the loops
//!    around and of what the function is given (`resolve`), and are summed over
//!    these turns (`totals`). Where no formula helps and all is numbers (or
//!    constant data), the loop is gone round (`walk`).
//!
//! All of it is done without believing any flag, and again with all of them;
//! what needs fewer assumptions wins. An exact answer that is wrong is the worst
//! that could happen here, so every claim lists what it rests on, and the
//! referee (`tests/evolution.rs`) runs random loops with all inputs.
//!
//! [`trips`](crate::trips) and [`bounds`](crate::bounds) answer a smaller
//! question for fuel, which plans with them: they believe nothing and assume
//! nothing, know constants of one step only, and say which instructions to emit
//! rather than formulas to read.
//!
//! Sources: source document 003 (the assertions about cycles) and 004 (closed
//! forms); Bachmann, Wang, Zima, "Chains of recurrences" (1994); LLVM's
//! ScalarEvolution as the peer. Cost: about linear in the function; chains of
//! loops that depend on one another are followed `solver::DEEPEST_QUESTION`
//! deep.

mod address;
mod answer;
mod compute;
mod counts;
mod entered;
mod exits;
mod form;
mod guards;
mod joins;
mod leaving;
mod leaving_choice;
mod leaving_wrapped;
mod logic;
mod operations;
mod raw;
mod recurrence;
mod resolve;
mod solver;
mod totals;
mod vector;
mod walk;
mod walk_addresses;

use opcost_index::IdMap;
use opcost_ir::Value;

pub use answer::{
    Answer, Assumption, ExitCount, ExitTurn, Form, Otherwise, Part, Promise, Reason, Total, TripCount,
};
pub use entered::Entered;
pub use solver::Source;

use crate::expression::{Facts, FormulaId, Formulas};
use counts::LoopCount;
use opcost_graph::loops::LoopId;
use solver::{Known, Mode, Solver, State};

/// The loops of one function, solved.
pub struct FunctionEvolution<'a> {
    source: Source<'a>,
    state: State,
    counts: IdMap<LoopId, TripCount>,
}

/// What a value is, turn by turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evolution {
    /// A formula of the turn of the loop (and of the loops around).
    pub value: FormulaId,
    /// What it rests on.
    pub assumptions: Vec<Assumption>,
}

impl<'a> FunctionEvolution<'a> {
    /// Solves the loops of a function. The table must be the function's own.
    pub fn compute(source: Source<'a>, formulas: &mut Formulas) -> Self {
        let mut state = State::new(source);
        let mut solver = Solver { source, table: formulas, state: &mut state };
        // From the inside out: what is around asks for what is inside.
        for id in source.forest.loops.ids().rev() {
            for mode in [Mode::Strict, Mode::Trusting] {
                solver.count(id, mode);
            }
        }
        let counts = source.forest.loops.ids().map(|id| solver.trip_count(id)).collect();
        Self { source, state, counts }
    }

    /// How often a loop goes round.
    pub fn trip_count(&self, id: LoopId) -> &TripCount {
        &self.counts[id]
    }

    /// All loops in order.
    pub fn trip_counts(&self) -> impl Iterator<Item = (LoopId, &TripCount)> {
        self.counts.iter()
    }

    /// What a value of a loop is in turn number `Turn(loop)`.
    ///
    /// # Errors
    /// Why it has no closed form.
    pub fn evolution_of(
        &mut self,
        formulas: &mut Formulas,
        value: Value,
        id: LoopId,
    ) -> Result<Evolution, Reason> {
        let mut solver = Solver { source: self.source, table: formulas, state: &mut self.state };
        solver.evolution(value, id, Mode::Strict).or_else(|_| solver.evolution(value, id, Mode::Trusting))
    }

    /// The same without believing a flag, and believing all of them, as far as
    /// there are such forms: the second may be simpler where the first wraps.
    pub fn both_evolutions_of(
        &mut self,
        formulas: &mut Formulas,
        value: Value,
        id: LoopId,
    ) -> impl Iterator<Item = Evolution> + use<> {
        let mut solver = Solver { source: self.source, table: formulas, state: &mut self.state };
        let strict = solver.evolution(value, id, Mode::Strict).ok();
        let trusting = solver.evolution(value, id, Mode::Trusting).ok();
        let second =
            trusting.filter(|second| strict.as_ref().is_none_or(|first| first.value != second.value));
        strict.into_iter().chain(second)
    }
}

impl Solver<'_, '_> {
    fn evolution(&mut self, value: Value, id: LoopId, mode: Mode) -> Result<Evolution, Reason> {
        let raw = self.raw_value(value, mode);
        let in_turn = self.at_turn(raw, id, mode, None)?;
        let formula = self.within_turns(in_turn.formula, id, mode);
        let lifted = self.lifted(Known { formula, ..in_turn }, id, mode);
        if self.is_no_number(lifted.formula) {
            return Err(Reason::Undefined);
        }
        Ok(Evolution { value: lifted.formula, assumptions: lifted.relies.to_vec() })
    }

    /// The better of both modes, seen from the whole function.
    fn trip_count(&mut self, id: LoopId) -> TripCount {
        let candidates = [Mode::Strict, Mode::Trusting].into_iter().filter_map(|mode| {
            let count = self.count(id, mode)?;
            Some((count.rank(), mode, count))
        });
        let best = candidates.min_by_key(|(rank, ..)| *rank);
        let header = self.source.forest.loops[id].header;
        let Some((_, mode, count)) = best else {
            let unknown = Answer::Unknown(Reason::TooBig);
            return TripCount {
                header,
                back_edges: unknown.clone(),
                body_iterations: unknown,
                total: None,
                exits: Vec::new(),
                form: Form::MiddleTested,
                entered: Entered::Unknown,
                part: None,
                assumptions: Vec::new(),
            };
        };
        self.answered(id, mode, &count)
    }

    fn answered(&mut self, id: LoopId, mode: Mode, count: &LoopCount) -> TripCount {
        let header = self.source.forest.loops[id].header;
        let (back_edges, body, relies) = self.lifted_count(id, mode, count);
        let mut assumptions: Vec<Assumption> = relies;
        let answer = |formula: Option<FormulaId>| match formula {
            Some(formula) if count.is_exact => Answer::Exact(formula),
            Some(formula) => Answer::Bound(formula),
            None => Answer::Unknown(count.reason.clone()),
        };
        if back_edges.is_none() {
            assumptions.clear();
        }
        let is_plain = count.is_exact && back_edges.is_some();
        let total = self.total(id, mode).filter(|_| is_plain);
        for assumption in total.iter().flat_map(|(_, known)| known.relies.iter()) {
            if !assumptions.contains(assumption) {
                assumptions.push(*assumption);
            }
        }
        if self.is_promised_to_end(id) && assumptions.iter().any(is_endless) {
            assumptions.push(Assumption::MustProgress);
        }
        let entered = self.entered(id, mode, &assumptions);
        TripCount {
            header,
            back_edges: answer(back_edges),
            body_iterations: answer(body),
            total: total.map(|(total, _)| total),
            exits: count.exits.clone(),
            form: count.form,
            entered,
            part: self.part(id),
            assumptions,
        }
    }

    /// The formula as it is where the facts hold.
    pub(crate) fn simpler(&mut self, known: Known, facts: &Facts) -> Known {
        let formula = self.table.assuming(known.formula, facts);
        if self.table.is_too_big(formula) { known } else { Known { formula, ..known } }
    }

    /// Both counts in terms of the turns around, or as they are if that fails.
    fn lifted_count(
        &mut self,
        id: LoopId,
        mode: Mode,
        count: &LoopCount,
    ) -> (Option<FormulaId>, Option<FormulaId>, Vec<Assumption>) {
        let (Some(back_edges), Some(body)) = (count.back_edges, count.body) else {
            return (None, None, count.relies.to_vec());
        };
        let guards = self.guards(id, mode);
        let facts = if guards.relies.is_empty() { guards.facts.clone() } else { Default::default() };
        let simple = [back_edges, body].map(|formula| self.table.assuming(formula, &facts));
        let relies = count.relies.clone();
        let lifted = simple.map(|formula| self.lifted(Known { formula, relies: relies.clone() }, id, mode));
        let facts = self.lifted_facts(id, mode);
        let lifted = lifted.map(|known| self.simpler(known, &facts));
        let mut assumptions = lifted[0].relies.to_vec();
        for assumption in lifted[1].relies.iter() {
            if !assumptions.contains(assumption) {
                assumptions.push(*assumption);
            }
        }
        (Some(lifted[0].formula), Some(lifted[1].formula), assumptions)
    }
}

/// Whether a condition only says that the loop ends.
fn is_endless(assumption: &Assumption) -> bool {
    matches!(assumption, Assumption::Condition(_, Otherwise::Endless))
}

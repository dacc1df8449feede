//! What is known of the loops of one function?
//!
//! All loops are solved, from the inside out; the better of both modes is reported, in terms of the
//! iterations around and of what the function is given. Cost: that of the parts.

use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_ir::Value;

use super::answer::{Form, Otherwise, Reason, TripAnswer, TripAssumption, TripCount};
use super::entry::Entered;
use super::known::{Known, Mode};
use super::loop_facts::LoopCount;
use super::solver::{Ask, Solver, Source, State};
use crate::expression::{FormulaId, Formulas};

/// The loops of one function, solved.
pub struct FunctionEvolution<'a> {
    source: Source<'a>,
    state: State,
    counts: IdMap<LoopId, TripCount>,
}

/// What a value is, iteration by iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evolution {
    /// A formula of the iteration of the loop (and of the loops around).
    pub value: FormulaId,
    /// What it rests on.
    pub assumptions: Vec<TripAssumption>,
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

    pub(super) fn solver<'s>(&'s mut self, table: &'s mut Formulas) -> Solver<'a, 's> {
        Solver { source: self.source, table, state: &mut self.state }
    }

    /// All loops in order.
    pub fn trip_counts(&self) -> impl Iterator<Item = (LoopId, &TripCount)> {
        self.counts.iter()
    }

    /// What a value of a loop is in iteration number `Turn(loop)`.
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

    /// The same without believing a flag, and believing all of them, as far as there are such
    /// forms. The second may be simpler where the first wraps.
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
            let unknown = TripAnswer::Unknown(Reason::TooBig);
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
        let mut assumptions: Vec<TripAssumption> = relies;
        let answer = |formula: Option<FormulaId>| match formula {
            Some(formula) if count.is_exact => TripAnswer::Exact(formula),
            Some(formula) => TripAnswer::Bound(formula),
            None => TripAnswer::Unknown(count.reason.clone()),
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
            assumptions.push(TripAssumption::MustProgress);
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

    /// Both counts in terms of the iterations around, or as they are if that fails.
    fn lifted_count(
        &mut self,
        id: LoopId,
        mode: Mode,
        count: &LoopCount,
    ) -> (Option<FormulaId>, Option<FormulaId>, Vec<TripAssumption>) {
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
fn is_endless(assumption: &TripAssumption) -> bool {
    matches!(assumption, TripAssumption::Condition(_, Otherwise::Endless))
}

//! How often does a loop go back? Its exits put together.
//!
//! An exit whose block runs in every iteration leaves in its first iteration at the latest; the
//! loop goes back as often as the least of these says. The answer is exact if every other exit is
//! known too, or is never taken; else a bound. Exits that lead to no return (aborts, exceptions)
//! are set aside, and the answer says so. A body after a test at the top begins once less than the
//! test is made. Cost: the exits.

use opcost_ir::Opcode;
use opcost_key::BlockId;

use super::answer::{ExitCount, Otherwise, Reason, TripAssumption};
use super::exits::{Leaves, Perhaps};
use super::form::Shape;
use super::known::{Mode, Relies, both};
use super::loop_facts::{LoopCount, Walked, is_condition};
use super::solver::Solver;
use crate::expression::FormulaId;
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;

impl Solver<'_, '_> {
    /// What the exits of a loop say together.
    pub(super) fn find_count(&mut self, id: LoopId, mode: Mode) -> LoopCount {
        let shape = self.shape(id);
        let latches = self.source.forest.loops[id].latches();
        let (mut top, mut rest) = (Leaves::never(), Leaves::never());
        let mut exits = Vec::new();
        for edge in self.source.forest.loops[id].exits.clone() {
            let every_turn = latches.iter().all(|&latch| self.source.dominators.dominates(edge.from, latch))
                && self.is_the_same_inside(edge, id, mode);
            let leaves = self.leaves_by_edge(edge, every_turn, id, mode);
            exits.push(ExitCount { edge, every_turn, turn: leaves.exit_turn() });
            let leaves = self.set_aside(edge, every_turn, leaves);
            let group = if shape.top == Some(edge.from) { &mut top } else { &mut rest };
            let before = std::mem::replace(group, Leaves::never());
            let joined = self.first_of(before, leaves);
            *if shape.top == Some(edge.from) { &mut top } else { &mut rest } = joined;
        }
        let count = self.put_together(top, rest, exits, &shape);
        let needs_walk = !count.is_exact || count.relies.iter().any(is_condition);
        let walked = if needs_walk { self.walked(id) } else { None };
        match walked {
            Some(walked) => self.simulated_count(count, walked, &shape),
            None => count,
        }
    }

    /// The answer of a simulation, which is made once.
    fn walked(&mut self, id: LoopId) -> Option<Walked> {
        if let Some(&known) = self.state.walks.get(&id) {
            return known;
        }
        let walked = self.walk(id);
        self.state.walks.insert(id, walked);
        walked
    }

    fn simulated_count(&mut self, count: LoopCount, walked: Walked, shape: &Shape) -> LoopCount {
        let at_top = shape.top == Some(walked.exit.from);
        let back_edges = self.table.constant(walked.back_edges.into());
        let body = self.table.constant(i128::from(walked.back_edges) + i128::from(!at_top));
        let relies: Relies =
            if walked.has_floats { [TripAssumption::Ieee].into() } else { Vec::new().into() };
        LoopCount { back_edges: Some(back_edges), body: Some(body), is_exact: true, relies, ..count }
    }

    fn leaves_by_edge(&mut self, edge: Edge<BlockId>, every_turn: bool, id: LoopId, mode: Mode) -> Leaves {
        if !every_turn && self.source.forest.innermost[edge.from] != Some(id) {
            return Leaves::unknown(Reason::LeavesFromInside(edge));
        }
        let leaves = self.leaves(edge, id, mode);
        let is_never = leaves.complete && leaves.turn.is_none() && leaves.perhaps.is_empty();
        if every_turn || is_never { leaves } else { Leaves::unknown(Reason::NotEveryTurn(edge)) }
    }

    /// An exit that cannot be determined and leads to no return is assumed away.
    fn set_aside(&mut self, edge: Edge<BlockId>, every_turn: bool, leaves: Leaves) -> Leaves {
        let terminator = self.source.function.terminator_of(edge.from);
        let unwinds =
            self.source.function.instructions[terminator].opcode == Opcode::Invoke && edge.slot == 1;
        let is_dead = unwinds || self.state.dead_ends.contains(edge.to);
        if (leaves.complete && every_turn) || !is_dead {
            return leaves;
        }
        Leaves { relies: [TripAssumption::NotLeftBy(edge)].into(), ..Leaves::never() }
    }

    fn put_together(&mut self, top: Leaves, rest: Leaves, exits: Vec<ExitCount>, shape: &Shape) -> LoopCount {
        let form = shape.form;
        let complete = top.complete && rest.complete;
        let reason = top.reason.clone().or(rest.reason.clone()).unwrap_or(Reason::Endless);
        let Some(relies) = both(&top.relies, &rest.relies) else {
            return LoopCount::unknown(Reason::TooBig, exits, form);
        };
        let plain = |_: &mut Self, turn: FormulaId| turn;
        let one_more = |solver: &mut Self, turn: FormulaId| solver.table.add_constant(turn, 1);
        let back_edges = self.first_turn(&top, &rest, plain);
        let body = match shape.top {
            Some(_) => self.first_turn(&top, &rest, one_more),
            None => back_edges
                .as_ref()
                .map(|(turns, conditions)| (self.table.add_constant(*turns, 1), conditions.clone())),
        };
        let (Some((back_edges, conditions)), Some((body, _))) = (back_edges, body) else {
            return LoopCount { relies, ..LoopCount::unknown(reason, exits, form) };
        };
        if !conditions.is_empty() && !complete {
            return LoopCount { relies, ..LoopCount::unknown(reason, exits, form) };
        }
        let Some(relies) = both(&relies, &conditions) else {
            return LoopCount::unknown(Reason::TooBig, exits, form);
        };
        if [back_edges, body].iter().any(|&id| self.is_no_number(id)) {
            return LoopCount::unknown(Reason::Undefined, exits, form);
        }
        LoopCount {
            back_edges: Some(back_edges),
            body: Some(body),
            is_exact: complete,
            reason,
            is_modular: top.is_modular || rest.is_modular,
            relies,
            exits,
            form,
        }
    }

    /// The first iteration in which one of the exits is taken, those not at the top counted by
    /// `late`; and what must hold for that.
    fn first_turn(
        &mut self,
        top: &Leaves,
        rest: &Leaves,
        late: impl Fn(&mut Self, FormulaId) -> FormulaId,
    ) -> Option<(FormulaId, Relies)> {
        let rest_turn = rest.turn.map(|turn| late(self, turn));
        let turn = match (top.turn, rest_turn) {
            (Some(a), Some(b)) => Some(self.table.least(a, b)),
            (a, b) => a.or(b),
        };
        let mut perhaps: Vec<Perhaps> = Vec::new();
        for other in &rest.perhaps {
            let mut count = late(self, other.turn);
            // Who leaves at the top in the first turn does not come to the others.
            if let (Some(turn), Some(0)) = (top.turn, self.table.as_constant(other.turn)) {
                count = self.table.least(turn, count);
            }
            perhaps.push(Perhaps { tests: other.tests.clone(), turn: count });
        }
        // The last one decides among those of the first turn.
        perhaps.extend(top.perhaps.iter().cloned());
        // Nothing is sooner than the first turn.
        let are_first =
            rest.perhaps.iter().chain(&top.perhaps).all(|one| self.table.as_constant(one.turn) == Some(0));
        let (turn, conditions) = match (turn, perhaps.is_empty()) {
            (Some(turn), _) => (turn, Vec::new()),
            (None, true) => return None,
            // One of them must be taken: that the first is will do.
            (None, false) => {
                let first = perhaps.remove(0);
                let otherwise = if perhaps.is_empty() { Otherwise::Endless } else { Otherwise::Differs };
                let conditions = first.tests.iter().map(|&test| TripAssumption::Condition(test, otherwise));
                (first.turn, conditions.collect())
            }
        };
        let turn = perhaps.iter().fold(turn, |turn, one| {
            let sooner = if are_first { one.turn } else { self.table.least(turn, one.turn) };
            one.tests.iter().fold(sooner, |sooner, &test| self.table.select(test, sooner, turn))
        });
        (!self.table.is_too_big(turn)).then_some((turn, conditions.into()))
    }
}

//! How often in all, over the iterations of the loops around? Sums, never means.
//!
//! A loop that is entered once in every iteration of the loop around it goes round `Σ count(turn)`
//! times, the iteration running over those that come to it: as many as there are back edges if the
//! loop around is left before it, one more if after. A branch that decides in each iteration
//! whether it is entered makes the term zero where it is not. The sums are closed where the terms
//! are polynomials (triangular nests) and stay sums elsewhere. Cost: the depth of the nest.

use opcost_ir::Opcode;
use opcost_key::BlockId;

use super::answer::{Total, TripAssumption};
use super::known::{Known, Mode, Relies, both};
use super::solver::{Ask, Solver};
use crate::expression::{Facts, FormulaId, FormulaNode, Relation, Test};
use opcost_graph::loops::LoopId;

/// How many blocks above a loop are looked at for its branch.
const MOST_BLOCKS: usize = 8;

impl Solver<'_, '_> {
    /// Sums over one activation of the outermost loop around; none of a loop
    /// that has none around it.
    pub(super) fn total(&mut self, id: LoopId, mode: Mode) -> Option<(Total, Known)> {
        self.source.forest.loops[id].parent?;
        let count = self.count(id, mode)?;
        let exact = count.exact_without_conditions()?;
        let body = Known { formula: count.body?, relies: exact.relies.clone() };
        let facts = self.lifted_facts(id, mode);
        let mut sums = [exact, body].map(|known| {
            let lifted = self.lifted(known, id, mode);
            self.simpler(lifted, &facts)
        });
        let mut child = id;
        while let Some(parent) = self.source.forest.loops[child].parent {
            for sum in &mut sums {
                *sum = self.summed_over(parent, child, sum.clone(), mode)?;
            }
            child = parent;
        }
        let guards = self.guards(child, mode);
        if guards.relies.is_empty() {
            sums = sums.map(|sum| self.simpler(sum, &guards.facts));
        }
        let [back_edges, body] = sums;
        let relies = both(&back_edges.relies, &body.relies)?;
        let total = Total { back_edges: back_edges.formula, body_iterations: body.formula };
        let are_numbers =
            [total.back_edges, total.body_iterations].iter().all(|&sum| !self.is_no_number(sum));
        are_numbers.then_some((total, Known { formula: total.body_iterations, relies }))
    }

    /// Sums a formula of the iterations of `parent` over those that enter `child`.
    fn summed_over(&mut self, parent: LoopId, child: LoopId, term: Known, mode: Mode) -> Option<Known> {
        let turns = self.count(parent, mode)?.exact_without_conditions()?;
        let turns = self.lifted(turns, parent, mode);
        let (place, guard) = self.entered_by(parent, child)?;
        let late = i128::from(self.is_left_behind(parent, place, &turns.relies)?);
        let entries = self.table.add_constant(turns.formula, late);
        let mut relies = both(&turns.relies, &term.relies)?;
        let mut formula = term.formula;
        if let Some((branch, slot)) = guard {
            let test = self.branch_test(branch, slot, parent, mode)?;
            relies = both(&relies, &test.1)?;
            let zero = self.table.constant(0);
            formula = self.table.select(test.0, formula, zero);
        }
        let turn = self.turn(parent);
        let formula = match self.table.node(entries).clone() {
            _ if !self.table.contains(formula, turn) => self.table.multiply(entries, formula),
            // max(0, x) turns: none, or x.
            FormulaNode::Greatest(list)
                if list.len() == 2 && list.iter().any(|&id| self.table.as_constant(id) == Some(0)) =>
            {
                let count = *list.iter().find(|&&id| self.table.as_constant(id) != Some(0))?;
                let sum = self.sum(parent, count, formula);
                let zero = self.table.constant(0);
                let is_empty = Test { relation: Relation::Negative, of: self.table.add_constant(count, -1) };
                self.table.select(is_empty, zero, sum)
            }
            _ => self.sum(parent, entries, formula),
        };
        (!self.table.is_too_big(formula)).then_some(Known { formula, relies })
    }

    /// `Σ term` over the first `entries` iterations.
    fn sum(&mut self, parent: LoopId, entries: FormulaId, term: FormulaId) -> FormulaId {
        let turn = self.turn_formula(parent);
        let mut facts = Facts::new();
        let left = self.table.combine(-1, &[(entries, 1), (turn, -1)]);
        facts.add(self.table, left);
        let term = self.table.assuming(term, &facts);
        let index = self.table.fresh_index(term);
        let symbol = self.turn(parent);
        let term = self.table.replace(term, symbol, index);
        let Some(index) = self.table.as_symbol(index) else { return self.table.too_big() };
        if self.table.is_too_big(term) { term } else { self.table.series(index, entries, term) }
    }

    /// The block of every iteration of `parent` at which it is decided that `child` is entered, and
    /// the branch and slot that decide, if any.
    fn entered_by(&self, parent: LoopId, child: LoopId) -> Option<(BlockId, Option<(BlockId, usize)>)> {
        let latches = self.source.forest.loops[parent].latches();
        let every_turn = |block: BlockId| {
            self.source.forest.innermost[block] == Some(parent)
                && latches.iter().all(|&latch| self.source.dominators.dominates(block, latch))
        };
        let header = self.source.forest.loops[child].header;
        if latches.iter().all(|&latch| self.source.dominators.dominates(header, latch)) {
            return Some((header, None));
        }
        let mut below = header;
        for _ in 0..MOST_BLOCKS {
            let above = self.source.dominators.immediate(below)?;
            let function = self.source.function;
            let is_branch = function.instructions[function.terminator_of(above)].opcode == Opcode::Br;
            let enters = self.state.predecessors[below]
                .iter()
                .all(|&from| from == above || (below == header && self.source.forest.contains(child, from)));
            if !is_branch || !enters {
                return None;
            }
            match function.blocks[above].successors[..] {
                [_] => below = above,
                [a, b] if a != b && every_turn(above) => {
                    let slot = [a, b].iter().position(|&side| side == below)?;
                    return Some((above, Some((above, slot))));
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether `parent` is left after this block: so the last iteration comes to it too. None if
    /// some exits are before it and some after. Exits that the count assumes away do not matter;
    /// others that lead to no return do.
    fn is_left_behind(&self, parent: LoopId, place: BlockId, relies: &Relies) -> Option<bool> {
        let dominators = self.source.dominators;
        let mut behind = None;
        for exit in &self.source.forest.loops[parent].exits {
            if relies.contains(&TripAssumption::NotLeftBy(*exit)) {
                continue;
            }
            let is_behind =
                match (dominators.dominates(place, exit.from), dominators.dominates(exit.from, place)) {
                    (true, false) => true,
                    // A branch at the place itself leaves instead of entering.
                    (false, true) => false,
                    _ => return None,
                };
            if behind.replace(is_behind).is_some_and(|before| before != is_behind) {
                return None;
            }
        }
        behind
    }

    /// What a branch asks, in terms of the iterations around.
    fn branch_test(
        &mut self,
        branch: BlockId,
        slot: usize,
        parent: LoopId,
        mode: Mode,
    ) -> Option<(Test, Relies)> {
        let condition = self.source.function.operands_of(self.source.function.terminator_of(branch))[0];
        let raw = self.raw_value(condition, mode);
        let in_turn = self.at_turn(raw, parent, mode, None).ok()?;
        let formula = self.within_turns(in_turn.formula, parent, mode);
        let lifted = self.lifted(Known { formula, ..in_turn }, parent, mode);
        let test = Test { relation: Relation::NotZero, of: lifted.formula };
        let test = self.table.plain_test(test);
        Some((if slot == 0 { test } else { test.inverse() }, lifted.relies))
    }
}

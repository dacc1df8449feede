//! What holds whenever a loop is entered? The branches that lead to it.
//!
//! Where one of two ways out of a dominator is the only way to the loop, what its branch asked was
//! answered that way, in this very iteration of the loops around. Each answer is a fact about
//! formulas. Source: dominating conditions, as in every range analysis since Patterson, "Accurate
//! static branch prediction by value range propagation" (1995). Cost: the nearest [`MOST_BRANCHES`]
//! dominators of the loop's head.

use std::rc::Rc;

use opcost_ir::{Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::known::{Known, Mode, Relies, both};
use super::loop_facts::{Comparison, Guards};
use super::predicates::{inverse, is_signed};
use super::solver::{Ask, Solver};
use crate::expression::{Domain, Facts, FormulaId};
use opcost_graph::loops::LoopId;

/// How many branches above a loop are looked at.
const MOST_BRANCHES: usize = 48;
/// How many parts of one condition are looked at.
const MOST_PARTS: usize = 8;

impl Solver<'_, '_> {
    /// What holds when a loop is entered, from its dominators.
    pub(super) fn find_guards(&mut self, id: LoopId, mode: Mode) -> Guards {
        let mut guards = Guards::nothing();
        let scope = self.source.forest.loops[id].parent;
        // From the outside in: what holds outside makes simpler what holds inside.
        for (branch, slot) in self.branches_above(id).into_iter().rev() {
            let condition = self.source.function.operands_of(self.source.function.terminator_of(branch))[0];
            for (comparison, holds) in self.conjuncts(condition, slot == 0) {
                if let Some((comparison, own)) = self.comparison_that_holds(comparison, holds, scope, mode) {
                    self.note(&mut guards, comparison, &own);
                }
            }
        }
        guards
    }

    /// Branches of two and the slot that leads to the loop, nearest first.
    fn branches_above(&self, id: LoopId) -> Vec<(BlockId, usize)> {
        let function = self.source.function;
        let header = self.source.forest.loops[id].header;
        let mut found = Vec::new();
        let mut below = header;
        for _ in 0..MOST_BRANCHES {
            let Some(above) = self.source.dominators.immediate(below) else { break };
            let successors = &function.blocks[above].successors[..];
            let is_branch = function.instructions[function.terminator_of(above)].opcode == Opcode::Br;
            if let (true, &[first, second]) = (is_branch, successors)
                && first != second
            {
                let leads = |side: BlockId| {
                    self.source.dominators.dominates(side, header) && self.is_only_way(above, side)
                };
                if let Some(slot) = [first, second].into_iter().position(leads) {
                    found.push((above, slot));
                }
            }
            below = above;
        }
        found
    }

    /// Comparisons that hold, or do not, because a condition does or does not.
    fn conjuncts(&self, condition: Value, holds: bool) -> Vec<(InstructionId, bool)> {
        let mut found = Vec::new();
        let mut work = vec![(condition, holds)];
        while let Some((value, holds)) = work.pop() {
            let Value::Instruction(id) = value else { continue };
            if found.len() + work.len() > MOST_PARTS {
                break;
            }
            if self.source.function.instructions[id].opcode == Opcode::ICmp {
                found.push((id, holds));
                continue;
            }
            let Some(logic) = self.logic(id) else { continue };
            // What is known of all parts because of the whole.
            if logic.is_and == holds || logic.parts.len() == 1 {
                work.extend(logic.parts.into_iter().map(|(part, holds_if)| (part, holds == holds_if)));
            }
        }
        found
    }

    /// A comparison that holds, or does not, and what its sides rest on.
    fn comparison_that_holds(
        &mut self,
        at: InstructionId,
        holds: bool,
        scope: Option<LoopId>,
        mode: Mode,
    ) -> Option<(Comparison, Relies)> {
        let instruction = &self.source.function.instructions[at];
        let domain = instruction.second_type.and_then(|ty| self.domain(ty))?;
        let predicate = instruction.predicate?;
        let &[left, right] = self.source.function.operands_of(at) else { return None };
        // Addresses are read without sign here.
        if is_signed(predicate) && domain.bits > 1 && !domain.signed {
            return None;
        }
        let predicate = if holds { predicate } else { inverse(predicate) };
        let left = self.raw_value(left, mode);
        let right = self.raw_value(right, mode);
        let (left, right) = (self.resolve(left, scope, mode), self.resolve(right, scope, mode));
        let own = both(&left.relies, &right.relies)?;
        let (left, right) = (left.formula, right.formula);
        Some((Comparison { predicate, left, right, bits: domain.bits }, own))
    }

    /// Notes a comparison that holds, unless it rests on too much.
    fn note(&mut self, guards: &mut Guards, comparison: Comparison, own: &Relies) {
        let Some(relies) = both(&guards.relies, own) else { return };
        if self.add_fact(&mut guards.facts, &comparison) {
            guards.relies = relies;
            guards.comparisons.push(comparison);
        }
    }

    /// What holds when a loop is entered, in terms of the iterations around it, and how many
    /// iterations these loops have.
    pub(super) fn lifted_facts(&mut self, id: LoopId, mode: Mode) -> Facts {
        let guards = self.guards(id, mode);
        let mut facts = Facts::new();
        if !guards.relies.is_empty() {
            return facts;
        }
        let mut around = self.source.forest.loops[id].parent;
        while let Some(outer) = around {
            let most = self.count(outer, mode).and_then(|count| count.most_without_conditions());
            if let Some(most) = most.filter(|most| most.relies.is_empty()) {
                let most = self.lifted(most, outer, mode);
                let turn = self.turn_formula(outer);
                let left = self.table.subtract(most.formula, turn);
                facts.add(self.table, left);
            }
            around = self.source.forest.loops[outer].parent;
        }
        for comparison in &guards.comparisons {
            let [left, right] = [comparison.left, comparison.right].map(|side| {
                let known = self.lifted(Known::plain(side), id, mode);
                known.relies.is_empty().then_some(known.formula)
            });
            if let (Some(left), Some(right)) = (left, right) {
                self.add_fact(&mut facts, &Comparison { left, right, ..comparison.clone() });
            }
        }
        facts
    }

    /// What is known of counters of loops around that formulas are made of: none
    /// is below its least value, as it rises from its start. With what that
    /// rests on; none if there is nothing to say.
    pub(super) fn counters_around(
        &mut self,
        formulas: &[FormulaId],
        id: LoopId,
        mode: Mode,
    ) -> Option<(Vec<FormulaId>, Relies)> {
        let (mut facts, mut relies): (_, Relies) = (Vec::new(), Rc::new([]));
        let mut symbols: Vec<_> =
            formulas.iter().flat_map(|&formula| self.table.symbols_in(formula).to_vec()).collect();
        symbols.sort_unstable();
        symbols.dedup();
        for symbol in symbols {
            let (Some(outer), Some(variable)) = (self.home(symbol), self.variable(symbol)) else { continue };
            let is_around = outer != id && self.is_within(Some(id), outer);
            if !is_around || self.headed_loop(variable) != Some(outer) {
                continue;
            }
            let counter = Known::plain(self.leaf(variable));
            let least = self.table.symbol_range(symbol).low;
            let Ok(value) = self.at_turn(counter.clone(), outer, mode, None) else { continue };
            let low = self.table.range(value.formula).low;
            if low <= least {
                continue;
            }
            relies = both(&relies, &value.relies)?;
            facts.push(self.table.add_constant(counter.formula, -low));
        }
        (!facts.is_empty()).then_some((facts, relies))
    }

    /// Notes that a comparison holds; false if nothing could be noted.
    fn add_fact(&mut self, facts: &mut Facts, comparison: &Comparison) -> bool {
        use Predicate::*;
        let &Comparison { predicate, left: a, right: b, bits } = comparison;
        let (a, b) = match predicate {
            Ult | Ule | Ugt | Uge => (self.unsigned(a, bits), self.unsigned(b, bits)),
            _ if bits == 1 && !matches!(predicate, Eq | Ne) => return false,
            _ => (a, b),
        };
        match predicate {
            Slt | Ult => self.add_order(facts, a, b, 1),
            Sle | Ule => self.add_order(facts, a, b, 0),
            Sgt | Ugt => self.add_order(facts, b, a, 1),
            Sge | Uge => self.add_order(facts, b, a, 0),
            Eq => {
                let difference = self.table.subtract(a, b);
                facts.add_zero(self.table, difference);
            }
            Ne => {
                // Modulo 2^bits the difference is not zero, whichever way.
                for (a, b) in [(a, b), (b, a)] {
                    let difference = self.table.subtract(a, b);
                    let distance = self.table.wrap(Domain { bits, signed: false }, difference);
                    let distance = self.table.assuming(distance, facts);
                    let at_least_one = self.table.add_constant(distance, -1);
                    facts.add(self.table, at_least_one);
                }
            }
            _ => return false,
        }
        true
    }

    /// `a + by <= b`
    fn add_order(&mut self, facts: &mut Facts, a: FormulaId, b: FormulaId, by: i128) {
        let difference = self.table.combine(-by, &[(b, 1), (a, -1)]);
        let difference = self.table.assuming(difference, facts);
        facts.add(self.table, difference);
    }
}

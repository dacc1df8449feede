//! What is a variable in iteration number h? Recurrences and their closed forms.
//!
//! What merges at the head of a loop is `x(0) = start` and `x(h + 1) = f(x(h), h)`. The step f is
//! one iteration as [`raw`](super::raw) makes it, other variables of the head in closed form. Forms
//! that are solved (h the iteration, c free of x):
//!
//! ```text
//! x + g(h)           start + Σ g           g a polynomial, powers, anything summed
//! a·x + c            a^h·start + c·(a^h - 1)/(a - 1)
//! wrap(x + …)        the wrap of the same     start in the domain
//! wrap(x + c) + d    wrap(start + c + (c + d)·(h - 1)) + d, and start in turn 0
//! floor(x / c)       floor(start / c^h)       and truncated alike
//! min(x + c, m)      min(start + c·h, m)      c >= 0, start <= m; max alike
//! (x + c) mod m      (start + c·h) mod m      start in 0..m
//! g(h)               g(h - 1), and start in turn 0
//! phi(x, start)      start, in circles of phis, too
//! ```
//!
//! Variables that depend on one another in a circle have no closed form here.
//! Source: Bachmann, Wang, Zima, "Chains of recurrences" (1994);
//! Antoniadis (2011), section 4.3. Cost: one look at each variable.

use opcost_ir::{Opcode, Value};
use opcost_key::InstructionId;

use super::answer::Reason;
use super::known::{Known, Mode, Variable, both};
use super::solver::{Ask, Solver};
use crate::expression::{
    Domain, FormulaId, FormulaInterval, FormulaNode, Relation, Rounding, Symbol, SymbolId, Test,
};
use opcost_graph::loops::LoopId;

/// How many phis of a circle are looked at.
const LARGEST_WEB: usize = 16;

impl Solver<'_, '_> {
    /// The closed form of a variable, and of its value read without sign.
    pub(super) fn solve(
        &mut self,
        variable: Variable,
        id: LoopId,
        mode: Mode,
    ) -> Result<(Known, Option<FormulaId>), Reason> {
        let leaf = self.leaf(variable);
        let symbol = self.table.as_symbol(leaf).ok_or(Reason::TooBig)?;
        let start = self.start(variable, id, mode);
        if let Some(same) = self.same_in_all_turns(variable, id, mode) {
            return Ok((same, None));
        }
        let next = self.next(variable, id, mode).ok_or_else(|| self.depends_on(symbol))?;
        let next = self.at_turn(next, id, mode, Some(symbol))?;
        let relies = both(&start.relies, &next.relies).ok_or(Reason::TooBig)?;
        let turn = self.turn(id);
        let mut step = Step { solver: self, symbol, turn, id, mode, start: start.formula };
        let formula = step.solve(next.formula);
        let formula = formula.filter(|&formula| !self.table.is_too_big(formula));
        let formula = formula.ok_or_else(|| self.depends_on(symbol))?;
        Ok((Known { formula, relies }, None))
    }

    /// What a variable is that merges only itself, in circles of phis, and one value that no
    /// iteration changes. An example is a bound that some iterations read again.
    fn same_in_all_turns(&mut self, variable: Variable, id: LoopId, mode: Mode) -> Option<Known> {
        let Variable::Result(first) = variable else { return None };
        let function = self.source.function;
        let is_phi = |at: InstructionId| function.instructions[at].opcode == Opcode::Phi;
        let (mut web, mut found): (Vec<InstructionId>, Option<Known>) = (vec![first], None);
        let mut position = 0;
        while let Some(&phi) = web.get(position) {
            position += 1;
            for pair in function.operands_of(phi).chunks_exact(2) {
                let Value::Block(from) = pair[1] else { return None };
                match pair[0] {
                    _ if !self.source.dominators.is_reachable(from) => {}
                    Value::Instruction(at) if web.contains(&at) => {}
                    Value::Instruction(at) if is_phi(at) && web.len() < LARGEST_WEB => web.push(at),
                    Value::Instruction(at) if is_phi(at) => return None,
                    value => {
                        let value = self.raw_value(value, mode);
                        found = match found {
                            None => Some(value),
                            Some(known) if known.formula == value.formula => {
                                let relies = both(&known.relies, &value.relies)?;
                                Some(Known { relies, ..known })
                            }
                            Some(_) => return None,
                        };
                    }
                }
            }
        }
        let found = found.filter(|found| !self.is_no_number(found.formula))?;
        // The value must be the same wherever and whenever a phi of them takes it.
        for &phi in &web {
            let block = self.state.blocks[phi];
            let chain: Vec<LoopId> = self.source.forest.chain(self.source.forest.innermost[block]).collect();
            for around in chain {
                let is_outside = around != id && self.is_within(Some(id), around);
                let heads = |other: &InstructionId| {
                    self.source.forest.loop_with_header(self.state.blocks[*other]) == Some(around)
                };
                if (!is_outside || web.iter().any(heads)) && self.varying(found.formula, around).is_some() {
                    return None;
                }
            }
        }
        Some(found)
    }

    fn depends_on(&self, symbol: SymbolId) -> Reason {
        Reason::DependsOn(self.table.symbol_of(symbol).clone())
    }

    fn variable_domain(&self, variable: Variable) -> Option<Domain> {
        match variable {
            Variable::Result(id) => self.domain_of(id),
            Variable::Cell(version) => self.state.cell_domains.get(&version).copied(),
        }
    }

    /// What comes from outside; a symbol where that differs.
    pub(super) fn start(&mut self, variable: Variable, id: LoopId, mode: Mode) -> Known {
        let same = self.arm_of(variable, id, mode, false).map(|start| {
            let scope = self.source.forest.loops[id].parent;
            self.resolve(start, scope, mode)
        });
        same.unwrap_or_else(|| {
            let symbol = match variable {
                Variable::Result(id) => Symbol::AtEntry(id),
                Variable::Cell(version) => Symbol::CellAtEntry(version),
            };
            let range = self.variable_domain(variable).map_or(FormulaInterval::ALL, Domain::interval);
            Known::plain(self.table.symbol(symbol, range))
        })
    }

    /// What comes over the back edges, if that is one formula.
    fn next(&mut self, variable: Variable, id: LoopId, mode: Mode) -> Option<Known> {
        self.arm_of(variable, id, mode, true)
    }

    /// The formula of all arms from inside or from outside, if it is one.
    fn arm_of(&mut self, variable: Variable, id: LoopId, mode: Mode, inside: bool) -> Option<Known> {
        let domain = self.variable_domain(variable);
        let mut found: Option<Known> = None;
        for (from, arm) in self.arms(variable) {
            let is_inside = self.source.forest.contains(id, from);
            if is_inside != inside || !self.source.dominators.is_reachable(from) {
                continue;
            }
            let value = self.raw_arm(arm, domain, mode);
            found = match found {
                None => Some(value),
                Some(known) if known.formula == value.formula => {
                    let relies = both(&known.relies, &value.relies)?;
                    Some(Known { relies, ..known })
                }
                Some(_) => return None,
            };
        }
        found
    }
}

/// One recurrence.
struct Step<'b, 'a, 's> {
    solver: &'b mut Solver<'a, 's>,
    /// The variable, as it is in an iteration.
    symbol: SymbolId,
    turn: SymbolId,
    id: LoopId,
    mode: Mode,
    start: FormulaId,
}

impl Step<'_, '_, '_> {
    /// The closed form of `x(h + 1) = next`.
    fn solve(&mut self, next: FormulaId) -> Option<FormulaId> {
        let table = &mut *self.solver.table;
        if table.as_symbol(next) == Some(self.symbol) {
            return Some(self.start);
        }
        if !table.contains(next, self.symbol) {
            return self.one_turn_behind(next);
        }
        match table.node(next).clone() {
            FormulaNode::Wrap { domain, of } => {
                let exact = self.wrapped(domain, of)?;
                Some(self.solver.table.wrap(domain, exact))
            }
            FormulaNode::Divide { rounding: rounding @ (Rounding::Floor | Rounding::Truncate), of, by } => {
                self.divided(rounding, of, by)
            }
            FormulaNode::Least(list) => self.clamped(false, &list),
            FormulaNode::Greatest(list) => self.clamped(true, &list),
            FormulaNode::Modulo { of, by } => self.cyclic(of, by),
            // One of two steps, the same one in every turn.
            FormulaNode::Select { test, then, otherwise }
                if !table.contains(test.of, self.symbol) && !table.contains(test.of, self.turn) =>
            {
                let (then, otherwise) = (self.solve(then)?, self.solve(otherwise)?);
                Some(self.solver.table.select(test, then, otherwise))
            }
            FormulaNode::Sum { constant, terms } => match self.narrowed(constant, &terms) {
                Some(behind) => self.one_turn_behind(behind),
                None => self.affine(next),
            },
            _ => self.affine(next),
        }
    }

    /// `wrap(x(h) + c) + d`, c and d free of x and of the iteration: as a formula of the iteration,
    /// `wrap(start + c + (c + d)·h) + d`.
    fn narrowed(&mut self, constant: i128, terms: &[(FormulaId, i128)]) -> Option<FormulaId> {
        let (moving, fixed): (Vec<_>, Vec<_>) =
            terms.iter().copied().partition(|&(term, _)| self.solver.table.contains(term, self.symbol));
        let &[(term, 1)] = &moving[..] else { return None };
        let &FormulaNode::Wrap { domain, of } = self.solver.table.node(term) else { return None };
        let table = &mut *self.solver.table;
        let behind = table.combine(constant, &fixed);
        let (parts, under) = table.coefficients(of, self.symbol)?;
        let &[before, factor] = &parts[..] else { return None };
        let is_step = under == 1 && table.as_constant(factor) == Some(1);
        if !is_step || [before, behind].iter().any(|&part| table.contains(part, self.turn)) {
            return None;
        }
        let turn = table.symbol(Symbol::Turn(self.id), FormulaInterval::NATURAL);
        let step = table.add(before, behind);
        let moved = table.multiply(step, turn);
        let inside = table.combine(0, &[(self.start, 1), (before, 1), (moved, 1)]);
        let wrapped = table.wrap(domain, inside);
        Some(table.add(wrapped, behind))
    }

    /// Facts that hold when the loop is entered.
    fn holds_at_entry(&mut self, relation: Relation, of: FormulaId) -> bool {
        let guards = self.solver.guards(self.id, self.mode);
        guards.relies.is_empty()
            && self.solver.table.decide(Test { relation, of }, &guards.facts) == Some(true)
    }

    /// Inside a wrap: the start must be in the domain, or iteration 0 would differ.
    fn wrapped(&mut self, domain: Domain, of: FormulaId) -> Option<FormulaId> {
        let range = self.solver.table.range(self.start);
        if !domain.interval().holds(range) {
            let interval = domain.interval();
            let above = self.solver.table.add_constant(self.start, -interval.low);
            let below = self.solver.table.combine(interval.high, &[(self.start, -1)]);
            let is_in = self.holds_at_entry(Relation::NotNegative, above)
                && self.holds_at_entry(Relation::NotNegative, below);
            is_in.then_some(())?;
        }
        match self.solver.table.node(of).clone() {
            // Unsigned shifts and divisions of a value that is read with sign.
            FormulaNode::Divide { rounding: Rounding::Floor, of, by } => {
                self.divided(Rounding::Floor, of, by)
            }
            _ => self.affine(of),
        }
    }

    /// `x(h + 1) = g(h)`: `g(h - 1)`, and the start in iteration 0.
    fn one_turn_behind(&mut self, next: FormulaId) -> Option<FormulaId> {
        let table = &mut *self.solver.table;
        let turn = table.symbol(Symbol::Turn(self.id), FormulaInterval::NATURAL);
        let before = table.add_constant(turn, -1);
        let behind = table.replace(next, self.turn, before);
        let zero = table.constant(0);
        let at_start = table.replace(behind, self.turn, zero);
        if at_start == self.start && !table.is_too_big(behind) {
            return Some(behind);
        }
        let is_first = Test { relation: Relation::Zero, of: turn };
        Some(table.select(is_first, self.start, behind))
    }

    /// `x(h + 1) = a·x(h) + g(h)`
    fn affine(&mut self, next: FormulaId) -> Option<FormulaId> {
        let (parts, under) = self.solver.table.coefficients(next, self.symbol)?;
        let &[rest, factor] = &parts[..] else { return None };
        if under != 1 {
            // `(u·x + g(h)) / u`, and exact: so is `g(h) / u`.
            let table = &mut *self.solver.table;
            (table.as_constant(factor) == Some(under)).then_some(())?;
            let under = table.constant(under);
            let rest = table.divide(Rounding::Exact, rest, under);
            return self.summed(rest);
        }
        match self.solver.table.as_constant(factor)? {
            1 => self.summed(rest),
            -1 if !self.solver.table.contains(rest, self.turn) => Some(self.alternating(rest)),
            factor @ 2.. if !self.solver.table.contains(rest, self.turn) => self.geometric(factor, rest),
            _ => None,
        }
    }

    /// `start + Σ g(j)`, j running over the iterations before.
    fn summed(&mut self, rest: FormulaId) -> Option<FormulaId> {
        let table = &mut *self.solver.table;
        let turn = table.symbol(Symbol::Turn(self.id), FormulaInterval::NATURAL);
        let index = table.fresh_index(rest);
        let term = table.replace(rest, self.turn, index);
        let index = table.as_symbol(index)?;
        let sum = table.series(index, turn, term);
        Some(table.add(self.start, sum))
    }

    /// `a^h·start + c·(a^h - 1)/(a - 1)`
    fn geometric(&mut self, factor: i128, rest: FormulaId) -> Option<FormulaId> {
        let table = &mut *self.solver.table;
        let turn = table.symbol(Symbol::Turn(self.id), FormulaInterval::NATURAL);
        let power = table.power(factor, turn);
        let grown = table.multiply(power, self.start);
        let one_less = table.add_constant(power, -1);
        let added = table.multiply(rest, one_less);
        let one_less = table.constant(factor - 1);
        let added = table.divide(Rounding::Exact, added, one_less);
        Some(table.add(grown, added))
    }

    /// `c - x`: start and `c - start` alternately.
    fn alternating(&mut self, rest: FormulaId) -> FormulaId {
        let table = &mut *self.solver.table;
        let turn = table.symbol(Symbol::Turn(self.id), FormulaInterval::NATURAL);
        let odd = table.wrap(Domain { bits: 1, signed: false }, turn);
        let other = table.subtract(rest, self.start);
        table.select(Test { relation: Relation::Zero, of: odd }, self.start, other)
    }

    /// `x / c`, c at least 2: `start / c^h`.
    fn divided(&mut self, rounding: Rounding, of: FormulaId, by: FormulaId) -> Option<FormulaId> {
        let table = &mut *self.solver.table;
        let base = table.as_constant(by).filter(|&base| base >= 2)?;
        let is_plain = table.as_symbol(of) == Some(self.symbol);
        let start = match *table.node(of) {
            _ if is_plain => self.start,
            // Read without sign: right from turn 1 on, and in turn 0 where the
            // start has no sign, or where it is wrapped back.
            FormulaNode::Wrap { domain: domain @ Domain { signed: false, .. }, of }
                if table.as_symbol(of) == Some(self.symbol) =>
            {
                let start = table.wrap(domain, self.start);
                let is_same = start == self.start || self.holds_at_entry(Relation::NotNegative, self.start);
                if is_same { self.start } else { start }
            }
            _ => return None,
        };
        let table = &mut *self.solver.table;
        let turn = table.symbol(Symbol::Turn(self.id), FormulaInterval::NATURAL);
        let power = table.power(base, turn);
        let quotient = table.divide(rounding, start, power);
        if start == self.start {
            return Some(quotient);
        }
        // Turn 0 is the start itself: the wrap into its domain.
        let domain = Domain::of(table.symbol_range(self.symbol))?;
        Some(table.wrap(domain, quotient))
    }

    /// `min(x + c, m)`, c not negative, where the start is not above m.
    fn clamped(&mut self, greatest: bool, list: &[FormulaId]) -> Option<FormulaId> {
        let &[a, b] = list else { return None };
        let (moving, limit) = if self.solver.table.contains(a, self.symbol) { (a, b) } else { (b, a) };
        let table = &mut *self.solver.table;
        if table.contains(limit, self.symbol) || table.contains(limit, self.turn) {
            return None;
        }
        let (parts, under) = table.coefficients(moving, self.symbol)?;
        let &[by, factor] = &parts[..] else { return None };
        if under != 1 || table.as_constant(factor) != Some(1) || table.contains(by, self.turn) {
            return None;
        }
        let room = table.subtract(limit, self.start);
        let (room, towards) = if greatest { (table.negate(room), table.negate(by)) } else { (room, by) };
        let is_fit = self.holds_at_entry(Relation::NotNegative, room)
            && self.holds_at_entry(Relation::NotNegative, towards);
        is_fit.then_some(())?;
        let moved = self.summed(by)?;
        let table = &mut *self.solver.table;
        Some(if greatest { table.greatest(moved, limit) } else { table.least(moved, limit) })
    }

    /// `(x + c) mod m` where the start is in 0..m.
    fn cyclic(&mut self, of: FormulaId, by: FormulaId) -> Option<FormulaId> {
        let table = &mut *self.solver.table;
        if table.contains(by, self.symbol) || table.contains(by, self.turn) {
            return None;
        }
        let room = table.combine(-1, &[(by, 1), (self.start, -1)]);
        let is_fit = self.holds_at_entry(Relation::NotNegative, self.start)
            && self.holds_at_entry(Relation::NotNegative, room);
        is_fit.then_some(())?;
        let exact = self.affine(of)?;
        Some(self.solver.table.modulo(exact, by))
    }
}

//! What is a formula at a given iteration of a loop, or after loops that ended?
//!
//! A formula as [`raw`](super::raw) makes it speaks of what merges at the heads of loops. Seen from
//! inside loop L these are of three kinds: of a loop around L (they do not change while L runs), of
//! L itself (their closed form takes their place), and of a loop that was left: then the last
//! iteration counts, and its number is how often that loop went back, if that is known exactly.
//! Cost: the parts of the formulas, each loop asked once.

use super::answer::Reason;
use super::known::{Closed, Known, Mode, Variable, both};
use super::solver::{Ask, DEEPEST_QUESTION, Solver};
use crate::expression::{Domain, Facts, FormulaId, Replacements, Symbol, SymbolId};
use opcost_graph::loops::LoopId;
use rustc_hash::FxHashMap as HashMap;

impl Solver<'_, '_> {
    /// `known` with the last values of loops that do not hold `scope` put in,
    /// where they are known.
    pub(super) fn resolve(&mut self, known: Known, scope: Option<LoopId>, mode: Mode) -> Known {
        let mut known = known;
        // Each round leaves one level of loops.
        for _ in 0..DEEPEST_QUESTION {
            let mut replacements = Replacements::default();
            let mut relies = Some(known.relies.clone());
            for symbol in self.table.symbols_in(known.formula).to_vec() {
                let Some(left) = self.left_loop(symbol, scope) else { continue };
                let Some(variable) = self.variable(symbol) else { continue };
                let Some(value) = self.exit_value(variable, left, mode) else { continue };
                relies = relies.and_then(|relies| both(&relies, &value.relies));
                replacements.symbols.insert(symbol, value.formula);
            }
            let Some(relies) = relies.filter(|_| !replacements.symbols.is_empty()) else { return known };
            let formula = self.table.replace_all(known.formula, &replacements);
            if self.table.is_too_big(formula) {
                return known;
            }
            known = Known { formula, relies };
        }
        known
    }

    /// The innermost loop that was left since the symbol got its value.
    fn left_loop(&self, symbol: SymbolId, scope: Option<LoopId>) -> Option<LoopId> {
        let home = self.home(symbol)?;
        (!self.is_within(scope, home)).then_some(home)
    }

    /// What a variable of a loop is when the loop has ended, seen from right
    /// around it.
    fn exit_value(&mut self, variable: Variable, left: LoopId, mode: Mode) -> Option<Known> {
        let key = (variable, left, mode);
        if let Some(known) = self.state.exit_values.get(&key) {
            return known.clone();
        }
        let value = self.last_value(variable, left, mode);
        self.state.exit_values.insert(key, value.clone());
        value
    }

    fn last_value(&mut self, variable: Variable, left: LoopId, mode: Mode) -> Option<Known> {
        // Only what merges at its head has a value that depends on the turn;
        // other symbols of the loop are what could not be looked into.
        if self.headed_loop(variable) != Some(left) {
            return None;
        }
        let count = self.count(left, mode)?;
        let turns = count.exact_without_conditions()?;
        let symbol = Known::plain(self.leaf(variable));
        let in_turn = self.at_turn(symbol, left, mode, None).ok()?;
        let turn = self.turn(left);
        let formula = self.table.replace(in_turn.formula, turn, turns.formula);
        let relies = both(&in_turn.relies, &turns.relies)?;
        let guards = self.guards(left, mode);
        let formula = self.table.assuming(formula, &guards.facts);
        let relies = both(&relies, &guards.relies)?;
        (!self.table.is_too_big(formula)).then_some(Known { formula, relies })
    }

    /// `known` as it is in iteration number `Turn(id)`, `hold` staying a symbol.
    pub(super) fn at_turn(
        &mut self,
        known: Known,
        id: LoopId,
        mode: Mode,
        hold: Option<SymbolId>,
    ) -> Result<Known, Reason> {
        let known = self.resolve(known, Some(id), mode);
        let mut replacements = Replacements::default();
        let mut relies = known.relies.clone();
        for symbol in self.table.symbols_in(known.formula).to_vec() {
            if matches!(self.table.symbol_of(symbol), Symbol::Undefined(_)) {
                return Err(Reason::Undefined);
            }
            if Some(symbol) == hold || !self.varies_in(symbol, id) {
                continue;
            }
            let variable = self.variable(symbol).ok_or(Reason::TooBig)?;
            let (value, unsigned) = self.closed_form(variable, symbol, id, mode)?;
            relies = both(&relies, &value.relies).ok_or(Reason::TooBig)?;
            if let (Some(unsigned), Some(bits)) = (unsigned, self.bits_of(symbol)) {
                replacements.wrapped.insert((symbol, Domain { bits, signed: false }), unsigned);
            }
            replacements.symbols.insert(symbol, value.formula);
        }
        let formula = self.table.replace_all(known.formula, &replacements);
        if self.table.is_too_big(formula) { Err(Reason::TooBig) } else { Ok(Known { formula, relies }) }
    }

    fn bits_of(&self, symbol: SymbolId) -> Option<u32> {
        Domain::of(self.table.symbol_range(symbol)).map(|domain| domain.bits)
    }

    /// Whether a symbol gets its value anew in iterations of the loop.
    pub(super) fn varies_in(&self, symbol: SymbolId, id: LoopId) -> bool {
        self.is_within(self.home(symbol), id)
    }

    /// A symbol of the formula that varies in the loop.
    pub(super) fn varying(&self, formula: FormulaId, id: LoopId) -> Option<SymbolId> {
        self.table.symbols_in(formula).iter().copied().find(|&symbol| self.varies_in(symbol, id))
    }

    fn closed_form(
        &mut self,
        variable: Variable,
        symbol: SymbolId,
        id: LoopId,
        mode: Mode,
    ) -> Result<(Known, Option<FormulaId>), Reason> {
        if self.headed_loop(variable) != Some(id) {
            return Err(Reason::DependsOn(self.table.symbol_of(symbol).clone()));
        }
        match self.closed(variable, id, mode) {
            Closed::Form { value, unsigned } => Ok((value, unsigned)),
            Closed::None(reason) => Err(reason),
            Closed::Open => Err(Reason::DependsOn(self.table.symbol_of(symbol).clone())),
        }
    }

    /// `known` with the closed forms of all loops around `id` put in, as far as there are any. The
    /// result is a formula of the iterations of the loops around.
    pub(super) fn lifted(&mut self, known: Known, id: LoopId, mode: Mode) -> Known {
        self.lifted_from(known, self.source.forest.loops[id].parent, mode)
    }

    /// The same for this loop and all around it.
    pub(super) fn lifted_from(&mut self, known: Known, innermost: Option<LoopId>, mode: Mode) -> Known {
        let mut known = known;
        let mut around = innermost;
        while let Some(outer) = around {
            known = self.resolve(known, Some(outer), mode);
            known = self.lifted_once(known, outer, mode);
            around = self.source.forest.loops[outer].parent;
        }
        known
    }

    /// Puts in the closed forms of one loop, leaving symbols without one.
    fn lifted_once(&mut self, known: Known, outer: LoopId, mode: Mode) -> Known {
        let mut replacements: HashMap<SymbolId, FormulaId> = HashMap::default();
        let mut relies = Some(known.relies.clone());
        for symbol in self.table.symbols_in(known.formula).to_vec() {
            let Some(variable) = self.variable(symbol) else { continue };
            if self.home(symbol) != Some(outer) || self.headed_loop(variable) != Some(outer) {
                continue;
            }
            let Closed::Form { value, .. } = self.closed(variable, outer, mode) else { continue };
            let formula = self.within_turns(value.formula, outer, mode);
            relies = relies.and_then(|relies| both(&relies, &value.relies));
            replacements.insert(symbol, formula);
        }
        let Some(relies) = relies.filter(|_| !replacements.is_empty()) else { return known };
        let replacements = Replacements { symbols: replacements, wrapped: HashMap::default() };
        let formula = self.table.replace_all(known.formula, &replacements);
        if self.table.is_too_big(formula) { known } else { Known { formula, relies } }
    }

    /// A formula of a loop's iteration, simpler for the iterations that there are.
    pub(super) fn within_turns(&mut self, formula: FormulaId, id: LoopId, mode: Mode) -> FormulaId {
        let guards = self.guards(id, mode);
        let mut facts = guards.facts.clone();
        if !guards.relies.is_empty() {
            return formula;
        }
        let Some(count) = self.count(id, mode) else { return formula };
        if let Some(most) = count.most_without_conditions().filter(|most| most.relies.is_empty()) {
            let turn = self.turn_formula(id);
            let left = self.table.subtract(most.formula, turn);
            facts.add(self.table, left);
        }
        self.table.assuming(formula, &facts)
    }

    /// The formula as it is where the facts hold.
    pub(super) fn simpler(&mut self, known: Known, facts: &Facts) -> Known {
        let formula = self.table.assuming(known.formula, facts);
        if self.table.is_too_big(formula) { known } else { Known { formula, ..known } }
    }
}

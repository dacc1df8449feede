//! What is asked of a comparison, and what can be answered?
//!
//! Two formulas of the iteration and the facts at hand; a first iteration with the conditions that
//! it needs. Also the forms of a formula that several answers look for: a counter, a multiple of a
//! power, a quotient by one. Cost: the terms.

use opcost_ir::Predicate;

use super::answer::Otherwise;
use crate::expression::{
    Domain, Facts, FormulaId, FormulaNode, Formulas, Relation, Rounding, SymbolId, Test,
};

/// A statement that an answer needs, and what happens without it.
pub(super) type Needed = (Test, Otherwise);

/// The first iteration in which a comparison fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// It holds for ever.
    Never,
    /// In the first iteration where the statement holds, else never.
    AtOnceIf(Test),
    /// In this iteration.
    At {
        /// Its number.
        turn: FormulaId,
        /// What it needs.
        conditions: Vec<Needed>,
        /// It is expressed by an inverse modulo 2^bits: right, and hard to read.
        is_modular: bool,
    },
    /// That cannot be determined.
    Unknown,
}

impl First {
    pub(super) fn plain(turn: FormulaId, conditions: Vec<Needed>) -> First {
        First::At { turn, conditions, is_modular: false }
    }
}

/// Values of so many bits that are compared while a loop goes on.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    /// How they compare then.
    pub(super) stays: Predicate,
    /// Both sides, as formulas of the iteration.
    pub(super) sides: [FormulaId; 2],
    pub(super) bits: u32,
}

impl Compared {
    /// The same of other values.
    pub(super) fn of(self, sides: [FormulaId; 2]) -> Compared {
        Compared { sides, ..self }
    }
}

/// Where a comparison is asked about.
pub(super) struct Question<'t> {
    pub(super) table: &'t mut Formulas,
    /// What holds when the loop is entered.
    pub(super) facts: &'t Facts,
    /// The number of the iteration.
    pub(super) turn: SymbolId,
    /// Whether exact values are what flags promise and nothing else ends the loop. A counter that
    /// passes its bound without meeting it then breaks a promise.
    pub(super) trusts: bool,
    /// Whether both sides are addresses: read without sign, so that they are
    /// what they are without wrapping.
    pub(super) are_addresses: bool,
}

/// What a counter that wraps asks of one that does not, and the other way round.
pub(super) trait Crossing {
    /// The first iteration in which a formula is not negative.
    fn crossing(&mut self, of: FormulaId) -> First;
}

impl Question<'_> {
    pub(super) fn unsigned(&mut self, formula: FormulaId, bits: u32) -> FormulaId {
        let is_plain = self.are_addresses || self.table.range(formula).low >= 0;
        if is_plain || self.holds(Relation::NotNegative, formula) {
            return formula;
        }
        self.table.wrap(Domain { bits, signed: false }, formula)
    }

    pub(super) fn holds(&mut self, relation: Relation, of: FormulaId) -> bool {
        self.table.decide(Test { relation, of }, self.facts) == Some(true)
    }

    /// Adds a condition unless it is shown; none if it is refuted.
    pub(super) fn need(
        &mut self,
        relation: Relation,
        of: FormulaId,
        otherwise: Otherwise,
        conditions: &mut Vec<Needed>,
    ) -> Option<()> {
        let test = Test { relation, of };
        match self.table.decide(test, self.facts) {
            Some(true) => Some(()),
            Some(false) => None,
            None => {
                conditions.push((test, otherwise));
                Some(())
            }
        }
    }

    /// Start, wrapped, and step of `start + step·h`.
    pub(super) fn counter(&mut self, domain: Domain, of: FormulaId) -> Option<(FormulaId, i128)> {
        let (parts, under) = self.table.coefficients(of, self.turn)?;
        let &[start, step] = &parts[..] else { return None };
        if under != 1 {
            return None;
        }
        let step = self.table.as_constant(step)?;
        let step = Domain { signed: true, ..domain }.reduce(step);
        let start = self.table.wrap(domain, start);
        Some((self.table.assuming(start, self.facts), step))
    }

    /// The base of the power, and what it is multiplied by.
    pub(super) fn multiples_of_power(&mut self, moving: &[(FormulaId, i128)]) -> Option<(i128, FormulaId)> {
        let mut base = None;
        let mut sum = self.table.constant(0);
        for &(term, factor) in moving {
            let mut rest = self.table.constant(factor);
            let mut own = None;
            for part in self.table.factors_of(term) {
                match *self.table.node(part) {
                    FormulaNode::Power { base, exponent }
                        if self.table.as_symbol(exponent) == Some(self.turn) && own.is_none() =>
                    {
                        own = Some(base);
                    }
                    _ if self.table.contains(part, self.turn) => return None,
                    _ => rest = self.table.multiply(rest, part),
                }
            }
            if base.replace(own?).is_some_and(|before| Some(before) != own) {
                return None;
            }
            sum = self.table.add(sum, rest);
        }
        Some((base?, sum))
    }

    /// `n / c^h` as its rounding, n and c, also where what is left is divided by
    /// a number once more: `(n / c^h) / d` is `(n / d) / c^h`.
    pub(super) fn quotient_by_power(&mut self, term: FormulaId) -> Option<(Rounding, FormulaId, i128)> {
        let &FormulaNode::Divide { rounding: rounding @ (Rounding::Floor | Rounding::Truncate), of, by } =
            self.table.node(term)
        else {
            return None;
        };
        let (of, by) = match (self.table.as_constant(by), self.table.node(of)) {
            (Some(once), &FormulaNode::Divide { rounding: before, of, by })
                if before == rounding && once > 0 =>
            {
                (self.table.divide_by_constant(rounding, of, once), by)
            }
            _ => (of, by),
        };
        // `d·c^h` divides as d and c^h one after the other.
        let (of, by) = match (self.table.terms_of(by), self.table.as_fraction(by)) {
            ((0, terms), (_, 1)) if terms.len() == 1 && terms[0].1 > 1 => {
                (self.table.divide_by_constant(rounding, of, terms[0].1), terms[0].0)
            }
            _ => (of, by),
        };
        let &FormulaNode::Power { base, exponent } = self.table.node(by) else { return None };
        let is_turn = self.table.as_symbol(exponent) == Some(self.turn);
        (is_turn && !self.table.contains(of, self.turn)).then_some((rounding, of, base))
    }

    /// The first h with `n / c^h <= least`, rounded down or towards zero.
    pub(super) fn shrinking(&mut self, term: FormulaId, least: FormulaId) -> Option<First> {
        let (_, of, base) = self.quotient_by_power(term)?;
        let mut conditions = Vec::new();
        self.need(Relation::NotNegative, least, Otherwise::Differs, &mut conditions)?;
        // n / c^h <= least when n < (least + 1)·c^h.
        let next = self.table.add_constant(least, 1);
        let times = self.table.divide(Rounding::Floor, of, next);
        let times = self.table.add_constant(times, 1);
        let turn = self.table.ceil_log(base, times);
        Some(self.at(turn, conditions))
    }

    /// This iteration, or the first one if it is before that.
    pub(super) fn at(&mut self, turn: FormulaId, conditions: Vec<Needed>) -> First {
        First::plain(self.table.not_negative(turn), conditions)
    }
}

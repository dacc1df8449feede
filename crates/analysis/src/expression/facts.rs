//! What else is known of the symbols, and what follows from it?
//!
//! A fact is a formula that is not negative: a guard `i < n` gives `n - i - 1 >= 0`. A lower bound
//! of a formula is its range with the facts about single terms put in, or better: for a fact G that
//! shares a term with F, the range of `F - k·G`, k being chosen so that the term goes; two facts at
//! most are used one after the other. Extremes are divided into their alternatives. All of it is
//! sound and much is missed (full reasoning would be Fourier and Motzkin's elimination). Cost:
//! facts² at worst, few as they are.

use super::FormulaInterval;
use super::formulas::Formulas;
use super::node_ranges;
use super::nodes::{self, FormulaId, FormulaNode};
use rustc_hash::FxHashMap as HashMap;

/// How many facts of several terms are kept.
const MOST_FACTS: usize = 24;
/// How many facts are used one after the other.
const CHAIN: u32 = 2;
/// How many extremes are distinguished.
const ALTERNATIVES: u32 = 3;

/// Formulas that are not negative.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Of single terms.
    ranges: HashMap<FormulaId, FormulaInterval>,
    /// Of several terms each.
    sums: Vec<FormulaId>,
}

impl Facts {
    /// Nothing is known.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.sums.is_empty()
    }

    /// `formula >= 0` holds.
    pub fn add(&mut self, table: &mut Formulas, formula: FormulaId) {
        let formula = table.as_fraction(formula).0;
        if table.is_too_big(formula) || table.range(formula).low >= 0 {
            return;
        }
        let formula = self.with_likely_alternative(table, formula);
        let (constant, terms) = table.terms_of(formula);
        match terms[..] {
            [] => {}
            [(term, factor)] => {
                self.bound_term(table, term, factor, -constant);
            }
            _ if self.sums.len() < MOST_FACTS && !self.sums.contains(&formula) => {
                self.sums.push(formula);
                self.bound_symbols(table, formula, &terms);
            }
            _ => {}
        }
    }

    /// `factor · term >= bound` holds.
    fn bound_term(&mut self, table: &Formulas, term: FormulaId, factor: i128, bound: i128) {
        let interval = if factor > 0 {
            let low = super::integers::quotient(super::Rounding::Ceiling, bound, factor);
            FormulaInterval { low, ..FormulaInterval::ALL }
        } else {
            let high = super::integers::quotient(super::Rounding::Floor, -bound, -factor);
            FormulaInterval { high, ..FormulaInterval::ALL }
        };
        let known = self.ranges.get(&term).copied().unwrap_or(table.range(term));
        self.ranges.insert(term, known.and(interval));
    }

    /// What a sum that is not negative says of each symbol in it. The other terms are what they may
    /// be at most: `n - 1 - t >= 0` and n < 2^31 bound t.
    fn bound_symbols(&mut self, table: &mut Formulas, sum: FormulaId, terms: &[(FormulaId, i128)]) {
        for &(term, factor) in terms {
            let FormulaNode::Symbol(_) = table.node(term) else { continue };
            let rest = table.combine(0, &[(sum, 1), (term, -factor)]);
            let most = self.plain_range(table, rest).high;
            if !table.is_too_big(rest) && (i128::MIN / 2..i128::MAX / 2).contains(&most) {
                self.bound_term(table, term, factor, -most);
            }
        }
    }

    /// A greatest in what is not negative is not an alternative that would make
    /// it negative: `max(0, n) - t - 1 >= 0` with t >= 0 is `n - t - 1 >= 0`.
    fn with_likely_alternative(&self, table: &mut Formulas, formula: FormulaId) -> FormulaId {
        let (_, terms) = table.terms_of(formula);
        for &(term, factor) in &terms {
            let FormulaNode::Greatest(list) = table.node(term).clone() else { continue };
            if factor < 0 {
                continue;
            }
            let with: Vec<FormulaId> = list
                .iter()
                .map(|&other| table.combine(0, &[(formula, 1), (term, -factor), (other, factor)]))
                .collect();
            let possible: Vec<FormulaId> = with
                .into_iter()
                .filter(|&with| table.is_too_big(with) || self.plain_range(table, with).high >= 0)
                .collect();
            if let &[only] = &possible[..]
                && !table.is_too_big(only)
            {
                return only;
            }
        }
        formula
    }

    /// `formula = 0` holds.
    pub fn add_zero(&mut self, table: &mut Formulas, formula: FormulaId) {
        self.add(table, formula);
        let opposite = table.negate(formula);
        self.add(table, opposite);
    }

    /// An interval that the formula is in where the facts hold.
    pub fn range(&self, table: &mut Formulas, formula: FormulaId) -> FormulaInterval {
        if table.is_too_big(formula) {
            return FormulaInterval::ALL;
        }
        let plain = self.plain_range(table, formula);
        if plain.only().is_some() {
            return plain;
        }
        let low = plain.low.max(self.below(table, formula, CHAIN, ALTERNATIVES));
        let opposite = table.negate(formula);
        let high = match self.below(table, opposite, CHAIN, ALTERNATIVES) {
            i128::MIN => plain.high,
            low_of_opposite => plain.high.min(low_of_opposite.saturating_neg()),
        };
        plain.and(FormulaInterval { low, high })
    }

    /// By the ranges of the parts alone.
    fn plain_range(&self, table: &Formulas, formula: FormulaId) -> FormulaInterval {
        self.range_of_part(table, formula, &mut HashMap::default())
    }

    fn range_of_part(
        &self,
        table: &Formulas,
        id: FormulaId,
        done: &mut HashMap<FormulaId, FormulaInterval>,
    ) -> FormulaInterval {
        if table.symbols_in(id).is_empty() {
            return table.range(id);
        }
        if let Some(&known) = done.get(&id) {
            return known;
        }
        let node = table.node(id);
        let mut range = table.range(id);
        if !matches!(node, FormulaNode::Symbol(_)) {
            for child in nodes::children(node) {
                self.range_of_part(table, child, done);
            }
            let known = |part| done.get(&part).copied().unwrap_or_else(|| table.range(part));
            range = range.and(node_ranges::range_of(node, &known));
        }
        if let Some(&known) = self.ranges.get(&id) {
            range = range.and(known);
        }
        done.insert(id, range);
        range
    }

    /// A number that the formula is not below.
    fn below(&self, table: &mut Formulas, formula: FormulaId, chain: u32, alternatives: u32) -> i128 {
        let mut best = self.plain_range(table, formula).low;
        let (over, under) = table.as_fraction(formula);
        if under != 1 {
            let over = self.below(table, over, chain, alternatives);
            return if over == i128::MIN { best } else { best.max(over.div_euclid(under)) };
        }
        if alternatives > 0 {
            best = best.max(self.told_apart(table, formula, chain, alternatives));
        }
        if chain == 0 {
            return best;
        }
        let (_, terms) = table.terms_of(formula);
        for position in 0..self.sums.len() {
            let fact = self.sums[position];
            let Some(times) = shared_factor(table, &terms, fact) else { continue };
            let rest = table.combine(0, &[(formula, 1), (fact, -times)]);
            if !table.is_too_big(rest) {
                best = best.max(self.below(table, rest, chain - 1, alternatives.saturating_sub(1)));
            }
        }
        best
    }

    /// Puts in the alternatives of the first extreme among the terms.
    fn told_apart(&self, table: &mut Formulas, formula: FormulaId, chain: u32, alternatives: u32) -> i128 {
        let (_, terms) = table.terms_of(formula);
        for &(term, factor) in &terms {
            let (greatest, list) = match table.node(term) {
                FormulaNode::Greatest(list) => (true, list.to_vec()),
                FormulaNode::Least(list) => (false, list.to_vec()),
                _ => continue,
            };
            let lows: Vec<i128> = list
                .iter()
                .map(|&alternative| {
                    let with = table.combine(0, &[(formula, 1), (term, -factor), (alternative, factor)]);
                    match table.is_too_big(with) {
                        true => i128::MIN,
                        false => self.below(table, with, chain, alternatives - 1),
                    }
                })
                .collect();
            // Positive times the greatest is at least what any alternative gives.
            let low = if greatest == (factor > 0) { lows.into_iter().max() } else { lows.into_iter().min() };
            return low.unwrap_or(i128::MIN);
        }
        i128::MIN
    }
}

/// How often a fact must be taken away for a term of both to vanish; positive.
fn shared_factor(table: &Formulas, terms: &[(FormulaId, i128)], fact: FormulaId) -> Option<i128> {
    let (_, of_fact) = table.terms_of(fact);
    of_fact.iter().find_map(|&(term, factor)| {
        let (_, ours) = terms.iter().find(|&&(other, _)| other == term)?;
        (ours % factor == 0 && ours / factor > 0).then_some(ours / factor)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Domain, Symbol};
    use super::*;

    fn table() -> (Formulas, FormulaId, FormulaId) {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let i = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
        (table, n, i)
    }

    #[test]
    fn a_guard_removes_the_greatest() {
        let (mut table, n, _) = table();
        let mut facts = Facts::new();
        let positive = table.add_constant(n, -1);
        facts.add(&mut table, positive);
        let count = table.not_negative(positive);
        assert_eq!(table.assuming(count, &facts), positive);
        assert_eq!(facts.range(&mut table, n), FormulaInterval { low: 1, high: (1 << 31) - 1 });
    }

    #[test]
    fn a_guard_on_two_symbols_bounds_their_difference() {
        let (mut table, n, i) = table();
        let mut facts = Facts::new();
        let guard = table.combine(-1, &[(n, 1), (i, -1)]);
        facts.add(&mut table, guard);
        let difference = table.subtract(n, i);
        assert_eq!(facts.range(&mut table, difference).low, 1);
        let twice = table.scale(difference, 2);
        assert_eq!(facts.range(&mut table, twice).low, 2);
        // i >= 0 and i < n: n > 0.
        facts.add(&mut table, i);
        assert_eq!(facts.range(&mut table, n).low, 1);
        let wrapped = table.wrap(Domain { bits: 32, signed: false }, n);
        assert_eq!(table.assuming(wrapped, &facts), n);
    }

    #[test]
    fn extremes_are_told_apart() {
        let (mut table, n, i) = table();
        let facts = Facts::new();
        let greatest = table.greatest(n, i);
        let above = table.subtract(greatest, n);
        assert_eq!(facts.range(&mut table, above).low, 0);
        let clamped = table.not_negative(n);
        let room = table.combine((1 << 31) - 1, &[(clamped, -1)]);
        assert_eq!(facts.range(&mut table, room).low, 0);
    }
}

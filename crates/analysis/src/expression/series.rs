//! Sums over a range, in closed form where there is one.
//!
//! A polynomial in a symbol is taken apart into its coefficients. A power of
//! the index is a sum of binomials, by Stirling's numbers of the second kind,
//! and the sum of binomials over a range is the next binomial:
//! `Σ_{t<n} C(t, k) = C(n, k + 1)`; so sums of polynomials are polynomials
//! (Faulhaber). Powers with the index as exponent are geometric sums. What has
//! neither form stays a [`FormulaNode::Series`]. Cost: square of the degree, at most
//! [`HIGHEST`].

use super::FormulaInterval;
use super::formulas::Formulas;
use super::nodes::{FormulaId, FormulaNode, Symbol, SymbolId};

/// The highest degree that is summed.
const HIGHEST: usize = 8;

impl Formulas {
    /// `of` as a polynomial in a symbol: numerators of its coefficients from
    /// degree 0 up, and their denominator. None if it is no polynomial in it.
    pub fn coefficients(&mut self, of: FormulaId, symbol: SymbolId) -> Option<(Vec<FormulaId>, i128)> {
        let (over, under) = self.as_fraction(of);
        let (constant, terms) = self.terms_of(over);
        let mut parts: Vec<Vec<(FormulaId, i128)>> = vec![Vec::new()];
        for (term, factor) in terms {
            let (degree, rest) = self.degree_in(term, symbol)?;
            if degree >= parts.len() {
                parts.resize(degree + 1, Vec::new());
            }
            parts[degree].push((rest, factor));
        }
        let mut coefficients = Vec::with_capacity(parts.len());
        for (degree, parts) in parts.iter().enumerate() {
            coefficients.push(self.combine(if degree == 0 { constant } else { 0 }, parts));
        }
        let is_given_up = coefficients.iter().any(|&id| self.is_too_big(id));
        (!is_given_up).then_some((coefficients, under))
    }

    /// The degree of a term in a symbol, and the term without it.
    fn degree_in(&mut self, term: FormulaId, symbol: SymbolId) -> Option<(usize, FormulaId)> {
        if !self.contains(term, symbol) {
            return Some((0, term));
        }
        let (mut degree, mut rest) = (0, self.constant(1));
        for factor in self.factors_of(term) {
            if self.as_symbol(factor) == Some(symbol) {
                degree += 1;
            } else if self.contains(factor, symbol) {
                return None;
            } else {
                rest = self.multiply(rest, factor);
            }
        }
        Some((degree, rest))
    }

    /// The index of a new sum over `of`: above all that occur in it.
    pub fn fresh_index(&mut self, of: FormulaId) -> FormulaId {
        let indices = self.symbols_in(of).iter().filter_map(|&symbol| match self.symbol_of(symbol) {
            Symbol::Index(number) => Some(*number + 1),
            _ => None,
        });
        let number = indices.max().unwrap_or(0).max(self.deepest_index(of));
        self.symbol(Symbol::Index(number), FormulaInterval::NATURAL)
    }

    /// One more than the largest index that a sum inside binds.
    fn deepest_index(&self, of: FormulaId) -> u32 {
        let mut work = vec![of];
        let mut seen = std::collections::HashSet::new();
        let mut deepest = 0;
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let FormulaNode::Series { index, .. } = self.node(id)
                && let Symbol::Index(number) = self.symbol_of(*index)
            {
                deepest = deepest.max(number + 1);
            }
            work.extend(super::nodes::children(self.node(id)));
        }
        deepest
    }

    /// `Σ of` for the index from 0 to count - 1; the count is not negative.
    pub fn series(&mut self, index: SymbolId, count: FormulaId, of: FormulaId) -> FormulaId {
        if !self.contains(of, index) {
            return self.multiply(count, of);
        }
        let (over, under) = self.as_fraction(of);
        let (constant, terms) = self.terms_of(over);
        let whole = self.scale(count, constant);
        let mut parts = vec![(whole, 1)];
        for (term, factor) in terms {
            parts.push((self.series_of_term(index, count, term), factor));
        }
        let sum = self.combine(0, &parts);
        if self.is_too_big(sum) {
            return self.intern(FormulaNode::Series { index, count, of });
        }
        if under == 1 { sum } else { self.exact_quotient(sum, under) }
    }

    fn series_of_term(&mut self, index: SymbolId, count: FormulaId, term: FormulaId) -> FormulaId {
        if let Some((degree, rest)) = self.degree_in(term, index).filter(|(degree, _)| *degree <= HIGHEST) {
            let powers = self.sum_of_powers(degree, count);
            return self.multiply(powers, rest);
        }
        if let Some(sum) = self.geometric_sum(index, count, term) {
            return sum;
        }
        self.intern(FormulaNode::Series { index, count, of: term })
    }

    /// `Σ_{t < count} t^degree`
    fn sum_of_powers(&mut self, degree: usize, count: FormulaId) -> FormulaId {
        // t^m = Σ S(m, k) · t(t-1)…(t-k+1), and the sum of falling powers of
        // degree k is the falling power of degree k + 1, by k + 1.
        let stirling = stirling_numbers(degree);
        let mut sum = self.constant(0);
        let mut falling = count;
        for (k, &number) in stirling.iter().enumerate() {
            if k > 0 {
                let next = self.add_constant(count, -(k as i128));
                falling = self.multiply(falling, next);
            }
            let scaled = self.scale(falling, number);
            let part = self.exact_quotient(scaled, k as i128 + 1);
            sum = self.add(sum, part);
        }
        sum
    }

    /// `Σ rest · base^index`
    fn geometric_sum(&mut self, index: SymbolId, count: FormulaId, term: FormulaId) -> Option<FormulaId> {
        let mut found = None;
        let mut rest = self.constant(1);
        for factor in self.factors_of(term) {
            match *self.node(factor) {
                FormulaNode::Power { base, exponent } if self.as_symbol(exponent) == Some(index) => {
                    if found.replace(base).is_some() {
                        return None;
                    }
                }
                _ if self.contains(factor, index) => return None,
                _ => rest = self.multiply(rest, factor),
            }
        }
        let base = found?;
        let power = self.power(base, count);
        let numerator = self.add_constant(power, -1);
        let sum = self.exact_quotient(numerator, base - 1);
        Some(self.multiply(sum, rest))
    }
}

/// Stirling's numbers of the second kind S(m, 0), …, S(m, m).
fn stirling_numbers(m: usize) -> Vec<i128> {
    let mut row = vec![1_i128];
    for _ in 0..m {
        let mut next = vec![0; row.len() + 1];
        for (k, &number) in row.iter().enumerate() {
            next[k] += k as i128 * number;
            next[k + 1] += number;
        }
        row = next;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(table: &Formulas, id: FormulaId, n: i128) -> i128 {
        let value = table.evaluate(id, &|symbol| (*symbol == Symbol::Argument(0)).then_some(n));
        value.expect("all symbols are bound")
    }

    #[test]
    fn sums_of_powers_agree_with_adding_up() {
        for degree in 0..=HIGHEST as u32 {
            let mut table = Formulas::new();
            let n = table.symbol(Symbol::Argument(0), FormulaInterval::NATURAL);
            let t = table.symbol(Symbol::Index(0), FormulaInterval::NATURAL);
            let term = table.raise(t, degree);
            let index = table.as_symbol(t).expect("a symbol");
            let sum = table.series(index, n, term);
            assert!(!table.contains(sum, index));
            for count in 0..12 {
                let added: i128 = (0..count).map(|t: i128| t.pow(degree)).sum();
                assert_eq!(number(&table, sum, count), added, "degree {degree}, {count} terms");
            }
        }
    }

    #[test]
    fn a_triangle_has_half_a_square() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::NATURAL);
        let t = table.symbol(Symbol::Index(0), FormulaInterval::NATURAL);
        let row = table.subtract(n, t);
        let index = table.as_symbol(t).expect("a symbol");
        let sum = table.series(index, n, row);
        let next = table.add_constant(n, 1);
        let product = table.multiply(n, next);
        assert_eq!(sum, table.exact_quotient(product, 2));
    }

    #[test]
    fn geometric_sums_are_closed() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::NATURAL);
        let t = table.symbol(Symbol::Index(0), FormulaInterval::NATURAL);
        let power = table.power(3, t);
        let index = table.as_symbol(t).expect("a symbol");
        let term = table.combine(1, &[(power, 4), (t, 1)]);
        let sum = table.series(index, n, term);
        for count in 0..8 {
            let added: i128 = (0..count).map(|t: i128| 4 * 3_i128.pow(t as u32) + t + 1).sum();
            assert_eq!(number(&table, sum, count), added);
        }
    }

    #[test]
    fn what_has_no_closed_form_is_added_up() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::NATURAL);
        let t = table.symbol(Symbol::Index(0), FormulaInterval::NATURAL);
        let three = table.constant(3);
        let left = table.modulo(t, three);
        let index = table.as_symbol(t).expect("a symbol");
        let sum = table.series(index, n, left);
        assert_eq!(number(&table, sum, 7), 6);
        assert_eq!(number(&table, sum, 0), 0);
    }

    #[test]
    fn coefficients_of_a_polynomial() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let t = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
        let square = table.multiply(t, t);
        let mixed = table.multiply(n, t);
        let polynomial = table.combine(5, &[(square, 3), (mixed, 2), (n, 1)]);
        let symbol = table.as_symbol(t).expect("a symbol");
        let (parts, under) = table.coefficients(polynomial, symbol).expect("a polynomial");
        assert_eq!(under, 1);
        let expected = [table.add_constant(n, 5), table.scale(n, 2), table.constant(3)];
        assert_eq!(parts, expected);
        let root = table.ceil_root(t);
        assert_eq!(table.coefficients(root, symbol), None);
    }
}

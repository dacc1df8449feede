//! Sums and products in one form.
//!
//! A sum is kept as `constant + Σ factor · term`, a term being a product of things that are no
//! sums, so that equal polynomials are equal nodes. Quotients that leave no remainder are brought
//! to one denominator and are outside: `n(n-1)/2 + n` is `(n² + n)/2`. Products of sums are
//! multiplied out as long as they stay small. Cost: n log n in the terms, at most [`MOST_TERMS`] of
//! them.

use super::formulas::Formulas;
use super::integers::gcd;
use super::nodes::{FormulaId, FormulaNode, Rounding};

/// How many terms a sum may have.
const MOST_TERMS: usize = 64;
/// How many factors a product may have.
const MOST_FACTORS: usize = 10;
/// The largest denominator that is brought about.
const LARGEST_DENOMINATOR: i128 = 1 << 40;

impl Formulas {
    /// `a + b`
    pub fn add(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.combine(0, &[(a, 1), (b, 1)])
    }

    /// `a - b`
    pub fn subtract(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.combine(0, &[(a, 1), (b, -1)])
    }

    /// `-a`
    pub fn negate(&mut self, a: FormulaId) -> FormulaId {
        self.combine(0, &[(a, -1)])
    }

    /// `a + number`
    pub fn add_constant(&mut self, a: FormulaId, number: i128) -> FormulaId {
        self.combine(number, &[(a, 1)])
    }

    /// `a · number`
    pub fn scale(&mut self, a: FormulaId, number: i128) -> FormulaId {
        self.combine(0, &[(a, number)])
    }

    /// `constant + Σ factor · part`
    pub fn combine(&mut self, constant: i128, parts: &[(FormulaId, i128)]) -> FormulaId {
        match self.denominator(parts) {
            Some(1) => self.sum(constant, parts).unwrap_or(self.too_big()),
            Some(denominator) => self.fraction(constant, parts, denominator).unwrap_or(self.too_big()),
            None => self.too_big(),
        }
    }

    /// `a · b`
    pub fn multiply(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        if let Some(number) = self.as_constant(a) {
            return self.scale(b, number);
        }
        if let Some(number) = self.as_constant(b) {
            return self.scale(a, number);
        }
        let (over_a, under_a) = self.as_fraction(a);
        let (over_b, under_b) = self.as_fraction(b);
        let Some(product) = self.multiply_out(over_a, over_b) else { return self.too_big() };
        match under_a.checked_mul(under_b) {
            Some(1) => product,
            Some(under) if under <= LARGEST_DENOMINATOR => self.exact_quotient(product, under),
            _ => self.too_big(),
        }
    }

    /// `a ^ exponent` for a small number.
    pub fn raise(&mut self, a: FormulaId, exponent: u32) -> FormulaId {
        let one = self.constant(1);
        (0..exponent).fold(one, |power, _| self.multiply(power, a))
    }

    /// The constant and the terms that it is a sum of; of itself, if it is none.
    pub(crate) fn terms_of(&self, id: FormulaId) -> (i128, Vec<(FormulaId, i128)>) {
        match self.node(id) {
            FormulaNode::Constant(value) => (*value, Vec::new()),
            FormulaNode::Sum { constant, terms } => (*constant, terms.to_vec()),
            _ => (0, vec![(id, 1)]),
        }
    }

    /// The factors of a term.
    pub(crate) fn factors_of(&self, term: FormulaId) -> Vec<FormulaId> {
        match self.node(term) {
            FormulaNode::Product(factors) => factors.to_vec(),
            _ => vec![term],
        }
    }

    /// Numerator and constant denominator; 1 where there is none.
    pub(crate) fn as_fraction(&self, id: FormulaId) -> (FormulaId, i128) {
        if let FormulaNode::Divide { rounding: Rounding::Exact, of, by } = *self.node(id)
            && let Some(by) = self.as_constant(by)
        {
            return (of, by);
        }
        (id, 1)
    }

    /// `of / by`, known to leave no remainder; `by` is positive.
    pub(crate) fn exact_quotient(&mut self, of: FormulaId, by: i128) -> FormulaId {
        let (over, under) = self.as_fraction(of);
        let Some(by) = by.checked_mul(under).filter(|by| *by <= LARGEST_DENOMINATOR) else {
            return self.too_big();
        };
        let (constant, terms) = self.terms_of(over);
        let common = terms.iter().fold(gcd(constant, by), |gcd_so_far, &(_, factor)| gcd(factor, gcd_so_far));
        let parts: Vec<_> = terms.iter().map(|&(term, factor)| (term, factor / common)).collect();
        let Some(reduced) = self.sum(constant / common, &parts) else { return self.too_big() };
        if by == common {
            return reduced;
        }
        let by = self.constant(by / common);
        self.intern(FormulaNode::Divide { rounding: Rounding::Exact, of: reduced, by })
    }

    /// The common denominator of what is added.
    fn denominator(&self, parts: &[(FormulaId, i128)]) -> Option<i128> {
        let mut common = 1;
        for &(part, _) in parts {
            let (_, under) = self.as_fraction(part);
            common = (common / gcd(common, under)).checked_mul(under)?;
        }
        (common <= LARGEST_DENOMINATOR).then_some(common)
    }

    fn fraction(
        &mut self,
        constant: i128,
        parts: &[(FormulaId, i128)],
        denominator: i128,
    ) -> Option<FormulaId> {
        let mut over = Vec::with_capacity(parts.len());
        for &(part, factor) in parts {
            let (part, under) = self.as_fraction(part);
            over.push((part, factor.checked_mul(denominator / under)?));
        }
        let over = self.sum(constant.checked_mul(denominator)?, &over)?;
        Some(self.exact_quotient(over, denominator))
    }

    /// A sum of parts that are no fractions; none if a number does not fit.
    fn sum(&mut self, mut constant: i128, parts: &[(FormulaId, i128)]) -> Option<FormulaId> {
        let mut terms: Vec<(FormulaId, i128)> = Vec::with_capacity(parts.len());
        for &(part, factor) in parts {
            if self.is_too_big(part) {
                return None;
            }
            let (number, of_part) = self.terms_of(part);
            constant = constant.checked_add(number.checked_mul(factor)?)?;
            for (term, inner) in of_part {
                terms.push((term, inner.checked_mul(factor)?));
            }
        }
        terms.sort_by_key(|&(term, _)| term);
        let mut merged: Vec<(FormulaId, i128)> = Vec::with_capacity(terms.len());
        for (term, factor) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == term => last.1 = last.1.checked_add(factor)?,
                _ => merged.push((term, factor)),
            }
        }
        merged.retain(|&(_, factor)| factor != 0);
        match merged[..] {
            [] => Some(self.constant(constant)),
            [(term, 1)] if constant == 0 => Some(term),
            [(term, 1)] if self.takes_constants(term) => Some(self.shift_order(term, constant)),
            _ if merged.len() > MOST_TERMS => None,
            _ => Some(self.intern(FormulaNode::Sum { constant, terms: merged.into() })),
        }
    }

    fn multiply_out(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        let (constant_a, terms_a) = self.terms_of(a);
        let (constant_b, terms_b) = self.terms_of(b);
        if (terms_a.len() + 1) * (terms_b.len() + 1) > 2 * MOST_TERMS {
            return None;
        }
        let mut parts = Vec::new();
        for &(term, factor) in &terms_a {
            parts.push((term, factor.checked_mul(constant_b)?));
            for &(other, other_factor) in &terms_b {
                let product = self.multiply_terms(term, other)?;
                parts.push((product, factor.checked_mul(other_factor)?));
            }
        }
        for &(term, factor) in &terms_b {
            parts.push((term, factor.checked_mul(constant_a)?));
        }
        // A product of terms may be a fraction, so not `sum`.
        Some(self.combine(constant_a.checked_mul(constant_b)?, &parts))
    }

    /// The product of two terms; powers of one base become one.
    fn multiply_terms(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        let mut factors = self.factors_of(a);
        for factor in self.factors_of(b) {
            let same_base = factors.iter().position(|&other| match (self.node(other), self.node(factor)) {
                (FormulaNode::Power { base: x, .. }, FormulaNode::Power { base: y, .. }) => x == y,
                _ => false,
            });
            match same_base {
                Some(position) => {
                    let joined = self.join_powers(factors[position], factor);
                    factors.remove(position);
                    factors.extend(self.factors_of(joined));
                }
                None => factors.push(factor),
            }
        }
        if factors.len() > MOST_FACTORS || factors.iter().any(|&factor| self.is_too_big(factor)) {
            return None;
        }
        // Joining powers of opposite exponents may leave numbers.
        let numbers: i128 = factors.iter().filter_map(|&f| self.as_constant(f)).product();
        factors.retain(|&factor| self.as_constant(factor).is_none());
        factors.sort();
        let product = match factors[..] {
            [] => self.constant(1),
            [only] => only,
            _ => self.intern(FormulaNode::Product(factors.into())),
        };
        Some(if numbers == 1 { product } else { self.scale(product, numbers) })
    }

    fn join_powers(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (self.node(a).clone(), self.node(b).clone()) {
            (FormulaNode::Power { base, exponent: x }, FormulaNode::Power { exponent: y, .. }) => {
                let exponent = self.add(x, y);
                self.power(base, exponent)
            }
            _ => self.too_big(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FormulaInterval, Symbol};
    use super::*;

    fn names(table: &mut Formulas) -> (FormulaId, FormulaId) {
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let m = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
        (n, m)
    }

    #[test]
    fn constants_are_folded() {
        let mut table = Formulas::new();
        let (n, _) = names(&mut table);
        let minus_two = table.add_constant(n, -2);
        let minus_three = table.add_constant(minus_two, -1);
        assert_eq!(table.terms_of(minus_three), (-3, vec![(n, 1)]));
        assert_eq!(table.add_constant(minus_three, 3), n);
    }

    #[test]
    fn polynomials_are_multiplied_out() {
        let mut table = Formulas::new();
        let (n, m) = names(&mut table);
        let (sum, difference) = (table.add(n, m), table.subtract(n, m));
        let product = table.multiply(sum, difference);
        let squares = [table.multiply(n, n), table.multiply(m, m)];
        assert_eq!(product, table.subtract(squares[0], squares[1]));
    }

    #[test]
    fn quotients_without_remainder_find_one_denominator() {
        let mut table = Formulas::new();
        let (n, _) = names(&mut table);
        let before = table.add_constant(n, -1);
        let product = table.multiply(n, before);
        let half = table.exact_quotient(product, 2);
        let sum = table.add(half, n);
        let after = table.add_constant(n, 1);
        let expected = table.multiply(n, after);
        assert_eq!(sum, table.exact_quotient(expected, 2));
        let twice = table.add(half, half);
        assert_eq!(twice, product);
    }

    #[test]
    fn numbers_that_do_not_fit_are_given_up() {
        let mut table = Formulas::new();
        let (n, _) = names(&mut table);
        let large = table.scale(n, i128::MAX / 2);
        let larger = table.scale(large, 5);
        assert!(table.is_too_big(larger));
        let more = table.add_constant(larger, 1);
        assert!(table.is_too_big(more));
    }
}

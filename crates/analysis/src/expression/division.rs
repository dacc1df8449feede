//! Quotients and remainders.
//!
//! What the divisor divides is taken out of a rounded quotient, quotients of
//! quotients become one, and a quotient by a power of two that rounds up or
//! down keeps only what decides. The divisor is not zero: where a formula says
//! `a / b`, the code divided by `b`, or `b` is a step that was shown to move.
//! Cost: linear in the terms.

use super::formulas::Formulas;
use super::integers::{gcd, quotient};
use super::nodes::{FormulaId, FormulaNode, Rounding};
use super::{Domain, FormulaInterval};

impl Formulas {
    /// `of / by`, rounded.
    pub fn divide(&mut self, rounding: Rounding, of: FormulaId, by: FormulaId) -> FormulaId {
        match self.as_constant(by) {
            Some(by) => self.divide_by_constant(rounding, of, by),
            None => self.divide_by_formula(rounding, of, by),
        }
    }

    /// `of / by`, rounded; too big if `by` is zero.
    pub fn divide_by_constant(&mut self, rounding: Rounding, of: FormulaId, by: i128) -> FormulaId {
        if by == 0 {
            return self.too_big();
        }
        if by < 0 {
            let (of, Some(by)) = (self.negate(of), by.checked_neg()) else { return self.too_big() };
            return self.divide_by_constant(rounding, of, by);
        }
        if by == 1 || self.is_too_big(of) {
            return of;
        }
        if let Some(value) = self.as_constant(of) {
            return self.constant(quotient(rounding, value, by));
        }
        let rounding = self.simpler_rounding(rounding, of);
        match rounding {
            Rounding::Exact => self.exact_quotient(of, by),
            Rounding::Truncate => self.quotient_of_quotient(rounding, of, by),
            Rounding::Floor | Rounding::Ceiling => self.split_quotient(rounding, of, by),
        }
    }

    /// What is left of `of` by floor division; `by` is positive.
    pub fn modulo(&mut self, of: FormulaId, by: FormulaId) -> FormulaId {
        if let Some(by) = self.as_constant(by) {
            match (self.as_constant(of), by) {
                (_, ..=0) => return self.too_big(),
                (Some(value), _) => return self.constant(value.rem_euclid(by)),
                (_, 1) => return self.constant(0),
                _ if by & (by - 1) == 0 && by.trailing_zeros() <= 64 => {
                    return self.wrap(Domain { bits: by.trailing_zeros(), signed: false }, of);
                }
                _ => {}
            }
        }
        let (value, divisor) = (self.range(of), self.range(by));
        if value.low >= 0 && divisor.low > 0 && value.high < divisor.low {
            return of;
        }
        self.intern(FormulaNode::Modulo { of, by })
    }

    /// What C's `%` leaves, with the sign of `of`.
    pub fn remainder(&mut self, of: FormulaId, by: FormulaId) -> FormulaId {
        if self.range(of).low >= 0 && self.range(by).low > 0 {
            return self.modulo(of, by);
        }
        let quotient = self.divide(Rounding::Truncate, of, by);
        let covered = self.multiply(quotient, by);
        self.subtract(of, covered)
    }

    /// Rounding towards zero is rounding down or up where the sign is known;
    /// the divisor is positive.
    fn simpler_rounding(&self, rounding: Rounding, of: FormulaId) -> Rounding {
        match (rounding, self.range(of)) {
            (Rounding::Truncate, FormulaInterval { low: 0.., .. }) => Rounding::Floor,
            (Rounding::Truncate, FormulaInterval { high: ..=0, .. }) => Rounding::Ceiling,
            _ => rounding,
        }
    }

    /// Takes out what `by` divides.
    fn split_quotient(&mut self, rounding: Rounding, of: FormulaId, by: i128) -> FormulaId {
        if self.as_fraction(of).1 != 1 {
            return self.quotient_of_quotient(rounding, of, by);
        }
        let (constant, terms) = self.terms_of(of);
        let (whole, rest): (Vec<_>, Vec<_>) = terms.into_iter().partition(|&(_, factor)| factor % by == 0);
        let outside: Vec<_> = whole.into_iter().map(|(term, factor)| (term, factor / by)).collect();
        let outside = self.combine(constant.div_euclid(by), &outside);
        let inside = self.combine(constant.rem_euclid(by), &rest);
        let inside = match self.as_constant(inside) {
            Some(value) => self.constant(quotient(rounding, value, by)),
            None => self.quotient_of_quotient(rounding, inside, by),
        };
        self.add(outside, inside)
    }

    /// `(a / x) / y = a / (x·y)` where both round alike and divide by positive
    /// numbers; what divisor and factors share is cancelled.
    fn quotient_of_quotient(&mut self, rounding: Rounding, of: FormulaId, by: i128) -> FormulaId {
        let range = self.range(of);
        if rounding == Rounding::Floor && range.low >= 0 && range.high < by {
            return self.constant(0);
        }
        if let FormulaNode::Divide { rounding: inner, of: over, by: under } = *self.node(of)
            && inner == rounding
            && let Some(under) = self.as_constant(under)
            && let Some(product) = under.checked_mul(by)
        {
            return self.divide_by_constant(rounding, over, product);
        }
        let (constant, terms) = self.terms_of(of);
        let common = terms.iter().fold(by, |common, &(_, factor)| gcd(common, factor));
        if common > 1 && rounding != Rounding::Truncate && self.as_fraction(of).1 == 1 {
            // floor((g·a + c) / (g·b)) = floor((a + floor(c / g)) / b), and up alike.
            let constant = quotient(rounding, constant, common);
            let terms: Vec<_> = terms.into_iter().map(|(term, factor)| (term, factor / common)).collect();
            let reduced = self.combine(constant, &terms);
            return self.divide_by_constant(rounding, reduced, by / common);
        }
        let by = self.constant(by);
        self.intern(FormulaNode::Divide { rounding, of, by })
    }

    fn divide_by_formula(&mut self, rounding: Rounding, of: FormulaId, by: FormulaId) -> FormulaId {
        if of == by {
            return self.constant(1);
        }
        if self.as_constant(of) == Some(0) {
            return of;
        }
        let rounding = if self.range(by).low > 0 { self.simpler_rounding(rounding, of) } else { rounding };
        // floor(floor(a / x) / y), both positive, as with numbers.
        if let FormulaNode::Divide { rounding: inner, of: over, by: under } = *self.node(of)
            && inner == rounding
            && rounding != Rounding::Exact
            && self.range(under).low > 0
            && self.range(by).low > 0
        {
            let product = self.multiply(under, by);
            return self.divide(rounding, over, product);
        }
        self.intern(FormulaNode::Divide { rounding, of, by })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Symbol;
    use super::*;

    fn table() -> (Formulas, FormulaId) {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        (table, n)
    }

    #[test]
    fn what_the_divisor_divides_is_taken_out() {
        let (mut table, n) = table();
        let m = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
        let sum = table.combine(7, &[(n, 6), (m, 1)]);
        let quotient = table.divide_by_constant(Rounding::Floor, sum, 3);
        let rest = table.add_constant(m, 1);
        let rest = table.divide_by_constant(Rounding::Floor, rest, 3);
        assert_eq!(quotient, table.combine(2, &[(n, 2), (rest, 1)]));
        let even = table.scale(n, 4);
        assert_eq!(table.divide_by_constant(Rounding::Ceiling, even, 4), n);
    }

    #[test]
    fn common_factors_are_cancelled() {
        let (mut table, n) = table();
        let sum = table.combine(5, &[(n, 2)]);
        let quotient = table.divide_by_constant(Rounding::Floor, sum, 8);
        let halved = table.add_constant(n, 2);
        assert_eq!(quotient, table.divide_by_constant(Rounding::Floor, halved, 4));
        let quotient = table.divide_by_constant(Rounding::Ceiling, sum, 8);
        let halved = table.add_constant(n, 3);
        assert_eq!(quotient, table.divide_by_constant(Rounding::Ceiling, halved, 4));
    }

    #[test]
    fn quotients_round_as_they_say() {
        let quotients = |of| {
            [Rounding::Floor, Rounding::Ceiling, Rounding::Truncate].map(|rounding| quotient(rounding, of, 3))
        };
        assert_eq!(quotients(7), [2, 3, 2]);
        assert_eq!(quotients(-7), [-3, -2, -2]);
        assert_eq!(quotients(-6), [-2, -2, -2]);
    }

    #[test]
    fn remainders_by_powers_of_two_are_wraps() {
        let (mut table, n) = table();
        let eight = table.constant(8);
        let left = table.modulo(n, eight);
        assert_eq!(left, table.wrap(Domain { bits: 3, signed: false }, n));
        assert_eq!(table.range(left), FormulaInterval::unsigned(3));
    }
}

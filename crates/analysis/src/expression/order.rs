//! The least, the greatest, one of two.
//!
//! Of several the ones that cannot win are dropped, by the range of the
//! difference. One of two is the least or the greatest where the test compares
//! just them, and nothing is left of a test that its range decides. A constant
//! added to a least or greatest goes inside: `max(1, n) - 1` is `max(0, n - 1)`.
//! Cost: quadratic in the alternatives, of which there are at most
//! [`MOST_ALTERNATIVES`].

use super::formulas::Formulas;
use super::nodes::{FormulaId, FormulaNode, Relation, Test};

/// How many alternatives a least or greatest may have.
const MOST_ALTERNATIVES: usize = 8;

impl Formulas {
    /// The least of both.
    pub fn least(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.choose(false, &[a, b])
    }

    /// The greatest of both.
    pub fn greatest(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.choose(true, &[a, b])
    }

    /// `max(0, a)`
    pub fn not_negative(&mut self, a: FormulaId) -> FormulaId {
        let zero = self.constant(0);
        self.greatest(zero, a)
    }

    /// The greatest or the least of a list that is not empty.
    pub(super) fn choose(&mut self, greatest: bool, list: &[FormulaId]) -> FormulaId {
        let mut all = Vec::new();
        for &id in list {
            match self.node(id) {
                FormulaNode::TooBig => return id,
                FormulaNode::Greatest(inner) if greatest => all.extend(inner.iter().copied()),
                FormulaNode::Least(inner) if !greatest => all.extend(inner.iter().copied()),
                _ => all.push(id),
            }
        }
        all.sort();
        all.dedup();
        if all.len() > MOST_ALTERNATIVES {
            return self.too_big();
        }
        let mut kept: Vec<FormulaId> = Vec::new();
        for candidate in all {
            if kept.iter().any(|&other| self.is_never_less(greatest, other, candidate)) {
                continue;
            }
            let beaten: Vec<bool> =
                kept.iter().map(|&other| self.is_never_less(greatest, candidate, other)).collect();
            let mut beaten = beaten.into_iter();
            kept.retain(|_| !beaten.next().unwrap_or(false));
            kept.push(candidate);
        }
        match kept[..] {
            [only] => only,
            _ if greatest => self.intern(FormulaNode::Greatest(kept.into())),
            _ => self.intern(FormulaNode::Least(kept.into())),
        }
    }

    /// Whether `a` always wins against `b`, by ranges only. (A difference would
    /// make nodes; the terms of both are compared where they are.)
    fn is_never_less(&mut self, greatest: bool, a: FormulaId, b: FormulaId) -> bool {
        let (a, b) = if greatest { (a, b) } else { (b, a) };
        if self.range(a).low >= self.range(b).high {
            return true;
        }
        let difference = self.subtract(a, b);
        !self.is_too_big(difference) && self.range(difference).low >= 0
    }

    /// Whether a constant that is added goes inside.
    pub(super) fn takes_constants(&self, term: FormulaId) -> bool {
        matches!(self.node(term), FormulaNode::Least(_) | FormulaNode::Greatest(_))
    }

    /// A least or greatest with a constant added to each alternative.
    pub(super) fn shift_order(&mut self, term: FormulaId, constant: i128) -> FormulaId {
        let (greatest, list) = match self.node(term) {
            FormulaNode::Least(list) => (false, list.clone()),
            FormulaNode::Greatest(list) => (true, list.clone()),
            _ => return self.add_constant(term, constant),
        };
        let shifted: Vec<_> = list.iter().map(|&id| self.add_constant(id, constant)).collect();
        self.choose(greatest, &shifted)
    }

    /// `then` where the test holds, else `otherwise`.
    pub fn select(&mut self, test: Test, then: FormulaId, otherwise: FormulaId) -> FormulaId {
        let test = self.plain_test(test);
        let (test, then, otherwise) = match test.relation {
            Relation::Negative | Relation::Zero => (test, then, otherwise),
            Relation::NotNegative | Relation::NotZero => (test.inverse(), otherwise, then),
        };
        if then == otherwise {
            return then;
        }
        match test.relation.decide(self.range(test.of)) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        if [test.of, then, otherwise].iter().any(|&part| self.is_too_big(part)) {
            return self.too_big();
        }
        match test.relation {
            Relation::Zero => self.select_by_zero(test, then, otherwise),
            _ => self.select_by_sign(test, then, otherwise),
        }
    }

    /// A test of a choice between two numbers is the test that chose.
    pub(crate) fn plain_test(&self, mut test: Test) -> Test {
        loop {
            let (constant, terms) = self.terms_of(test.of);
            let [(term, factor)] = terms[..] else { return test };
            let &FormulaNode::Select { test: inner, then, otherwise } = self.node(term) else { return test };
            let (Some(then), Some(otherwise)) = (self.as_constant(then), self.as_constant(otherwise)) else {
                return test;
            };
            let holds = |value: i128| {
                let value = factor.checked_mul(value)?.checked_add(constant)?;
                Some(test.relation.holds(value))
            };
            test = match (holds(then), holds(otherwise)) {
                (Some(true), Some(false)) => inner,
                (Some(false), Some(true)) => inner.inverse(),
                _ => return test,
            };
        }
    }

    /// `d < 0 ? a : b` is an extreme where d is a - b or one less, or b - a or
    /// one less.
    fn select_by_sign(&mut self, test: Test, then: FormulaId, otherwise: FormulaId) -> FormulaId {
        let difference = self.subtract(then, otherwise);
        let opposite = self.negate(difference);
        for (shape, greatest) in [(difference, false), (opposite, true)] {
            let one_less = self.add_constant(shape, -1);
            if test.of == shape || test.of == one_less {
                return self.choose(greatest, &[then, otherwise]);
            }
        }
        if let Some(simpler) = self.select_of_clamp(test, then, otherwise) {
            return simpler;
        }
        self.intern(FormulaNode::Select { test, then, otherwise })
    }

    /// `d < 0 ? c : max(c, x)` and the like: the test only repeats what an
    /// extreme of the arms says.
    fn select_of_clamp(&mut self, test: Test, then: FormulaId, otherwise: FormulaId) -> Option<FormulaId> {
        let (FormulaNode::Greatest(list), other, when_negative) =
            (match (self.node(then), self.node(otherwise)) {
                (FormulaNode::Greatest(_), _) => (self.node(then).clone(), otherwise, true),
                (_, FormulaNode::Greatest(_)) => (self.node(otherwise).clone(), then, false),
                _ => return None,
            })
        else {
            return None;
        };
        let &[a, b] = &list[..] else { return None };
        let (floor, moving) = if a == other {
            (a, b)
        } else if b == other {
            (b, a)
        } else {
            return None;
        };
        // Where `floor` alone is chosen, `moving` must not be above it.
        let above = self.subtract(moving, floor);
        let shape = if when_negative { self.negate(above) } else { above };
        let one_less = self.add_constant(shape, -1);
        (test.of == shape || test.of == one_less).then(|| self.choose(true, &list))
    }

    /// `x = c ? a : b` where a is what b is for x = c says nothing.
    fn select_by_zero(&mut self, test: Test, then: FormulaId, otherwise: FormulaId) -> FormulaId {
        let (constant, terms) = self.terms_of(test.of);
        if let [(term, factor @ (1 | -1))] = terms[..]
            && let Some(symbol) = self.as_symbol(term)
        {
            let value = self.constant(-constant * factor);
            let at_value = self.replace(otherwise, symbol, value);
            if at_value == then {
                return otherwise;
            }
        }
        // The sign of a test for zero is free: take the lesser id.
        let opposite = self.negate(test.of);
        let test = Test { of: test.of.min(opposite), ..test };
        self.intern(FormulaNode::Select { test, then, otherwise })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FormulaInterval, Symbol};
    use super::*;

    fn table() -> (Formulas, FormulaId, FormulaId) {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let m = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
        (table, n, m)
    }

    #[test]
    fn what_cannot_win_is_dropped() {
        let (mut table, n, m) = table();
        let more = table.add_constant(n, 1);
        assert_eq!(table.greatest(n, more), more);
        assert_eq!(table.least(n, more), n);
        let both = table.greatest(n, m);
        assert_eq!(table.greatest(m, both), both);
        let low = table.constant(-(1 << 31));
        assert_eq!(table.greatest(low, n), n);
    }

    #[test]
    fn constants_go_into_extremes() {
        let (mut table, n, _) = table();
        let one = table.constant(1);
        let at_least_one = table.greatest(one, n);
        let shifted = table.add_constant(at_least_one, -1);
        let less = table.add_constant(n, -1);
        assert_eq!(shifted, table.not_negative(less));
    }

    #[test]
    fn a_choice_between_what_is_compared_is_an_extreme() {
        let (mut table, n, m) = table();
        let of = table.subtract(n, m);
        let test = Test { relation: Relation::Negative, of };
        let (least, greatest) = (table.least(n, m), table.greatest(n, m));
        assert_eq!(table.select(test, n, m), least);
        assert_eq!(table.select(test, m, n), greatest);
        assert_eq!(table.select(test.inverse(), n, m), greatest);
        let not_above = Test { relation: Relation::Negative, of: table.add_constant(of, -1) };
        assert_eq!(table.select(not_above, n, m), least);
    }

    #[test]
    fn a_test_for_zero_that_says_nothing_goes() {
        let (mut table, n, m) = table();
        let zero = table.constant(0);
        let is_zero = Test { relation: Relation::Zero, of: n };
        assert_eq!(table.select(is_zero, zero, n), n);
        let sum = table.add(n, m);
        assert_eq!(table.select(is_zero, m, sum), sum);
        let kept = table.select(is_zero, n, m);
        assert!(matches!(table.node(kept), FormulaNode::Select { .. }));
    }
}

//! In which iteration does a comparison first fail?
//!
//! Both sides are formulas of the iteration h. What decides is their difference D: a loop that goes
//! on while `l < r` leaves in the first iteration with D = l - r not negative. By the form of D:
//!
//! ```text
//! a + b·h          ceil(-a / b)                           b > 0
//! a + b·h + c·h²   ceil((ceil(sqrt(f² - c·a)) - f) / c)   b = 2f, f >= 0, c > 0
//! k·b^h - r        ceil(log_b(r / k))                     k > 0
//! r - n / (f·c^h)  ceil(log_c(n / (f·(r + 1)) + 1))       r >= 0: shifts, digits
//! wrap(a + b·h) - r     the same while nothing wraps before, see `wrapped`
//! ```
//!
//! For `l != r` the first iteration in which both are equal modulo 2^w: with the step 2^k·odd it is
//! ((r - l) / 2^k · odd⁻¹) modulo 2^(w-k), if 2^k divides the distance. Where the answer needs a
//! condition that the facts do not show, the condition is part of it. Cost: the terms of D.

use opcost_ir::Predicate;

use super::answer::Otherwise;
use super::leaving_question::{Compared, Crossing, First, Question};
use super::predicates::is_signed;
use crate::expression::{FormulaId, FormulaNode, Relation, Rounding, Test};

impl Question<'_> {
    pub(super) fn first_turn_of(&mut self, compared: Compared) -> First {
        let Compared { stays, sides: [left, right], bits } = compared;
        use Predicate::*;
        let is_unsigned = matches!(stays, Ult | Ule | Ugt | Uge);
        let (left, right) = match is_unsigned {
            true => (self.unsigned(left, bits), self.unsigned(right, bits)),
            false if bits == 1 && is_signed(stays) => (self.table.negate(left), self.table.negate(right)),
            false => (left, right),
        };
        match stays {
            Slt | Ult => self.until_not_below(left, right, 0),
            Sle | Ule => self.until_not_below(left, right, 1),
            Sgt | Ugt => self.until_not_below(right, left, 0),
            Sge | Uge => self.until_not_below(right, left, 1),
            Ne => self.until_equal(left, right, bits),
            Eq => self.until_different(left, right, bits),
            _ => First::Unknown,
        }
    }

    /// At which iteration `left >= right + more`, `more` being 0 or 1.
    fn until_not_below(&mut self, left: FormulaId, right: FormulaId, more: i128) -> First {
        let difference = self.table.subtract(left, right);
        // Only the sign of a fraction counts: its numerator's.
        let (over, _) = self.table.as_fraction(difference);
        let reached = self.table.add_constant(over, -more);
        self.crossing(reached)
    }

    /// A statement that no iteration changes.
    fn at_once(&mut self, test: Test) -> First {
        match self.table.decide(test, self.facts) {
            Some(true) => First::plain(self.table.constant(0), Vec::new()),
            Some(false) => First::Never,
            None => First::AtOnceIf(test),
        }
    }

    /// The first h with `constant + slope·h >= 0`.
    fn linear(&mut self, constant: FormulaId, slope: FormulaId) -> First {
        let at_start = Test { relation: Relation::NotNegative, of: constant };
        let falls = self.table.negate(slope);
        if self.holds(Relation::NotNegative, falls) {
            return self.at_once(at_start);
        }
        let mut conditions = Vec::new();
        let before = self.table.add_constant(slope, -1);
        if self.need(Relation::NotNegative, before, Otherwise::Differs, &mut conditions).is_none() {
            return First::Unknown;
        }
        let distance = self.table.negate(constant);
        let turn = self.table.divide(Rounding::Ceiling, distance, slope);
        self.at(turn, conditions)
    }

    /// The first h with `constant + slope·h + bend·h² >= 0`, bend a positive
    /// number and the slope not negative.
    fn quadratic(&mut self, constant: FormulaId, slope: FormulaId, bend: FormulaId) -> Option<First> {
        let bend = self.table.as_constant(bend).filter(|&bend| bend > 0)?;
        self.holds(Relation::NotNegative, slope).then_some(())?;
        let (number, terms) = self.table.terms_of(slope);
        let is_even = number % 2 == 0 && terms.iter().all(|(_, factor)| factor % 2 == 0);
        // (bend·h + f)² >= f² - bend·constant with slope = 2·f; else all times 4.
        let (half, bend, constant) = match is_even {
            true => (self.table.divide_by_constant(Rounding::Exact, slope, 2), bend, constant),
            false => (slope, bend.checked_mul(2)?, self.table.scale(constant, 2)),
        };
        let square = self.table.multiply(half, half);
        let under_root = self.table.combine(0, &[(square, 1), (constant, -bend)]);
        let root = self.table.ceil_root(under_root);
        let distance = self.table.subtract(root, half);
        let turn = self.table.divide_by_constant(Rounding::Ceiling, distance, bend);
        Some(self.at(turn, Vec::new()))
    }

    /// The first h with `Σ terms + fixed >= 0`, all terms being multiples of one power of the
    /// iteration.
    fn growing(&mut self, moving: &[(FormulaId, i128)], fixed: FormulaId) -> Option<First> {
        let (base, factor) = self.multiples_of_power(moving)?;
        let mut conditions = Vec::new();
        let positive = self.table.add_constant(factor, -1);
        self.need(Relation::NotNegative, positive, Otherwise::Differs, &mut conditions)?;
        let distance = self.table.negate(fixed);
        let times = self.table.divide(Rounding::Ceiling, distance, factor);
        let turn = self.table.ceil_log(base, times);
        Some(self.at(turn, conditions))
    }

    /// Two counters that go on while a < b: where neither moves by more than
    /// one towards the other, neither can wrap before they meet.
    fn racing(&mut self, a: FormulaId, b: FormulaId) -> Option<First> {
        let (&FormulaNode::Wrap { domain, of: x }, &FormulaNode::Wrap { domain: other, of: y }) =
            (self.table.node(a), self.table.node(b))
        else {
            return None;
        };
        if domain != other {
            return None;
        }
        let (start_a, step_a) = self.counter(domain, x)?;
        let (start_b, step_b) = self.counter(domain, y)?;
        if !(0..=1).contains(&step_a) || !(-1..=0).contains(&step_b) {
            return None;
        }
        let difference = self.table.subtract(start_a, start_b);
        let slope = self.table.constant(step_a - step_b);
        Some(self.linear(difference, slope))
    }
}

impl Crossing for Question<'_> {
    fn crossing(&mut self, of: FormulaId) -> First {
        if self.table.is_too_big(of) {
            return First::Unknown;
        }
        if !self.table.contains(of, self.turn) {
            return self.at_once(Test { relation: Relation::NotNegative, of });
        }
        if self.table.range(of).high < 0 {
            return First::Never;
        }
        if let Some((parts, 1)) = self.table.coefficients(of, self.turn) {
            return match parts[..] {
                [constant, slope] => self.linear(constant, slope),
                [constant, slope, bend] => self.quadratic(constant, slope, bend).unwrap_or(First::Unknown),
                _ => First::Unknown,
            };
        }
        let (constant, terms) = self.table.terms_of(of);
        let (moving, fixed): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|&(term, _)| self.table.contains(term, self.turn));
        let fixed = self.table.combine(constant, &fixed);
        let found = match moving[..] {
            [(term, factor @ (1 | -1))] if matches!(self.table.node(term), FormulaNode::Wrap { .. }) => {
                self.wrapped(term, factor, fixed)
            }
            [(term, -1)] if matches!(self.table.node(term), FormulaNode::Divide { .. }) => {
                self.shrinking(term, fixed)
            }
            [(a, 1), (b, -1)] | [(b, -1), (a, 1)] if fixed == self.table.constant(0) => self.racing(a, b),
            _ => self.growing(&moving, fixed),
        };
        found.unwrap_or(First::Unknown)
    }
}

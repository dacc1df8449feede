//! In which iteration does a comparison first fail, where the counter may wrap?
//!
//! A counter `wrap(start + step·h)` that goes on while it is below r rises
//! exactly, as long as it has not passed r; so nothing has wrapped before if
//! the last step onto or over r stays in the domain: `r <= high - step + 1`,
//! which is no condition for a step of one. A counter that falls goes on until
//! it wraps from the low end to the high one, and leaves there. What is said of
//! rising counters holds for falling ones with both signs turned.
//!
//! Where one value only leaves (`!=`, or `< high`), arithmetic modulo 2^bits gives the iteration
//! whatever the step is.

use super::answer::Otherwise;
use super::leaving_question::{Crossing, First, Needed, Question};
use crate::expression::{Domain, FormulaId, FormulaNode, Relation, Rounding, Test, inverse_of_odd};

impl Question<'_> {
    /// The first h with `sign·wrap(…) + fixed >= 0`.
    pub(super) fn wrapped(&mut self, term: FormulaId, sign: i128, fixed: FormulaId) -> Option<First> {
        let &FormulaNode::Wrap { domain, of } = self.table.node(term) else { return None };
        // The bound: left where the counter is at least it, or at most.
        let bound = self.table.scale(fixed, -sign);
        let Some((start, step)) = self.counter(domain, of) else {
            return match sign > 0 {
                true => self.rising_otherwise(domain, of, bound),
                false => self.shrinking_otherwise(domain, of, bound),
            };
        };
        let interval = domain.interval();
        let end = if sign > 0 { interval.high } else { interval.low };
        if step.abs() > 1 && self.table.as_constant(bound) == Some(end) {
            // Only the end leaves.
            let end = self.table.constant(end);
            return self.until_residue(of, end, domain.bits);
        }
        if step == 0 {
            return None;
        }
        if (step > 0) == (sign > 0) {
            self.towards(domain, start, step, bound)
        } else {
            self.away(domain, start, step, bound)
        }
    }

    /// A counter that moves towards its bound.
    fn towards(&mut self, domain: Domain, start: FormulaId, step: i128, bound: FormulaId) -> Option<First> {
        let interval = domain.interval();
        // The bound must be so far from the end that no step goes past it.
        let room = match step > 0 {
            true => self.table.combine(interval.high - step + 1, &[(bound, -1)]),
            false => self.table.combine(-interval.low + step + 1, &[(bound, 1)]),
        };
        let otherwise = if step.abs() == 1 { Otherwise::Endless } else { Otherwise::Differs };
        let mut conditions = Vec::new();
        self.need(Relation::NotNegative, room, otherwise, &mut conditions)?;
        let distance = match step > 0 {
            true => self.table.subtract(bound, start),
            false => self.table.subtract(start, bound),
        };
        let turn = self.table.divide_by_constant(Rounding::Ceiling, distance, step.abs());
        let turn = self.table.not_negative(turn);
        Some(First::plain(turn, conditions))
    }

    /// A counter that moves away from its bound: left at once, or when it has
    /// wrapped to the other end.
    fn away(&mut self, domain: Domain, start: FormulaId, step: i128, bound: FormulaId) -> Option<First> {
        let interval = domain.interval();
        let size = step.abs();
        // It wraps to a value less than `size` from the far end, which must leave.
        let (room, beyond, to_end) = match step < 0 {
            true => (
                self.table.combine(interval.high - size + 1, &[(bound, -1)]),
                self.table.subtract(start, bound),
                self.table.add_constant(start, -interval.low),
            ),
            false => (
                self.table.combine(-interval.low - size + 1, &[(bound, 1)]),
                self.table.subtract(bound, start),
                self.table.combine(interval.high, &[(start, -1)]),
            ),
        };
        let leaves_at_once = Test { relation: Relation::NotNegative, of: beyond };
        let mut conditions: Vec<Needed> = Vec::new();
        self.need(Relation::NotNegative, room, Otherwise::Differs, &mut conditions)?;
        let steps = self.table.divide_by_constant(Rounding::Floor, to_end, size);
        let after_wrap = self.table.add_constant(steps, 1);
        let zero = self.table.constant(0);
        let turn = self.table.select(leaves_at_once, zero, after_wrap);
        Some(First::plain(turn, conditions))
    }

    /// Something else that rises without wrapping until it has passed the bound.
    fn rising_otherwise(&mut self, domain: Domain, of: FormulaId, bound: FormulaId) -> Option<First> {
        let zero = self.table.constant(0);
        let start = self.table.replace(of, self.turn, zero);
        let interval = domain.interval();
        let (from_low, from_high) = (
            self.table.add_constant(start, -interval.low),
            self.table.combine(interval.high, &[(start, -1)]),
        );
        let starts_inside =
            self.holds(Relation::NotNegative, from_low) && self.holds(Relation::NotNegative, from_high);
        if !starts_inside || !self.rises(of) {
            return None;
        }
        let reached = self.table.subtract(of, bound);
        let First::At { turn, mut conditions, .. } = self.crossing(reached) else { return None };
        let last = self.table.replace(of, self.turn, turn);
        let room = self.table.combine(interval.high, &[(last, -1)]);
        self.need(Relation::NotNegative, room, Otherwise::Differs, &mut conditions)?;
        Some(First::plain(turn, conditions))
    }

    /// What is shifted without sign and asked with it: it may be negative in the first iteration,
    /// and from then on it is not.
    fn shrinking_otherwise(&mut self, domain: Domain, of: FormulaId, bound: FormulaId) -> Option<First> {
        let (_, whole, base) = self.quotient_by_power(of)?;
        let (range, high) = (self.table.range(whole), domain.interval().high);
        if range.low < 0 || range.high / base > high {
            return None;
        }
        let start = self.table.wrap(domain, whole);
        let room = self.table.subtract(bound, start);
        let leaves_at_once = Test { relation: Relation::NotNegative, of: room };
        let First::At { turn, conditions, .. } = self.shrinking(of, bound)? else { return None };
        let zero = self.table.constant(0);
        let turn = self.table.select(leaves_at_once, zero, turn);
        Some(First::plain(turn, conditions))
    }

    /// `2^(k·h)` times a number, modulo 2^bits: zero when all bits have left.
    fn until_shifted_out(&mut self, difference: FormulaId, bits: u32) -> Option<First> {
        let residue = self.table.residue(bits, difference);
        let (0, terms) = self.table.terms_of(residue) else { return None };
        let (base, factor) = self.multiples_of_power(&terms)?;
        let factor = self.table.as_constant(factor).filter(|&factor| factor != 0)?;
        if !(base as u128).is_power_of_two() || self.table.as_fraction(residue).1 != 1 {
            return None;
        }
        let left = i128::from(bits.saturating_sub(factor.trailing_zeros()));
        let step = i128::from(base.trailing_zeros());
        let turn = self.table.constant((left + step - 1) / step);
        Some(First::plain(turn, Vec::new()))
    }

    /// Whether a formula of the iteration never falls: powers and polynomials whose factors are not
    /// negative.
    fn rises(&mut self, of: FormulaId) -> bool {
        if let Some((parts, _)) = self.table.coefficients(of, self.turn) {
            return parts[1..].iter().all(|&part| self.holds(Relation::NotNegative, part));
        }
        let (over, _) = self.table.as_fraction(of);
        let (_, terms) = self.table.terms_of(over);
        let moving: Vec<_> =
            terms.into_iter().filter(|&(term, _)| self.table.contains(term, self.turn)).collect();
        match self.multiples_of_power(&moving) {
            Some((_, factor)) => self.holds(Relation::NotNegative, factor),
            None => false,
        }
    }

    /// The first iteration in which both sides are equal.
    pub(super) fn until_equal(&mut self, left: FormulaId, right: FormulaId, bits: u32) -> First {
        let difference = self.table.subtract(left, right);
        if self.table.is_too_big(difference) {
            return First::Unknown;
        }
        if !self.table.contains(difference, self.turn) {
            return self.equal_at_once(difference, bits);
        }
        if (Relation::Zero).decide(self.table.range(difference)) == Some(false) {
            return First::Never;
        }
        if self.trusts
            && let Some(found) = self.until_zero_exactly(difference)
        {
            return found;
        }
        self.until_residue(left, right, bits)
            .or_else(|| self.until_narrow_equal(difference))
            .or_else(|| self.until_least(left, right, bits))
            .or_else(|| self.until_shifted_out(difference, bits))
            .unwrap_or(First::Unknown)
    }

    fn equal_at_once(&mut self, difference: FormulaId, bits: u32) -> First {
        let distance = self.table.wrap(Domain { bits, signed: false }, difference);
        let test = Test { relation: Relation::Zero, of: difference };
        let apart = Test { relation: Relation::Zero, of: distance };
        match self.table.decide(test, self.facts).or_else(|| self.table.decide(apart, self.facts)) {
            Some(true) => First::plain(self.table.constant(0), Vec::new()),
            Some(false) => First::Never,
            None => First::AtOnceIf(test),
        }
    }

    /// Values that flags promise to be exact. A counter that moves away from
    /// zero, or steps over it, goes on until it breaks the promise.
    fn until_zero_exactly(&mut self, difference: FormulaId) -> Option<First> {
        let (parts, under) = self.table.coefficients(difference, self.turn)?;
        let &[constant, step] = &parts[..] else { return None };
        if under != 1 {
            return None;
        }
        let opposite = self.table.negate(step);
        let (distance, step) = match self.holds(Relation::NotNegative, opposite) {
            true => (constant, opposite),
            false => (self.table.negate(constant), step),
        };
        let mut conditions = Vec::new();
        let moves = self.table.add_constant(step, -1);
        self.need(Relation::NotNegative, moves, Otherwise::Endless, &mut conditions)?;
        self.need(Relation::NotNegative, distance, Otherwise::Endless, &mut conditions)?;
        let left = self.table.modulo(distance, step);
        self.need(Relation::Zero, left, Otherwise::Endless, &mut conditions)?;
        let turn = self.table.divide(Rounding::Exact, distance, step);
        Some(First::plain(turn, conditions))
    }

    /// The first h with `left = right` modulo 2^bits.
    fn until_residue(&mut self, left: FormulaId, right: FormulaId, bits: u32) -> Option<First> {
        let difference = self.table.subtract(left, right);
        let residue = self.table.residue(bits, difference);
        let (parts, under) = self.table.coefficients(residue, self.turn)?;
        let &[constant, step] = &parts[..] else { return None };
        if under != 1 {
            return None;
        }
        let step = Domain { bits, signed: true }.reduce(self.table.as_constant(step)?);
        let zeros = step.trailing_zeros();
        if step == 0 || zeros >= bits {
            return None;
        }
        let mut conditions = Vec::new();
        let unit = 1_i128 << zeros;
        let below = self.table.wrap(Domain { bits: zeros.max(1), signed: false }, constant);
        if zeros > 0 && self.need(Relation::Zero, below, Otherwise::Endless, &mut conditions).is_none() {
            // They differ in a bit that no step changes.
            return Some(First::Never);
        }
        let width = bits - zeros;
        let inverse = Domain { bits: width, signed: true }.reduce(inverse_of_odd(step >> zeros, width));
        // (-constant / 2^zeros) · inverse, with the sign of the inverse inside.
        let distance = self.table.scale(constant, -inverse.signum());
        let distance = self.table.divide_by_constant(Rounding::Floor, distance, unit);
        let turn = self.table.scale(distance, inverse.abs());
        let turn = self.table.wrap(Domain { bits: width, signed: false }, turn);
        Some(First::At { turn, conditions, is_modular: inverse.abs() != 1 })
    }

    /// A counter of fewer bits than are compared.
    fn until_narrow_equal(&mut self, difference: FormulaId) -> Option<First> {
        let (constant, terms) = self.table.terms_of(difference);
        let (moving, fixed): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|&(term, _)| self.table.contains(term, self.turn));
        let &[(term, sign @ (1 | -1))] = &moving[..] else { return None };
        let &FormulaNode::Wrap { domain, of } = self.table.node(term) else { return None };
        let fixed = self.table.combine(constant, &fixed);
        let bound = self.table.scale(fixed, -sign);
        let First::At { turn, mut conditions, is_modular } = self.until_residue(of, bound, domain.bits)?
        else {
            return None;
        };
        let interval = domain.interval();
        let above = self.table.add_constant(bound, -interval.low);
        let below = self.table.combine(interval.high, &[(bound, -1)]);
        for room in [above, below] {
            self.need(Relation::NotNegative, room, Otherwise::Endless, &mut conditions)?;
        }
        Some(First::At { turn, conditions, is_modular })
    }

    /// `left != right` where neither can be below the other: until not above.
    fn until_least(&mut self, left: FormulaId, right: FormulaId, bits: u32) -> Option<First> {
        let unsigned = [left, right].map(|side| {
            let is_natural = self.table.range(side).low >= 0;
            if is_natural { side } else { self.table.wrap(Domain { bits, signed: false }, side) }
        });
        for (above, below) in [(unsigned[0], unsigned[1]), (unsigned[1], unsigned[0]), (left, right)] {
            let difference = self.table.subtract(above, below);
            let mut conditions = Vec::new();
            if !self.holds(Relation::NotNegative, difference) {
                let Some((rounding, of, base)) = self.quotient_by_power(difference) else { continue };
                if rounding == Rounding::Truncate {
                    // Towards zero from both sides, and there at c^h > |n|.
                    let opposite = self.table.negate(of);
                    let size = self.table.greatest(of, opposite);
                    let next = self.table.add_constant(size, 1);
                    return Some(First::plain(self.table.ceil_log(base, next), Vec::new()));
                }
                // A quotient by powers keeps the sign of what is divided.
                self.need(Relation::NotNegative, of, Otherwise::Differs, &mut conditions)?;
            }
            let opposite = self.table.negate(difference);
            if let First::At { turn, conditions: more, .. } = self.crossing(opposite) {
                conditions.extend(more);
                return Some(First::plain(turn, conditions));
            }
        }
        None
    }

    /// The first iteration in which both sides differ.
    pub(super) fn until_different(&mut self, left: FormulaId, right: FormulaId, bits: u32) -> First {
        let difference = self.table.subtract(left, right);
        if self.table.is_too_big(difference) {
            return First::Unknown;
        }
        if !self.table.contains(difference, self.turn) {
            return match self.equal_at_once(difference, bits) {
                First::At { .. } => First::Never,
                First::Never => First::plain(self.table.constant(0), Vec::new()),
                First::AtOnceIf(test) => First::AtOnceIf(test.inverse()),
                First::Unknown => First::Unknown,
            };
        }
        let residue = self.table.residue(bits, difference);
        let step = match self.table.coefficients(residue, self.turn) {
            Some((parts, 1)) if parts.len() == 2 => self.table.as_constant(parts[1]),
            _ => None,
        };
        if step.is_none_or(|step| Domain { bits, signed: true }.reduce(step) == 0) {
            return First::Unknown;
        }
        let zero = self.table.constant(0);
        let at_start = self.table.replace(difference, self.turn, zero);
        let one = self.table.constant(1);
        let is_equal = Test { relation: Relation::Zero, of: at_start };
        First::plain(self.table.select(is_equal, one, zero), Vec::new())
    }
}

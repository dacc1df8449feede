//! What do all iterations of a loop do together, where they differ? Sums, never means.
//!
//! The executions of a block in iteration t are a function of t. Where branches and trip counts inside
//! depend on t by polynomials alone, it is one polynomial between two places where a test changes its
//! sign. So it is summed exactly from a few of its values, by Newton's forward differences:
//! `Σ_{t<m} f(a + t) = Σ_k C(m, k + 1) Δ^k f(a)`. The places are where linear tests change their sign.
//! Elsewhere iterations are evaluated one by one, up to a budget. Beyond it some of them are taken
//! for all, and the loop is called averaged.
//!
//! Input: an evaluator, a loop, how often it goes back. Output: sums for each member.
//! Cost: the degree times the places, or the iterations.

use num_bigint::BigInt;
use num_traits::Zero;
use opcost_analysis::expression::{FormulaId, FormulaNode, Symbol, SymbolId};
use opcost_graph::loops::LoopId;

use crate::dependence::trip_formulas;
use crate::evaluate::{Evaluator, Event, LoopGrade};
use crate::fraction::{Fraction, whole};

/// Polynomials of a higher degree are not summed in closed form.
const HIGHEST: u32 = 12;
/// More changes of mind than these are not looked at.
const MOST_PLACES: usize = 64;
/// How many iterations are taken for all where all are too many.
const SAMPLES: i128 = 256;

impl Evaluator<'_> {
    /// What all iterations that go back do together.
    pub(crate) fn sum_of_stays(&mut self, id: LoopId, back: i128) -> Vec<Fraction> {
        if !self.dependence.varies(id) {
            let counts = self.flow(Some(id), Event::Stays).counts;
            return counts.into_iter().map(|count| count * whole(back)).collect();
        }
        let members = self.dependence.members(Some(id)).len() as u64;
        let degree = self.degree_in_iteration(id);
        let closed_form = degree.and_then(|degree| Some((degree, self.breakpoints(id, back)?)));
        if let Some((degree, places)) = closed_form {
            return self.sum_of_pieces(id, &places, degree);
        }
        let cost = u64::try_from(back).unwrap_or(u64::MAX).saturating_mul(members);
        if cost <= self.budget {
            self.budget -= cost;
            return self.sum_of_all(id, 0, back);
        }
        self.grade(id, LoopGrade::Averaged);
        self.sum_of_some(id, back)
    }

    fn at(&mut self, id: LoopId, turn: i128) -> Vec<Fraction> {
        self.iterations[id] = Some(turn);
        let counts = self.flow(Some(id), Event::Stays).counts;
        self.iterations[id] = None;
        counts
    }

    fn sum_of_all(&mut self, id: LoopId, from: i128, to: i128) -> Vec<Fraction> {
        let mut sum = vec![Fraction::zero(); self.dependence.members(Some(id)).len()];
        for turn in from..to {
            add(&mut sum, &self.at(id, turn), &whole(1));
        }
        sum
    }

    /// Some iterations, evenly far from each other, each for as many.
    fn sum_of_some(&mut self, id: LoopId, back: i128) -> Vec<Fraction> {
        let mut sum = vec![Fraction::zero(); self.dependence.members(Some(id)).len()];
        let samples = SAMPLES.min(back);
        for sample in 0..samples {
            let turn = middle(sample, samples, back);
            add(&mut sum, &self.at(id, turn), &(whole(back) / whole(samples)));
        }
        sum
    }

    /// Pieces that begin at these iterations; the last number is where all end.
    fn sum_of_pieces(&mut self, id: LoopId, places: &[i128], degree: u32) -> Vec<Fraction> {
        let mut sum = vec![Fraction::zero(); self.dependence.members(Some(id)).len()];
        for piece in places.windows(2) {
            let (from, to) = (piece[0], piece[1]);
            let part = if to - from <= i128::from(degree) + 1 {
                self.sum_of_all(id, from, to)
            } else {
                let values: Vec<Vec<Fraction>> =
                    (0..=degree).map(|step| self.at(id, from + i128::from(step))).collect();
                newton(&values, to - from)
            };
            add(&mut sum, &part, &whole(1));
        }
        sum
    }

    /// The degree in which executions depend on the loop's iteration between places; none if they
    /// are no polynomials there.
    fn degree_in_iteration(&self, id: LoopId) -> Option<u32> {
        let turn = self.model.formulas.find(&Symbol::Turn(id))?;
        self.degree_of_region(id, &[(turn, id)]).filter(|&degree| degree <= HIGHEST)
    }

    /// `turns`: that of the loop that is summed, then those of loops inside whose counts depend on it.
    fn degree_of_region(&self, id: LoopId, turns: &[(SymbolId, LoopId)]) -> Option<u32> {
        for &condition in self.dependence.conditions(id) {
            self.is_simple(condition, turns)?;
        }
        let mut degree = 0;
        for inner in self.model.regions.region(Some(id)).inner() {
            let own = self.degree_of_trips(inner, turns)?;
            let mut with_inner = turns.to_vec();
            if own > 0
                && let Some(turn) = self.model.formulas.find(&Symbol::Turn(inner))
            {
                with_inner.push((turn, inner));
            }
            let body = self.degree_of_region(inner, &with_inner)?;
            degree = degree.max((body + 1).saturating_mul(own.max(1)));
        }
        Some(degree)
    }

    /// The degree of a trip count; none if it may become less than nothing where no place is looked for.
    fn degree_of_trips(&self, inner: LoopId, turns: &[(SymbolId, LoopId)]) -> Option<u32> {
        let formulas = &self.model.formulas;
        let is_touched = |formula: FormulaId| turns.iter().any(|&(turn, _)| formulas.contains(formula, turn));
        if self.dependence.leaving(inner).iter().any(|&formula| is_touched(formula)) {
            return None;
        }
        for condition in &self.model.loops[inner].conditions {
            self.is_simple(condition.of, turns)?;
        }
        let Some(trips) = self.model.loops[inner].back_edges.formula().filter(|&trips| is_touched(trips))
        else {
            return Some(0);
        };
        let degree = self.degree_of(trips, turns)?;
        let is_alone = self.depends_on_no_inner_loop(trips, turns[0].1)
            && !turns[1..].iter().any(|&(turn, _)| formulas.contains(trips, turn));
        let is_plain = (is_alone && degree <= 1) || formulas.range(trips).low >= 0;
        is_plain.then_some(degree)
    }

    /// A test may depend on the iteration that is summed, linearly and on no other. One of a loop whose
    /// count depends on that may depend on none.
    fn is_simple(&self, test: FormulaId, turns: &[(SymbolId, LoopId)]) -> Option<()> {
        let formulas = &self.model.formulas;
        if turns[1..].iter().any(|&(turn, _)| formulas.contains(test, turn)) {
            return None;
        }
        let (turn, id) = turns[0];
        if !formulas.contains(test, turn) {
            return Some(());
        }
        (self.depends_on_no_inner_loop(test, id) && self.degree_of(test, turns)? <= 1).then_some(())
    }

    /// Whether no iteration of a loop inside is in a formula.
    fn depends_on_no_inner_loop(&self, formula: FormulaId, id: LoopId) -> bool {
        let forest = &self.model.forest;
        self.model.formulas.symbols_in(formula).iter().all(|&symbol| {
            match *self.model.formulas.symbol_of(symbol) {
                Symbol::Turn(other) => other == id || !forest.chain(Some(other)).any(|one| one == id),
                _ => true,
            }
        })
    }

    /// The degree of a formula in some iterations together. A choice has that of any of its formulas, if
    /// what decides is linear in the iteration that is summed and in nothing else.
    fn degree_of(&self, formula: FormulaId, turns: &[(SymbolId, LoopId)]) -> Option<u32> {
        let formulas = &self.model.formulas;
        if !turns.iter().any(|&(turn, _)| formulas.contains(formula, turn)) {
            return Some(0);
        }
        let all = |parts: &[FormulaId]| {
            parts.iter().try_fold(0, |most, &part| Some(self.degree_of(part, turns)?.max(most)))
        };
        match formulas.node(formula) {
            FormulaNode::Symbol(_) => Some(1),
            FormulaNode::Sum { terms, .. } => {
                terms.iter().try_fold(0, |most, &(part, _)| Some(self.degree_of(part, turns)?.max(most)))
            }
            FormulaNode::Product(factors) => {
                factors.iter().try_fold(0, |sum: u32, &part| Some(sum + self.degree_of(part, turns)?))
            }
            FormulaNode::Least(parts) | FormulaNode::Greatest(parts) => {
                let degree = all(parts)?;
                let alone = parts.iter().all(|&part| self.depends_on_no_inner_loop(part, turns[0].1));
                (turns.len() == 1 && alone && degree <= 1).then_some(degree)
            }
            FormulaNode::Select { test, then, otherwise } => {
                self.is_simple(test.of, turns)?;
                all(&[*then, *otherwise])
            }
            FormulaNode::Divide { rounding: opcost_analysis::expression::Rounding::Exact, of, by } => {
                formulas.as_constant(*by)?;
                self.degree_of(*of, turns)
            }
            _ => None,
        }
    }

    /// Iterations at which pieces begin, from 0 to `back`: where a linear test changes its sign.
    fn breakpoints(&mut self, id: LoopId, back: i128) -> Option<Vec<i128>> {
        let mut linear: Vec<Crossing> = Vec::new();
        self.collect_linear(id, id, &mut linear);
        let mut places = vec![0, back];
        linear.sort();
        linear.dedup();
        for crossing in linear {
            // What is no number decides nothing.
            let values = [0, 1].map(|turn| self.crossing_at(id, crossing, turn));
            let [Some(first), Some(second)] = values else { continue };
            let step = second.checked_sub(first)?;
            if step == 0 {
                continue;
            }
            let root = first.checked_neg()?.div_euclid(step);
            for place in [root.checked_sub(1)?, root, root.checked_add(1)?, root.checked_add(2)?] {
                if (1..back).contains(&place) {
                    places.push(place);
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        (places.len() <= MOST_PLACES).then_some(places)
    }

    fn crossing_at(&mut self, id: LoopId, (of, other): Crossing, turn: i128) -> Option<i128> {
        self.iterations[id] = Some(turn);
        let number = self.number(of).ok();
        let other = other.map_or(Some(0), |other| self.number(other).ok());
        self.iterations[id] = None;
        number?.checked_sub(other?)
    }

    /// Formulas whose sign decides something and that the iteration of `id` changes.
    fn collect_linear(&self, id: LoopId, scope: LoopId, linear: &mut Vec<Crossing>) {
        let Some(turn) = self.model.formulas.find(&Symbol::Turn(id)) else { return };
        for &condition in self.dependence.conditions(scope) {
            if self.model.formulas.contains(condition, turn) {
                linear.push((condition, None));
            }
        }
        for inner in self.model.regions.region(Some(scope)).inner() {
            for formula in trip_formulas(self.model, inner) {
                self.collect_choices(formula, turn, linear);
            }
            self.collect_linear(id, inner, linear);
        }
    }

    fn collect_choices(&self, formula: FormulaId, turn: SymbolId, linear: &mut Vec<Crossing>) {
        let formulas = &self.model.formulas;
        if !formulas.contains(formula, turn) {
            return;
        }
        // Where a count of less than nothing begins.
        linear.push((formula, None));
        match formulas.node(formula) {
            FormulaNode::Sum { terms, .. } => {
                terms.iter().for_each(|&(part, _)| self.collect_choices(part, turn, linear));
            }
            FormulaNode::Product(parts) => {
                parts.iter().for_each(|&part| self.collect_choices(part, turn, linear));
            }
            FormulaNode::Least(parts) | FormulaNode::Greatest(parts) => {
                for (position, &part) in parts.iter().enumerate() {
                    linear.extend(parts[position + 1..].iter().map(|&other| (part, Some(other))));
                    self.collect_choices(part, turn, linear);
                }
            }
            FormulaNode::Select { test, then, otherwise } => {
                linear.push((test.of, None));
                self.collect_choices(*then, turn, linear);
                self.collect_choices(*otherwise, turn, linear);
            }
            FormulaNode::Divide { of, .. } => self.collect_choices(*of, turn, linear),
            _ => {}
        }
    }
}

/// A formula whose sign decides, or one and what it is compared with.
type Crossing = (FormulaId, Option<FormulaId>);

/// The iteration in the middle of a share of all.
fn middle(sample: i128, samples: i128, back: i128) -> i128 {
    let place = (BigInt::from(2 * sample + 1) * BigInt::from(back)) / BigInt::from(2 * samples);
    i128::try_from(place).unwrap_or(back - 1).min(back - 1)
}

fn add(sum: &mut [Fraction], part: &[Fraction], times: &Fraction) {
    for (sum, part) in sum.iter_mut().zip(part) {
        *sum += part * times;
    }
}

/// The sum of a polynomial over 0 … count - 1, for each position, from its values at 0, 1, ….
fn newton(values: &[Vec<Fraction>], count: i128) -> Vec<Fraction> {
    let mut differences = values.to_vec();
    let mut sum = vec![Fraction::zero(); values.first().map_or(0, Vec::len)];
    // C(count, order + 1)
    let mut choose = whole(count);
    for order in 0..values.len() {
        add(&mut sum, &differences[0], &choose);
        for row in 1..differences.len() {
            let (before, behind) = differences.split_at_mut(row);
            for (low, high) in before[row - 1].iter_mut().zip(&behind[0]) {
                *low = high - &*low;
            }
        }
        differences.pop();
        let order = order as i128;
        choose = choose * whole(count - order - 1) / whole(order + 2);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_summed_from_a_few_values() {
        // t² + 1 over 0 … 9: 285 + 10.
        let values: Vec<Vec<Fraction>> = (0..3).map(|t| vec![whole(t * t + 1), whole(t)]).collect();
        assert_eq!(newton(&values, 10), [whole(295), whole(45)]);
        // Σ t over 2^62 turns does not wrap.
        let many: i128 = 1 << 62;
        let wanted = whole(many) * whole(many - 1) / whole(2);
        assert_eq!(newton(&values, many)[1], wanted);
    }

    #[test]
    fn samples_are_in_the_middle_of_their_shares() {
        assert_eq!((middle(0, 4, 100), middle(3, 4, 100)), (12, 87));
        assert_eq!(middle(255, 256, i128::MAX / 2), (i128::MAX / 2) / 512 * 511 + 510);
    }
}

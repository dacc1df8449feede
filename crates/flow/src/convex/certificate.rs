//! Are these values really the best? A checker that trusts no solver.
//!
//! Given a problem, values x and duals y, it sums up every row and bounds from
//! below what any other values would cost. For every y and every feasible x',
//!
//! ```text
//! cost(x') = y b + sum over v of (cost_v(x'_v) - y a_v x'_v)
//!         >= y b + sum over v of the least of (cost_v(t) - y a_v t), t >= 0
//! ```
//!
//! where `a_v` is the column of v (Lagrange; Boyd and Vandenberghe, chapter
//! 5). The least is known in closed form for each kind of cost. So the cost of
//! x exceeds the least possible by at most the sum of what each variable costs
//! above its own least; all these terms are 0 or more and are summed as such,
//! nothing cancels. At the optimum all are 0: these are the conditions of
//! Karush, Kuhn and Tucker.
//!
//! Sums of counts of 1e11 are not exact. The bound is one for the rows as x
//! fulfils them, `A x` on the right in place of b (a backward error); by how
//! much these differ is told beside it, and what the difference may cost.
//!
//! A dual that pays a variable slightly more than it can ever cost would make
//! its least minus infinity. Such a payment is lowered to what is possible and
//! the difference is charged for [`REACH`] times the greatest value that stands
//! in one row with the variable; the bound then holds against all values that
//! are no larger.
//!
//! Shares no code with the solver. Cost: entries of the problem.

use opcost_index::IdMap;

use super::problem::{Cost, Problem, RowId, VariableId};

/// Compared are values of up to this multiple of the greatest given value in
/// one of their rows.
pub const REACH: f64 = 2.0;

/// What is proven of values and duals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimalityCertificate {
    /// What the values cost.
    pub objective: f64,
    /// No values within reach that add up to the same in each row cost less
    /// than `objective - gap`.
    pub gap: f64,
    /// By how much the least cost changes, to first order and at most, when
    /// rows add up to what they should.
    pub shift: f64,
    /// The most that a row lacks, relative to the sum of its terms' sizes (or
    /// to [`OptimalityCertificate::negligible`] where that is more).
    pub residual: f64,
    /// The row that lacks it; `None` when all rows hold exactly.
    pub worst_row: Option<RowId>,
    /// The least value; below 0 only when a value is illegal.
    pub least_value: f64,
    /// A count that does not matter: a thousandth of the least that a cost or
    /// a row names.
    pub negligible: f64,
}

impl OptimalityCertificate {
    /// `gap` relative to the greater of the objective and 1; infinite when one
    /// of them is no number.
    pub fn relative_gap(&self) -> f64 {
        let relative = self.gap / self.objective.abs().max(1.0);
        if relative.is_nan() { f64::INFINITY } else { relative }
    }

    /// Whether the values are feasible and optimal up to `tolerance`, and what
    /// rows lack is not worth [`LARGEST_SHIFT`] of the cost.
    pub fn holds(&self, tolerance: f64) -> bool {
        self.least_value >= 0.0
            && self.residual <= tolerance
            && self.relative_gap() <= tolerance
            && self.shift <= LARGEST_SHIFT * self.objective.abs().max(1.0)
    }
}

/// The most, relative to the greater of the cost and 1, that the least cost may
/// depend on the rounding errors of rows.
pub const LARGEST_SHIFT: f64 = 1e-3;

/// Checks values against duals.
///
/// # Panics
/// When there is not one value per variable and one dual per row.
pub fn certify(
    problem: &Problem,
    values: &IdMap<VariableId, f64>,
    duals: &IdMap<RowId, f64>,
) -> OptimalityCertificate {
    assert_eq!(values.len(), problem.variable_count(), "one value per variable");
    assert_eq!(duals.len(), problem.row_count(), "one dual per row");
    let negligible = negligible_count(problem);
    let mut paid = IdMap::filled(problem.variable_count(), 0.0);
    let (mut gap, mut shift, mut residual, mut worst_row) = (0.0, 0.0, 0.0, None);
    for (row, &right) in problem.right_hand_sides.iter() {
        let (mut lack, mut size) = (right, right.abs());
        for &(variable, coefficient) in problem.entries(row) {
            lack -= coefficient * values[variable];
            size += (coefficient * values[variable]).abs();
            paid[variable] += coefficient * duals[row];
        }
        shift += (lack * duals[row]).abs();
        let share = lack.abs() / size.max(negligible);
        if share > residual || share.is_nan() {
            (residual, worst_row) = (share, Some(row));
        }
    }
    let largest = largest_beside(problem, values);
    for (variable, &paid) in paid.iter() {
        let (excess, over) = above_least(problem.cost(variable), paid, values[variable]);
        gap += excess + over * REACH * largest[variable];
    }
    let objective = problem.objective(values);
    let least_value = values.values().copied().fold(f64::INFINITY, f64::min);
    OptimalityCertificate { objective, gap, shift, residual, worst_row, least_value, negligible }
}

/// The greatest value in one row with each variable, its own included.
fn largest_beside(problem: &Problem, values: &IdMap<VariableId, f64>) -> IdMap<VariableId, f64> {
    let mut largest = values.clone();
    for row in problem.ends.ids() {
        let entries = problem.entries(row);
        let most = entries.iter().map(|&(variable, _)| values[variable]).fold(0.0, f64::max);
        for &(variable, _) in entries {
            largest[variable] = largest[variable].max(most);
        }
    }
    largest
}

/// A thousandth of the least positive count that anything names.
fn negligible_count(problem: &Problem) -> f64 {
    let targets = problem.costs.values().map(|cost| match *cost {
        Cost::Free | Cost::Linear { .. } => 0.0,
        Cost::TwoSided { target, .. } | Cost::Quadratic { target, .. } => target,
        Cost::Deviance { samples, cycles, .. } => samples / cycles,
    });
    let least = (targets.chain(problem.right_hand_sides.values().map(|right| right.abs())))
        .filter(|&count| count > 0.0)
        .fold(f64::INFINITY, f64::min);
    if least.is_finite() { 1e-3 * least } else { 1e-3 }
}

/// By how much `cost(x) - paid x` is above its least over values >= 0, after
/// `paid` was lowered by the second number to make a least exist.
fn above_least(cost: Cost, paid: f64, x: f64) -> (f64, f64) {
    match cost {
        Cost::Free => line(0.0, paid, x),
        Cost::Linear { price } => line(price, paid, x),
        Cost::TwoSided { target, above, below } => {
            let over = (paid - above).max(0.0);
            let paid = paid - over;
            let at = |value: f64| cost.of(value) - paid * value;
            // Piecewise linear and not falling for ever: least at 0 or the corner.
            let least = if paid + below >= 0.0 { target } else { 0.0 };
            ((at(x) - at(least)).max(0.0), over)
        }
        Cost::Quadratic { target, weight } => {
            let least = (target + paid / (2.0 * weight)).max(0.0);
            let slope = 2.0 * weight * (least - target) - paid;
            (weight * (x - least) * (x - least) + slope.max(0.0) * (x - least), 0.0)
        }
        Cost::Deviance { samples, cycles, dispersion } => {
            let price = 2.0 * cycles / dispersion;
            if samples == 0.0 {
                return line(price, paid, x);
            }
            let weight = 2.0 * samples / dispersion;
            if paid >= price {
                // Lowered until x itself is the least.
                return (0.0, paid - price + weight / x);
            }
            // The least is at weight / (price - paid).
            let excess = ((price - paid) * x - weight) / weight;
            (weight * (excess - excess.ln_1p()), 0.0)
        }
    }
}

fn line(price: f64, paid: f64, x: f64) -> (f64, f64) {
    ((price - paid).max(0.0) * x, (paid - price).max(0.0))
}

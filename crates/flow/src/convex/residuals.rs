//! What does a point lack of the optimum?
//!
//! What rows lack of their right-hand sides, what the duals leave of the
//! slopes, and how far the cost may be above its least: the sum, over all
//! variables, of what each costs above its own least at the duals, as the
//! [certificate](super::certificate) sums it up, but in the solver's units and
//! with dual variables z of its own.
//!
//! Input: a point with x, z >= 0. Output: its [`Residuals`]. Cost: a few passes
//! over the entries. Limit: what is hidden behind dual infeasibility is known
//! for counts up to those that stand beside in the same rows.

use super::component::{Component, FlowPoint};

/// What the equations lack at a point.
pub(crate) struct Residuals {
    pub(crate) primal: Vec<f64>,
    /// What the terms of each row add up to without their signs.
    pub(crate) sizes: Vec<f64>,
    pub(crate) dual: Vec<f64>,
    /// The most that a row lacks, of its size.
    pub(crate) infeasibility: f64,
    /// A gap that is well below the aim; there is no use in less, and numerical
    /// harm.
    pub(crate) enough: f64,
    /// Sum of the costs above their least at the duals and of what dual
    /// infeasibility may hide, relative to the cost; or the infeasibility.
    pub(crate) shortfall: f64,
}

impl Residuals {
    /// Of a point, where rows with less than `floor` count as if they had that.
    pub(crate) fn at(component: &Component, point: &FlowPoint, floor: f64, aim: f64) -> Self {
        let Component { matrix, right_hand_sides, costs, base_cost, unit, .. } = component;
        let FlowPoint { x, y, z } = point;
        let mut primal = right_hand_sides.clone();
        let mut sizes: Vec<f64> = right_hand_sides.iter().map(|right| right.abs()).collect();
        for (column, &value) in x.iter().enumerate() {
            for (row, coefficient) in matrix.column(column) {
                let term = coefficient * value;
                primal[row] -= term;
                sizes[row] += term.abs();
            }
        }
        sizes.iter_mut().for_each(|size| *size = size.max(floor));
        let (mut gap, mut hidden, mut cost_sum) = (0.0, 0.0, *base_cost);
        let dual: Vec<f64> = (0..x.len())
            .map(|column| {
                let cost = &costs[column];
                let dual = cost.slope + cost.curvature * x[column] - matrix.dot(column, y) - z[column];
                gap += cost.excess(z[column] - cost.curvature * x[column], x[column]);
                cost_sum += cost.excess(cost.slope, x[column]);
                hidden += dual.abs() * x[column];
                // What is paid too much invites as many as stand beside it.
                let over = -(dual + z[column]);
                if over > 0.0 && cost.curvature == 0.0 {
                    let beside = |(row, coefficient): (usize, f64)| sizes[row] / coefficient.abs();
                    hidden += over * matrix.column(column).map(beside).fold(0.0, f64::max);
                }
                dual
            })
            .collect();
        let infeasibility =
            (primal.iter().zip(&sizes)).map(|(residual, size)| residual.abs() / size).fold(0.0, f64::max);
        let shortfall = ((gap + hidden) / cost_sum.max(*unit)).max(100.0 * infeasibility);
        // Comparisons lose what is not a number.
        let shortfall = if (gap + hidden + cost_sum).is_finite() { shortfall } else { f64::INFINITY };
        let enough = 0.2 * aim * cost_sum.max(*unit);
        Self { primal, sizes, dual, infeasibility, enough, shortfall }
    }
}

//! Which exact optimum is this interior point near?
//!
//! Where a linear cost stops, a count is 0 at the optimum or what it costs is
//! paid in full; from near enough, an interior point shows which (Mehrotra and
//! Ye, "Finding an interior point in the optimal face of linear programs",
//! 1993). Counts that do not matter and have no logarithm that keeps them away
//! from 0 are taken as 0, and the others are moved to where the rows hold,
//! duals to where they pay in full what the others cost: two least-squares
//! problems with the squares of the counts as weights and so with the same
//! normal equations.
//!
//! This is for what interior points cannot do. When all flow across a cut of a
//! graph goes to nothing, so do the weights there in Newton's equations, to
//! 1e-16 of the others and less; what the two sides owe each other is lost in
//! rounding, and the rows never hold better than the flow itself is small.
//! Without that flow there is nothing to owe.
//!
//! Input: a point, and the count that does not matter. Output: a point whose
//! products are 0 but for logarithms, or none when a count would fall below 0.
//! It is a guess: the caller judges it ([`residuals`](super::residuals)) and
//! keeps the better. Cost: one factorisation.

use super::component::{Component, FlowPoint};
use super::normal::NormalEquations;

/// Each least-squares problem is solved so often, for what it lacks still.
const ROUNDS: usize = 2;

/// As exact as numbers are.
const EXACT: f64 = 1e-14;

/// The point of the face nearest to `near`, where counts below `negligible`
/// do not matter.
pub(crate) fn on_optimal_face(
    component: &Component,
    equations: &mut NormalEquations,
    near: &FlowPoint,
    negligible: f64,
) -> Option<FlowPoint> {
    let weights: Vec<f64> = (component.costs.iter().zip(&near.x))
        .map(|(cost, &x)| if cost.log_weight == 0.0 && x < negligible { 0.0 } else { x * x })
        .collect();
    equations.factor(&weights);
    let sizes: Vec<f64> = component.row_sizes(&near.x).iter().map(|size| size.max(negligible)).collect();
    let face = Face { weights, sizes };
    let x = values_on_face(component, equations, near, &face)?;
    let y = duals_of_face(component, equations, near, &face, &x);
    let z = (component.costs.iter().zip(&x).enumerate())
        .map(|(column, (cost, &x))| {
            let rest = cost.slope + cost.curvature * x - component.matrix.dot(column, &y);
            // A logarithm knows its own.
            if cost.log_weight > 0.0 && rest <= 0.0 { cost.log_weight / x } else { rest.max(0.0) }
        })
        .collect();
    Some(FlowPoint { x, y, z })
}

/// What the two least-squares problems share.
struct Face {
    /// Of each count: its square, or 0 where it is taken as 0.
    weights: Vec<f64>,
    /// Of each row: the sum of its terms that what it lacks is compared with.
    sizes: Vec<f64>,
}

/// Values that meet the rows, 0 where the weight is.
fn values_on_face(
    component: &Component,
    equations: &mut NormalEquations,
    near: &FlowPoint,
    face: &Face,
) -> Option<Vec<f64>> {
    let Face { weights, sizes } = face;
    let matrix = &component.matrix;
    let mut x: Vec<f64> =
        near.x.iter().zip(weights).map(|(x, &weight)| if weight > 0.0 { *x } else { 0.0 }).collect();
    for _ in 0..ROUNDS {
        let mut missing = matrix.lacking(&component.right_hand_sides, &x);
        equations.solve(&mut missing, sizes, EXACT);
        for (column, x) in x.iter_mut().enumerate() {
            *x += weights[column] * matrix.dot(column, &missing);
        }
    }
    x.iter().zip(weights).all(|(&x, &weight)| x > 0.0 || weight == 0.0).then_some(x)
}

/// Duals that pay what the counts of the face cost, as nearly as they can.
fn duals_of_face(
    component: &Component,
    equations: &mut NormalEquations,
    near: &FlowPoint,
    face: &Face,
    x: &[f64],
) -> Vec<f64> {
    let Face { weights, sizes } = face;
    let matrix = &component.matrix;
    let mut y = near.y.clone();
    for _ in 0..ROUNDS {
        let owed: Vec<f64> = (0..x.len())
            .map(|column| match weights[column] {
                0.0 => 0.0,
                weight => weight * (component.costs[column].derivative(x[column]) - matrix.dot(column, &y)),
            })
            .collect();
        let mut more = vec![0.0; y.len()];
        matrix.add_product(&owed, &mut more);
        equations.solve(&mut more, sizes, EXACT);
        y.iter_mut().zip(&more).for_each(|(y, more)| *y += more);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::super::smooth::Smooth;
    use super::*;

    /// Ten units from left to right over a cheap and a dear edge; nothing has
    /// to pass between these and a pair of edges beside them.
    #[test]
    fn a_point_near_a_vertex_becomes_the_vertex() {
        let mut matrix = Columns::new(2);
        matrix.push_column([(0, 1.0)]);
        matrix.push_column([(0, 1.0)]);
        matrix.push_column([(0, -1.0), (1, 1.0)]);
        matrix.push_column([(0, 1.0), (1, -1.0)]);
        let costs = [3.0, 5.0, 1.0, 2.0].map(Smooth::linear).to_vec();
        let component = Component {
            matrix,
            right_hand_sides: vec![10.0, 0.0],
            costs,
            base_cost: 0.0,
            negligible: 1e-3,
            tie_break: 0.0,
            unit: 1.0,
        };
        let mut equations = NormalEquations::new(&component.matrix);
        let near =
            FlowPoint { x: vec![9.99, 1e-5, 3e-6, 1e-6], y: vec![3.001, 2.5], z: vec![1e-4, 2.0, 1.5, 1.5] };
        let point = on_optimal_face(&component, &mut equations, &near, 1e-3).expect("a vertex");
        assert_eq!(point.x[1..], [0.0; 3]);
        assert!((point.x[0] - 10.0).abs() < 1e-14);
        // Nobody says what the row without counts is worth: as before.
        assert_eq!(point.y[1], 2.5);
        assert!((point.y[0] - 3.0).abs() < 1e-14);
        assert!((point.z[1] - 2.0).abs() < 1e-14 && (point.z[2] - 1.5).abs() < 1e-14, "{:?}", point.z);
    }

    #[test]
    fn a_count_that_would_fall_below_zero_is_no_point() {
        let mut matrix = Columns::new(1);
        matrix.push_column([(0, 1.0)]);
        matrix.push_column([(0, -1.0)]);
        let costs = vec![Smooth::linear(1.0); 2];
        let component = Component {
            matrix,
            right_hand_sides: vec![-10.0],
            costs,
            base_cost: 0.0,
            negligible: 1e-3,
            tie_break: 0.0,
            unit: 1.0,
        };
        let mut equations = NormalEquations::new(&component.matrix);
        let near = FlowPoint { x: vec![1.0, 1e-5], y: vec![0.0], z: vec![1.0; 2] };
        assert!(on_optimal_face(&component, &mut equations, &near, 1e-3).is_none());
    }
}

//! Where does an interior-point method begin?
//!
//! Not at Mehrotra's least-squares point, which knows one size for all counts:
//! counts of 1 and of 1e11 stand side by side, and a count that starts at a
//! millionth of its size costs as many steps as one that starts at a million
//! times of it. The costs themselves say how large counts are, and where they
//! say nothing, counts around them do.
//!
//! Cost: a few passes over the entries.

use super::columns::Columns;
use super::component::{Component, FlowPoint};
use super::smooth::Smooth;

/// A point at y = 0, and the least count that matters.
///
/// With z = slope it is dual feasible, and x = (log_weight + mu) / slope is on the central path of
/// its cost. Only the rows are not met. Variables without a price of their own get the smallest
/// count that the priced ones around them suggest, and z = mu / x.
///
/// Where this fails, a point farther inside has to do. `generous` is the factor of mu, and above 1
/// no count begins below what is typical.
pub(crate) fn first_point(component: &Component, generous: f64) -> (FlowPoint, f64) {
    let Component { matrix, right_hand_sides, costs, tie_break, .. } = component;
    let has_price =
        |cost: &Smooth| cost.slope.abs() > *tie_break || cost.log_weight > 0.0 || cost.curvature > 0.0;
    let wanted: Vec<f64> = costs.iter().map(|cost| cost.minimiser(cost.slope)).collect();
    let (typical, floor) = scales(&wanted, right_hand_sides);
    let mu = 3.0 * generous * first_centre(costs.iter().filter(|cost| has_price(cost)), typical);
    let mut x: Vec<f64> = (costs.iter().zip(&wanted))
        .map(|(cost, &best)| {
            if cost.curvature > 0.0 {
                best.max(typical * 0.1)
            } else if !has_price(cost) || cost.slope < 1e-6 * mu / typical {
                0.0
            } else {
                (cost.log_weight + mu) / cost.slope
            }
        })
        .collect();
    spread(matrix, right_hand_sides, &mut x);
    let z = (costs.iter().zip(&mut x))
        .map(|(cost, x)| {
            if *x == 0.0 {
                *x = typical;
            }
            if generous > 1.0 {
                *x = x.max(0.1 * generous * typical);
            }
            (cost.log_weight + mu) / *x
        })
        .collect();
    (FlowPoint { x, y: vec![0.0; right_hand_sides.len()], z }, floor)
}

/// A point to begin from where the search for other costs ended: z follows the slopes,
/// as far as it stays well above 0.
pub(crate) fn again(component: &Component, last: FlowPoint) -> FlowPoint {
    let FlowPoint { x, y, mut z } = last;
    let rest: Vec<f64> = (component.costs.iter().zip(&x).enumerate())
        .map(|(column, (cost, x))| cost.slope + cost.curvature * x - component.matrix.dot(column, &y))
        .collect();
    // How far products are from their goals.
    let miss = (component.costs.iter().zip(&x).zip(&rest))
        .map(|((cost, x), rest)| (x * rest.max(0.0) - cost.log_weight).abs())
        .sum::<f64>();
    let mu = miss / x.len() as f64;
    for (column, z) in z.iter_mut().enumerate() {
        let least = 0.1 * (component.costs[column].log_weight + mu) / x[column];
        *z = rest[column].max(least);
    }
    FlowPoint { x, y, z }
}

/// Geometric mean of the logarithmic weights; without any, what a typical
/// count costs at a typical price.
fn first_centre<'a>(costs: impl Iterator<Item = &'a Smooth> + Clone, typical: f64) -> f64 {
    let weights = costs.clone().map(|cost| cost.log_weight);
    let prices = costs.map(|cost| typical * (cost.slope.abs() + cost.curvature * typical));
    geometric_mean(weights).or_else(|| geometric_mean(prices)).unwrap_or(1.0)
}

fn geometric_mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for number in numbers.filter(|&number| number > 0.0 && number.is_finite()) {
        sum += number.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// Replaces zeros by the least of the sizes of the rows they are in. The size of a row is its
/// greatest known term. This is repeated for those whose rows know nothing yet.
fn spread(matrix: &Columns, right_hand_sides: &[f64], x: &mut [f64]) {
    for _ in 0..8 {
        let mut sizes: Vec<f64> = right_hand_sides.iter().map(|right| right.abs()).collect();
        for (column, &value) in x.iter().enumerate() {
            for (row, coefficient) in matrix.column(column) {
                sizes[row] = sizes[row].max(coefficient.abs() * value);
            }
        }
        let mut changed = false;
        for (column, value) in x.iter_mut().enumerate().filter(|(_, value)| **value == 0.0) {
            let least = (matrix.column(column))
                .filter(|&(row, _)| sizes[row] > 0.0)
                .map(|(row, coefficient)| sizes[row] / coefficient.abs())
                .fold(f64::INFINITY, f64::min);
            if least.is_finite() {
                *value = least;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
}

/// The typical count that is named, and one that does not matter.
fn scales(wanted: &[f64], right_hand_sides: &[f64]) -> (f64, f64) {
    let sizes =
        || (wanted.iter().chain(right_hand_sides)).map(|size| size.abs()).filter(|size| size.is_finite());
    let typical = geometric_mean(sizes()).unwrap_or(1.0);
    let least = sizes().filter(|&size| size > 0.0).fold(typical, f64::min);
    (typical, 1e-3 * least)
}

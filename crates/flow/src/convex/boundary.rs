//! How far may a Newton step go?
//!
//! Until a variable or its dual has lost nearly all of its distance to 0. Where a variable has a
//! logarithm, its product with the dual has a goal above 0, and a step that takes it far below
//! leads into a corner that no later one leaves.
//!
//! Cost: a passage over the variables.

use super::component::{Direction, FlowPoint};
use super::smooth::Smooth;

/// A step takes this share of the way to the boundary.
const BOLDNESS: f64 = 0.99;

/// Products of variables with a logarithm stay above this share of their goal.
const NEAR: f64 = 0.1;

/// How far a step goes, of 1: with values, and with duals and what they leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) x: f64,
    pub(crate) z: f64,
}

/// What of the costs says how far steps go.
pub(crate) struct Boundary {
    /// Columns with a logarithm.
    log_columns: Vec<usize>,
    has_curvature: bool,
}

impl Boundary {
    pub(crate) fn of(costs: &[Smooth]) -> Self {
        let seen = (0..costs.len()).filter(|&column| costs[column].log_weight > 0.0).collect();
        Self { log_columns: seen, has_curvature: costs.iter().any(|cost| cost.curvature > 0.0) }
    }

    /// How far x and z may go until one has lost the share `boldness` of its
    /// distance to 0, at most 1. With curvature, both go alike, since dual
    /// feasibility then depends on both.
    pub(crate) fn reach(&self, point: &FlowPoint, direction: &Direction, boldness: f64) -> Reach {
        let x = longest(&point.x, &direction.x, boldness);
        let z = longest(&point.z, &direction.z, boldness);
        if self.has_curvature {
            let both = x.min(z);
            return Reach { x: both, z: both };
        }
        Reach { x, z }
    }

    /// As [`reach`](Self::reach), but no product falls far below the target that stays its own to
    /// the end. Where it is 0, the way there is good; elsewhere it leads into a corner that no
    /// Newton step leaves.
    pub(crate) fn safe_reach(&self, costs: &[Smooth], point: &FlowPoint, direction: &Direction) -> Reach {
        let mut reach = self.reach(point, direction, BOLDNESS);
        for &column in &self.log_columns {
            let log_weight = costs[column].log_weight;
            let (x, z) = (point.x[column], point.z[column]);
            let least = (NEAR * log_weight).min(0.9 * x * z);
            for _ in 0..60 {
                let product = (x + reach.x * direction.x[column]) * (z + reach.z * direction.z[column]);
                if product >= least {
                    break;
                }
                reach.x *= 0.9;
                reach.z *= 0.9;
            }
        }
        reach
    }
}

fn longest(from: &[f64], direction: &[f64], boldness: f64) -> f64 {
    (from.iter().zip(direction))
        .filter(|&(_, &step)| step < 0.0)
        .map(|(from, step)| boldness * from / -step)
        .fold(1.0, f64::min)
}

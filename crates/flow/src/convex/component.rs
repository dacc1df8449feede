//! What does the search for the least cost work on: a problem, a point, a step?

use super::columns::Columns;
use super::smooth::Smooth;

/// A problem whose variables all have smooth costs.
pub(crate) struct Component {
    pub(crate) matrix: Columns,
    pub(crate) right_hand_sides: Vec<f64>,
    pub(crate) costs: Vec<Smooth>,
    /// What the variables cost when each is at its cheapest.
    pub(crate) base_cost: f64,
    /// A count that does not matter.
    pub(crate) negligible: f64,
    /// Prices up to this one count as none.
    pub(crate) tie_break: f64,
    /// A cost that is small enough to be neglected, before `aim` is applied.
    pub(crate) unit: f64,
}

impl Component {
    /// What the terms of each row add up to without their signs, for `x >= 0`.
    pub(crate) fn row_sizes(&self, x: &[f64]) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.right_hand_sides.iter().map(|right| right.abs()).collect();
        self.matrix.add_sizes(x, &mut sizes);
        sizes
    }
}

/// A point inside.
#[derive(Clone)]
pub(crate) struct FlowPoint {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) z: Vec<f64>,
}

impl FlowPoint {
    /// Becomes another, in the room that it has.
    pub(super) fn become_as(&mut self, other: &Self) {
        self.x.clone_from(&other.x);
        self.y.clone_from(&other.y);
        self.z.clone_from(&other.z);
    }
}

/// A Newton step.
#[derive(Default)]
pub(crate) struct Direction {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) z: Vec<f64>,
}

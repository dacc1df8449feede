//! Where is the least cost? A primal-dual interior-point method.
//!
//! With costs of the form that [`smooth`](super::smooth) describes, x is
//! optimal exactly when there are y and z with
//!
//! ```text
//! A x = b                                   primal feasibility
//! slope + curvature x - A^T y - z = 0       dual feasibility
//! x z = log_weight,  x, z >= 0              complementarity
//! ```
//!
//! Newton's method goes for these equations with `log_weight + mu` on the
//! right, mu falling to 0: Mehrotra's predictor and corrector (SIAM J. Optim.
//! 1992; Nocedal and Wright, "Numerical optimization", chapters 14 and 16),
//! started from a point that is neither primal nor dual feasible, with
//! log_weight as target (Jansen, Roos, Terlaky and Vial 1996 follow targets in
//! this way). Each step factors one system of normal equations and solves a
//! few; steps that would be short are corrected towards the centre (Gondzio,
//! "Multiple centrality corrections", 1996).
//!
//! The predictor's second-order term may be larger than all that it corrects, and then steps go
//! round in a circle (Cartis, "Some disadvantages of a Mehrotra-type primal-dual corrector
//! interior point algorithm", 2009). After some steps without gain they are plain: Newton's
//! direction to a half of the distance, without corrections.
//!
//! Where steps no longer help, the exact optimum is guessed
//! ([`finish`](super::finish)).
//!
//! Newton steps do not depend on the units of x, so counts of 1 and of 1e11
//! may stand side by side; only the first point does, and it is made of what
//! the costs want.
//!
//! Output: the best point seen with what it lacks. Steps: 15 to 40 as a rule.
//! Limit: a problem without solution makes y grow until the steps stall; the
//! caller finds out whether that was so ([`solve`](super::solve)).

use super::boundary::{Boundary, Reach};
use super::component::{Component, Direction, FlowPoint};
use super::finish::on_optimal_face;
use super::normal::NormalEquations;
use super::residuals::Residuals;
use super::start::{again, first_point};

/// How far to go.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    /// Shortfall, relative to the cost, at which to stop.
    pub(crate) aim: f64,
    /// Steps after which to stop.
    pub(crate) steps: usize,
}

/// The best point that was seen.
pub(crate) struct Outcome {
    pub(crate) point: FlowPoint,
    pub(crate) steps: usize,
}

/// Rows need not be met better than to this share of their terms.
const EXACT: f64 = 1e-12;

/// Most corrections of a step. A second one saves SQLite a step in eight, and makes each more
/// expensive by a fifth.
const CORRECTORS: usize = 1;

/// After so many steps without a gain of a tenth they are plain: good searches gain with nearly each.
const PATIENCE: usize = 12;

/// A plain step goes for this share of the distance of the products to where they are to end.
const PLAIN: f64 = 0.5;

/// By so much longer a correction is to make a step. With 0.1 to 0.3 little depends on
/// it.
const FAR: f64 = 0.2;

/// How far inside the searches begin that are tried one after the other.
const STARTS: [f64; 3] = [1.0, 30.0, 1e4];

/// A shortfall of so many times the aim is as good as none.
const NEAR_ENOUGH: f64 = 10.0;

/// A shortfall of so many times the aim will do.
const ENOUGH: f64 = 100.0;

/// From so many times the aim on, only rounding is in the way, which no other start changes.
const NEARLY: f64 = 1e5;

/// Searches from points farther and farther inside until one search succeeds
/// or the steps are used up.
pub(crate) fn minimise(
    component: &Component,
    equations: &mut NormalEquations,
    last: Option<FlowPoint>,
    goal: Goal,
) -> Outcome {
    let mut search = Search::new(component, equations, goal.aim);
    let mut best = Best { shortfall: f64::INFINITY, point: search.point.clone() };
    let mut steps = 0;
    let warm = last.map(|last| again(component, last));
    let starts = warm.into_iter().map(Start::Warm).chain(STARTS.map(Start::Cold));
    for start in starts {
        // Rounding may be the fault of where a search began that was for other costs.
        let will_do = if matches!(start, Start::Warm(_)) { ENOUGH } else { NEARLY } * goal.aim;
        search.begin(start);
        steps += search.run(Goal { steps: goal.steps - steps, ..goal }, &mut best);
        if best.shortfall > NEAR_ENOUGH * goal.aim && steps < goal.steps {
            search.finish(&mut best);
        }
        if best.shortfall <= will_do || steps == goal.steps {
            break;
        }
    }
    Outcome { point: best.point, steps }
}

/// The best point so far.
struct Best {
    /// What it lacks.
    shortfall: f64,
    point: FlowPoint,
}

/// Where a search begins.
enum Start {
    /// So far inside.
    Cold(f64),
    /// Where another ended.
    Warm(FlowPoint),
}

struct Search<'a> {
    component: &'a Component,
    equations: &'a mut NormalEquations,
    point: FlowPoint,
    weights: Vec<f64>,
    boundary: Boundary,
    /// Least sum of the terms of a row that its residual is compared with.
    floor: f64,
    aim: f64,
    /// Directions that are done with: their room serves the next.
    spare: Vec<Direction>,
}

impl<'a> Search<'a> {
    fn new(component: &'a Component, equations: &'a mut NormalEquations, aim: f64) -> Self {
        let (point, floor) = first_point(component, 1.0);
        let floor = floor.min(component.negligible);
        let weights = vec![0.0; point.x.len()];
        let boundary = Boundary::of(&component.costs);
        Self { component, equations, point, weights, boundary, floor, aim, spare: Vec::new() }
    }

    fn begin(&mut self, start: Start) {
        self.point = match start {
            Start::Cold(generous) => first_point(self.component, generous).0,
            Start::Warm(point) => point,
        };
    }

    /// Goes on until the aim is met, the steps are used up or lead nowhere.
    /// Keeps the best point with its shortfall; returns the number of steps.
    fn run(&mut self, goal: Goal, best: &mut Best) -> usize {
        let mut stalled = 0;
        let mut last_gain = 0;
        // Where the shortfall had last fallen by a tenth.
        let (mut mark, mut last_fall) = (f64::INFINITY, 0);
        for steps in 0..=goal.steps {
            let residuals = self.residuals();
            if !residuals.shortfall.is_finite() && steps > 0 {
                return steps;
            }
            if residuals.shortfall < best.shortfall {
                best.shortfall = residuals.shortfall;
                best.point.become_as(&self.point);
                last_gain = steps;
            }
            if best.shortfall < 0.9 * mark {
                (mark, last_fall) = (best.shortfall, steps);
            }
            let near = best.shortfall > NEAR_ENOUGH * goal.aim && best.shortfall <= NEARLY * goal.aim;
            if near && steps == last_gain + 1 && steps < goal.steps {
                self.finish(best);
            }
            // So near the aim, what does not improve at once is rounding.
            let patience = match best.shortfall / goal.aim {
                times if times <= NEAR_ENOUGH => 0,
                times if times <= ENOUGH => 4,
                times if times <= NEARLY => 15,
                _ => goal.steps,
            };
            let settled = steps > last_gain + patience;
            if best.shortfall <= goal.aim || settled || stalled == 4 || steps == goal.steps {
                return steps;
            }
            let plain = steps > last_fall + PATIENCE;
            let taken = if plain { self.plain_step(&residuals) } else { self.step(&residuals) };
            stalled = if taken < 1e-4 { stalled + 1 } else { 0 };
        }
        goal.steps
    }

    /// Puts the best point on the optimal face, if that is better.
    fn finish(&mut self, best: &mut Best) {
        let Some(point) = on_optimal_face(self.component, self.equations, &best.point, self.floor) else {
            return;
        };
        let shortfall = Residuals::at(self.component, &point, self.floor, self.aim).shortfall;
        if shortfall < best.shortfall {
            *best = Best { shortfall, point };
        }
    }

    fn residuals(&self) -> Residuals {
        Residuals::at(self.component, &self.point, self.floor, self.aim)
    }

    /// Predicts, corrects and goes; returns how far, of 1.
    fn step(&mut self, residuals: &Residuals) -> f64 {
        let aim = self.linearise();
        let predictor = self.direction(residuals, &aim, None);
        let reach = self.boundary.reach(&self.point, &predictor, 1.0);
        let now = self.miss(None, reach);
        let reduced = (self.miss(Some(&predictor), reach) / now).min(1.0);
        let mu = (reduced.powi(3) * now).max(residuals.enough) / self.point.x.len() as f64;
        let aim: Vec<f64> = (aim.iter().zip(predictor.x.iter().zip(&predictor.z)))
            .map(|(aim, (dx, dz))| {
                let second_order = reach.x * reach.z * dx * dz;
                aim + mu - if second_order.is_finite() { second_order } else { 0.0 }
            })
            .collect();
        self.spare.push(predictor);
        let (corrector, reach) = self.centre(residuals, aim, mu);
        self.go(corrector, reach)
    }

    /// Goes part of the way along Newton's direction; returns how far, of 1.
    fn plain_step(&mut self, residuals: &Residuals) -> f64 {
        let mut aim = self.linearise();
        let nowhere = Reach { x: 0.0, z: 0.0 };
        let mu = (PLAIN * self.miss(None, nowhere)).max(residuals.enough) / self.point.x.len() as f64;
        aim.iter_mut().for_each(|aim| *aim += mu);
        let direction = self.direction(residuals, &aim, Some(EXACT));
        let reach = self.boundary.safe_reach(&self.component.costs, &self.point, &direction);
        self.go(direction, reach)
    }

    /// Factors Newton's equations at the point; returns what each product lacks of its goal.
    fn linearise(&mut self) -> Vec<f64> {
        let Component { costs, .. } = self.component;
        let FlowPoint { x, z, .. } = &self.point;
        for (weight, (cost, (x, z))) in self.weights.iter_mut().zip(costs.iter().zip(x.iter().zip(z))) {
            *weight = 1.0 / (cost.curvature + z / x);
        }
        self.equations.factor(&self.weights);
        (costs.iter().zip(x.iter().zip(z))).map(|(cost, (x, z))| cost.log_weight - x * z).collect()
    }

    /// Moves the point; returns how far, of 1.
    fn go(&mut self, direction: Direction, reach: Reach) -> f64 {
        advance(&mut self.point.x, reach.x, &direction.x);
        advance(&mut self.point.y, reach.z, &direction.y);
        advance(&mut self.point.z, reach.z, &direction.z);
        self.spare.push(direction);
        reach.x.min(reach.z)
    }

    /// The direction for `aim`, corrected as long as that makes the step longer:
    /// products that would end far from their target are drawn to it.
    fn centre(&mut self, residuals: &Residuals, mut aim: Vec<f64>, mu: f64) -> (Direction, Reach) {
        let enough = (0.01 * residuals.infeasibility).max(1e-4 * residuals.shortfall.min(1.0)).max(EXACT);
        let mut best = self.direction(residuals, &aim, Some(enough));
        let mut reach = self.boundary.safe_reach(&self.component.costs, &self.point, &best);
        for _ in 0..CORRECTORS {
            if reach.x.min(reach.z) > 0.9 {
                break;
            }
            let (far_x, far_z) = ((reach.x * 1.1 + FAR).min(1.0), (reach.z * 1.1 + FAR).min(1.0));
            for (column, aim) in aim.iter_mut().enumerate() {
                let x = self.point.x[column] + far_x * best.x[column];
                let z = self.point.z[column] + far_z * best.z[column];
                let target = self.component.costs[column].log_weight + mu;
                let product = x * z;
                let nearer = product.clamp(0.1 * target, 10.0 * target);
                *aim += (nearer - product).max(-10.0 * target);
            }
            let trial = self.direction(residuals, &aim, Some(enough));
            let trial_reach = self.boundary.safe_reach(&self.component.costs, &self.point, &trial);
            if trial_reach.x + trial_reach.z < reach.x + reach.z + 0.02 {
                self.spare.push(trial);
                break;
            }
            self.spare.push(std::mem::replace(&mut best, trial));
            reach = trial_reach;
        }
        (best, reach)
    }

    /// The step after which, to first order, both residuals are 0 and each
    /// product `x z` has changed by `aim`. Up to a share of `enough` of their
    /// terms may be missing in the rows; `None`: roughly.
    fn direction(&mut self, residuals: &Residuals, aim: &[f64], enough: Option<f64>) -> Direction {
        let matrix = &self.component.matrix;
        let Direction { x: mut pull, y: mut dy, z: mut dz } = self.spare.pop().unwrap_or_default();
        let FlowPoint { x, z, .. } = &self.point;
        let weights = &self.weights;
        pull.resize(x.len(), 0.0);
        dy.clone_from(&residuals.primal);
        for (column, pull) in pull.iter_mut().enumerate() {
            *pull = aim[column] / x[column] - residuals.dual[column];
            let free = *pull * weights[column];
            for (row, coefficient) in matrix.column(column) {
                dy[row] -= coefficient * free;
            }
        }
        match enough {
            Some(enough) => self.equations.solve(&mut dy, &residuals.sizes, enough),
            None => self.equations.solve_roughly(&mut dy),
        }
        // In the place of what pulls.
        let mut dx = pull;
        for (column, dx) in dx.iter_mut().enumerate() {
            *dx = weights[column] * (*dx + matrix.dot(column, &dy));
        }
        // Where weights are large, what pulls and what rows pay cancel and
        // leave rounding errors of y, many times too large for x. They are
        // made good in x, where they came from; only near the end are they
        // more than what is missing anyway.
        let mut worst = if enough.is_some_and(|enough| enough < 1e-8) { f64::INFINITY } else { 0.0 };
        while worst > enough.unwrap_or_default() {
            let mut missing = matrix.lacking(&residuals.primal, &dx);
            let now = (missing.iter().zip(&residuals.sizes)).map(|(missing, size)| missing.abs() / size);
            let before = std::mem::replace(&mut worst, now.fold(0.0, f64::max));
            if worst > 0.5 * before {
                break;
            }
            self.equations.solve(&mut missing, &residuals.sizes, enough.map_or(EXACT, |enough| 0.1 * enough));
            for (column, dx) in dx.iter_mut().enumerate() {
                *dx += self.weights[column] * matrix.dot(column, &missing);
            }
            dy.iter_mut().zip(&missing).for_each(|(dy, more)| *dy += more);
        }
        dz.clear();
        dz.extend((0..x.len()).map(|column| (aim[column] - z[column] * dx[column]) / x[column]));
        Direction { x: dx, y: dy, z: dz }
    }

    /// Sum of the distances of all products to where they are to end, here or
    /// after a step.
    fn miss(&self, direction: Option<&Direction>, reach: Reach) -> f64 {
        let FlowPoint { x, z, .. } = &self.point;
        (0..x.len())
            .map(|column| {
                let product = match direction {
                    None => x[column] * z[column],
                    Some(step) => {
                        (x[column] + reach.x * step.x[column]) * (z[column] + reach.z * step.z[column])
                    }
                };
                (product - self.component.costs[column].log_weight).abs()
            })
            .sum()
    }
}

fn advance(vector: &mut [f64], along: f64, direction: &[f64]) {
    for (value, step) in vector.iter_mut().zip(direction) {
        *value += along * step;
    }
}

//! Which one formula are all costs? Linear, minus logarithm, plus square.
//!
//! ```text
//! slope * x - log_weight * ln x + curvature / 2 * x^2  (+ a constant)
//! ```
//!
//! The family is closed under sums and under scaling of x, so variables that
//! move together share a single cost. Its logarithm is that of a barrier: with
//! z = slope + curvature x - (what the rows pay for a unit), the optimum has
//! `x z = log_weight`, which is the complementarity that interior-point
//! methods follow anyway, with a goal of its own for each variable in place
//! of 0. This is why a deviance costs the solver no more than a linear cost.

use super::problem::Cost;

/// A cost, up to a constant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Smooth {
    pub(crate) slope: f64,
    pub(crate) log_weight: f64,
    pub(crate) curvature: f64,
}

impl Smooth {
    /// `None` for a two-sided cost with a corner inside the domain.
    pub(crate) fn of_cost(cost: Cost) -> Option<Self> {
        Some(match cost {
            Cost::Free => Self::default(),
            Cost::Linear { price } => Self::linear(price),
            Cost::TwoSided { target: 0.0, above, .. } => Self::linear(above),
            Cost::TwoSided { .. } => return None,
            Cost::Quadratic { target, weight } => {
                Self { slope: -2.0 * weight * target, curvature: 2.0 * weight, log_weight: 0.0 }
            }
            Cost::Deviance { samples, cycles, dispersion } => Self {
                slope: 2.0 * cycles / dispersion,
                log_weight: 2.0 * samples / dispersion,
                curvature: 0.0,
            },
        })
    }

    pub(crate) fn linear(price: f64) -> Self {
        Self { slope: price, ..Self::default() }
    }

    pub(crate) fn is_free(&self) -> bool {
        *self == Self::default()
    }

    /// The cost of t where x = `factor` * t.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self {
            slope: self.slope * factor,
            log_weight: self.log_weight,
            curvature: self.curvature * factor * factor,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            slope: self.slope + other.slope,
            log_weight: self.log_weight + other.log_weight,
            curvature: self.curvature + other.curvature,
        }
    }

    /// Derivative at `x`.
    pub(crate) fn derivative(&self, x: f64) -> f64 {
        let logarithm = if self.log_weight > 0.0 { self.log_weight / x } else { 0.0 };
        self.slope + self.curvature * x - logarithm
    }

    /// Where it is least on x >= 0 when the slope is `slope` instead of its
    /// own; infinite when it falls for ever.
    pub(crate) fn minimiser(&self, slope: f64) -> f64 {
        let (w, q) = (self.log_weight, self.curvature);
        if q == 0.0 {
            return match () {
                () if w > 0.0 && slope > 0.0 => w / slope,
                () if w > 0.0 || slope < 0.0 => f64::INFINITY,
                () => 0.0,
            };
        }
        // q x^2 + slope x - w = 0, without subtracting near numbers.
        let root = (slope * slope + 4.0 * q * w).sqrt();
        if slope > 0.0 { 2.0 * w / (slope + root) } else { (root - slope) / (2.0 * q) }
    }

    /// By how much the cost at `x` is above its least. Rows pay so much that the slope is `slope`
    /// (including that of the square at 0). The result is 0 or more, and a sum of terms that are 0
    /// or more, so that nothing cancels.
    pub(crate) fn excess(&self, slope: f64, x: f64) -> f64 {
        let best = self.minimiser(slope);
        if best.is_infinite() {
            return f64::INFINITY;
        }
        let away = x - best;
        let square = self.curvature / 2.0 * away * away;
        if best == 0.0 {
            return square + slope.max(0.0) * x;
        }
        let ratio = away / best;
        let logarithm = if self.log_weight > 0.0 { self.log_weight * (ratio - ratio.ln_1p()) } else { 0.0 };
        // Rounding may leave the logarithm an ulp below 0.
        (square + logarithm).max(0.0)
    }
}

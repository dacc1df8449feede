//! Which factors make predictions near to measurements?
//!
//! A model is a sum of features, some with a factor that is fit and some without: the time of calls is
//! what was measured. The factors are those with the least sum of squares of relative errors, and none
//! is below zero. Leave-one-out: those of a program are fit on all others, so no row was fit on itself.
//!
//! Method: the normal equations, for every subset of factors that may be above zero. Cost: nothing.

/// What is known of one program, for one model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    /// Seconds that were measured.
    pub(super) measured: f64,
    /// Seconds that are taken as they are.
    pub(super) fixed: f64,
    /// What gets a factor each.
    pub(super) features: Vec<f64>,
}

impl Point {
    /// What is predicted of it with these factors.
    pub(super) fn predicted(&self, factors: &[f64]) -> f64 {
        self.fixed + self.features.iter().zip(factors).map(|(feature, factor)| feature * factor).sum::<f64>()
    }

    /// (predicted − measured) / measured.
    pub(super) fn error(&self, factors: &[f64]) -> f64 {
        (self.predicted(factors) - self.measured) / self.measured
    }
}

/// The best factors.
pub(super) fn fit(points: &[Point]) -> Vec<f64> {
    let count = points.first().map_or(0, |point| point.features.len());
    let mut best = (f64::INFINITY, vec![0.0; count]);
    for subset in 0..1u32 << count {
        let used: Vec<usize> = (0..count).filter(|&at| subset >> at & 1 == 1).collect();
        let Some(some) = solve(points, &used) else { continue };
        let mut factors = vec![0.0; count];
        used.iter().zip(some).for_each(|(&at, factor)| factors[at] = factor);
        let squares = points.iter().map(|point| point.error(&factors).powi(2)).sum::<f64>();
        if factors.iter().all(|&factor| factor >= 0.0) && squares < best.0 {
            best = (squares, factors);
        }
    }
    best.1
}

/// The normal equations of the features that are used, by elimination; `None` where they have no one solution.
fn solve(points: &[Point], used: &[usize]) -> Option<Vec<f64>> {
    let size = used.len();
    let mut rows = vec![vec![0.0; size + 1]; size];
    for point in points {
        let part = |at: usize| point.features[used[at]] / point.measured;
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                let other = if j < size { part(j) } else { 1.0 - point.fixed / point.measured };
                *cell += part(i) * other;
            }
        }
    }
    for at in 0..size {
        let largest = (at..size).max_by(|&a, &b| rows[a][at].abs().total_cmp(&rows[b][at].abs()))?;
        rows.swap(at, largest);
        if rows[at][at].abs() < 1e-12 {
            return None;
        }
        for below in 0..size {
            if below == at {
                continue;
            }
            let times = rows[below][at] / rows[at][at];
            let above = rows[at].clone();
            rows[below].iter_mut().zip(above).for_each(|(cell, other)| *cell -= times * other);
        }
    }
    Some((0..size).map(|at| rows[at][size] / rows[at][at]).collect())
}

/// The error of each program with factors that were fit on the others.
pub(super) fn leave_one_out(points: &[Point]) -> Vec<f64> {
    let without = |left: usize| -> Vec<Point> {
        let others = points.iter().enumerate().filter(|(at, _)| *at != left);
        others.map(|(_, point)| point.clone()).collect()
    };
    (0..points.len()).map(|at| points[at].error(&fit(&without(at)))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Point, fit, leave_one_out};

    fn point(measured: f64, features: &[f64]) -> Point {
        Point { measured, fixed: 1.0, features: features.to_vec() }
    }

    #[test]
    fn factors_that_explain_all_are_found() {
        // 1 + 2a + 3b.
        let points = [point(9.0, &[1.0, 2.0]), point(12.0, &[4.0, 1.0]), point(6.0, &[1.0, 1.0])];
        let factors = fit(&points);
        assert!((factors[0] - 2.0).abs() < 1e-9 && (factors[1] - 3.0).abs() < 1e-9, "{factors:?}");
        assert!(leave_one_out(&points).iter().all(|error| error.abs() < 1e-9));
    }

    #[test]
    fn no_factor_is_below_zero() {
        let points = [point(2.0, &[1.0, 5.0]), point(3.0, &[2.0, 3.0]), point(4.0, &[3.0, 1.0])];
        assert!(fit(&points).iter().all(|&factor| factor >= 0.0));
        assert_eq!(fit(&[]), Vec::<f64>::new());
    }
}

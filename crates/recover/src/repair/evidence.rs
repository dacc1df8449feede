//! What does it cost to deviate from what was seen?
//!
//! The deviance of the samples, quasi-Poisson with variance m + (error * m)^2; m is
//! what was seen, or what the counts of the pass before make expect if that is more.
//! How wrong cycles are depends on the code: of a few instructions the cost is that of
//! one of them, which may wait; of many it is a mean. So the error's square falls with
//! the cycles that its instructions take by themselves, to half at [`TRUSTED`]. And the
//! more of its time is waiting, as samples say, the less is known of how long that is: the
//! square grows with the logarithm of it, by [`WAITS`].
//!
//! In the first pass nothing is expected yet. By what was seen alone, a block of two
//! instructions whose samples all lie at its neighbours would be as sure as chance allows, and
//! three of them outvoted a thousand samples: counts were 40 times too low, and stayed there,
//! since the next pass weighs by them. So the square root of what was seen stands for m in that
//! pass: more of the time counts then, in whichever block it was seen. (On the programs of
//! `corpus/training.toml` blocks in function agree 0.6 points better so. With chance alone
//! they agree 2 points better, but those of bzip2 1.3 worse.) And m is at least what the
//! function's rate makes expect, in small programs: in large ones CaDiCaL agreed 2 points worse so.
//!
//! Errors have a long tail: a block that waits for memory at each execution is seen
//! twenty times too often. As for Student's distribution, a deviation that the pass
//! before found large costs less the larger it is (iteratively reweighted as in Lange,
//! Little and Taylor, "Robust statistical modeling using the t distribution", 1989).
//!
//! [`MODEL_ERROR`], [`TRUSTED`], [`WAITS`] and [`TAIL`] were fit together with the
//! constants of `duration`, on the programs named there.
//!
//! Output: costs for the solver. Cost: constant.

use opcost_flow::convex::Cost;

use super::options::RepairOptions;
use super::program::Function;
use crate::observation::Observation;

/// How wrong the cycles that are expected of a short segment are taken to be, relative
/// to them.
pub const MODEL_ERROR: f64 = 0.6;

/// Cycles of a segment whose error has half the square of a short one's.
const TRUSTED: f64 = 1.0;

/// By how much the square of the error is larger where a segment waits e times as long as
/// it is busy.
const WAITS: f64 = 3.0;

/// A deviance of so much costs half of what it would without a tail.
const TAIL: f64 = 15.0;

/// What it costs to deviate from an observation, where the counts of the pass before
/// make expect so many samples.
pub(super) fn deviation_cost(observation: &Observation, expected: f64, options: RepairOptions) -> Cost {
    let samples = observation.samples as f64;
    let level = level(observation, samples.max(expected), options);
    let tail = if expected > 0.0 { 1.0 + deviance(samples, expected) / level / TAIL } else { 1.0 };
    Cost::Deviance {
        samples,
        cycles: observation.cycles / options.cycles_per_sample,
        dispersion: level * tail,
    }
}

/// What it costs at most that a segment is taken to have run once more than it was seen.
pub(super) fn once_more(observation: &Observation, options: RepairOptions) -> f64 {
    let level = level(observation, observation.samples as f64, options);
    2.0 * observation.cycles.max(LEAST) / options.cycles_per_sample / level
}

/// The same in the first pass, where nothing is expected yet but what the function's rate makes
/// expect.
pub(super) fn first_deviation_cost(observation: &Observation, rate: f64, options: RepairOptions) -> Cost {
    let samples = observation.samples as f64;
    let usual = samples.max(rate * observation.cycles);
    let dispersion = level(observation, usual.sqrt(), options);
    Cost::Deviance { samples, cycles: observation.cycles / options.cycles_per_sample, dispersion }
}

/// Samples for each cycle of all segments of a function together.
pub(super) fn rate(function: &Function<'_>) -> f64 {
    let known = function.observed.values().filter(|one| one.cycles > 0.0);
    let (samples, cycles) =
        known.fold((0.0, 0.0), |(samples, cycles), one| (samples + one.samples as f64, cycles + one.cycles));
    if cycles > 0.0 { samples / cycles } else { 0.0 }
}

/// The variance of so many samples of a segment, by that of chance alone.
fn level(observation: &Observation, samples: f64, options: RepairOptions) -> f64 {
    1.0 + square(observation, options.error) * samples
}

/// How wrong the cycles of a segment are taken to be, relative to them, where those of short
/// ones that never wait are so wrong.
pub fn error_of(observation: &Observation, error: f64) -> f64 {
    square(observation, error).sqrt()
}

fn square(observation: &Observation, error: f64) -> f64 {
    let Observation { cycles, busy, .. } = *observation;
    let waits = if busy > 0.0 { (cycles / busy).ln().max(0.0) } else { 0.0 };
    error * error * (1.0 + WAITS * waits) / (1.0 + busy / TRUSTED)
}

/// Of a Poisson variable.
fn deviance(seen: f64, expected: f64) -> f64 {
    let ratio = if seen > 0.0 { seen * (seen / expected).ln() } else { 0.0 };
    2.0 * (expected - seen + ratio)
}

/// What one execution of a usual segment of the function costs at most when it is
/// added to what was seen.
pub(super) fn greatest_cost(function: &Function<'_>, options: RepairOptions) -> f64 {
    let seen = || function.observed.values().filter(|observation| observation.cycles > 0.0);
    let count = seen().count().max(1) as f64;
    let samples: f64 = seen().map(|observation| observation.samples as f64).sum();
    let cycles: f64 = seen().map(|observation| observation.cycles).sum::<f64>() / count;
    let dispersion = 1.0 + options.error * options.error * samples / count;
    2.0 * (cycles.max(LEAST) / options.cycles_per_sample) / dispersion
}

/// Cycles that an execution is taken to have at least.
const LEAST: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::{RepairSolver, Starts};

    const OPTIONS: RepairOptions = RepairOptions {
        cycles_per_sample: 100.0,
        error: 0.5,
        solver: RepairSolver::Likeliest,
        starts: Starts::ONCE,
    };

    /// Of the first pass, where nothing is expected.
    fn dispersion(samples: u64, cycles: f64, expected: Option<f64>) -> f64 {
        let one = Observation::busy(samples, cycles);
        let cost = expected.map_or(first_deviation_cost(&one, 0.0, OPTIONS), |expected| {
            deviation_cost(&one, expected, OPTIONS)
        });
        match cost {
            Cost::Deviance { dispersion, .. } => dispersion,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn long_segments_are_trusted_more() {
        assert_eq!(dispersion(100, TRUSTED, Some(100.0)), 1.0 + 100.0 * 0.25 / 2.0);
        assert!(dispersion(100, 0.1, Some(100.0)) > dispersion(100, 10.0, Some(100.0)));
        // The first pass knows less.
        assert_eq!(dispersion(100, TRUSTED, None), 1.0 + 10.0 * 0.25 / 2.0);
        let dispersion = |rate: f64| match first_deviation_cost(&Observation::busy(0, TRUSTED), rate, OPTIONS)
        {
            Cost::Deviance { dispersion, .. } => dispersion,
            other => panic!("{other:?}"),
        };
        assert_eq!((dispersion(0.0), dispersion(400.0)), (1.0, 1.0 + 20.0 * 0.25 / 2.0));
    }

    #[test]
    fn what_waits_is_trusted_less() {
        let level = |busy: f64| level(&Observation { samples: 100, cycles: 4.0, busy }, 100.0, OPTIONS);
        let none = 1.0 + 100.0 * 0.25 / 5.0;
        assert_eq!(level(4.0), none);
        // Half of the time is waiting: the logarithm of 2 and shorter code.
        let half = 1.0 + 100.0 * 0.25 * (1.0 + WAITS * 2.0f64.ln()) / 3.0;
        assert!((level(2.0) - half).abs() < 1e-9 && half > none);
        assert_eq!(level(0.0), 1.0 + 100.0 * 0.25, "nothing is known of it");
    }

    #[test]
    fn large_deviations_weigh_less() {
        // Found where it was expected: chance and error alone.
        assert_eq!(dispersion(100, TRUSTED, Some(100.0)), dispersion(100, TRUSTED, Some(0.0)));
        // What a deviation costs grows, but less than by itself.
        let cost = |expected: f64| deviance(400.0, expected) / dispersion(400, 0.5, Some(expected));
        let plain = |expected: f64| deviance(400.0, expected) / dispersion(400, 0.5, Some(0.0));
        assert!(cost(200.0) < cost(20.0) && cost(20.0) < cost(2.0));
        assert!(cost(2.0) / plain(2.0) < 0.8 * cost(200.0) / plain(200.0));
    }
}

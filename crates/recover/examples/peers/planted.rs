//! What could a solver make of such samples, if their noise were just as it is taken to be?
//!
//! Time is no count: what a segment is seen is its count times how long it waits, and how
//! long that is no code tells. Here that is drawn: log-normal, of the spread by which our
//! repair weighs observations (`error_of`), each segment for itself, with a mean of its
//! expected cycles; then samples, as chance has them (Poisson). Counts are exact ones, the
//! samples in all as many as were taken. So the repair knows of the noise what can be
//! known beforehand, which of real samples it does not.
//!
//! Input: a seed. Output: observations. Cost: linear.

use std::collections::BTreeMap;

use opcost_recover::{Cycles, MODEL_ERROR, ModuleObservations, error_of, observe};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, LogNormal, Poisson};

use super::{Answer, Built, Exact};

/// Made-up samples, and the cycles of one.
pub(super) fn samples(
    built: &Built,
    taken: &ModuleObservations,
    exact: &Exact,
    seed: u64,
) -> Answer<(ModuleObservations, f64)> {
    // Expected cycles, as no sample has changed them.
    let mut all = observe(&built.map, &built.code, &BTreeMap::new(), Cycles::Model);
    let count = |function, segment| exact.segments.get(&(function, segment)).copied().unwrap_or(0) as f64;
    let cycles: f64 = all
        .functions
        .iter()
        .flat_map(|(id, function)| function.iter().map(move |(segment, one)| count(id, segment) * one.cycles))
        .sum();
    let cycles_per_sample = cycles / taken.samples().max(1) as f64;
    let mut random = StdRng::seed_from_u64(seed);
    for id in built.map.functions.ids() {
        for segment in built.map.functions[id].segments.ids() {
            let one = &mut all.functions[id][segment];
            let error = error_of(one, MODEL_ERROR);
            // The logarithm of a variable of mean 1 that is off by this share.
            let spread = (1.0 + error * error).ln().sqrt();
            let waited = LogNormal::new(-spread * spread / 2.0, spread)?.sample(&mut random);
            let expected = count(id, segment) * one.cycles * waited / cycles_per_sample;
            one.samples = if expected > 0.0 { Poisson::new(expected)?.sample(&mut random) as u64 } else { 0 };
        }
    }
    Ok((all, cycles_per_sample))
}

//! What was done and what it gained, put together.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use opcost_answer::tune::{LeftFunction, Transform, Tuned, TunedStep};

use super::gain::gain;
use super::measure::{Judging, MeasuredVariants};
use super::steps::Tuning;

/// The answers of a tuning: by step what was done up to there, all that was done, and what was measured of it.
pub(super) fn answers(
    steps: &[Vec<Transform>],
    tuning: &Tuning,
    measured: Option<(&MeasuredVariants, &Judging<'_>)>,
) -> Tuned {
    let seconds = |step: usize| {
        measured.map(|(measured, _)| &measured.variants[step].seconds).filter(|all| !all.is_empty())
    };
    let compared = |before: usize, after: usize| gain(seconds(before)?, seconds(after)?);
    let step = |number: usize| {
        let all = &steps[number];
        let before = number.checked_sub(1).map_or(0, |before| steps[before].len());
        TunedStep {
            transforms: all[before..].to_vec(),
            seconds: seconds(number).map(|all| median(all)),
            gain: number.checked_sub(1).and_then(|before| compared(before, number)),
            whole: (number > 0).then(|| compared(0, number)).flatten(),
            simulated: measured.and_then(|(measured, _)| measured.variants[number].simulated),
        }
    };
    let mut functions: Vec<_> = tuning.modules.iter().flat_map(|module| &module.functions).cloned().collect();
    functions.sort_by_key(|function| Reverse(function.executions));
    let left: BTreeSet<&LeftFunction> =
        tuning.modules.iter().flat_map(|module| &module.left).chain(&tuning.left).collect();
    Tuned {
        steps: (0..steps.len()).map(step).collect(),
        control: compared(0, steps.len()),
        runs: seconds(0).map_or(0, Vec::len),
        links: measured.map_or(0, |(_, how)| how.links),
        refused: tuning.refused.clone(),
        copied: tuning.copied.iter().flat_map(|module| &module.functions).cloned().collect(),
        inlined: tuning.copied.iter().flat_map(|module| &module.calls).cloned().collect(),
        unrolled: tuning.finished.iter().flat_map(|module| &module.loops).cloned().collect(),
        conserved: tuning.conserved,
        functions,
        left: left.into_iter().cloned().collect(),
        // Outputs of a program that prints a time or an address say nothing.
        outputs_equal: measured
            .filter(|(measured, _)| measured.repeats)
            .map(|(measured, _)| measured.outputs_equal),
    }
}

fn median(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

//! What is each step worth?
//!
//! All programs run in each round, in an order that changes from round to round, and so does the first one again:
//! what it gains over itself is noise. Each program is linked several times with other gaps between its
//! functions, and rounds use one after the other. So a lucky position in a cache is in no figure alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::run::Finish;
use opcost_answer::tune::{Simulation, VariantFigures};
use opcost_interrupt::was_stopped;
use opcost_run::timed::TimedRun;
use opcost_toolchain::input::Input;

use super::built::BuiltStep;
use crate::progress::work;

/// How programs are compared.
#[derive(Clone, Copy, Debug)]
pub struct Judging<'a> {
    /// The inputs of the program.
    pub inputs: &'a [Input],
    /// The words that it runs with.
    pub arguments: &'a [OsString],
    /// What it reads as its standard input.
    pub stdin: Option<&'a Path>,
    /// How often each program runs.
    pub runs: usize,
    /// How many times each is linked, with other gaps each time.
    pub links: usize,
    /// How many links of each run in a simulator of caches, too; figures are medians.
    pub simulated_links: usize,
}

/// What programs take.
#[derive(Clone, Debug)]
pub(super) struct MeasuredVariants {
    /// By step, then the first one again.
    pub variants: Vec<VariantFigures>,
    /// Whether the tuned programs printed what the first one did, and ended alike.
    pub outputs_equal: bool,
    /// Whether the first one itself always did.
    pub repeats: bool,
}

/// The median of each figure. Of an even number of links it is the lower one, so that it was measured.
fn median_simulation(all: &[Simulation]) -> Option<Simulation> {
    let middle = |figure: fn(&Simulation) -> u64| {
        let mut sorted: Vec<u64> = all.iter().map(figure).collect();
        sorted.sort_unstable();
        sorted.get(sorted.len().checked_sub(1)? / 2).copied()
    };
    Some(Simulation {
        instructions: middle(|one| one.instructions)?,
        instruction_misses: middle(|one| one.instruction_misses)?,
        mispredicted: middle(|one| one.mispredicted)?,
    })
}

/// What a run left: its end and what it printed.
#[derive(PartialEq)]
struct Outcome {
    finish: Finish,
    output: Vec<u8>,
}

/// Runs all steps in rounds.
///
/// # Errors
/// A program cannot be linked or started.
pub(super) fn measure(
    steps: &[BuiltStep],
    how: &Judging<'_>,
    folder: &Path,
) -> Result<MeasuredVariants, Failure> {
    let mut programs: Vec<Vec<PathBuf>> = Vec::new();
    {
        let _working = work("linking");
        for (number, step) in steps.iter().enumerate() {
            let mut links = Vec::new();
            for seed in 0..how.links {
                let output = folder.join(format!("step{number}.{seed}"));
                step.link(how.inputs, Some(seed as u64), &output)?;
                links.push(output);
            }
            programs.push(links);
        }
    }
    measure_programs(programs, how, folder)
}

/// Runs programs in rounds: by step, one for each link.
///
/// # Errors
/// A program cannot be started.
pub(super) fn measure_programs(
    mut programs: Vec<Vec<PathBuf>>,
    how: &Judging<'_>,
    folder: &Path,
) -> Result<MeasuredVariants, Failure> {
    let stdout = folder.join("judged.out");
    let steps = programs.len();
    // The first one again.
    programs.push(programs[0].clone());
    let mut variants = vec![VariantFigures::default(); programs.len()];
    let run = |program: &Path| -> Result<(Outcome, f64), Failure> {
        let run = TimedRun { program, arguments: how.arguments, stdin: how.stdin, stdout: &stdout };
        let (finish, seconds) = run.seconds()?;
        let output = std::fs::read(&stdout).map_err(Failure::file("read", &stdout))?;
        Ok((Outcome { finish, output }, seconds))
    };
    let (expected, _) = run(&programs[0][0])?;
    let (mut outputs_equal, mut repeats) = (true, true);
    let running = work("running all in rounds");
    for pass in 0..how.runs {
        for turn in 0..programs.len() {
            // Another one is first each time.
            let number = (turn + pass) % programs.len();
            let (outcome, seconds) = run(&programs[number][pass % how.links])?;
            let is_same = outcome == expected;
            if number == 0 || number == steps {
                repeats &= is_same;
            } else {
                outputs_equal &= is_same;
            }
            variants[number].seconds.push(seconds);
            if was_stopped() {
                return Err(Failure::Usage("stopped before all rounds were run".to_owned()));
            }
        }
    }
    drop(running);
    if how.simulated_links > 0 {
        let _working = work("simulating caches, 50 times slower");
        for (variant, links) in variants.iter_mut().zip(&programs) {
            let mut all = Vec::new();
            for program in links.iter().take(how.simulated_links) {
                let run = TimedRun { program, arguments: how.arguments, stdin: how.stdin, stdout: &stdout };
                all.extend(run.simulated()?);
            }
            variant.simulated = median_simulation(&all);
        }
    }
    Ok(MeasuredVariants { variants, outputs_equal, repeats })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_links_are_medians() {
        let one =
            |misses| Simulation { instructions: 7, instruction_misses: misses, mispredicted: 9 - misses };
        let of = |all: &[Simulation]| median_simulation(all).map(|one| one.instruction_misses);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[one(4)]), Some(4));
        assert_eq!(of(&[one(8), one(1)]), Some(1));
        assert_eq!(of(&[one(8), one(1), one(3)]), Some(3));
    }
}

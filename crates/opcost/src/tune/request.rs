//! A program is made faster, judged and put in its place: all that `opcost tune` does.
//!
//! Input: a [`TuneRequest`]. Output: what was done and gained. Where the program that was made prints something else,
//! nothing is written. Cost: the builds, the training, and the runs that judge.

use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::tune::Tuned;
use opcost_interrupt::Scratch;
use opcost_toolchain::input::Language;
use opcost_toolchain::install::install;

use super::answers::answers;
use super::input::TuneWish;
use super::measure::{Judging, measure};
use super::rust::tuned_source;
use super::sampled::SampledTraining;
use super::steps::tune;

/// What is made faster, by what it is judged, and where it goes.
#[derive(Clone, Debug)]
pub struct TuneRequest<'a> {
    /// The program and its training.
    pub wish: TuneWish<'a>,
    /// Samples a second, if it is trained by a sampled run.
    pub sample: Option<u64>,
    /// How the programs are compared.
    pub judging: Judging<'a>,
    /// Where the program goes.
    pub output: &'a Path,
    /// Where the profile and the order go, if they are wanted.
    pub save: Option<&'a Path>,
}

/// Makes a program faster.
///
/// # Errors
/// The inputs do not compile, the training failed, or a ledger is of another program.
pub fn make_faster(request: &TuneRequest<'_>) -> Result<Tuned, Failure> {
    let TuneRequest { wish, judging, .. } = request;
    if wish.inputs.iter().any(|input| input.language == Language::Rust) {
        return tuned_source(wish, judging, request.output);
    }
    // It has to be there as long as its ledger is read.
    let sampled = request.sample.map(|rate| SampledTraining::run(wish, rate)).transpose()?;
    let estimated = sampled.as_ref().map(SampledTraining::ledger);
    let wish = TuneWish { profile: wish.profile.or(estimated.as_deref()), ..wish.clone() };
    let tuning = tune(&wish)?;
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let is_measured = judging.runs > 0 && tuning.steps.len() > 1;
    let measured = is_measured.then(|| measure(&tuning.steps, judging, folder.path())).transpose()?;
    let steps: Vec<_> = tuning.steps.iter().map(|step| step.transforms.clone()).collect();
    let tuned = answers(&steps, &tuning, measured.as_ref().map(|measured| (measured, judging)));
    if let Some(last) = tuning.steps.last().filter(|_| tuned.outputs_equal != Some(false)) {
        let made = folder.path().join("tuned");
        last.link(wish.inputs, None, &made)?;
        install(&made, request.output)?;
        if let Some(saved) = request.save {
            last.save(wish.inputs, saved)?;
        }
    }
    Ok(tuned)
}

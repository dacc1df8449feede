//! What is done to a program, one step behind the other.

use opcost_answer::Failure;
use opcost_answer::tune::{
    ArrangedModule, Conserved, CopiedModule, LeftFunction, RefusedTransform, Transform,
};
use opcost_toolchain::input::Language;

use super::built::BuiltStep;
use super::placing::{placed, unplaced};
use super::profile::{Profiled, with_profile};
use super::split::{Split, conserved, unsplit};
use super::wish::TuneWish;
use crate::progress::work;

/// The program after each step.
#[derive(Default)]
pub struct Tuning {
    /// The program as it comes, then with one step more each.
    pub steps: Vec<BuiltStep>,
    /// What is not possible.
    pub refused: Vec<RefusedTransform>,
    /// What was copied, by module.
    pub copied: Vec<CopiedModule>,
    /// What a run of the program with copies says of their counts, if it was asked for.
    pub conserved: Option<Conserved>,
    /// What placement did, by module.
    pub modules: Vec<ArrangedModule>,
    /// Functions that the profile does not fit.
    pub left: Vec<LeftFunction>,
}

/// Builds the program with one step after the other.
///
/// # Errors
/// A source does not compile, or the training run fails.
pub fn tune(wish: &TuneWish<'_>) -> Result<Tuning, Failure> {
    if let Some(rust) = wish.inputs.iter().find(|input| input.language == Language::Rust) {
        return Err(Failure::Usage(format!(
            "{}: a Rust source is placed where rustc links (opcost tune main.rs, cargo opcost tune); here give the \
             bitcode that rustc writes, or C, C++, Fortran",
            rust.path.display()
        )));
    }
    let mut tuning = Tuning::default();
    let mut options = wish.options.clone();
    let mut done = Vec::new();
    {
        let _working = work("building the program as it comes");
        tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
    }
    let linked = [
        (Transform::Fixed, &["-fno-pie", "-no-pie"][..]),
        (Transform::Static, &["-fno-pie", "-static"][..]),
        (Transform::Native, &["-march=native"][..]),
    ];
    let linked = linked.into_iter().filter(|(transform, _)| wish.transforms.contains(transform));
    for (transform, flags) in linked {
        options.cflags.extend(flags.iter().map(|&flag| flag.to_owned()));
        done.push(transform);
    }
    if !done.is_empty() {
        let _working = work("building it for this machine");
        tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
    }
    if wish.transforms.contains(&Transform::Profile) {
        match with_profile(wish, &options, &tuning.steps[0].build)? {
            Ok(profiled) => {
                tuning.left.extend(profiled.left.iter().cloned());
                options = profiled.options.clone();
                done.push(Transform::Profile);
                tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
                if wish.transforms.contains(&Transform::Split) {
                    split_step(wish, &profiled, &mut done, &mut tuning)?;
                }
            }
            Err(why) => {
                for transform in [Transform::Profile, Transform::Split] {
                    if wish.transforms.contains(&transform) {
                        tuning.refused.push(RefusedTransform { transform, why: why.to_string() });
                    }
                }
            }
        }
    }
    if wish.transforms.contains(&Transform::Placement) {
        match unplaced(wish, &done)? {
            Some(why) => {
                tuning.refused.push(RefusedTransform { transform: Transform::Placement, why });
            }
            None => {
                done.push(Transform::Placement);
                let last = tuning.steps.last().map(|step| &step.build);
                let step = placed(wish, &options, &done, last)?;
                tuning.modules.clone_from(&step.code.modules);
                tuning.steps.push(step);
            }
        }
    }
    Ok(tuning)
}

/// Adds the step in which hot joins are copied, if they can be.
fn split_step(
    wish: &TuneWish<'_>,
    profiled: &Profiled,
    done: &mut Vec<Transform>,
    tuning: &mut Tuning,
) -> Result<(), Failure> {
    if let Some(why) = unsplit(wish) {
        tuning.refused.push(RefusedTransform { transform: Transform::Split, why });
        return Ok(());
    }
    let split = Split::new(wish, profiled)?;
    tuning.left.extend(split.copied.values().flat_map(|one| &one.module.left).cloned());
    if split.functions().next().is_none() {
        let why = "no join is hot and small enough for a copy".to_owned();
        tuning.refused.push(RefusedTransform { transform: Transform::Split, why });
        return Ok(());
    }
    let counted = (split.is_open() || wish.verifies).then(|| split.counted()).transpose()?;
    if wish.verifies
        && let Some(counted) = &counted
    {
        tuning.conserved = Some(conserved(&split, &counted.ledger)?);
    }
    tuning.copied = split.copied.values().map(|one| one.module.clone()).collect();
    done.push(Transform::Split);
    tuning.steps.push(split.finish(done, counted.as_ref())?);
    Ok(())
}

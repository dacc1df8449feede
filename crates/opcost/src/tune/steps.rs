//! What is done to a program, one step behind the other.

use opcost_answer::Failure;
use opcost_answer::tune::{
    ArrangedModule, Conserved, CopiedModule, FinishedModule, LeftFunction, RefusedTransform, Transform,
};
use opcost_key::Placement;
use opcost_optimise::conserved;
use opcost_toolchain::build::no_huge_pages;
use opcost_toolchain::input::Language;
use opcost_toolchain::options::CompileOptions;

use super::built::BuiltStep;
use super::early::{Copying, Early, uncopied};
use super::input::TuneWish;
use super::placing::{placed, unplaced};
use super::profile::{Profiled, with_profile};
use crate::ledgers;
use crate::progress::work;

/// The program after each step.
#[derive(Default)]
pub(super) struct Tuning {
    /// The program as it comes, then with one step more each.
    pub steps: Vec<BuiltStep>,
    /// What is not possible.
    pub refused: Vec<RefusedTransform>,
    /// What was copied, by module and kind of copy.
    pub copied: Vec<CopiedModule>,
    /// Bodies of loops that were copied, by module.
    pub finished: Vec<FinishedModule>,
    /// What a run of the program with copies says of their counts, if it was asked for.
    pub conserved: Option<Conserved>,
    /// What placement did, by module.
    pub modules: Vec<ArrangedModule>,
    /// Functions that the profile does not fit.
    pub left: Vec<LeftFunction>,
}

impl Tuning {
    /// Adds what a run said.
    fn hold(&mut self, more: Option<Conserved>) {
        if let Some(more) = more {
            self.conserved = Some(self.conserved.unwrap_or_default().and(more));
        }
    }
}

/// Builds the program with one step after the other.
///
/// # Errors
/// A source does not compile, or the training run fails.
pub(super) fn tune(wish: &TuneWish<'_>) -> Result<Tuning, Failure> {
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
        machine_step(transform, &mut done, &options, wish, &mut tuning)?;
    }
    if wish.transforms.contains(&Transform::Huge) {
        match no_huge_pages() {
            Some(why) => tuning.refused.push(RefusedTransform { transform: Transform::Huge, why }),
            None => {
                options.cflags.extend(tuning.steps[0].build.huge_pages()?);
                machine_step(Transform::Huge, &mut done, &options, wish, &mut tuning)?;
            }
        }
    }
    if wish.transforms.contains(&Transform::Profile) {
        match with_profile(wish, &options, &tuning.steps[0].build)? {
            Ok(profiled) => {
                tuning.left.extend(profiled.left.iter().cloned());
                options = profiled.options.clone();
                done.push(Transform::Profile);
                tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
                copying_steps(wish, &profiled, &mut done, &mut tuning)?;
            }
            Err(why) => {
                for transform in [&[Transform::Profile][..], &COPYING].concat() {
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
                let placed = placed(wish, &options, &done, last)?;
                tuning.modules.clone_from(&placed.step.code.modules);
                tuning.steps.push(placed.step);
                tuning.hold(placed.conserved);
            }
        }
    }
    Ok(tuning)
}

/// Adds the step in which the program is linked another way, or for this machine.
fn machine_step(
    transform: Transform,
    done: &mut Vec<Transform>,
    options: &CompileOptions,
    wish: &TuneWish<'_>,
    tuning: &mut Tuning,
) -> Result<(), Failure> {
    let _working = work("building it for this machine");
    done.push(transform);
    tuning.steps.push(BuiltStep::plain(done, options, wish.inputs)?);
    Ok(())
}

/// Steps that copy code, in their order.
const COPYING: [Transform; 3] = [Transform::Inline, Transform::Split, Transform::Unroll];

/// Adds the steps in which code is copied, as far as it can be.
fn copying_steps(
    wish: &TuneWish<'_>,
    profiled: &Profiled,
    done: &mut Vec<Transform>,
    tuning: &mut Tuning,
) -> Result<(), Failure> {
    let steps: Vec<Transform> = COPYING.into_iter().filter(|one| wish.transforms.contains(one)).collect();
    if steps.is_empty() {
        return Ok(());
    }
    if let Some(why) = uncopied(wish) {
        tuning
            .refused
            .extend(steps.iter().map(|&transform| RefusedTransform { transform, why: why.clone() }));
        return Ok(());
    }
    let mut early: Option<Early<'_>> = None;
    // Copies of joins have their counts by paths.
    let inlined = if steps.contains(&Transform::Split) { Placement::Paths } else { Placement::Chords };
    for transform in steps {
        let (copying, placement, none) = match transform {
            Transform::Inline => {
                (Copying::Calls, inlined, "no call is hot enough, or none that is can be inlined")
            }
            Transform::Split => {
                (Copying::Joins, Placement::Chords, "no join is hot and small enough for a copy")
            }
            _ => {
                let before = match early.take() {
                    Some(before) => before,
                    None => Early::new(wish, profiled, None, Copying::Nothing)?,
                };
                unroll_step(&before, done, tuning)?;
                continue;
            }
        };
        let mut next = Early::new(wish, profiled, early.as_ref(), copying)?;
        tuning.left.extend(next.modules.values().flat_map(|one| &one.copies.left).cloned());
        if !next.has_copies() {
            tuning.refused.push(RefusedTransform { transform, why: none.to_owned() });
            continue;
        }
        if next.is_open() || wish.verifies {
            next.count(placement)?;
        }
        if wish.verifies
            && let Some(counted) = next.ledger()
        {
            let modules = next.modules.values().map(|one| (one.name.as_str(), &one.copies));
            let held = conserved(modules, &ledgers::ledger(counted, None)?);
            tuning.hold(Some(held));
        }
        tuning.copied.extend(next.modules.values().map(|one| one.copies.clone()));
        done.push(transform);
        tuning.steps.push(next.finish(done, &[])?.0);
        early = Some(next);
    }
    Ok(())
}

/// Adds the step in which bodies of loops are copied, if some are.
fn unroll_step(before: &Early<'_>, done: &mut Vec<Transform>, tuning: &mut Tuning) -> Result<(), Failure> {
    let loops = before.loops()?;
    let after = [&done[..], &[Transform::Unroll]].concat();
    let (step, finished) = before.finish(&after, &loops)?;
    let is_any = finished.iter().flat_map(|module| &module.loops).any(|one| one.is_done);
    tuning.finished = finished;
    if is_any {
        *done = after;
        tuning.steps.push(step);
    } else {
        let why = "no loop goes on long enough, or none that does has a body that LLVM copies".to_owned();
        tuning.refused.push(RefusedTransform { transform: Transform::Unroll, why });
    }
    Ok(())
}

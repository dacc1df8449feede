//! Machine blocks and functions lie in memory by how often they run.

use std::collections::BTreeSet;

use opcost_answer::Failure;
use opcost_answer::tune::{Conserved, Transform};
use opcost_key::{Anchor, Placement};
use opcost_optimise::{CountedModules, repeated};
use opcost_toolchain::build::{Arranging, Build, functions_of};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;
use opcost_toolchain::order::function_order;

use super::built::{BuiltStep, plain_build};
use super::input::TuneWish;
use super::training::{CountedBuild, Trained, anchor_of};
use crate::ledgers;
use crate::progress::work;

/// Why code is not placed, after what was done. Early counts say nothing of code that was optimised without them.
pub(super) fn unplaced(wish: &TuneWish<'_>, done: &[Transform]) -> Result<Option<String>, Failure> {
    let Some(profile) = wish.profile.filter(|_| !done.contains(&Transform::Profile)) else { return Ok(None) };
    let why = || {
        format!(
            "{} has counts of code before the optimiser, which got no profile of it; count without --anchor",
            profile.display()
        )
    };
    Ok(matches!(anchor_of(profile)?, Anchor::Simplified | Anchor::Pgo).then(why))
}

/// The program with its code placed.
pub(super) struct Placed {
    pub(super) step: BuiltStep,
    /// Whether its modules ran again as often as it was placed by, if that was asked for.
    pub(super) conserved: Option<Conserved>,
}

/// The program with its machine blocks and functions in order. `same` has these options, and its modules are placed.
pub(super) fn placed(
    wish: &TuneWish<'_>,
    options: &CompileOptions,
    done: &[Transform],
    same: Option<&Build>,
) -> Result<Placed, Failure> {
    let trained = match wish.profile {
        None => Some(Trained::run(wish, &CountedBuild { options, placement: Placement::Chords, same })?),
        // The optimiser's own weights are what is known of the code that it made by that profile.
        Some(profile) if anchor_of(profile)? == Anchor::Pgo => None,
        Some(profile) => Some(Trained::given(options, profile)?),
    };
    let _working = work("placing the code");
    let mut build = plain_build(options)?;
    build.compile_once(same);
    // The optimiser left weights of its profile.
    let weighs = !done.contains(&Transform::Profile);
    let ledger = trained.as_ref().map(|trained| &*trained.ledger);
    let code = build.arranged_code(wish.inputs, Arranging { ledger, weighs, orders: true })?;
    let hot = function_order(&code.modules);
    let rest: Vec<String> = {
        let named: BTreeSet<&String> = hot.iter().collect();
        functions_of(&code.objects)?.into_iter().filter(|name| !named.contains(name)).collect()
    };
    let order = [hot, rest].concat();
    let step = BuiltStep { transforms: done.to_vec(), build, code, order };
    let conserved = match trained.filter(|_| wish.verifies && wish.profile.is_none()) {
        Some(trained) => Some(counted_again(wish, options, &step, &trained)?),
        None => None,
    };
    Ok(Placed { step, conserved })
}

/// The modules whose code was placed do the training run once more, and are held against the counts it was placed by.
fn counted_again(
    wish: &TuneWish<'_>,
    options: &CompileOptions,
    step: &BuiltStep,
    trained: &Trained,
) -> Result<Conserved, Failure> {
    let saved = step.save(wish.inputs, &step.build.path("again"))?;
    let mut saved = saved.into_iter().map(|path| Input { path, language: Language::Bitcode });
    let is_module = |input: &Input| input.language != Language::Object;
    let inputs: Vec<Input> = wish
        .inputs
        .iter()
        .map(|input| if is_module(input) { saved.next().unwrap_or(input.clone()) } else { input.clone() })
        .collect();
    let how = CountedBuild { options, placement: Placement::Chords, same: None };
    let again = Trained::run(&TuneWish { inputs: &inputs, ..wish.clone() }, &how)?;
    let names = |build: &Build, inputs: &[Input]| -> Result<Vec<String>, Failure> {
        inputs.iter().filter(|input| is_module(input)).map(|input| build.module_name(input)).collect()
    };
    let names = (names(&trained.build, wish.inputs)?, names(&again.build, &inputs)?);
    let before = CountedModules { ledger: &ledgers::ledger(&trained.ledger, None)?, modules: &names.0 };
    let after = CountedModules { ledger: &ledgers::ledger(&again.ledger, None)?, modules: &names.1 };
    Ok(repeated(before, after))
}

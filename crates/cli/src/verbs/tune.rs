//! `opcost tune`: a program, made faster by what it does.

use std::ffi::OsString;
use std::path::Path;

use opcost::ledgers::{self, Given};
use opcost::tune::{BuiltStep, DoneSteps, Judging, SampledTraining, TuneWish, answers, measure, tune};
use opcost_answer::{Failure, Status};
use opcost_interrupt::Scratch;
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;

use crate::arguments::{OnlyStep, TuneArguments};
use crate::verbs::inputs::inputs_of;
use crate::verbs::selection::{CodeFlag, about, paths, refuse_idle};
use crate::verbs::show::save_failure_json;
use crate::verbs::tune_rust;
use crate::verbs::tune_shown::{TuneShown, show};

/// Carries out the verb.
pub(crate) fn run(arguments: &TuneArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &TuneArguments) -> Result<Status, Failure> {
    let idle = [CodeFlag::Cost, CodeFlag::Time];
    refuse_idle(&arguments.compile, &idle, "a program is tuned by how often everything runs")?;
    if arguments.compile.anchor.is_some() {
        return Err(Failure::Usage(
            "--anchor would do nothing here: a program is counted at two anchors, pgo and optimized; leave it out"
                .to_owned(),
        ));
    }
    let is_copying = matches!(arguments.only, Some(OnlyStep::Inline | OnlyStep::Split | OnlyStep::Unroll));
    if arguments.sample.is_some() && is_copying {
        return Err(Failure::Usage(
            "--sample has no paths and no trip counts, and copies are made by exact ones; leave --sample or --only out"
                .to_owned(),
        ));
    }
    if let Some(profile) = &arguments.profile {
        report_partial(profile)?;
    }
    let inputs = inputs_of("tune", &arguments.inputs)?;
    if inputs.iter().any(|input| input.language == Language::Rust) {
        return tune_rust::carry_out(arguments, &inputs);
    }
    let options = arguments.compile.options();
    let mut wish = TuneWish {
        inputs: &inputs,
        options: &options,
        transforms: arguments.transforms(),
        profile: arguments.profile.as_deref(),
        arguments: &arguments.arguments,
        stdin: arguments.stdin.as_deref(),
        verifies: arguments.verify,
        ignores_status: arguments.ignore_status,
    };
    // It has to be there as long as its ledger is read.
    let sampled = arguments.sample.map(|rate| SampledTraining::run(&wish, rate)).transpose()?;
    let estimated = sampled.as_ref().map(SampledTraining::ledger);
    wish.profile = wish.profile.or(estimated.as_deref());
    let tuning = tune(&wish)?;
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let judge: Option<Vec<OsString>> =
        arguments.judge.as_ref().map(|words| words.split_whitespace().map(OsString::from).collect());
    let judging = Judging {
        inputs: &inputs,
        arguments: judge.as_deref().unwrap_or(&arguments.arguments),
        stdin: arguments.judge_stdin.as_deref().or(arguments.stdin.as_deref()),
        runs: arguments.runs,
        links: usize::from(arguments.links),
        simulated_links: arguments.simulate.map_or(0, usize::from),
    };
    let is_measured = arguments.runs > 0 && tuning.steps.len() > 1;
    let measured = is_measured.then(|| measure(&tuning.steps, &judging, folder.path())).transpose()?;
    let steps: Vec<_> = tuning.steps.iter().map(|step| step.transforms.clone()).collect();
    let done = DoneSteps {
        steps: &steps,
        refused: &tuning.refused,
        modules: &tuning.modules,
        left: &tuning.left,
        copied: &tuning.copied,
        finished: &tuning.finished,
        conserved: tuning.conserved,
    };
    let tuned = answers(done, measured.as_ref().map(|measured| (measured, &judging)));
    let is_wrong = tuned.outputs_equal == Some(false);
    let is_unequal = tuned.conserved.is_some_and(|one| one.equal != one.blocks);
    if let Some(last) = tuning.steps.last().filter(|_| !is_wrong) {
        write(last, &inputs, folder.path(), &arguments.output)?;
        if let Some(saved) = &arguments.save {
            last.save(&inputs, saved)?;
        }
    }
    let shown = TuneShown {
        tuned: &tuned,
        about: about(&inputs, &arguments.compile),
        again: format!("opcost tune --simulate {}", paths(&inputs)),
    };
    show(arguments, &shown)?;
    Ok(if is_wrong || is_unequal { Status::Verdict } else { Status::Fine })
}

/// Says of a ledger whose runs did not get to their ends that it is one.
fn report_partial(profile: &Path) -> Result<(), Failure> {
    if let Given::Ledger(ledger) = ledgers::read(&[profile.to_owned()], None)?
        && let Some(warning) = ledgers::is_partial(profile, &ledger)
    {
        opcost_answer::tell!("opcost: {warning}");
    }
    Ok(())
}

/// Links the program as it is to be used, and gives it its name.
fn write(step: &BuiltStep, inputs: &[Input], folder: &Path, output: &Path) -> Result<(), Failure> {
    let made = folder.join("tuned");
    step.link(inputs, None, &made)?;
    install(&made, output)
}

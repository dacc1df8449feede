//! `opcost tune`: a program, made faster by what it does.

use std::ffi::OsString;
use std::path::Path;

use opcost::ledgers::{self, Given};
use opcost::tune::{Judging, TuneRequest, TuneWish, make_faster};
use opcost_answer::{Failure, Status};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

use crate::arguments::{LinkMode, OnlyStep, TuneArguments};
use crate::verbs::inputs::inputs_of;
use crate::verbs::selection::{CodeFlag, about, paths, refuse_idle};
use crate::verbs::show::save_failure_json;
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
        refuse_flags(arguments, "give rustc's own flags (--cflag=-Ctarget-cpu=native)")?;
    }
    let options = arguments.compile.options();
    let words = judge_words(arguments);
    let tuned = make_faster(&TuneRequest {
        wish: wish(arguments, &inputs, &options),
        sample: arguments.sample,
        judging: judging(arguments, &inputs, words.as_deref()),
        output: &arguments.output,
        save: arguments.save.as_deref(),
    })?;
    let again = format!("opcost tune --simulate {}", paths(&inputs));
    finish(arguments, &TuneShown { tuned: &tuned, about: about(&inputs, &arguments.compile), again })
}

/// Shows what came of it.
pub(crate) fn finish(arguments: &TuneArguments, shown: &TuneShown<'_>) -> Result<Status, Failure> {
    show(arguments, shown)?;
    let is_unequal = shown.tuned.conserved.is_some_and(|one| one.equal != one.blocks);
    let is_wrong = shown.tuned.outputs_equal == Some(false) || is_unequal;
    Ok(if is_wrong { Status::Verdict } else { Status::Fine })
}

/// The program and its training.
pub(crate) fn wish<'a>(
    arguments: &'a TuneArguments,
    inputs: &'a [Input],
    options: &'a CompileOptions,
) -> TuneWish<'a> {
    TuneWish {
        inputs,
        options,
        transforms: arguments.transforms(),
        profile: arguments.profile.as_deref(),
        arguments: &arguments.arguments,
        stdin: arguments.stdin.as_deref(),
        verifies: arguments.verify,
        ignores_status: arguments.ignore_status,
    }
}

/// Arguments of the run that judges, if they are others.
pub(crate) fn judge_words(arguments: &TuneArguments) -> Option<Vec<OsString>> {
    arguments.judge.as_ref().map(|words| words.split_whitespace().map(OsString::from).collect())
}

/// How the programs are compared.
pub(crate) fn judging<'a>(
    arguments: &'a TuneArguments,
    inputs: &'a [Input],
    words: Option<&'a [OsString]>,
) -> Judging<'a> {
    Judging {
        inputs,
        arguments: words.unwrap_or(&arguments.arguments),
        stdin: arguments.judge_stdin.as_deref().or(arguments.stdin.as_deref()),
        runs: arguments.runs,
        links: usize::from(arguments.links),
        simulated_links: arguments.simulate.map_or(0, usize::from),
    }
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

/// Refuses what does nothing to a program of Rust.
pub(crate) fn refuse_flags(arguments: &TuneArguments, instead: &str) -> Result<(), Failure> {
    let flag = match () {
        () if arguments.compile.anchor.is_some() => "--anchor",
        () if arguments.only == Some(OnlyStep::Profile) => "--only profile",
        () if arguments.only == Some(OnlyStep::Inline) => "--only inline",
        () if arguments.only == Some(OnlyStep::Split) => "--only split",
        () if arguments.only == Some(OnlyStep::Unroll) => "--only unroll",
        () if arguments.inline => "--inline",
        () if arguments.split => "--split",
        () if arguments.unroll => "--unroll",
        () if arguments.save.is_some() => "--save",
        () if arguments.sample.is_some() => "--sample",
        () if arguments.verify => "--verify",
        () if arguments.link_mode != LinkMode::AsItComes => "--link",
        () if arguments.native => "--native",
        () if arguments.huge_pages => "--huge-pages",
        () => return Ok(()),
    };
    Err(Failure::Usage(format!(
        "{flag} does nothing here: a program of Rust is built as rustc does it, and its code is placed; leave it out, or \
         {instead}"
    )))
}

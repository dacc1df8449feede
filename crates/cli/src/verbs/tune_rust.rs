//! A program of Rust, placed by what it does: a source, or what cargo made.
//!
//! rustc links by opcost, which generates the code of the merged module as it would be and in the order of the counts
//! ([`opcost_toolchain::build::TunedRust`]). Both are compared as `opcost tune` does.
//! Limit: the optimiser gets no profile, since code is counted behind it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost::tune::{DoneSteps, Judging, Training, answers, measure_programs, train};
use opcost_answer::tune::{RefusedTransform, Transform};
use opcost_answer::{Failure, Status};
use opcost_interrupt::Scratch;
use opcost_job::module::ThreadMode;
use opcost_key::{Hasher128, Placement};
use opcost_toolchain::build::{Build, Optimiser, Purpose, RustTuning, TunedRust};
use opcost_toolchain::input::Input;
use opcost_toolchain::install::install;

use super::tune_shown::{TuneShown, show};
use crate::arguments::{LinkMode, OnlyStep, TuneArguments};
use crate::verbs::selection::{about, paths};

/// What was built.
pub(crate) struct PlacedRust<'a> {
    /// The program in order.
    pub(crate) program: &'a Path,
    /// The programs to compare with.
    pub(crate) made: TunedRust,
    /// By which counts.
    pub(crate) ledger: &'a Path,
    /// What it was made of, and how.
    pub(crate) about: String,
    /// The command that simulates, without its output and arguments.
    pub(crate) again: String,
}

/// Tunes a source of Rust, and what is linked to it.
pub(crate) fn carry_out(arguments: &TuneArguments, inputs: &[Input]) -> Result<Status, Failure> {
    refuse_flags(arguments, "give rustc's own flags (--cflag=-Ctarget-cpu=native)")?;
    let options = arguments.compile.options();
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let ledger = given_ledger(arguments)?;
    let ledger = match ledger {
        Some(ledger) => ledger,
        None => {
            let build = Build::counted(&options, Placement::Chords, ThreadMode::IfStarted)?;
            let program = build.path("program");
            build.program(inputs, &program)?;
            trained(arguments, &program, folder.path())?
        }
    };
    let build = Build::new(&options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let tuning = tuning(arguments, ledger.clone(), build.folder())?;
    let program = build.path("program");
    let made = build.tuned_rust_program(inputs, &tuning, &program)?;
    let about = about(inputs, &arguments.compile);
    let again = format!("opcost tune --simulate {}", paths(inputs));
    finish(arguments, PlacedRust { program: &program, made, ledger: &ledger, about, again })
}

/// The ledger that the user gave. What is wrong with it is said before anything is built.
pub(crate) fn given_ledger(arguments: &TuneArguments) -> Result<Option<PathBuf>, Failure> {
    let Some(profile) = &arguments.profile else { return Ok(None) };
    opcost::ledgers::counts(profile, None)?;
    std::path::absolute(profile).map(Some).map_err(Failure::file("find", profile))
}

/// The ledger of a training run, which stays in `folder`.
pub(crate) fn trained(arguments: &TuneArguments, program: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let training = Training {
        program,
        arguments: &arguments.arguments,
        stdin: arguments.stdin.as_deref(),
        ignores_status: arguments.ignore_status,
    };
    train(&training, folder)
}

/// How the program is put in order; what is made goes below `folder`.
pub(crate) fn tuning(
    arguments: &TuneArguments,
    ledger: PathBuf,
    folder: &Path,
) -> Result<RustTuning, Failure> {
    let bytes = std::fs::read(&ledger).map_err(Failure::file("read", &ledger))?;
    let hash = Hasher128::new().bytes(&bytes).finish().to_string();
    let folder = folder.join("tuned").join(&hash);
    Ok(RustTuning { ledger, hash, links: usize::from(arguments.links), folder })
}

/// Compares the programs, puts the one in order at its place, and reports.
pub(crate) fn finish(arguments: &TuneArguments, placed: PlacedRust<'_>) -> Result<Status, Failure> {
    let PlacedRust { program, made, ledger, about, again } = placed;
    if made.module.fitting == 0 {
        return Err(Failure::Usage(format!(
            "{} is of another build: no function of the program is as it was counted; leave out --profile, or count \
             again (--ledger run.opc)",
            ledger.display()
        )));
    }
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let judge: Option<Vec<OsString>> =
        arguments.judge.as_ref().map(|words| words.split_whitespace().map(OsString::from).collect());
    let judging = Judging {
        inputs: &[],
        arguments: judge.as_deref().unwrap_or(&arguments.arguments),
        stdin: arguments.judge_stdin.as_deref().or(arguments.stdin.as_deref()),
        runs: arguments.runs,
        links: usize::from(arguments.links),
        simulated_links: arguments.simulate.map_or(0, usize::from),
    };
    let programs = vec![made.plain, made.placed];
    let measured =
        (arguments.runs > 0).then(|| measure_programs(programs, &judging, folder.path())).transpose()?;
    let steps = [Vec::new(), vec![Transform::Placement]];
    let not_done = |transform| RefusedTransform {
        transform,
        why: "a program of Rust is counted after its optimiser, which reads no profile here".to_owned(),
    };
    let asked = arguments.transforms();
    let refused: Vec<RefusedTransform> =
        asked.get(&Transform::Profile).copied().map(not_done).into_iter().collect();
    let done = DoneSteps {
        steps: &steps,
        refused: &refused,
        modules: &[made.module],
        left: &[],
        copied: &[],
        finished: &[],
        conserved: None,
    };
    let tuned = answers(done, measured.as_ref().map(|measured| (measured, &judging)));
    let is_wrong = tuned.outputs_equal == Some(false);
    if !is_wrong {
        install(program, &arguments.output)?;
    }
    show(arguments, &TuneShown { tuned: &tuned, about, again })?;
    Ok(if is_wrong { Status::Verdict } else { Status::Fine })
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

//! A program of Rust, placed by what it does: a source, or what cargo made.
//!
//! rustc links by opcost, which generates the code of the merged module as it would be and in the order of the counts
//! ([`opcost_toolchain::build::TunedRust`]). Both are compared as every tuned program is.
//! Limit: the optimiser gets no profile, since code is counted behind it.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::tune::{RefusedTransform, Transform, Tuned};
use opcost_interrupt::Scratch;
use opcost_job::module::ThreadMode;
use opcost_key::{Hasher128, Placement};
use opcost_toolchain::build::{Build, Optimiser, Purpose, RustTuning, TunedRust};
use opcost_toolchain::install::install;

use super::answers::answers;
use super::input::TuneWish;
use super::measure::{Judging, measure_programs};
use super::steps::Tuning;
use super::train::{Training, train};

/// A program that rustc linked in the order of its counts.
#[derive(Clone, Debug)]
pub struct PlacedRust<'a> {
    /// The program in order.
    pub program: &'a Path,
    /// The programs to compare with.
    pub made: TunedRust,
    /// By which counts.
    pub ledger: &'a Path,
}

/// Tunes a source of Rust, and what is linked to it.
pub(super) fn tuned_source(
    wish: &TuneWish<'_>,
    judging: &Judging<'_>,
    output: &Path,
) -> Result<Tuned, Failure> {
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let ledger = match given_ledger(wish)? {
        Some(ledger) => ledger,
        None => {
            let build = Build::counted(wish.options, Placement::Chords, ThreadMode::IfStarted)?;
            let program = build.path("program");
            build.program(wish.inputs, &program)?;
            train_rust(wish, &program, folder.path())?
        }
    };
    let build = Build::new(wish.options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let tuning = rust_tuning(ledger.clone(), judging.links, build.folder())?;
    let program = build.path("program");
    let made = build.tuned_rust_program(wish.inputs, &tuning, &program)?;
    finish_rust(PlacedRust { program: &program, made, ledger: &ledger }, wish, judging, output)
}

/// The ledger that the user gave. What is wrong with it is said before anything is built.
///
/// # Errors
/// It is no ledger of counts.
pub fn given_ledger(wish: &TuneWish<'_>) -> Result<Option<PathBuf>, Failure> {
    let Some(profile) = wish.profile else { return Ok(None) };
    crate::ledgers::counts(profile, None)?;
    std::path::absolute(profile).map(Some).map_err(Failure::file("find", profile))
}

/// The ledger of a training run, which stays in `folder`.
///
/// # Errors
/// The program cannot be run, or failed.
pub fn train_rust(wish: &TuneWish<'_>, program: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let training = Training {
        program,
        arguments: wish.arguments,
        stdin: wish.stdin,
        ignores_status: wish.ignores_status,
    };
    train(&training, folder)
}

/// How the program is put in order, with so many links to compare; what is made goes below `folder`.
///
/// # Errors
/// The ledger cannot be read.
pub fn rust_tuning(ledger: PathBuf, links: usize, folder: &Path) -> Result<RustTuning, Failure> {
    let bytes = std::fs::read(&ledger).map_err(Failure::file("read", &ledger))?;
    let hash = Hasher128::new().bytes(&bytes).finish().to_string();
    let folder = folder.join("tuned").join(&hash);
    Ok(RustTuning { ledger, hash, links, folder })
}

/// Compares the programs, and puts the one in order at its place.
///
/// # Errors
/// The ledger is of another build; a program cannot be run.
pub fn finish_rust(
    placed: PlacedRust<'_>,
    wish: &TuneWish<'_>,
    judging: &Judging<'_>,
    output: &Path,
) -> Result<Tuned, Failure> {
    let PlacedRust { program, made, ledger } = placed;
    if made.module.fitting == 0 {
        return Err(Failure::Usage(format!(
            "{} is of another build: no function of the program is as it was counted; leave out --profile, or count \
             again (--ledger run.opc)",
            ledger.display()
        )));
    }
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let judging = &Judging { inputs: &[], ..*judging };
    let programs = vec![made.plain, made.placed];
    let measured =
        (judging.runs > 0).then(|| measure_programs(programs, judging, folder.path())).transpose()?;
    let steps = [Vec::new(), vec![Transform::Placement]];
    let not_done = |transform| RefusedTransform {
        transform,
        why: "a program of Rust is counted after its optimiser, which reads no profile here".to_owned(),
    };
    let refused = wish.transforms.get(&Transform::Profile).copied().map(not_done).into_iter().collect();
    let done = Tuning { refused, modules: vec![made.module], ..Tuning::default() };
    let tuned = answers(&steps, &done, measured.as_ref().map(|measured| (measured, judging)));
    if tuned.outputs_equal != Some(false) {
        install(program, output)?;
    }
    Ok(tuned)
}

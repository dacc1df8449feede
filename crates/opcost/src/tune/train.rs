//! A counted program does its training, and its counts become a ledger.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::{Failure, run::Finish};
use opcost_run::start::Streams;

use crate::counting::{Measurement, Task};
use crate::ledgers;
use crate::progress::work;

/// A training run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Training<'a> {
    /// The counted program.
    pub program: &'a Path,
    /// Its words.
    pub arguments: &'a [OsString],
    /// What it reads as its standard input.
    pub stdin: Option<&'a Path>,
    /// Whether it may end with any status.
    pub ignores_status: bool,
}

/// What a training run left.
pub(super) struct Trained {
    /// The file of what was counted.
    pub(super) ledger: PathBuf,
    /// The same, with what a ledger does not have.
    pub(super) measured: Measurement,
}

/// Runs it; the ledger of its counts, which is written into `folder`.
///
/// # Errors
/// The program cannot be started, or fails.
pub(super) fn train(training: &Training<'_>, folder: &Path) -> Result<PathBuf, Failure> {
    Ok(train_held(training, folder, World::AsItIs)?.ledger)
}

/// What addresses and times a program sees.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum World {
    /// Those of the machine.
    AsItIs,
    /// The same in each run.
    Fixed,
}

/// Runs it in such a world.
pub(super) fn train_held(training: &Training<'_>, folder: &Path, world: World) -> Result<Trained, Failure> {
    let _working = work("training");
    let measured = Measurement::run(&Task {
        program: training.program,
        arguments: training.arguments,
        streams: Streams {
            stdin: Some(training.stdin.unwrap_or(Path::new("/dev/null")).to_owned()),
            stdout: Some(folder.join("training.out")),
            stdout_to_stderr: false,
            stderr: None,
        },
        repeat: 1,
        is_deterministic: world == World::Fixed,
    })?;
    if let Some(finish) = measured.finish() {
        check_training(finish, training.ignores_status)?;
    }
    let ledger = folder.join("training.opc");
    ledgers::save(&ledger, &measured.ledger(&measured.summary(), Vec::new())?)?;
    Ok(Trained { ledger, measured })
}

/// A program that failed did not do what it will do. Some programs have a result in their status.
pub(super) fn check_training(finish: Finish, ignores_status: bool) -> Result<(), Failure> {
    if finish.is_success() || ignores_status {
        return Ok(());
    }
    let how = match finish {
        Finish::Exited(status) => format!("ended with status {status}"),
        Finish::Killed(signal) => format!("was killed by signal {signal}"),
    };
    Err(Failure::Usage(format!(
        "the training run {how}, and its counts may not be those of a normal run. Give it arguments (after --) or input \
         (--stdin FILE) with which it succeeds, or --ignore-status if this is how it ends"
    )))
}

//! A program that gets faster while it runs: all that `opcost run` does.
//!
//! The program is built so that functions are entered by words, and linked natively. It holds no compiler. This process
//! starts it, samples it, makes samples consistent, and has the worker compile what is hot. A version is written where
//! the program sees it (`opcost_live::Arena`), and then a word is changed. Whatever fails here, the program goes on with
//! what it has.
//!
//! ```text
//! sources ─build▶ program ─sample▶ hot functions ─worker▶ versions ─arena▶ words of the running program
//! ```
//!
//! Input: a [`RunRequest`]. Output: how the program ended, and its versions. Cost: a quick build, samples at 1 kHz, and
//! a compilation for each version, in another process. Method: Avetisyan, Dolgorukova, Kurmangaleev; continuations of
//! loops as D'Elia and Demetrescu (CGO 2016).
//!
//! ```
//! use opcost::live::{RunRequest, run};
//! use opcost::tune::Input;
//! use opcost::{CompileOptions, Streams};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-live-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("seven.c");
//! # std::fs::write(&source, "int main(void) { return 7; }\n").unwrap();
//! let inputs = [Input::classify(&source)?];
//! let ran = run(&RunRequest::of(&inputs, &CompileOptions::default(), &Streams::default()))?;
//! assert_eq!(ran.answers.status, Some(7));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod hits;
mod make;
mod memory;
mod notes;
mod program;
mod request;
mod store;
mod stress;
mod supervisor;
mod weights;

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use opcost_answer::Failure;
use opcost_answer::live::{LiveAnswers, RunMode};
use opcost_answer::run::Finish;
use opcost_interrupt::Scratch;
use opcost_recover::RepairSolver;
use opcost_sample::{Pace, ReadyKernel, Samples};

use crate::counting::{Measurement, raw_folder};
use crate::sampling::estimate::{Estimate, finish};
use crate::sampling::take::{SampleOptions, SampleTarget, take};
use hits::CodeRanges;
use program::ReplaceableProgram;
pub use request::RunRequest;
use store::Store;
use supervisor::Supervisor;

/// How often samples are looked at.
const EVERY: Duration = Duration::from_millis(10);

/// A program that ran.
#[derive(Debug)]
pub struct LiveRun {
    /// How it ended, and what was replaced.
    pub answers: LiveAnswers,
    /// The samples that it was replaced by.
    pub samples: Samples,
    code: CodeRanges,
}

impl LiveRun {
    /// What the samples say of its blocks, in first versions and in later ones.
    ///
    /// # Errors
    /// There are too few samples.
    pub fn estimate(&self) -> Result<Estimate, Failure> {
        let placed = self.code.placed(&self.samples);
        Estimate::of_placed(&self.samples, placed, RepairSolver::Likeliest)
    }
}

/// Runs a program, and replaces what is hot.
///
/// # Errors
/// It does not compile, is not for this machine, or cannot be started or sampled; it is counted and not in stress.
pub fn run(request: &RunRequest<'_>) -> Result<LiveRun, Failure> {
    let begun = Instant::now();
    if request.counts.is_some() && request.stress.is_none() {
        // Where samples decide, what is counted would be compiled by the blocks of what is not.
        let words = "--counts FILE counts what is replaced at random; give --stress SEED with it";
        return Err(Failure::Usage(words.to_owned()));
    }
    let _ready = ReadyKernel::in_background();
    let counters = request.counts.map(|_| raw_folder()).transpose()?;
    let program = ReplaceableProgram::build(request)?;
    let path = program.path.clone();
    let store = request.store.map(Store::open).transpose()?;
    let supervisor = Supervisor::new(program, request.mode, request.stress, store)?;
    let milliseconds_to_start = begun.elapsed().as_secs_f64() * 1e3;
    let (supervisor, samples) = watch(request, supervisor, &path, counters.as_ref().map(Scratch::path))?;
    let end = finish(samples.end);
    // Whose program the counters are of lies in the build's folder.
    let counted = counters.zip(end).map(|(folder, end)| count(request, folder.path(), end));
    let (mut answers, code) = supervisor.answers(&samples);
    counted.transpose()?;
    answers.milliseconds_to_start = milliseconds_to_start;
    answers.milliseconds = begun.elapsed().as_secs_f64() * 1e3 - milliseconds_to_start;
    match end {
        Some(Finish::Exited(status)) => answers.status = Some(status),
        Some(Finish::Killed(signal)) => answers.signal = Some(signal),
        None => {}
    }
    Ok(LiveRun { answers, samples, code })
}

/// Keeps what the program counted.
fn count(request: &RunRequest<'_>, counters: &Path, end: Finish) -> Result<(), Failure> {
    let Some(path) = request.counts else { return Ok(()) };
    let measurement = Measurement::of_run(counters, end)?;
    let inputs = request.inputs.iter().map(|input| input.path.display().to_string());
    let words = request.arguments.iter().map(|word| word.to_string_lossy().into_owned());
    let ledger = measurement.ledger(&measurement.summary(), inputs.chain(words).collect())?;
    crate::ledgers::save(path, &ledger)
}

fn watch(
    request: &RunRequest<'_>,
    supervisor: Supervisor,
    program: &Path,
    counters: Option<&Path>,
) -> Result<(Supervisor, Samples), Failure> {
    let options = SampleOptions {
        pace: Pace::PerSecond(request.rate),
        every: (request.mode != RunMode::Compile).then_some(EVERY),
        counters: counters.map(Path::to_owned),
        ..SampleOptions::default()
    };
    let target = SampleTarget::Program { program, arguments: request.arguments, streams: request.streams };
    let (sender, receiver) = channel();
    let stopper = supervisor.stopper();
    let worker = std::thread::spawn(move || supervisor.follow(&receiver));
    let taken = take(&options, target, &|_, samples| {
        // Who follows may have failed; then the program goes on with what it has.
        let _ = sender.send(samples.clone());
    });
    // Nobody waits for a version that nobody enters.
    stopper.stop();
    drop(sender);
    let supervisor = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let samples = taken?.samples;
    // The program has ended, and its status is its own.
    let sources: Vec<String> = request.inputs.iter().map(|input| input.path.display().to_string()).collect();
    if let Err(failure) = supervisor.save(&samples, &sources) {
        opcost_answer::tell!("opcost: the profile of this run is not kept: {failure}");
    }
    Ok((supervisor, samples))
}

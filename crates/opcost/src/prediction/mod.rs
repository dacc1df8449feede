//! How often will every block run, how long will that take, and how right is it?
//!
//! The child predicts from the code, or with what a run of the program's slice or of the program counted. A ledger is
//! made of it where numbers of all blocks are needed: to be held against a run, or to be priced by a timing file.
//!
//! Input: a [`PredictionRequest`]. Output: a [`PredictedProgram`]. Cost: that of the analysis, and of a slice's run.

mod sliced;

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::names::shown_name;
use opcost_answer::predict::{Nearness, PredictAnswers};
use opcost_job::module::Product;
use opcost_job::program::{InputValues, PredictJob};
use opcost_profile::Ledger;
use opcost_profile::overlap::{Overlap, overlap};
use opcost_timing::Priced;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::install::install;
use opcost_toolchain::options::{CompileOptions, ProgramOptions};

use crate::ledgers;
use crate::nearness::nearness;
use crate::priced::Clock;
use crate::progress::work;
pub use sliced::PredictedSlice;
use sliced::run_slice;

/// Functions and loops that are furthest off.
const WORST: usize = 5;
/// Inputs that a message lists.
const LISTED: usize = 6;

/// What is to be predicted, and by what.
#[derive(Clone, Debug, Default)]
pub struct PredictionRequest {
    /// Sources, or bitcode: one program.
    pub inputs: Vec<PathBuf>,
    /// How they are compiled.
    pub options: CompileOptions,
    /// What is believed of the rest of the program.
    pub program: ProgramOptions,
    /// Values of inputs.
    pub values: InputValues,
    /// Trip counts are guessed where inputs have no value.
    pub is_guess: bool,
    /// The ledger of a run of the same build: loops without a formula iterate as in it.
    pub trip_counts: Option<PathBuf>,
    /// The slice is run, and what it counts is taken.
    pub sliced: Option<PredictedSlice>,
    /// The ledger of a run of the same build that the prediction is held against.
    pub against: Option<PathBuf>,
    /// The flag that needs a number of every block, if one does; messages name it.
    pub numbers_for: Option<&'static str>,
    /// A timing file, by which executions become seconds.
    pub clock: Option<Clock>,
}

/// A prediction.
#[derive(Clone, Debug)]
pub struct PredictedProgram {
    /// What is known of every block.
    pub answers: PredictAnswers,
    /// The same as a ledger, where one is needed.
    pub ledger: Option<Ledger>,
    /// How near it is to the run that it was held against, and how both agree.
    pub against: Option<(Nearness, Overlap)>,
    /// How long it takes, by the clock.
    pub priced: Option<Priced>,
}

/// Predicts a program.
///
/// # Errors
/// It does not compile, or a ledger is of another build. Numbers of all blocks are needed, and inputs have no value. The
/// slice cannot be made or run.
pub fn predict(request: &PredictionRequest) -> Result<PredictedProgram, Failure> {
    let inputs = Input::all_analysed(request.inputs.iter().map(|path| &**path))?;
    // A file that cannot be read is reported before the analysis takes its time.
    let read = |path: &Option<PathBuf>| path.as_deref().map(|path| ledgers::counts(path, None)).transpose();
    let (truth, run) = (read(&request.against)?, read(&request.trip_counts)?);
    let build = Build::new(&request.options, Purpose::Analysis)?;
    let run_path = build.path("run.opc");
    if let Some(run) = &run {
        ledgers::save(&run_path, run)?;
    }
    let sliced = request.sliced.as_ref().map(|sliced| run_slice(&request.program, sliced, &build, &inputs));
    let (measured, facts) = sliced.transpose()?.map(|run| (run.counts, run.facts)).unzip();
    let working = work("predicting");
    let path = build.path("predicted.opc");
    let wants_ledger = request.numbers_for.is_some() || run.is_some();
    let question = PredictJob {
        program: build.program_source(&inputs, &request.program)?,
        inputs: request.values.clone(),
        trip_counts: run.as_ref().map(|_| run_path.clone()),
        measured,
        is_guess: request.is_guess,
        build: build.predicted_build(&inputs)?,
        ledger: wants_ledger.then(|| path.clone()),
    };
    let mut answers = build.query(question, &inputs)?;
    answers.slice_run = facts;
    drop(working);
    if let Some(flag) = request.numbers_for {
        refuse_open(&answers, flag)?;
    }
    let ledger = match (&answers.no_ledger, wants_ledger) {
        (Some(reason), _) => return Err(Failure::Counters(format!("no ledger can be made: {reason}"))),
        (None, true) => Some(ledgers::counts(&path, None)?),
        (None, false) => None,
    };
    if let (Some(ledger), Some(run), Some(path)) = (&ledger, &run, &request.trip_counts) {
        of_same_build(path, ledger, run)?;
    }
    let against = match (&ledger, &truth, &request.against) {
        (Some(ledger), Some(truth), Some(path)) => {
            let all = of_same_build(path, ledger, truth)?;
            Some((nearness(&answers, truth, WORST), all))
        }
        _ => None,
    };
    let priced = match (&request.clock, &ledger) {
        (Some(clock), Some(ledger)) => {
            let mut priced = clock.price(ledger, Path::new("the prediction"))?;
            if let (Some(truth), Some(path)) = (&truth, &request.against) {
                priced.by_counts = Some(clock.price(truth, path)?.seconds());
            }
            Some(priced)
        }
        _ => None,
    };
    Ok(PredictedProgram { answers, ledger, against, priced })
}

/// A prediction with open inputs is no set of counts.
fn refuse_open(answers: &PredictAnswers, flag: &str) -> Result<(), Failure> {
    if !answers.is_open {
        return Ok(());
    }
    let names: Vec<&str> = answers.inputs.iter().take(LISTED).map(|input| &*input.flag).collect();
    let more = if answers.inputs.len() > LISTED { " …" } else { "" };
    Err(Failure::Usage(format!(
        "{flag} needs a number for every block, and some hang on inputs without a value: give {}{more}, --defaults, the \
         program's arguments after --, or --guess",
        names.join(" ")
    )))
}

/// How a prediction agrees with a ledger, if that is of the same build.
fn of_same_build(path: &Path, predicted: &Ledger, counted: &Ledger) -> Result<Overlap, Failure> {
    let all = overlap(predicted, counted);
    if all.blocks == 0 || !all.refused.is_empty() {
        let names: Vec<String> = all.refused.iter().take(LISTED).map(|one| shown_name(&one.name)).collect();
        let more = if all.refused.len() > LISTED { " …" } else { "" };
        let others = match names.is_empty() {
            true => String::new(),
            false => format!("; these have other code: {}{more}", names.join(", ")),
        };
        return Err(Failure::Usage(format!(
            "{} was counted in another build than is predicted here: count the same sources at the same level and with \
             the same flags{others}",
            path.display()
        )));
    }
    Ok(all)
}

/// Builds a program, or a module, with its prediction in it.
///
/// # Errors
/// The inputs do not compile, or are more than one for a module.
pub fn build_predicting(
    inputs: &[PathBuf],
    options: &CompileOptions,
    is_program: bool,
    output: &Path,
) -> Result<(), Failure> {
    let inputs = Input::all_analysed(inputs.iter().map(|path| &**path))?;
    let build = Build::new(options, Purpose::Predict)?;
    let _working = work("building the program that predicts itself");
    let made = build.path("made");
    match (is_program, inputs.as_slice()) {
        (true, _) => build.program(&inputs, &made)?,
        (false, [input]) => build.module(input, Product::Counted, &made)?,
        (false, _) => return Err(Failure::Usage("--emit bc takes one input".to_owned())),
    }
    install(&made, output)
}

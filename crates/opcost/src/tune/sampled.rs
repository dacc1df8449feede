//! A training run that is sampled in place of counted.
//!
//! The program is built to be sampled at the anchor whose counts are needed, and is as fast as a normal build. Its
//! samples are made consistent, as `opcost sample` does it. The ledger then serves as one that a user gave. Where the
//! optimiser reads a profile, placement goes by the weights that it leaves.
//!
//! Input: what to do, and a rate. Output: a ledger of estimates. Cost: a build, and a run at a few per cent more.
//! Limit: paths are not known, so hot joins get no copies.

use std::path::{Path, PathBuf};

use opcost_answer::tune::Transform;
use opcost_answer::{Failure, run::Finish};
use opcost_key::Anchor;
use opcost_recover::{Course, RepairSolver, summarize};
use opcost_run::start::Streams;
use opcost_sample::{End, Pace};
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::Language;
use opcost_toolchain::options::CompileOptions;

use super::input::TuneWish;
use super::train::check_training;
use crate::counting::ending;
use crate::ledgers;
use crate::progress::work;
use crate::sampling::estimate::Estimate;
use crate::sampling::take::{SampleOptions, SampleTarget, take};

/// A sampled training run. Its files are there as long as it is.
pub(super) struct SampledTraining {
    build: Build,
}

impl SampledTraining {
    /// Builds the program, and samples its training run `rate` times in a second of processor time.
    ///
    /// # Errors
    /// A source does not compile, the run fails, or too few samples are in the program.
    pub(super) fn run(wish: &TuneWish<'_>, rate: u64) -> Result<SampledTraining, Failure> {
        let (anchor, optimiser) = match sampled_anchor(wish) {
            // What comes after the anchor runs too, so that the program is as fast as it will be.
            Anchor::Pgo => (Some(Anchor::Pgo), Optimiser::BehindAnchor),
            _ => (wish.options.anchor, Optimiser::BeforeAnchor),
        };
        let options = CompileOptions { anchor, ..wish.options.clone() };
        let mut build = Build::new(&options, Purpose::Sample { optimiser })?;
        build.compile_once(None);
        let program = build.path("program");
        {
            let _working = work("building it to be sampled");
            build.program(wish.inputs, &program)?;
        }
        let training = SampledTraining { build };
        training.sample(wish, &program, rate)?;
        Ok(training)
    }

    /// The file of what was estimated.
    pub(super) fn ledger(&self) -> PathBuf {
        self.build.path("sampled.opc")
    }

    fn sample(&self, wish: &TuneWish<'_>, program: &Path, rate: u64) -> Result<(), Failure> {
        let streams = Streams {
            stdin: Some(wish.stdin.unwrap_or(Path::new("/dev/null")).to_owned()),
            stdout: Some(self.build.path("training.out")),
            stdout_to_stderr: false,
            stderr: None,
        };
        let options = SampleOptions { pace: Pace::PerSecond(rate), ..SampleOptions::default() };
        let target = SampleTarget::Program { program, arguments: wish.arguments, streams: &streams };
        let taken = take(&options, target, &|_, _| {})?;
        let finish = match taken.samples.end {
            End::Exited(status) => Some(Finish::Exited(status)),
            End::Killed(signal) => Some(Finish::Killed(signal)),
            End::GoesOn | End::AllEnded | End::FileEnd | End::FileBrokenOff => None,
        };
        if let Some(finish) = finish {
            check_training(finish, wish.ignores_status)?;
        }
        let _working = work("making the counts consistent");
        let estimate = Estimate::of(&taken.samples, &[program.to_owned()], RepairSolver::Likeliest)?;
        let course = Course {
            ending: finish.map(ending),
            processes: Some(taken.samples.processes),
            is_held_fixed: false,
            doubts: Vec::new(),
        };
        let summary = summarize(&estimate.counted());
        let words = wish.arguments.iter().map(|word| word.to_string_lossy().into_owned());
        ledgers::save(&self.ledger(), &estimate.ledger(&summary, words.collect(), course)?)
    }
}

/// Where the program is sampled: where the optimiser reads a profile, if it is to get one.
fn sampled_anchor(wish: &TuneWish<'_>) -> Anchor {
    let reads = |language| matches!(language, Language::C | Language::Cxx | Language::Fortran);
    let is_source =
        wish.inputs.iter().all(|input| reads(input.language) || input.language == Language::Object);
    let is_profiled = wish.transforms.contains(&Transform::Profile) && wish.options.level != "0";
    if is_profiled && is_source { Anchor::Pgo } else { Anchor::Optimized }
}

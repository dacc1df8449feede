//! A program: what does it cost when it runs?
//!
//! Its sources are compiled as each question needs it: with counters to be counted, as they are
//! to be sampled, with fuel to be metered. What was built once is kept as long as the program.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::fuel::Spending;
use opcost_job::module::ThreadMode;
use opcost_key::Placement;
use opcost_profile::Ledger;
use opcost_recover::{Course, RepairSolver, summarize};
use opcost_run::deterministic::FixedWorld;
use opcost_run::fuel::{FuelRun, spend};
use opcost_run::start::Streams;
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::options::CompileOptions;

use crate::counting::{Measurement, Task, ending};
use crate::fuel::OVERSHOOT;
use crate::sampling::estimate::{Estimate, finish};
use crate::sampling::take::{SampleOptions, SampleTarget, take};

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where its streams go; without it, where the caller's go.
    pub streams: Streams,
    /// Whether its world is held fixed: addresses, environment, clocks, random numbers.
    pub is_deterministic: bool,
}

impl Run {
    /// A run with these arguments.
    pub fn with<Word: Into<OsString>>(arguments: impl IntoIterator<Item = Word>) -> Run {
        Run { arguments: arguments.into_iter().map(Into::into).collect(), ..Run::default() }
    }
}

/// A program, by its sources.
pub struct Program {
    inputs: Vec<Input>,
    options: CompileOptions,
    counted: Built,
    sampled: OnceCell<Built>,
    metered: OnceCell<Built>,
}

/// A program that was built for one purpose; the build's folder holds it.
struct Built {
    build: Build,
    program: PathBuf,
}

impl Built {
    fn of(build: Build, inputs: &[Input]) -> Result<Built, Failure> {
        let program = build.path("program");
        build.program(inputs, &program)?;
        Ok(Built { build, program })
    }
}

impl Program {
    /// Builds a program of sources (C, C++, Fortran, one of Rust), bitcode and objects, to be
    /// counted.
    ///
    /// # Errors
    /// A compiler is missing, or a source does not compile.
    pub fn build<Source: AsRef<Path>>(
        sources: impl IntoIterator<Item = Source>,
        options: &CompileOptions,
    ) -> Result<Program, Failure> {
        let sources: Vec<Source> = sources.into_iter().collect();
        let inputs = Input::all(sources.iter().map(AsRef::as_ref))?;
        let counted = Built::of(Build::counted(options, Placement::Chords, ThreadMode::IfStarted)?, &inputs)?;
        let options = options.clone();
        Ok(Program { inputs, options, counted, sampled: OnceCell::new(), metered: OnceCell::new() })
    }

    /// Runs it: how often did everything run, exactly?
    ///
    /// # Errors
    /// It cannot be started, or nothing was counted. A program that fails is no error: the ledger
    /// says how it ended.
    pub fn count(&self, run: &Run) -> Result<Ledger, Failure> {
        let measured = self.measure(run)?;
        measured.ledger(&measured.summary(), self.command(run))
    }

    /// The same, with all there is to ask of it.
    ///
    /// # Errors
    /// As for [`Program::count`].
    pub fn measure(&self, run: &Run) -> Result<Measurement, Failure> {
        Measurement::run(&Task {
            program: &self.counted.program,
            arguments: &run.arguments,
            streams: run.streams.clone(),
            repeat: 1,
            is_deterministic: run.is_deterministic,
        })
    }

    /// Runs it while the kernel samples: nearly how often did everything run?
    ///
    /// # Errors
    /// It cannot be started or sampled, or too few samples were taken.
    pub fn sample(&self, run: &Run, options: &SampleOptions) -> Result<Ledger, Failure> {
        let purpose = Purpose::Sample { optimiser: Optimiser::BeforeAnchor };
        let built = cached(&self.sampled, || Built::of(Build::new(&self.options, purpose)?, &self.inputs))?;
        let target = SampleTarget::Program {
            program: &built.program,
            arguments: &run.arguments,
            streams: &run.streams,
        };
        let taken = take(options, target, &|_, _| {})?;
        let images = [&options.images[..], std::slice::from_ref(&built.program)].concat();
        let estimate = Estimate::of(&taken.samples, &images, RepairSolver::Likeliest)?;
        let course = Course {
            ending: finish(taken.samples.end).map(ending),
            processes: Some(taken.samples.processes.max(1)),
            is_held_fixed: false,
            doubts: Vec::new(),
        };
        estimate.ledger(&summarize(&estimate.counted()), self.command(run), course)
    }

    /// Runs it on fuel: what does it use? With a limit it is stopped when that is used up.
    ///
    /// # Errors
    /// It cannot be metered (Rust sources cannot yet) or started.
    pub fn fuel(&self, run: &Run, limit: Option<u64>) -> Result<Spending, Failure> {
        let purpose =
            Purpose::Fuel { overshoot: Some(OVERSHOOT), audit: false, harden: false, by_segment: false };
        let built = cached(&self.metered, || Built::of(Build::new(&self.options, purpose)?, &self.inputs))?;
        let world = run.is_deterministic.then(|| FixedWorld::for_program(&built.program)).transpose()?;
        let metered =
            FuelRun { program: &built.program, arguments: &run.arguments, limit, streams: &run.streams };
        spend(&metered, world.as_ref(), None)
    }

    /// The counted program's file; it goes away with this value.
    pub fn path(&self) -> &Path {
        &self.counted.program
    }

    /// The compilers that build it, by name and version, each once. Bitcode that was given has been
    /// compiled.
    ///
    /// # Errors
    /// One of them is missing.
    pub fn compilers(&self) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        for input in &self.inputs {
            let name = self.counted.build.compiler_name(input)?;
            names.extend(name.filter(|name| !names.contains(name)));
        }
        Ok(names)
    }

    fn command(&self, run: &Run) -> Vec<String> {
        let inputs = self.inputs.iter().map(|input| input.path.display().to_string());
        inputs.chain(run.arguments.iter().map(|word| word.to_string_lossy().into_owned())).collect()
    }
}

/// What is in the cell, made first if nothing is.
fn cached<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, Failure>) -> Result<&T, Failure> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

//! How often did everything run, exactly: built, run and added up?
//!
//! A program is built with counters, unless it was; it runs, once or several times, and what its processes wrote is
//! collected. What a user may do with one run is in [`CountedRuns`].
//!
//! Input: a [`CountRequest`]. Output: [`CountedRuns`]. Cost: that of the build and of the runs.
//!
//! ```
//! use opcost::count::{CountRequest, count};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-count-request-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("count-request.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let counted = count(&CountRequest { repeat: 2, ..CountRequest::of(vec![source]) })?;
//! assert!(counted.answers.summary.weight > 10 && counted.answers.spread.is_none());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod budget;
mod missing;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

pub use budget::judge;
use missing::not_counted;
use opcost_answer::Failure;
use opcost_answer::count::CountAnswers;
use opcost_job::module::Product;
pub use opcost_job::module::ThreadMode;
use opcost_key::Placement;
use opcost_run::start::Streams;
use opcost_toolchain::build::Build;
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

use crate::counting::{Measurement, Task};
use crate::earlier::{last_run, named_run, note_unlike_run, store_run};
use crate::progress::work;

/// What is counted, and how.
#[derive(Clone, Debug)]
pub struct CountRequest {
    /// Sources, bitcode, objects and archives; or one program that was built.
    pub inputs: Vec<PathBuf>,
    /// How sources are compiled.
    pub options: CompileOptions,
    /// Where counters are.
    pub placement: Placement,
    /// Whether each thread has its own.
    pub threads: ThreadMode,
    /// A ledger of an earlier run that says where little ran; none: the last run of these inputs.
    pub placement_from: Option<PathBuf>,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// What it reads and writes.
    pub streams: Streams,
    /// How often it runs, at least once.
    pub repeat: u32,
    /// Whether its world is held fixed.
    pub is_deterministic: bool,
    /// Whether cargo builds it. Then what was not counted is counted in another way.
    pub by_cargo: bool,
    /// Called with what is to be known of the build.
    pub listener: fn(&str),
}

impl CountRequest {
    /// One run of these inputs, without arguments and with the caller's streams.
    pub fn of(inputs: Vec<PathBuf>) -> CountRequest {
        CountRequest {
            inputs,
            options: CompileOptions::default(),
            placement: Placement::Chords,
            threads: ThreadMode::IfStarted,
            placement_from: None,
            arguments: Vec::new(),
            streams: Streams::default(),
            repeat: 1,
            is_deterministic: false,
            by_cargo: false,
            listener: |_| {},
        }
    }

    /// The inputs and the arguments, as the user wrote them.
    pub fn command(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|input| input.display().to_string());
        inputs.chain(self.arguments.iter().map(|word| word.to_string_lossy().into_owned())).collect()
    }

    /// The inputs; a built program only alone.
    fn classified(&self) -> Result<Vec<Input>, Failure> {
        let inputs = match program_in_path(&self.inputs) {
            Some(path) => vec![Input { path, language: Language::Program }],
            None => Input::all(self.inputs.iter().map(|path| &**path))?,
        };
        if inputs.len() > 1 && inputs.iter().any(|input| input.language == Language::Program) {
            return Err(built_program());
        }
        Ok(inputs)
    }

    /// The build that is wanted.
    fn build(&self) -> Result<Build, Failure> {
        let earlier = self.placement_from.as_deref().map(named_run).transpose()?;
        Build::counted(&CompileOptions { earlier, ..self.options.clone() }, self.placement, self.threads)
    }
}

fn built_program() -> Failure {
    Failure::Usage("a built program is counted alone; give either it or sources".to_owned())
}

/// A program that was counted.
pub struct CountedRuns {
    /// What is said of the first run, without a verdict on a budget and without listings.
    pub answers: CountAnswers,
    /// Everything that was measured.
    pub measurement: Measurement,
    /// The program's file. One that was built goes away with this value.
    pub program: PathBuf,
    _build: Option<Build>,
}

/// Builds the program, unless it was given, runs it, and adds up what it counted.
///
/// # Errors
/// The inputs cannot be read or do not compile; the program cannot be started; nothing was counted.
pub fn count(request: &CountRequest) -> Result<CountedRuns, Failure> {
    let inputs = request.classified()?;
    let (program, build) = match inputs.as_slice() {
        [Input { path, language: Language::Program }] => (path.clone(), None),
        inputs => {
            let mut build = request.build()?;
            let program = build.path("program");
            if build.options.earlier.is_none() {
                build.options.earlier = last_run(&request.inputs, &build.path("branches"));
            }
            let building = work(&format!("building {}", request.command().join(" ")));
            build.program(inputs, &program)?;
            drop(building);
            note_unlike_run(&build, request.listener);
            (program, Some(build))
        }
    };
    let measurement = Measurement::run(&Task {
        program: &program,
        arguments: &request.arguments,
        streams: request.streams.clone(),
        repeat: request.repeat,
        is_deterministic: request.is_deterministic,
    })?;
    let mut answers = measurement.answers();
    // A program that was given is not built the next time, either.
    if build.is_some() {
        store_run(&request.inputs, &measurement, answers.summary.weight);
    }
    let missing = measurement.missing(&program, &answers.summary);
    answers.not_counted = missing.iter().map(|part| not_counted(part, request.by_cargo)).collect();
    Ok(CountedRuns { answers, measurement, program, _build: build })
}

/// In which form what counts is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedForm {
    /// A program.
    Program,
    /// A shared library.
    SharedLibrary,
    /// One module: as an object, as bitcode, or before counters were put in.
    Module(Product),
}

/// Makes what counts, and does not run it.
///
/// # Errors
/// The inputs cannot be read or do not compile, or are more than one for a module.
pub fn make(request: &CountRequest, form: CountedForm, output: &Path) -> Result<(), Failure> {
    let inputs = request.classified()?;
    if inputs.iter().any(|input| input.language == Language::Program) {
        return Err(built_program());
    }
    let build = request.build()?;
    let made = build.path("made");
    match (form, inputs.as_slice()) {
        (CountedForm::Program, _) => build.program(&inputs, &made)?,
        (CountedForm::SharedLibrary, _) => build.shared(&inputs, &made)?,
        (CountedForm::Module(product), [input]) => build.module(input, product, &made)?,
        (CountedForm::Module(_), _) => {
            return Err(Failure::Usage("--emit obj, bc and anchor take one input".to_owned()));
        }
    }
    note_unlike_run(&build, request.listener);
    install(&made, output)
}

/// The program that a shell would start by this name, where no such file is here. It may be an interpreter
/// that loads counted modules, or what starts counted programs.
fn program_in_path(inputs: &[PathBuf]) -> Option<PathBuf> {
    let [name] = inputs else { return None };
    if name.components().count() != 1 || name.as_os_str().as_encoded_bytes().contains(&b'/') || name.exists()
    {
        return None;
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| {
        let facts = path.metadata();
        facts.is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    })
}

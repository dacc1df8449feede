//! The smallest program with the same loops: cut, written, and held against the whole one.
//!
//! Input: a [`SliceRequest`]. Output: [`SlicedProgram`]. Cost: that of the analysis; of a verification two builds and
//! four runs.
//!
//! ```
//! use opcost::CompileOptions;
//! use opcost::slice::{SliceCut, SliceRequest, slice};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-slice-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("slice.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let options = CompileOptions { level: "1".to_owned(), ..CompileOptions::default() };
//! let cut = SliceCut { level: 3, ..SliceCut::default() };
//! let request = SliceRequest { inputs: vec![source], options, cut, ..SliceRequest::default() };
//! let sliced = slice(&request)?;
//! assert_eq!(sliced.answers.loops.len(), 1);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod verified;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::slice::{SliceAnswers, SliceVerdict};
pub use opcost_job::program::{InputValues, LineLocation, SliceCut};
use opcost_job::program::{SliceEvents, SliceJob, SliceProduct};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::install::install;
use opcost_toolchain::options::{CompileOptions, ProgramOptions};

use crate::ledgers;
use crate::progress::work;
use verified::{VerifiedModules, verify};
pub(crate) use verified::{VerifiedRun, counted, input_of_runs};

/// Which program is sliced, and how.
#[derive(Clone, Debug, Default)]
pub struct SliceRequest {
    /// Sources or bitcode of the whole program.
    pub inputs: Vec<PathBuf>,
    /// How sources are compiled.
    pub options: CompileOptions,
    /// Who calls the program, and what functions outside of it do.
    pub program: ProgramOptions,
    /// What may go, and what is said of what stays.
    pub cut: SliceCut,
    /// The ledger of a run that says how often loops iterate, at level 5.
    pub trip_counts: Option<PathBuf>,
    /// Where the slice goes: bitcode, if it ends in `.bc`, else a program.
    pub output: Option<PathBuf>,
    /// The runs that hold it against the whole program, if they are wanted.
    pub verification: Option<SliceRuns>,
}

/// How a program and its slice are run.
#[derive(Clone, Debug, Default)]
pub struct SliceRuns {
    /// Arguments of both.
    pub arguments: Vec<OsString>,
    /// What they read; none: the standard input of this process.
    pub stdin: Option<PathBuf>,
}

/// A slice.
#[derive(Clone, Debug)]
pub struct SlicedProgram {
    /// What stays, and why.
    pub answers: SliceAnswers,
    /// What the runs say, if there were some.
    pub verdict: Option<SliceVerdict>,
}

/// Cuts a slice.
///
/// # Errors
/// The program does not compile, or has no such line; the slice cannot be built or run.
pub fn slice(request: &SliceRequest) -> Result<SlicedProgram, Failure> {
    let inputs = Input::all_analysed(request.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&request.options, Purpose::Analysis)?;
    let working = work("slicing");
    let modules = VerifiedModules::new(&build);
    let made = build.path("mini.bc");
    let run = request.trip_counts.as_deref().map(|path| ledgers::counts(path, None)).transpose()?;
    let run_path = build.path("run.opc");
    if let Some(run) = &run {
        ledgers::save(&run_path, run)?;
    }
    let question = SliceJob {
        program: build.program_source(&inputs, &request.program)?,
        cut: request.cut.clone(),
        trip_counts: run.is_some().then_some(run_path),
        counts_blocks: false,
        products: request.products(&made, &modules),
    };
    let answers = build.query(question, &inputs)?;
    drop(working);
    if let Some(output) = &request.output {
        request.write(&build, &inputs, &made, output)?;
    }
    let verdict = request.verification.as_ref().map(|runs| {
        let input = input_of_runs(runs.stdin.as_deref(), &build)?;
        let run = VerifiedRun {
            inputs: &inputs,
            arguments: &runs.arguments,
            loops: &answers.loops,
            stdin: input.as_deref(),
        };
        let _running = work("running the program and its slice");
        verify(&build, &modules, &run)
    });
    let mut verdict = verdict.transpose()?;
    if let Some(verdict) = verdict.as_mut().filter(|_| request.cut.any_status) {
        verdict.forgive_status();
    }
    Ok(SlicedProgram { answers, verdict })
}

impl SliceRequest {
    /// The modules that are written: the slice, and those that are compared.
    fn products(&self, made: &Path, modules: &VerifiedModules) -> Vec<SliceProduct> {
        let mut products = Vec::new();
        if let Some(output) = &self.output {
            let is_marked = !is_bitcode(output) && self.cut.criterion.is_none();
            let events = if is_marked { SliceEvents::Counted } else { SliceEvents::Absent };
            products.push(SliceProduct { output: made.to_owned(), is_whole: false, events });
        }
        if self.verification.is_some() {
            let all = [(&modules.called, SliceEvents::Called), (&modules.counted, SliceEvents::Counted)];
            for (pair, events) in all {
                let product = |position: usize| SliceProduct {
                    output: pair[position].clone(),
                    is_whole: position == 0,
                    events,
                };
                products.extend([product(0), product(1)]);
            }
        }
        products
    }

    /// Puts the slice in its place, as bitcode or as a program.
    fn write(&self, build: &Build, inputs: &[Input], made: &Path, output: &Path) -> Result<(), Failure> {
        match (is_bitcode(output), self.cut.criterion.is_some()) {
            (true, _) => install(made, output),
            (false, true) => Err(Failure::Usage(format!(
                "--criterion gives bitcode: {} must end in .bc",
                output.display()
            ))),
            (false, false) => {
                let program = build.path("mini");
                build.sliced_program(inputs, made, &program)?;
                install(&program, output)
            }
        }
    }
}

fn is_bitcode(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "bc")
}

//! `opcost predict --by-slice`: what does a run of the program's slice count?
//!
//! The slice has what decides the loops, and counters of all blocks that it runs as often as the program does. It
//! gets the program's arguments and input. What it prints is thrown away. A slice that may still change files
//! is not run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::names::shown_name;
use opcost_answer::predict::SliceRunFacts;
use opcost_answer::slice::{SliceCounts, SlicedLink};
use opcost_job::program::{SliceCut, SliceEvents, SliceJob, SliceProduct};
use opcost_toolchain::build::Build;
use opcost_toolchain::input::Input;
use opcost_toolchain::options::ProgramOptions;

use crate::progress::work;
use crate::slice::{VerifiedRun, counted, input_of_runs};

/// At this level calls go that nothing needs, and loops with constant counts.
const LEVEL: u8 = 3;
/// What else can be done.
const OTHERWISE: &str = "Predict it without --by-slice, from the code alone, or count it with opcost count";
/// Calls that a message lists.
const LISTED: usize = 4;

/// With what the slice of a program is run.
#[derive(Clone, Debug, Default)]
pub struct PredictedSlice {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The file that it reads as its standard input; none: what this process has as its own.
    pub stdin: Option<PathBuf>,
}

/// A run of a slice.
pub(super) struct SlicedRun {
    /// What it counted.
    pub(super) counts: SliceCounts,
    /// How large it is, and how long it ran.
    pub(super) facts: SliceRunFacts,
}

/// Builds the slice of the program and runs it.
pub(super) fn run_slice(
    program: &ProgramOptions,
    run: &PredictedSlice,
    build: &Build,
    inputs: &[Input],
) -> Result<SlicedRun, Failure> {
    let slicing = work("slicing");
    let module = build.path("mini.bc");
    let product = SliceProduct { output: module.clone(), is_whole: false, events: SliceEvents::Blocks };
    let question = SliceJob {
        program: build.program_source(inputs, program)?,
        cut: SliceCut { level: LEVEL, any_status: true, ..SliceCut::default() },
        trip_counts: None,
        counts_blocks: true,
        products: vec![product],
    };
    let answers = build.query(question, inputs).map_err(advised)?;
    drop(slicing);
    if !answers.changes.is_empty() {
        let module = inputs[0].path.display().to_string();
        return Err(Failure::Module { module, message: changing(&answers.changes) });
    }
    let stdin = input_of_runs(run.stdin.as_deref(), build)?;
    let run =
        VerifiedRun { inputs, arguments: &run.arguments, loops: &answers.loops, stdin: stdin.as_deref() };
    let running = work("running the slice");
    let (counts, seconds) = counted(build, &module, &run)?;
    drop(running);
    Ok(SlicedRun {
        counts: SliceCounts { cells: answers.cells, counts, code: answers.code },
        facts: SliceRunFacts { instructions: answers.instructions, retained: answers.retained, seconds },
    })
}

/// A refusal, and what else can be done.
fn advised(failure: Failure) -> Failure {
    match failure {
        Failure::Module { module, message } if message.contains("cannot be sliced") => {
            Failure::Module { module, message: format!("{message}. {OTHERWISE}") }
        }
        other => other,
    }
}

fn changing(calls: &[SlicedLink]) -> String {
    let place = |call: &SlicedLink| {
        let function = shown_name(&call.location.function);
        match (&call.location.file, call.location.line) {
            (Some(file), Some(line)) => format!("{} at {}:{line}", call.what, Path::new(file).display()),
            _ => format!("{} in {function}", call.what),
        }
    };
    let list: Vec<String> = calls.iter().take(LISTED).map(place).collect();
    let more =
        if calls.len() > LISTED { format!(" and {} more", calls.len() - LISTED) } else { String::new() };
    format!(
        "the slice is not run, since it might change files that are not its own: {}{more}. What opcost does not know can \
         be described with --effects FILE. {OTHERWISE}",
        list.join(", ")
    )
}

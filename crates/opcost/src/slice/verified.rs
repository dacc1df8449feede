//! Does a slice enter the same loops as its program, in the same order, and does each iterate as often?
//!
//! Both are built with the same marks. Each runs twice: once it calls at each event, so
//! that the order is compared; once it counts in place, so that the optimiser is as free as it can be, which is
//! what the time is taken of. A slice that reports more events than its program is stopped.

use std::ffi::OsString;
use std::fs::File;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use opcost_answer::Failure;
use opcost_answer::run::Finish;
use opcost_answer::slice::{EXITED, LoopFate, SliceVerdict, SlicedLoop, VerifiedLoop, with_constants};
use opcost_run::slice::{EventStream, SliceRun};
use opcost_run::start::Streams;
use opcost_toolchain::build::Build;
use opcost_toolchain::input::Input;

/// The modules of a verification.
#[derive(Clone, Debug)]
pub(super) struct VerifiedModules {
    /// The program and its slice, both with calls at each event.
    pub called: [PathBuf; 2],
    /// The same with counters in place.
    pub counted: [PathBuf; 2],
}

impl VerifiedModules {
    /// Where they are to be made.
    pub(super) fn new(build: &Build) -> VerifiedModules {
        let two = |form: &str| ["whole", "slice"].map(|part| build.path(format!("{part}.{form}.bc")));
        VerifiedModules { called: two("called"), counted: two("counted") }
    }
}

/// What is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerifiedRun<'a> {
    /// The inputs of the build.
    pub inputs: &'a [Input],
    /// Arguments of the program.
    pub arguments: &'a [OsString],
    /// The loops, as they were sliced.
    pub loops: &'a [SlicedLoop],
    /// What it reads as its standard input.
    pub stdin: Option<&'a Path>,
}

/// The file that runs read as their input: the one that is given, or what this process has as its own. What comes through
/// a pipe can be read once, so it is copied.
///
/// # Errors
/// The copy cannot be made.
pub(crate) fn input_of_runs(given: Option<&Path>, build: &Build) -> Result<Option<PathBuf>, Failure> {
    let mut own = std::io::stdin().lock();
    if given.is_some() || own.is_terminal() {
        return Ok(given.map(Path::to_owned));
    }
    let copy = build.path("stdin");
    let mut file = File::create(&copy).map_err(Failure::file("write", &copy))?;
    std::io::copy(&mut own, &mut file).map_err(Failure::file("read", "stdin"))?;
    Ok(Some(copy))
}

/// Builds and runs the program and its slice, and compares them.
///
/// # Errors
/// They cannot be built or started, or the program itself reports something else when it counts in place.
pub(super) fn verify(
    build: &Build,
    modules: &VerifiedModules,
    run: &VerifiedRun<'_>,
) -> Result<SliceVerdict, Failure> {
    let (end, whole) = stream(build, &modules.called[0], run, None)?;
    let (slice_end, slice) = stream(build, &modules.called[1], run, Some(whole.total))?;
    let (seconds, counts) = timed(build, &modules.counted[0], run)?;
    // What the slice leaves out since it is constant, the program itself counts in place.
    let whole_counts = with_constants(&whole.counts, run.loops);
    let is_measured = |event: usize| {
        let one = run.loops.get(event / 2);
        let goes = one.is_some_and(|one| matches!(one.fate, LoopFate::Evaluated | LoopFate::Dropped));
        let constant = one.and_then(|one| one.constant);
        !goes && constant.is_none_or(|constant| event.is_multiple_of(2) && constant.entries.is_none())
    };
    let differs =
        |event: usize| counts.as_ref().is_some_and(|counts| counts.get(event) != whole_counts.get(event));
    if (0..whole_counts.len()).any(|event| is_measured(event) && differs(event)) {
        return Err(Failure::Counters(
            "the program ran in another way the second time, so nothing can be compared. Its runs differ by a clock, \
             by chance, or by a file that it changed"
                .to_owned(),
        ));
    }
    let mut loops = compared([&whole, &slice], run.loops);
    for one in &mut loops {
        let events = [2 * one.position, 2 * one.position + 1];
        if events.into_iter().any(differs) {
            let of = |event: usize| counts.as_ref().map_or(0, |counts| counts[event]);
            [one.entries, one.iterations] = events.map(of);
            one.is_equal = one.is_equal.map(|_| false);
        }
    }
    let streams_equal = whole == slice && loops.iter().all(|one| one.is_equal != Some(false));
    // A slice that goes astray may not end: it is not run again.
    let (slice_seconds, slice_counts) =
        if streams_equal { timed(build, &modules.counted[1], run)? } else { (f64::NAN, None) };
    Ok(SliceVerdict {
        streams_equal: streams_equal && slice_counts.is_none_or(|counts| counts == whole_counts),
        ends_equal: end == slice_end,
        end: words(end),
        slice_end: words(slice_end),
        dropped_share: dropped_share(&loops, run.loops),
        events: whole.total,
        slice_events: slice.total,
        loops,
        seconds,
        slice_seconds,
    })
}

/// Builds the slice and runs it: counts of its cells, and seconds. What it prints goes to no one.
///
/// # Errors
/// It cannot be built or started, or did not come to its end.
pub(crate) fn counted(
    build: &Build,
    module: &Path,
    run: &VerifiedRun<'_>,
) -> Result<(Vec<u64>, f64), Failure> {
    let program = module.with_extension("exe");
    build.sliced_program(run.inputs, module, &program)?;
    let file = module.with_extension("events");
    let mut streams = streams(&program, run);
    streams.stderr = Some(program.with_extension("err"));
    let run = SliceRun { program: &program, arguments: run.arguments, streams: &streams, file: &file };
    let begin = Instant::now();
    let (finish, counts) = run.counts()?;
    let seconds = begin.elapsed().as_secs_f64();
    match counts {
        Some(counts) => Ok((counts, seconds)),
        None => Err(Failure::Counters(format!(
            "the slice ended with {} before it could write what it counted. Either the program ends so, too, or it \
             ends by _exit or a signal. Predict it without --by-slice, or count it with opcost count",
            words(finish)
        ))),
    }
}

/// The share of executed instructions of loops that those have which were dropped; none if no loop was.
fn dropped_share(verified: &[VerifiedLoop], loops: &[SlicedLoop]) -> Option<f64> {
    let work = |one: &VerifiedLoop| {
        one.iterations as f64 * loops.get(one.position).map_or(0.0, |of| of.own_instructions as f64)
    };
    let dropped = verified.iter().filter(|one| one.is_equal.is_none());
    let all: f64 = verified.iter().map(work).sum();
    let lost: f64 = dropped.clone().map(work).sum();
    (dropped.count() > 0).then(|| if all > 0.0 { lost / all } else { 0.0 })
}

fn compared([whole, slice]: [&EventStream; 2], loops: &[SlicedLoop]) -> Vec<VerifiedLoop> {
    let counts = [whole, slice].map(|stream| with_constants(&stream.counts, loops));
    let one = |(position, hash): (usize, &u64)| {
        let of =
            |counts: &[u64]| [2 * position, 2 * position + 1].map(|at| counts.get(at).copied().unwrap_or(0));
        let [[entries, iterations], [slice_entries, slice_iterations]] = [of(&counts[0]), of(&counts[1])];
        let is_dropped = loops.get(position).is_some_and(|one| one.fate == LoopFate::Dropped);
        let is_equal = (!is_dropped).then(|| slice.loops.get(position) == Some(hash));
        VerifiedLoop { position, entries, iterations, slice_entries, slice_iterations, is_equal }
    };
    whole.loops.iter().enumerate().map(one).collect()
}

fn words(finish: Finish) -> String {
    match finish {
        Finish::Exited(status) => format!("{EXITED} {status}"),
        Finish::Killed(signal) => format!("signal {signal}"),
    }
}

/// What the two programs read and write.
fn streams(program: &Path, run: &VerifiedRun<'_>) -> Streams {
    Streams {
        stdin: Some(run.stdin.unwrap_or(Path::new("/dev/null")).to_owned()),
        stdout: Some(program.with_extension("out")),
        stderr: None,
        stdout_to_stderr: false,
    }
}

fn stream(
    build: &Build,
    module: &Path,
    run: &VerifiedRun<'_>,
    most: Option<u64>,
) -> Result<(Finish, EventStream), Failure> {
    let program = module.with_extension("exe");
    build.sliced_program(run.inputs, module, &program)?;
    let file = module.with_extension("events");
    let streams = streams(&program, run);
    SliceRun { program: &program, arguments: run.arguments, streams: &streams, file: &file }.stream(most)
}

fn timed(build: &Build, module: &Path, run: &VerifiedRun<'_>) -> Result<(f64, Option<Vec<u64>>), Failure> {
    let program = module.with_extension("exe");
    build.sliced_program(run.inputs, module, &program)?;
    let file = module.with_extension("events");
    let streams = streams(&program, run);
    let run = SliceRun { program: &program, arguments: run.arguments, streams: &streams, file: &file };
    let begin = Instant::now();
    let (_, counts) = run.counts()?;
    Ok((begin.elapsed().as_secs_f64(), counts))
}

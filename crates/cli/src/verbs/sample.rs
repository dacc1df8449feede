//! `opcost sample`: nearly as good as a count, at a few per cent.
//!
//! Build (unless a program was given), run while the kernel interrupts it, lead
//! each address through the table beside the code to the segment that was
//! running, make counts of time, make the counts consistent, report. The counts
//! are as of `opcost count` from there on, so every output is the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use opcost::ledgers;
use opcost::sampling::built::{SampledProgram, all_foreign};
use opcost::sampling::estimate::{Estimate, finish};
use opcost::sampling::images;
use opcost::sampling::locations::{others, readable};
use opcost::sampling::take::{SampleOptions, SampleTarget, Taken, failed, take};
use opcost_answer::count::CountAnswers;
use opcost_answer::files::from_here;
use opcost_answer::names::demangle;
use opcost_answer::{Failure, Status};
use opcost_profile::Ledger;
use opcost_recover::list_functions;
use opcost_report::count::samples::{most_outside, words};
use opcost_report::kit::numbers::grouped;
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_text};
use opcost_run::frames::{call_stacks, collapsed};
use opcost_run::image::SampledImage;
use opcost_run::start::Streams;
use opcost_sample::{Pace, Samples, read_perf_data_of};
use opcost_toolchain::build::Optimiser;
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;

use super::inputs::shown;
use super::sample_events;
use crate::arguments::{SampleArguments, ShowArguments};
use crate::verbs::inputs::inputs_of;
use crate::verbs::show::{Show, save_failure_json};

/// Carries out the verb.
pub(crate) fn run(arguments: &SampleArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.show.json.as_deref());
    result
}

fn carry_out(arguments: &SampleArguments) -> Result<Status, Failure> {
    sample_events::check(arguments)?;
    images::check(&arguments.image)?;
    if !arguments.pid.is_empty() {
        // Asked before: a process may have ended when its samples are looked at.
        let foreign = all_foreign(&arguments.pid);
        if foreign.is_some() {
            // What they start or load may be built to be sampled, so that is no end yet.
            opcost_answer::tell!(
                "opcost: {} not built by opcost sample or stripped; only what is started or loaded from now on can be attributed; ^C \
                 ends sampling",
                match arguments.pid.as_slice() {
                    [pid] => format!("process {pid} was"),
                    _ => "the processes were".to_owned(),
                }
            );
        }
        let target = SampleTarget::Processes(&arguments.pid);
        let taken = take(&options(arguments), target, &|number, samples| {
            snapshot(arguments, None, number, samples);
        })?;
        if let (0, Some(words)) = (taken.samples.total, foreign) {
            return Err(Failure::Usage(words));
        }
        return report(arguments, None, &taken);
    }
    let inputs = inputs_of("sample", &arguments.inputs)?;
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        if arguments.emit.is_some() {
            return Err(Failure::Usage("it is built already; give its sources to build it again".to_owned()));
        }
        return with_program(arguments, path);
    }
    if inputs.iter().any(|input| input.language == Language::Program) {
        return Err(Failure::Usage("a built program is sampled alone; give either it or sources".to_owned()));
    }
    if arguments.perf.is_some() {
        return Err(Failure::Usage(
            "--perf wants the very program that perf saw: build it with opcost sample --emit exe -o PROG, and \
             record that"
                .to_owned(),
        ));
    }
    let optimiser = if arguments.optimised { Optimiser::BehindAnchor } else { Optimiser::BeforeAnchor };
    let options = arguments.compile.options();
    let built = SampledProgram::build(&inputs, &options, wants_stacks(arguments), optimiser)?;
    let program = built.path();
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => {
            install(&program, output)?;
            opcost_answer::tell!("next: opcost sample {} -- ARGS", shown(output));
            Ok(Status::Fine)
        }
        _ => with_program(arguments, &program),
    }
}

fn with_program(arguments: &SampleArguments, program: &Path) -> Result<Status, Failure> {
    // Before it runs: a run is not thrown away for a program that nobody can read.
    if readable(program, SampledImage::build_id(program).as_deref(), &arguments.image)?.is_none() {
        let why = match images::unlike_program(&arguments.image, program) {
            Some(unlike) => unlike,
            None => format!("{}: {}", from_here(program), SampledImage::why_not(program)),
        };
        return Err(Failure::Usage(why));
    }
    let taken = match &arguments.perf {
        Some(file) => {
            // The program may have been recorded at another place, or on another machine.
            let samples = read_perf_data_of(file, program, &arguments.image).map_err(failed)?;
            Taken { samples, requested: Vec::new() }
        }
        None => {
            let streams = Streams {
                stdin: arguments.stdin.clone(),
                stdout: arguments.stdout.clone(),
                stderr: None,
                stdout_to_stderr: arguments.show.json.as_deref() == Some(Path::new("-")),
            };
            let target =
                SampleTarget::Program { program, arguments: &arguments.arguments, streams: &streams };
            take(&options(arguments), target, &|number, samples| {
                snapshot(arguments, Some(program), number, samples);
            })?
        }
    };
    report(arguments, Some(program), &taken)
}

/// How it is sampled.
fn options(arguments: &SampleArguments) -> SampleOptions {
    SampleOptions {
        pace: arguments.overhead.map_or(Pace::PerSecond(arguments.rate), Pace::Overhead),
        event: arguments.event.clone(),
        branches: arguments.branches,
        stacks: wants_stacks(arguments),
        limit: arguments.seconds.map(Duration::from_secs_f64),
        save_to: arguments.samples_file.clone(),
        images: arguments.image.clone(),
        ..SampleOptions::default()
    }
}

/// Whether call stacks are asked for.
fn wants_stacks(arguments: &SampleArguments) -> bool {
    arguments.stacks || arguments.collapsed.is_some()
}

/// As a count would report it.
pub(crate) fn report_of(estimate: &Estimate, samples: &Samples) -> CountAnswers {
    let elsewhere = others(samples, &estimate.elsewhere);
    let outside = most_outside(samples, estimate.own, elsewhere.as_deref());
    let doubts = words(samples, estimate.own, elsewhere.as_deref(), &estimate.repaired);
    estimate.answers(samples, doubts, outside)
}

fn report(arguments: &SampleArguments, program: Option<&Path>, taken: &Taken) -> Result<Status, Failure> {
    if !sample_events::have_counts(&taken.samples) {
        sample_events::report(arguments, &taken.samples, &images_of(arguments, program))?;
        return Ok(status(arguments, taken));
    }
    let working = Progress::start("making the counts consistent");
    let estimate = Estimate::of(&taken.samples, &images_of(arguments, program), arguments.solver)?;
    drop(working);
    let mut report = report_of(&estimate, &taken.samples);
    if wants_stacks(arguments) {
        report.stacks = Some(call_stacks(&taken.samples, &images_of(arguments, program)));
    }
    let ledger = estimate.ledger_of(&report, command(arguments))?;
    save_raw(arguments, &estimate)?;
    let stacks = write_stacks(arguments, &report);
    let kept = arguments.ledger.as_ref().map_or(Ok(()), |path| ledgers::save(path, &ledger));
    // A disk that is full for one is no reason to lose the other.
    let view = Shown { arguments, show: &arguments.show, program };
    view.write(&estimate, report, &ledger)?;
    kept.and(stacks)?;
    Ok(status(arguments, taken))
}

/// Whether the program failed, or an image is none of what ran.
fn status(arguments: &SampleArguments, taken: &Taken) -> Status {
    if let Some(words) = images::others(&arguments.image, &taken.samples.mapped) {
        opcost_answer::tell!("opcost: {words}; it was not used");
        return Status::Usage;
    }
    let is_failed = finish(taken.samples.end).is_some_and(|finish| !finish.is_success());
    let is_minded = is_failed && !taken.ended_as_requested() && !arguments.ignore_status;
    if is_minded { Status::Program } else { Status::Fine }
}

/// How a report is shown.
struct Shown<'a> {
    arguments: &'a SampleArguments,
    /// Those of them that say what is shown, or others in their place.
    show: &'a ShowArguments,
    /// What was sampled, if it was started here.
    program: Option<&'a Path>,
}

impl Shown<'_> {
    fn write(&self, estimate: &Estimate, mut report: CountAnswers, ledger: &Ledger) -> Result<(), Failure> {
        let counted = estimate.counted();
        let show = Show {
            arguments: self.show,
            output: self.arguments.output.as_deref(),
            stream: Stream::Stderr,
            title: command(self.arguments).join(" "),
            ledger: Some(ledger),
            origin: (self.program.map_or_else(|| PathBuf::from("."), Path::to_owned), "program"),
        };
        let unknown = show.write(&mut report, |summary, wanted| list_functions(&counted, summary, wanted))?;
        if unknown.is_empty() { Ok(()) } else { Err(Failure::Usage(unknown.join("; "))) }
    }
}

fn write_stacks(arguments: &SampleArguments, report: &CountAnswers) -> Result<(), Failure> {
    match (&arguments.collapsed, &report.stacks) {
        (Some(path), Some(stacks)) => save_text(Some(path), &collapsed(stacks, demangle), Stream::Stderr),
        _ => Ok(()),
    }
}

/// Files that are read in place of others of the same build.
fn images_of(arguments: &SampleArguments, program: Option<&Path>) -> Vec<PathBuf> {
    arguments.image.iter().cloned().chain(program.map(Path::to_owned)).collect()
}

/// What there is so far: a ledger of its own, or a report where none is wanted.
fn snapshot(arguments: &SampleArguments, program: Option<&Path>, number: usize, samples: &Samples) {
    if !sample_events::have_counts(samples) {
        let told = sample_events::report(arguments, samples, &images_of(arguments, program));
        return told.unwrap_or_else(|error| opcost_answer::tell!("opcost: snapshot {number}: {error}"));
    }
    let told = Estimate::of(samples, &images_of(arguments, program), arguments.solver).and_then(|estimate| {
        let report = report_of(&estimate, samples);
        let ledger = estimate.ledger_of(&report, command(arguments))?;
        let Some(path) = &arguments.ledger else {
            let text_only = ShowArguments { json: None, html: None, ..arguments.show.clone() };
            return Shown { arguments, show: &text_only, program }.write(&estimate, report, &ledger);
        };
        let path = numbered(path, number);
        ledgers::save(&path, &ledger)?;
        opcost_answer::tell!(
            "opcost: snapshot {number} after {} samples: {}",
            grouped(samples.total),
            path.display()
        );
        Ok(())
    });
    if let Err(error) = told {
        opcost_answer::tell!("opcost: snapshot {number}: {error}");
    }
}

/// `run.opc` → `run-1.opc`
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{end}"))
}

fn command(arguments: &SampleArguments) -> Vec<String> {
    let inputs = arguments.inputs.iter().map(|input| input.display().to_string());
    let pids = arguments.pid.iter().map(|pid| format!("process {pid}"));
    let words = arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned());
    inputs.chain(pids).chain(words).collect()
}

/// Writes down what samples say by themselves.
fn save_raw(arguments: &SampleArguments, estimate: &Estimate) -> Result<(), Failure> {
    let Some(path) = &arguments.raw else { return Ok(()) };
    ledgers::save(path, &estimate.raw_ledger(command(arguments))?)?;
    // A program that was built for this run only is built again then.
    let inputs = if arguments.inputs.is_empty() { "PROG".to_owned() } else { shown_all(&arguments.inputs) };
    opcost_answer::tell!("next: opcost repair {} {inputs} -o repaired.opc", shown(path));
    Ok(())
}

fn shown_all(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(" ")
}

//! `opcost sample`: nearly as good as a count, at a few per cent.
//!
//! Build (unless a program was given), run while the kernel interrupts it, lead
//! each address through the table beside the code to the segment that was
//! running, make counts of time, make the counts consistent, report. The counts
//! are as of `opcost count` from there on, so every output is the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_key::{Anchor, Hash128};
use opcost_profile::{Ledger, Origin, Quality as Sureness, World};
use opcost_recover::{
    CountedModule, Course, MODEL_ERROR, ModuleCounts, RepairOptions, Repaired, RunFacts, SampledModule,
    Solver, Starts, list_functions, make_ledger, raw_ledger, repair, summarize,
};
use opcost_sample::{End, Samples, read_perf_data_with};

use super::count::shown;
use super::sample_events;
use super::sample_places::{
    LEAST_SAMPLES, Placed, Seen, cycles_per_sample, nothing_seen, placed, readable, too_few, words,
};
use super::sample_run::{Taken, failed, take, wants_stacks};
use crate::arguments::{SampleArguments, ShowArguments};
use crate::verbs::load;
use crate::verbs::measure::{ending, facts, machine};
use crate::verbs::show::{Show, tell_json};
use opcost_answer::names::demangle;
use opcost_answer::run::{Finish, Quality};
use opcost_answer::{Failure, Status};
use opcost_report::count::report::{CountReport, Verdict};
use opcost_report::kit::numbers::grouped;
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_text};
use opcost_run::frames::{call_stacks, collapsed};
use opcost_run::image::SampledImage;
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

/// Carries out the verb.
pub(crate) fn run(arguments: &SampleArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    tell_json(&result, arguments.show.json.as_deref());
    result
}

fn carry_out(arguments: &SampleArguments) -> Result<Status, Failure> {
    sample_events::check(arguments)?;
    if !arguments.pid.is_empty() {
        let taken = take(arguments, None, &|number, samples| snapshot(arguments, None, number, samples))?;
        return report(arguments, None, &taken);
    }
    let inputs = arguments.inputs.iter().map(|path| Input::classify(path)).collect::<Result<Vec<_>, _>>()?;
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
    let compile = with_frame_pointers(arguments, &inputs);
    let optimiser = if arguments.optimised { Optimiser::BehindAnchor } else { Optimiser::BeforeAnchor };
    let build = Build::new(&compile, Purpose::Sample { optimiser })?;
    check_optimised(&build, &inputs)?;
    let program = build.path("program");
    let building = Progress::start("building the program");
    build.program(&inputs, &program)?;
    drop(building);
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => {
            install(&program, output)?;
            eprintln!("next: opcost sample {} -- ARGS", shown(output));
            Ok(Status::Fine)
        }
        _ => with_program(arguments, &program),
    }
}

/// Whether there is something left to do behind the anchor, if it is asked for.
fn check_optimised(build: &Build, inputs: &[Input]) -> Result<(), Failure> {
    if build.purpose != (Purpose::Sample { optimiser: Optimiser::BehindAnchor }) {
        return Ok(());
    }
    let done = inputs.iter().find(|input| match input.language {
        Language::Rust => true,
        Language::C | Language::Cxx | Language::Fortran => build.anchor(input) == Anchor::Optimized,
        Language::Bitcode | Language::Object | Language::Program => false,
    });
    match done {
        Some(input) => Err(Failure::Usage(format!(
            "{}: its anchor lies behind the optimiser; with --optimised say --anchor source or pgo",
            input.path.display()
        ))),
        None => Ok(()),
    }
}

/// How it is compiled: with frame pointers, if stacks are wanted.
fn with_frame_pointers(arguments: &SampleArguments, inputs: &[Input]) -> CompileOptions {
    let mut compile = arguments.compile.options();
    if wants_stacks(arguments) {
        let has = |language| inputs.iter().any(|input| input.language == language);
        let flags: &[&str] = match (has(Language::Rust), has(Language::Fortran)) {
            (true, _) => &["-Cforce-frame-pointers=yes"],
            (_, true) => &["-fno-omit-frame-pointer"],
            _ => &["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"],
        };
        compile.cflags.extend(flags.iter().map(|flag| (*flag).to_owned()));
    }
    compile
}

fn with_program(arguments: &SampleArguments, program: &Path) -> Result<Status, Failure> {
    // Before it runs: a run is not thrown away for a program that nobody can read.
    if readable(program, SampledImage::build_id(program).as_deref(), &arguments.image)?.is_none() {
        let why = SampledImage::why_not(program);
        return Err(Failure::Counters(format!("{}: {why}", program.display())));
    }
    let taken = match &arguments.perf {
        Some(file) => {
            // The program may have been recorded at another place, or on another machine.
            let images = [&arguments.image[..], &[program.to_owned()]].concat();
            let samples = read_perf_data_with(file, &images).map_err(failed)?;
            Taken { samples, asked: Vec::new() }
        }
        None => take(arguments, Some(program), &|number, samples| {
            snapshot(arguments, Some(program), number, samples);
        })?,
    };
    report(arguments, Some(program), &taken)
}

/// Everything that samples say of a program.
struct Estimate {
    seen: Vec<Seen>,
    repaired: Repaired,
    /// Samples in the program.
    own: u64,
    /// Samples in other images.
    elsewhere: BTreeMap<String, u64>,
    cycles_per_sample: f64,
}

impl Estimate {
    /// Leads the samples to code and makes the counts consistent.
    fn of(samples: &Samples, images: &[PathBuf], solver: Solver) -> Result<Estimate, Failure> {
        let Placed { seen, own, elsewhere, recorded } = placed(samples, images)?;
        if seen.is_empty() {
            return Err(nothing_seen(samples, &elsewhere));
        }
        if own < LEAST_SAMPLES {
            return Err(too_few(own));
        }
        let cycles_per_sample = cycles_per_sample(samples, recorded);
        // The scale of counts that are made of branches is a guess: one start would outvote them.
        let most = if recorded.is_some() { u64::MAX } else { samples.processes.max(1) };
        let starts = Starts { least: 1, most };
        let options = RepairOptions { cycles_per_sample, error: MODEL_ERROR, solver, starts };
        let modules: Vec<SampledModule<'_>> =
            seen.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
        let repaired = repair(&modules, options).map_err(|error| Failure::Counters(error.to_string()))?;
        Ok(Estimate { seen, repaired, own, elsewhere, cycles_per_sample })
    }

    fn counted(&self) -> Vec<CountedModule<'_>> {
        self.seen
            .iter()
            .zip(&self.repaired.counts)
            .map(|(one, counts): (&Seen, &ModuleCounts)| CountedModule { map: &one.map, counts })
            .collect()
    }

    /// As a count would tell it.
    fn report(&self, samples: &Samples) -> CountReport {
        let counted = self.counted();
        CountReport {
            summary: summarize(&counted),
            facts: facts(&counted),
            quality: Quality::Estimate(words(samples, self.own, &self.elsewhere, &self.repaired)),
            finish: finish(samples.end),
            verdict: Verdict::None,
            processes: usize::try_from(samples.processes).unwrap_or(usize::MAX).max(1),
            runs: 1,
            is_deterministic: false,
            repetition: None,
            stacks: None,
            tasks: Some(samples.by_process.clone()),
            next: Vec::new(),
            calls_known: true,
            listings: Vec::new(),
            machine: std::collections::HashMap::new(),
        }
    }
}

fn report(arguments: &SampleArguments, program: Option<&Path>, taken: &Taken) -> Result<Status, Failure> {
    if !sample_events::tell_counts(&taken.samples) {
        sample_events::tell(arguments, &taken.samples, &images_of(arguments, program))?;
        return Ok(status(arguments, taken));
    }
    let working = Progress::start("making the counts consistent");
    let estimate = Estimate::of(&taken.samples, &images_of(arguments, program), arguments.solver)?;
    drop(working);
    let mut report = estimate.report(&taken.samples);
    if wants_stacks(arguments) {
        report.stacks = Some(call_stacks(&taken.samples, &images_of(arguments, program)));
    }
    let ledger = ledger(arguments, &estimate, &report)?;
    keep_raw(arguments, &estimate)?;
    let stacks = write_stacks(arguments, &report);
    let kept = arguments.ledger.as_ref().map_or(Ok(()), |path| load::keep(path, &ledger));
    // A disk that is full for one is no reason to lose the other.
    show(arguments, &arguments.show, program, &estimate, report, &ledger)?;
    kept.and(stacks)?;
    Ok(status(arguments, taken))
}

/// Whether the program failed.
fn status(arguments: &SampleArguments, taken: &Taken) -> Status {
    let is_failed = finish(taken.samples.end).is_some_and(|finish| !finish.is_success());
    let is_minded = is_failed && !taken.ended_as_asked() && !arguments.ignore_status;
    if is_minded { Status::Program } else { Status::Fine }
}

fn finish(end: End) -> Option<Finish> {
    match end {
        End::Exited(status) => Some(Finish::Exited(status)),
        End::Killed(signal) => Some(Finish::Killed(signal)),
        End::GoesOn | End::AllEnded | End::FileEnd | End::FileBrokenOff => None,
    }
}

fn show(
    arguments: &SampleArguments,
    wanted: &ShowArguments,
    program: Option<&Path>,
    estimate: &Estimate,
    mut report: CountReport,
    ledger: &Ledger,
) -> Result<(), Failure> {
    let counted = estimate.counted();
    let show = Show {
        arguments: wanted,
        output: arguments.output.as_deref(),
        stream: Stream::Stderr,
        title: command(arguments).join(" "),
        ledger: Some(ledger),
        origin: (program.map_or_else(|| PathBuf::from("."), Path::to_owned), "program"),
    };
    let unknown = show.write(&mut report, |summary, wanted| list_functions(&counted, summary, wanted))?;
    if unknown.is_empty() { Ok(()) } else { Err(Failure::Usage(unknown.join("; "))) }
}

fn write_stacks(arguments: &SampleArguments, report: &CountReport) -> Result<(), Failure> {
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
    if !sample_events::tell_counts(samples) {
        let told = sample_events::tell(arguments, samples, &images_of(arguments, program));
        return told.unwrap_or_else(|error| eprintln!("opcost: snapshot {number}: {error}"));
    }
    let told = Estimate::of(samples, &images_of(arguments, program), arguments.solver).and_then(|estimate| {
        let report = estimate.report(samples);
        let ledger = ledger(arguments, &estimate, &report)?;
        let Some(path) = &arguments.ledger else {
            let text_only = ShowArguments { json: None, html: None, ..arguments.show.clone() };
            return show(arguments, &text_only, program, &estimate, report, &ledger);
        };
        let path = numbered(path, number);
        load::keep(&path, &ledger)?;
        eprintln!("opcost: snapshot {number} after {} samples: {}", grouped(samples.total), path.display());
        Ok(())
    });
    if let Err(error) = told {
        eprintln!("opcost: snapshot {number}: {error}");
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

fn ledger(arguments: &SampleArguments, estimate: &Estimate, report: &CountReport) -> Result<Ledger, Failure> {
    let hashes: Vec<Hash128> = estimate.seen.iter().map(|one| one.hash).collect();
    let run = RunFacts {
        machine: machine(),
        command: command(arguments),
        origin: Origin::Repaired,
        quality: Sureness::Estimate,
        world: World::Open,
        course: Course {
            ending: report.finish.map(ending),
            processes: Some(report.processes as u64),
            is_held_fixed: report.is_deterministic,
            doubts: report.quality.reasons().to_vec(),
        },
    };
    make_ledger(&estimate.counted(), &hashes, &report.summary, &run)
        .map_err(|error| Failure::Counters(error.to_string()))
}

/// Writes down what samples say by themselves.
fn keep_raw(arguments: &SampleArguments, estimate: &Estimate) -> Result<(), Failure> {
    let Some(path) = &arguments.raw else { return Ok(()) };
    let seen = &estimate.seen;
    let modules: Vec<SampledModule<'_>> =
        seen.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
    let hashes: Vec<Hash128> = seen.iter().map(|one| one.hash).collect();
    let ledger = raw_ledger(&modules, &hashes, &machine(), command(arguments), estimate.cycles_per_sample);
    load::keep(path, &ledger.map_err(|error| Failure::Counters(error.to_string()))?)?;
    // A program that was built for this run only is built again then.
    let inputs = if arguments.inputs.is_empty() { "PROG".to_owned() } else { shown_all(&arguments.inputs) };
    eprintln!("next: opcost repair {} {inputs} -o repaired.opc", shown(path));
    Ok(())
}

fn shown_all(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(" ")
}

//! `opcost sample`: nearly as good as a count, at a few per cent.
//!
//! Build (unless a program was given), run while the kernel interrupts it, lead
//! each address through the table beside the code to the segment that was
//! running, make counts of time, make the counts consistent, report. The counts
//! are as of `opcost count` from there on, so every output is the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_key::{Hash128, ModuleMap};
use opcost_profile::{Ledger, Origin, Quality as Sureness, World};
use opcost_recover::{
    CountedModule, Cycles, ModuleCounts, ModuleObservations, RepairOptions, Repaired, RunFacts,
    SampledModule, Solver, list_functions, make_ledger, observe, raw_ledger, repair, summarize,
};
use opcost_sample::{End, ImageSamples, Samples, read_perf_data_with};

use super::count::shown;
use super::sample_events;
use super::sample_run::{Taken, failed, take, wants_stacks};
use crate::arguments::{CompileArguments, SampleArguments, ShowArguments};
use crate::build::{Build, Input, Language, Purpose, install};
use crate::error::{CliError, Status};
use crate::report::{CountReport, Progress, Stream, Verdict, demangle, grouped, save_text};
use crate::run::{Finish, Quality, SampledImage, call_stacks, collapsed};
use crate::verbs::load;
use crate::verbs::measure::{facts, machine};
use crate::verbs::show::{Show, tell_json};

/// How wrong the expected cycles of a segment are taken to be, relative to them.
pub(super) const MODEL_ERROR: f64 = 0.6;
/// Places of samples that are named.
const NAMED: usize = 4;
/// What a processor is taken to run at that does not tell.
const USUAL_HERTZ: f64 = 2.5e9;

/// Carries out the verb.
pub(crate) fn run(arguments: &SampleArguments) -> Result<Status, CliError> {
    let result = carry_out(arguments);
    tell_json(&result, arguments.show.json.as_deref());
    result
}

fn carry_out(arguments: &SampleArguments) -> Result<Status, CliError> {
    sample_events::check(arguments)?;
    if !arguments.pid.is_empty() {
        let taken = take(arguments, None, &|number, samples| snapshot(arguments, None, number, samples))?;
        return report(arguments, None, &taken);
    }
    let inputs = arguments.inputs.iter().map(|path| Input::classify(path)).collect::<Result<Vec<_>, _>>()?;
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        if arguments.emit.is_some() {
            return Err(CliError::Usage(
                "it is built already; give its sources to build it again".to_owned(),
            ));
        }
        return with_program(arguments, path);
    }
    if inputs.iter().any(|input| input.language == Language::Program) {
        return Err(CliError::Usage(
            "a built program is sampled alone; give either it or sources".to_owned(),
        ));
    }
    if arguments.perf.is_some() {
        return Err(CliError::Usage(
            "--perf wants the very program that perf saw: build it with opcost sample --emit exe -o PROG, and \
             record that"
                .to_owned(),
        ));
    }
    let compile = with_frame_pointers(arguments, &inputs);
    let build = Build::new(&compile, Purpose::Sample)?;
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

/// How it is compiled: with frame pointers, if stacks are wanted.
fn with_frame_pointers(arguments: &SampleArguments, inputs: &[Input]) -> CompileArguments {
    let mut compile = arguments.compile.clone();
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

fn with_program(arguments: &SampleArguments, program: &Path) -> Result<Status, CliError> {
    // Before it runs: a run is not thrown away for a program that nobody can read.
    if readable(program, SampledImage::build_id(program).as_deref(), &arguments.image)?.is_none() {
        let why = SampledImage::why_not(program);
        return Err(CliError::Counters(format!("{}: {why}", program.display())));
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

/// One module of the program and what was seen of it.
struct Seen {
    hash: Hash128,
    map: ModuleMap,
    observed: ModuleObservations,
}

/// Everything that samples say of a program.
struct Estimate {
    seen: Vec<Seen>,
    repaired: Repaired,
    /// Samples in the program.
    own: u64,
    /// Samples in other images.
    elsewhere: BTreeMap<String, u64>,
}

impl Estimate {
    /// Leads the samples to code and makes the counts consistent.
    fn of(samples: &Samples, images: &[PathBuf], solver: Solver) -> Result<Estimate, CliError> {
        let (seen, elsewhere) = placed(samples, images)?;
        if seen.is_empty() {
            return Err(nothing_seen(samples, &elsewhere));
        }
        let own = seen.iter().map(|one| one.observed.samples()).sum();
        let options =
            RepairOptions { cycles_per_sample: cycles_per_sample(samples), error: MODEL_ERROR, solver };
        let modules: Vec<SampledModule<'_>> =
            seen.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
        let repaired = repair(&modules, options).map_err(|error| CliError::Counters(error.to_string()))?;
        Ok(Estimate { seen, repaired, own, elsewhere })
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
            next: Vec::new(),
            calls_known: true,
            listings: Vec::new(),
            machine: std::collections::HashMap::new(),
        }
    }
}

fn report(arguments: &SampleArguments, program: Option<&Path>, taken: &Taken) -> Result<Status, CliError> {
    if !sample_events::are_time(&taken.samples.event) {
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
    keep_raw(arguments, &taken.samples, &estimate)?;
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
) -> Result<(), CliError> {
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
    if unknown.is_empty() { Ok(()) } else { Err(CliError::Usage(unknown.join("; "))) }
}

fn write_stacks(arguments: &SampleArguments, report: &CountReport) -> Result<(), CliError> {
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
    if !sample_events::are_time(&samples.event) {
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

fn ledger(
    arguments: &SampleArguments,
    estimate: &Estimate,
    report: &CountReport,
) -> Result<Ledger, CliError> {
    let hashes: Vec<Hash128> = estimate.seen.iter().map(|one| one.hash).collect();
    let run = RunFacts {
        machine: machine(),
        command: command(arguments),
        origin: Origin::Repaired,
        quality: Sureness::Estimate,
        world: World::Open,
    };
    make_ledger(&estimate.counted(), &hashes, &report.summary, &run)
        .map_err(|error| CliError::Counters(error.to_string()))
}

/// Writes down what samples say by themselves.
fn keep_raw(arguments: &SampleArguments, samples: &Samples, estimate: &Estimate) -> Result<(), CliError> {
    let Some(path) = &arguments.raw else { return Ok(()) };
    let seen = &estimate.seen;
    let modules: Vec<SampledModule<'_>> =
        seen.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
    let hashes: Vec<Hash128> = seen.iter().map(|one| one.hash).collect();
    let ledger = raw_ledger(&modules, &hashes, &machine(), command(arguments), cycles_per_sample(samples));
    load::keep(path, &ledger.map_err(|error| CliError::Counters(error.to_string()))?)?;
    // A program that was built for this run only is built again then.
    let inputs = if arguments.inputs.is_empty() { "PROG".to_owned() } else { shown_all(&arguments.inputs) };
    eprintln!("next: opcost repair {} {inputs} -o repaired.opc", shown(path));
    Ok(())
}

fn shown_all(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(" ")
}

/// The image at `path`, or a file of `images` that is the same build.
fn readable(
    path: &Path,
    build_id: Option<&[u8]>,
    images: &[PathBuf],
) -> Result<Option<SampledImage>, CliError> {
    // Another build may lie at its path by now.
    let is_it = |path: &Path| build_id.is_none() || SampledImage::build_id(path).as_deref() == build_id;
    if is_it(path)
        && let Some(image) = SampledImage::read(path)?
    {
        return Ok(Some(image));
    }
    match images.iter().find(|image| build_id.is_some() && is_it(image)) {
        Some(image) => SampledImage::read(image),
        None => Ok(None),
    }
}

/// Modules that were built to be sampled, and hits of other images by path.
fn placed(samples: &Samples, images: &[PathBuf]) -> Result<(Vec<Seen>, BTreeMap<String, u64>), CliError> {
    let (mut seen, mut elsewhere) = (Vec::new(), BTreeMap::new());
    for image in &samples.images {
        let own = readable(Path::new(&image.path), image.build_id.as_deref(), images)?;
        let Some(own) = own else {
            *elsewhere.entry(image.path.clone()).or_default() += image.total();
            continue;
        };
        let hits: BTreeMap<u64, u64> = image.hits.iter().copied().collect();
        let mut rest = image.total();
        for (hash, map, code) in own.modules {
            let observed = observe(&map, &code, &hits, Cycles::Model);
            rest = rest.saturating_sub(observed.samples());
            seen.push(Seen { hash, map, observed });
        }
        if rest > 0 {
            *elsewhere.entry(format!("code of no block in {}", image.path)).or_default() += rest;
        }
    }
    Ok((seen, elsewhere))
}

fn nothing_seen(samples: &Samples, elsewhere: &BTreeMap<String, u64>) -> CliError {
    CliError::Counters(match samples.total {
        0 => "no sample was taken: the program used hardly any processor time; let it do more work, or raise --rate"
            .to_owned(),
        total => format!(
            "none of {} samples lies in code that opcost built to be sampled{}: {}; {}",
            grouped(total),
            if samples.end == End::FileBrokenOff { ", and the file of samples breaks off" } else { "" },
            others(samples, elsewhere).unwrap_or_else(|| "nobody knows where they are".to_owned()),
            remedy(samples)
        ),
    })
}

/// What is wrong with the program that was hit most, if one was.
fn remedy(samples: &Samples) -> String {
    let is_library = |image: &&ImageSamples| image.path.contains(".so");
    let hottest = samples.images.iter().filter(|image| !is_library(image)).max_by_key(|image| image.total());
    match hottest {
        Some(ImageSamples { path, .. }) => format!("{path}: {}", SampledImage::why_not(Path::new(path))),
        None => {
            "build it with opcost sample --emit exe, and let it lie where it ran, or name it: --image FILE"
                .to_owned()
        }
    }
}

/// Where samples are that are not the program's, most first.
pub(super) fn others(samples: &Samples, elsewhere: &BTreeMap<String, u64>) -> Option<String> {
    let mut others: Vec<(String, u64)> = elsewhere.iter().map(|(path, hits)| (path.clone(), *hits)).collect();
    others.extend(samples.homeless.iter().map(|one| {
        let path = one.path.as_ref().map_or_else(String::new, |path| format!(" ({path})"));
        (format!("{}{path}", one.reason), one.hits)
    }));
    others.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let share = |hits: u64| 100.0 * hits as f64 / samples.total.max(1) as f64;
    let named: Vec<String> =
        others.iter().take(NAMED).map(|(name, hits)| format!("{:.1} % {name}", share(*hits))).collect();
    (!named.is_empty()).then(|| named.join(" · "))
}

/// Cycles of the processor between two samples.
fn cycles_per_sample(samples: &Samples) -> f64 {
    let seconds = match samples.cpu {
        Some(cpu) if samples.total > 0 => cpu.as_secs_f64() / samples.total as f64,
        _ => 1.0 / samples.rate.granted.max(1) as f64,
    };
    (seconds * hertz()).max(1.0)
}

/// Of the first processor, as the kernel tells.
fn hertz() -> f64 {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = processors.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(": "));
    let told = line.and_then(|(_, number)| number.trim().parse::<f64>().ok());
    told.filter(|&megahertz| megahertz > 100.0).map_or(USUAL_HERTZ, |megahertz| megahertz * 1e6)
}

/// What there is to say of the samples, in lines.
fn words(samples: &Samples, own: u64, elsewhere: &BTreeMap<String, u64>, repaired: &Repaired) -> Vec<String> {
    let mut lines = Vec::new();
    let percent = |part: u64| format!("{:.1} %", 100.0 * part as f64 / samples.total.max(1) as f64);
    let rate = samples.rate_reached().map_or_else(String::new, |rate| format!(" at {rate:.0} a second"));
    let expected = 100.0 / (own.max(1) as f64).sqrt();
    lines.push(format!(
        "{} samples of {}{rate}, {} of them in the program; by chance alone its total is wrong by {expected:.1} %",
        grouped(samples.total),
        samples.event,
        percent(own)
    ));
    lines.extend(others(samples, elsewhere).map(|places| format!("elsewhere: {places}")));
    if samples.lost + samples.broken > 0 {
        lines.push(format!("lost: {} samples found no room", grouped(samples.lost + samples.broken)));
    }
    if let Some(reason) = &samples.not_kept {
        lines.push(format!("not all samples were kept: {reason}"));
    }
    if samples.throttled > 0 {
        lines.push(format!("the kernel paused {} times: the rate is too high", grouped(samples.throttled)));
    }
    if samples.end == End::FileBrokenOff {
        lines.push("the file of samples breaks off; what stands before is told".to_owned());
    }
    let of_entries = |part: u128| 100.0 * part as f64 / repaired.entries.max(1) as f64;
    lines.push(format!(
        "repaired: {:.1} % of all calls come from no known call site, {:.1} % do not return{}",
        of_entries(repaired.from_outside),
        of_entries(repaired.left),
        if repaired.is_optimal { "" } else { " (not the likeliest: the solver's steps were used up)" }
    ));
    lines
}

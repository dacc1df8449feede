//! `opcost sample`: nearly as good as a count, at a few per cent.
//!
//! Build (unless a program was given), run while the kernel interrupts it, lead
//! each address through the table beside the code to the segment that was
//! running, make counts of time, make the counts consistent, report. The counts
//! are as of `opcost count` from there on, so every output is the same.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use opcost_key::{Hash128, ModuleMap};
use opcost_profile::{Ledger, Origin, Quality as Sureness, World};
use opcost_recover::{
    CountedModule, Cycles, ModuleCounts, ModuleObservations, RepairOptions, Repaired, RunFacts,
    SampledModule, Solver, list_functions, make_ledger, observe, repair, summarize,
};
use opcost_sample::{End, Error, Event, Options, Pace, Sampler, Samples, TimerSampler, read_perf_data};

use crate::arguments::SampleArguments;
use crate::build::{Build, Input, Language, Purpose, Tools, install};
use crate::error::{CliError, Status};
use crate::report::{CountReport, Progress, Stream, Verdict, grouped};
use crate::run::{Finish, Quality, SampledImage};
use crate::verbs::load;
use crate::verbs::measure::{facts, machine};
use crate::verbs::show::{Show, tell_json};

/// How wrong the expected cycles of a segment are taken to be, relative to them.
const MODEL_ERROR: f64 = 0.4;
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
    if !arguments.pid.is_empty() {
        return report(arguments, None, &attached(arguments)?);
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
    let build = Build::new(&arguments.compile, Purpose::Sample)?;
    let program = build.path("program");
    let building = Progress::start("building the program");
    build.program(&inputs, &program)?;
    drop(building);
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => {
            install(&program, output)?;
            eprintln!("next: opcost sample {} -- ARGS", output.display());
            Ok(Status::Fine)
        }
        _ => with_program(arguments, &program),
    }
}

fn with_program(arguments: &SampleArguments, program: &Path) -> Result<Status, CliError> {
    // Before it runs: a run is not thrown away for a program that nobody can read.
    if SampledImage::read(program)?.is_none() {
        return Err(CliError::Counters(format!(
            "{} was not built to be sampled, so its addresses stand for nothing known; build it with opcost sample \
             --emit exe -o PROG, or give its sources",
            program.display()
        )));
    }
    let samples = match &arguments.perf {
        Some(file) => read_perf_data(file).map_err(failed)?,
        None => ran(arguments, program)?,
    };
    report(arguments, Some(program), &samples)
}

fn failed(error: opcost_sample::Error) -> CliError {
    CliError::Counters(error.to_string())
}

fn options(arguments: &SampleArguments) -> Result<Options, CliError> {
    let event = Event::named(&arguments.event).map_err(|error| CliError::Usage(error.to_string()))?;
    let pace = arguments.overhead.map_or(Pace::PerSecond(arguments.rate), Pace::Overhead);
    Ok(Options { event, pace, keep: arguments.keep.clone(), ..Options::default() })
}

fn attached(arguments: &SampleArguments) -> Result<Samples, CliError> {
    let mut sampler = Sampler::attach(&arguments.pid, &options(arguments)?).map_err(failed)?;
    let _progress = Progress::start("sampling");
    sampler.wait(arguments.seconds.map(Duration::from_secs_f64)).map_err(failed)?;
    sampler.finish().map_err(failed)
}

fn ran(arguments: &SampleArguments, program: &Path) -> Result<Samples, CliError> {
    let program = program.canonicalize().map_err(CliError::file("find", program))?;
    let command = prepared(arguments, &program)?;
    let options = options(arguments)?;
    let mut sampler = match Sampler::start(command, &options) {
        Ok(sampler) => sampler,
        Err(error @ Error::NotPermitted { .. }) if options.keep.is_none() => {
            eprintln!("opcost: {error}");
            eprintln!("opcost: going on with a timer inside the program, which is coarser");
            return timed(arguments, &program, &options);
        }
        Err(error) => return Err(failed(error)),
    };
    sampler.wait(None).map_err(failed)?;
    sampler.finish().map_err(failed)
}

/// The program with its streams, ready to be started.
fn prepared(arguments: &SampleArguments, program: &Path) -> Result<Command, CliError> {
    let mut command = Command::new(program);
    command.args(&arguments.arguments);
    if let Some(path) = &arguments.stdin {
        command.stdin(File::open(path).map_err(CliError::file("read", path))?);
    }
    if let Some(path) = &arguments.stdout {
        command.stdout(File::create(path).map_err(CliError::file("write", path))?);
    } else if arguments.show.json.as_deref() == Some(Path::new("-")) {
        let copy = std::io::stderr().as_fd().try_clone_to_owned();
        command.stdout(Stdio::from(copy.map_err(CliError::file("copy", "stderr"))?));
    }
    Ok(command)
}

/// Where the kernel grants nothing: a timer of the program's own.
fn timed(arguments: &SampleArguments, program: &Path, options: &Options) -> Result<Samples, CliError> {
    let clang = Tools::find()?.clang;
    let mut sampler = TimerSampler::start(prepared(arguments, program)?, options, &clang).map_err(failed)?;
    sampler.wait(None).map_err(failed)?;
    sampler.finish().map_err(failed)
}

/// One module of the program and what was seen of it.
struct Seen {
    hash: Hash128,
    map: ModuleMap,
    observed: ModuleObservations,
}

fn report(
    arguments: &SampleArguments,
    program: Option<&Path>,
    samples: &Samples,
) -> Result<Status, CliError> {
    let working = Progress::start("making the counts consistent");
    let (seen, elsewhere) = placed(samples)?;
    if seen.is_empty() {
        return Err(nothing_seen(samples, &elsewhere));
    }
    let all: u64 = seen.iter().map(|one| one.observed.samples()).sum();
    let options = RepairOptions { cycles_per_sample: cycles_per_sample(samples), error: MODEL_ERROR, solver: Solver::Likeliest };
    let modules: Vec<SampledModule<'_>> =
        seen.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
    let repaired = repair(&modules, options).map_err(|error| CliError::Counters(error.to_string()))?;
    drop(working);
    let counted: Vec<CountedModule<'_>> = seen
        .iter()
        .zip(&repaired.counts)
        .map(|(one, counts): (&Seen, &ModuleCounts)| CountedModule { map: &one.map, counts })
        .collect();
    let finish = match samples.end {
        End::Exited(status) => Some(Finish::Exited(status)),
        End::Killed(signal) => Some(Finish::Killed(signal)),
        End::GoesOn | End::AllEnded | End::FileEnd | End::FileBrokenOff => None,
    };
    let mut report = CountReport {
        summary: summarize(&counted),
        facts: facts(&counted),
        quality: Quality::Estimate(words(samples, all, &elsewhere, &repaired)),
        finish,
        verdict: Verdict::None,
        processes: usize::try_from(samples.processes).unwrap_or(usize::MAX).max(1),
        runs: 1,
        is_deterministic: false,
        repetition: None,
        next: Vec::new(),
        calls_known: true,
        listings: Vec::new(),
        machine: std::collections::HashMap::new(),
    };
    let ledger = ledger(arguments, &seen, &counted, &report)?;
    if let Some(path) = &arguments.ledger {
        load::keep(path, &ledger)?;
    }
    let name = program.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let show = Show {
        arguments: &arguments.show,
        output: arguments.output.as_deref(),
        stream: Stream::Stderr,
        title: command(arguments).join(" "),
        ledger: Some(&ledger),
        origin: (name, "program"),
    };
    let unknown = show.write(&mut report, |summary, wanted| list_functions(&counted, summary, wanted))?;
    if !unknown.is_empty() {
        return Err(CliError::Usage(unknown.join("; ")));
    }
    let is_failed = finish.is_some_and(|finish| !finish.is_success()) && !arguments.ignore_status;
    Ok(if is_failed { Status::Program } else { Status::Fine })
}

fn command(arguments: &SampleArguments) -> Vec<String> {
    let inputs = arguments.inputs.iter().map(|input| input.display().to_string());
    let pids = arguments.pid.iter().map(|pid| format!("process {pid}"));
    let words = arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned());
    inputs.chain(pids).chain(words).collect()
}

fn ledger(
    arguments: &SampleArguments,
    seen: &[Seen],
    counted: &[CountedModule<'_>],
    report: &CountReport,
) -> Result<Ledger, CliError> {
    let hashes: Vec<Hash128> = seen.iter().map(|one| one.hash).collect();
    let run = RunFacts {
        machine: machine(),
        command: command(arguments),
        origin: Origin::Repaired,
        quality: Sureness::Estimate,
        world: World::Open,
    };
    make_ledger(counted, &hashes, &report.summary, &run)
        .map_err(|error| CliError::Counters(error.to_string()))
}

/// Modules that were built to be sampled, and hits of other images by path.
fn placed(samples: &Samples) -> Result<(Vec<Seen>, BTreeMap<String, u64>), CliError> {
    let (mut seen, mut elsewhere) = (Vec::new(), BTreeMap::new());
    for image in &samples.images {
        let Some(own) = SampledImage::read(Path::new(&image.path))? else {
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
            "none of {} samples lies in code that opcost built to be sampled{}: {}; build it with opcost sample --emit \
             exe, and let it lie where it ran",
            grouped(total),
            if samples.end == End::FileBrokenOff { ", and the file of samples breaks off" } else { "" },
            others(samples, elsewhere).unwrap_or_else(|| "nobody knows where they are".to_owned())
        ),
    })
}

/// Where samples are that are not the program's, most first.
fn others(samples: &Samples, elsewhere: &BTreeMap<String, u64>) -> Option<String> {
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

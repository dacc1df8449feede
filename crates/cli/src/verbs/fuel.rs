//! `opcost fuel`: what does a program use, and stop it when it is too much.
//!
//! Build (unless a metered program was given), run on the fuel given, say how
//! it ended. The verdict goes to stderr; the program's streams stay its own.

use std::path::Path;

use opcost::fuel::{
    MeteredForm, MeteredProgram, MeteredRequest, MeteredRun, Platform, Product, admission, build,
    build_admitted, build_portable, run as run_metered, run_walled,
};
use opcost_answer::fuel::{Engine, FuelAnswers, Room};
use opcost_answer::run::Finish;
use opcost_answer::{Failure, Status};
use opcost_instrument::{Admission, Portability};
use opcost_report::fuel::check::{CheckedFuel, FuelCheckJson};
use opcost_report::fuel::portable::Elsewhere;
use opcost_report::fuel::run::{FuelJson, FuelReport, FuelVerdict, rejection};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_run::start::Streams;
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::machine::Machine;

use crate::arguments::{FuelArguments, FuelEmit, MachineWord, PortableArguments};
use crate::verbs::inputs::refuse_words;
use crate::verbs::show::save_failure_json;

/// Carries out the verb.
pub(crate) fn run(arguments: &FuelArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &FuelArguments) -> Result<Status, Failure> {
    if arguments.header {
        save_text(arguments.output.as_deref(), opcost_host::HEADER, Stream::Stdout)?;
        return Ok(Status::Fine);
    }
    refuse_words("fuel", &arguments.inputs)?;
    if arguments.trust.check {
        return check(arguments);
    }
    let program = match arguments.inputs.as_slice() {
        [path] if Input::classify(path)?.language == Language::Program => Some(path),
        _ => None,
    };
    if arguments.trust.sandbox {
        return match program {
            None => run_in_sandbox(arguments),
            Some(_) => Err(Failure::Usage(
                "--sandbox builds what it runs, since a program says too little of itself; give its sources or bitcode"
                    .to_owned(),
            )),
        };
    }
    if let Some(path) = program {
        if arguments.emit.is_some() {
            return Err(Failure::Usage("a built program cannot be built again; give its sources".to_owned()));
        }
        return run_program(arguments, path, None);
    }
    let PortableArguments { portable: is_portable, machine, .. } = arguments.portability;
    let platform = match (is_portable, machine) {
        (true, Some(MachineWord::Wasm)) => {
            return Err(Failure::Usage(
                "wasm32-wasi has pointers of 32 bits, so the same sources are another IR there and have another \
                 number; leave --portable"
                    .to_owned(),
            ));
        }
        (true, machine) => return portable(arguments, machine.map_or_else(Machine::at_hand, Machine::from)),
        (false, Some(MachineWord::Wasm)) => Platform::Wasm,
        (false, Some(_)) => {
            return Err(Failure::Usage(
                "--machine builds portable programs, but for wasm32-wasi; give --portable, too".to_owned(),
            ));
        }
        (false, None) => Platform::Native,
    };
    let built = build(&request(arguments, platform), form(arguments))?;
    finish(arguments, &built, None)
}

/// Puts what was built in its place, or runs it.
fn finish<P>(
    arguments: &FuelArguments,
    built: &MeteredProgram<P>,
    portability: Option<&Portability>,
) -> Result<Status, Failure> {
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => built.install(output).map(|()| Status::Fine),
        _ => run_program(arguments, &built.path, portability),
    }
}

/// Builds a program with one number on every machine, and runs it.
fn portable(arguments: &FuelArguments, machine: Machine) -> Result<Status, Failure> {
    let built = build_portable(&request(arguments, Platform::Portable(machine)), form(arguments))?;
    let found = &built.facts;
    if !found.admission.objections.is_empty() {
        return refused(arguments, &found.admission, "not portable", built.cost_model);
    }
    if let Some(path) = &arguments.portability.same_as {
        let elsewhere = Elsewhere::read(path)?;
        // Whoever sees why need not look for it in the code.
        save_text(None, &elsewhere.sysroot_difference().unwrap_or_default(), Stream::Stderr)?;
        if let Some(difference) = elsewhere.code_difference(found)? {
            save_text(None, &difference, Stream::Stderr)?;
            return Ok(Status::Verdict);
        }
    }
    finish(arguments, &built, Some(found))
}

/// Says why it does not run.
fn refused(
    arguments: &FuelArguments,
    admission: &Admission,
    word: &str,
    cost_model: String,
) -> Result<Status, Failure> {
    save_text(None, &rejection(admission, word), Stream::Stderr)?;
    if let Some(path) = &arguments.json {
        save_json(path, &document(&FuelJson::rejected(admission, limit(arguments)?, cost_model)))?;
    }
    Ok(Status::Verdict)
}

/// Says whether the inputs may be metered; builds no program.
fn check(arguments: &FuelArguments) -> Result<Status, Failure> {
    let admission = admission(&request(arguments, Platform::Native), arguments.trust.allowed()?)?;
    let report = CheckedFuel { admission: &admission };
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(arguments.output.as_deref(), &report.text(), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(&FuelCheckJson::new(&admission)))?;
    }
    Ok(if admission.objections.is_empty() { Status::Fine } else { Status::Verdict })
}

/// What the command line asks for.
fn request(arguments: &FuelArguments, platform: Platform) -> MeteredRequest {
    MeteredRequest {
        inputs: arguments.inputs.clone(),
        options: arguments.compile.options(),
        overshoot: (!arguments.unchecked && !arguments.by_segment)
            .then(|| u64::try_from(arguments.overshoot).unwrap_or(u64::MAX)),
        audit: arguments.audit,
        harden: arguments.trust.harden,
        by_segment: arguments.by_segment,
        platform,
        placement_from: arguments.placement_from.clone(),
        listener: |words| opcost_answer::tell!("{words}"),
    }
}

fn form(arguments: &FuelArguments) -> MeteredForm {
    match arguments.emit {
        None | Some(FuelEmit::Exe) => MeteredForm::Program,
        Some(FuelEmit::Shared) => MeteredForm::Plugin,
        Some(FuelEmit::Obj) => MeteredForm::Module(Product::Object),
        Some(FuelEmit::Bc) => MeteredForm::Module(Product::Counted),
        Some(FuelEmit::Anchor) => MeteredForm::Module(Product::Anchor),
    }
}

fn run_program(
    arguments: &FuelArguments,
    program: &Path,
    portability: Option<&Portability>,
) -> Result<Status, Failure> {
    let engine = arguments.portability.engine.map(Engine::from);
    let answers = run_metered(program, &metered_run(arguments)?, arguments.deterministic, engine)?;
    let functions = portability.map(|found| &*found.functions);
    show_report(arguments, FuelReport { answers: &answers, functions })
}

/// Checks the inputs, builds them, and runs the program within walls.
fn run_in_sandbox(arguments: &FuelArguments) -> Result<Status, Failure> {
    let run = metered_run(arguments)?;
    let built = build_admitted(&request(arguments, Platform::Native), arguments.trust.allowed()?)?;
    if !built.facts.objections.is_empty() {
        return refused(arguments, &built.facts, "rejected", built.cost_model);
    }
    let room = Room { memory: arguments.trust.memory, time: arguments.trust.seconds };
    let releases = |answers: &FuelAnswers| {
        FuelReport { answers, functions: None }.verdict() == FuelVerdict::Finished || arguments.trust.partial
    };
    let answers = run_walled(&built.path, &run, room, releases)?;
    show_report(arguments, FuelReport { answers: &answers, functions: None })
}

fn limit(arguments: &FuelArguments) -> Result<Option<u64>, Failure> {
    match arguments.limit.map(u64::try_from) {
        None => Ok(None),
        Some(Ok(limit)) if limit <= i64::MAX as u64 / 2 => Ok(Some(limit)),
        Some(_) => Err(Failure::Usage("--limit goes up to 4.6 · 10^18 instructions".to_owned())),
    }
}

fn metered_run(arguments: &FuelArguments) -> Result<MeteredRun, Failure> {
    Ok(MeteredRun {
        arguments: arguments.arguments.clone(),
        limit: limit(arguments)?,
        streams: Streams {
            stdin: arguments.stdin.clone(),
            stdout: arguments.stdout.clone(),
            stderr: None,
            stdout_to_stderr: arguments.json.as_deref() == Some(Path::new("-")),
        },
    })
}

/// Says what came of it, and gives the exit status.
fn show_report(arguments: &FuelArguments, report: FuelReport<'_>) -> Result<Status, Failure> {
    save_text(None, &report.text(), Stream::Stderr)?;
    if let Some(path) = &arguments.json {
        save_json(path, &document(&FuelJson::new(&report)))?;
    }
    Ok(match (report.verdict(), report.answers.spending.finish) {
        (
            FuelVerdict::UsedUp
            | FuelVerdict::Rejected
            | FuelVerdict::Time
            | FuelVerdict::Blocked
            | FuelVerdict::Memory,
            _,
        ) => Status::Verdict,
        (FuelVerdict::Interrupted, _) => {
            Status::Interrupted(report.answers.spending.interrupted.unwrap_or_default())
        }
        (FuelVerdict::Finished, Finish::Exited(0)) => Status::Fine,
        _ => Status::Program,
    })
}

//! `opcost fuel`: what does a program use, and stop it when it is too much.
//!
//! Build (unless a metered program was given), run on the fuel given, say how
//! it ended. The verdict goes to stderr; the program's streams stay its own.

use std::path::Path;

use opcost_instrument::Portability;

use crate::arguments::{FuelArguments, FuelEmit, MachineWord, PortableArguments};
use crate::verbs::count::note_unlike_run;
use crate::verbs::inputs::inputs_of;
use crate::verbs::show::save_failure_json;
use opcost::earlier::{last_run, named_run};
use opcost_answer::fuel::{Engine, Promise, Room, Spending};
use opcost_answer::run::Finish;
use opcost_answer::{Failure, Status};
use opcost_job::module::Product;
use opcost_report::fuel::check::{CheckedFuel, FuelCheckJson};
use opcost_report::fuel::portable::Elsewhere;
use opcost_report::fuel::run::{FuelJson, FuelReport, FuelVerdict, rejection};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_run::deterministic::FixedWorld;
use opcost_run::fuel::{FuelRun, is_metered, spend};
use opcost_run::sandbox::spend_walled;
use opcost_run::start::Streams;
use opcost_toolchain::build::{Build, Platform, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::machine::Machine;
use opcost_toolchain::options::CompileOptions;

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
    let inputs = inputs_of("fuel", &arguments.inputs)?;
    if arguments.trust.check {
        return check(arguments, &inputs);
    }
    if arguments.trust.sandbox {
        return run_walled(arguments, &inputs);
    }
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        if arguments.emit.is_some() {
            return Err(Failure::Usage("a built program cannot be built again; give its sources".to_owned()));
        }
        return run_program(arguments, path);
    }
    if inputs.iter().any(|input| input.language == Language::Program) {
        return Err(Failure::Usage("a built program runs alone; give either it or sources".to_owned()));
    }
    let PortableArguments { portable: is_portable, machine, .. } = arguments.portability;
    match (is_portable, machine) {
        (true, Some(MachineWord::Wasm)) => {
            return Err(Failure::Usage(
                "wasm32-wasi has pointers of 32 bits, so the same sources are another IR there and have another \
                 number; leave --portable"
                    .to_owned(),
            ));
        }
        (true, _) => return portable(arguments, &inputs),
        (false, Some(MachineWord::Wasm)) => return wasm(arguments, &inputs),
        (false, Some(_)) => {
            return Err(Failure::Usage(
                "--machine builds portable programs, but for wasm32-wasi; give --portable, too".to_owned(),
            ));
        }
        (false, None) => {}
    }
    if arguments.trust.harden && arguments.emit == Some(FuelEmit::Shared) {
        return Err(Failure::Usage("--harden is for programs; a host keeps a plug-in's counter".to_owned()));
    }
    let build = placed_build(arguments)?;
    let made = build.path("made");
    let building = Progress::start("building the metered program");
    match arguments.emit {
        None | Some(FuelEmit::Exe) => build.program(&inputs, &made)?,
        Some(FuelEmit::Shared) => build.plugin(&inputs, &made)?,
        Some(FuelEmit::Obj) => build.module(only(&inputs)?, Product::Object, &made)?,
        Some(FuelEmit::Bc) => build.module(only(&inputs)?, Product::Counted, &made)?,
        Some(FuelEmit::Anchor) => build.module(only(&inputs)?, Product::Anchor, &made)?,
    }
    drop(building);
    note_unlike_run(&build);
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => install(&made, output).map(|()| Status::Fine),
        _ => run_program(arguments, &made),
    }
}

/// A build for this machine, in which an earlier run says where little ran.
fn placed_build(arguments: &FuelArguments) -> Result<Build, Failure> {
    let earlier = arguments.placement_from.as_deref().map(named_run).transpose()?;
    let options = CompileOptions { earlier, ..arguments.compile.options() };
    let mut build = Build::new(&options, purpose(arguments))?;
    if arguments.emit.is_none() && build.options.earlier.is_none() {
        build.options.earlier = last_run(&arguments.inputs, &build.path("branches"));
    }
    Ok(build)
}

/// Builds a program for WebAssembly, and runs it.
fn wasm(arguments: &FuelArguments, inputs: &[Input]) -> Result<Status, Failure> {
    let mut build = Build::new(&arguments.compile.options(), purpose(arguments))?;
    build.platform = Platform::Wasm;
    let product = match arguments.emit {
        None | Some(FuelEmit::Exe) => Product::Object,
        Some(FuelEmit::Bc) => Product::Counted,
        Some(FuelEmit::Anchor) => Product::Anchor,
        Some(FuelEmit::Obj | FuelEmit::Shared) => {
            return Err(Failure::Usage(
                "a program for wasm32-wasi is whole: --emit exe, bc or anchor".to_owned(),
            ));
        }
    };
    let made = build.path("made");
    let building = Progress::start("building the metered program");
    build.wasm(inputs, product, &made)?;
    drop(building);
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => install(&made, output).map(|()| Status::Fine),
        _ => run_program(arguments, &made),
    }
}

/// Builds a program with one number on every machine, and runs it.
fn portable(arguments: &FuelArguments, inputs: &[Input]) -> Result<Status, Failure> {
    let mut build = Build::new(&arguments.compile.options(), purpose(arguments))?;
    let machine = arguments.portability.machine.map_or_else(Machine::at_hand, Machine::from);
    build.platform = Platform::Portable(machine);
    let product = match arguments.emit {
        None | Some(FuelEmit::Exe) => Product::Object,
        Some(FuelEmit::Bc) => Product::Counted,
        Some(FuelEmit::Anchor) => Product::Anchor,
        Some(FuelEmit::Obj | FuelEmit::Shared) => {
            return Err(Failure::Usage("a portable program is whole: --emit exe, bc or anchor".to_owned()));
        }
    };
    let made = build.path("made");
    let building = Progress::start("building the portable program");
    let found = build.portable(machine, inputs, product, &made)?;
    drop(building);
    if !found.admission.objections.is_empty() {
        save_text(None, &rejection(&found.admission, "not portable"), Stream::Stderr)?;
        if let Some(path) = &arguments.json {
            let limit = limit(arguments)?;
            save_json(
                path,
                &document(&FuelJson::rejected(&found.admission, limit, build.cost.facts().name)),
            )?;
        }
        return Ok(Status::Verdict);
    }
    if let Some(path) = &arguments.portability.same_as {
        let elsewhere = Elsewhere::read(path)?;
        // Whoever sees why need not look for it in the code.
        save_text(None, &elsewhere.sysroot_difference().unwrap_or_default(), Stream::Stderr)?;
        if let Some(difference) = elsewhere.code_difference(&found)? {
            save_text(None, &difference, Stream::Stderr)?;
            return Ok(Status::Verdict);
        }
    }
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => install(&made, output).map(|()| Status::Fine),
        _ => run_built(arguments, &made, Some(&found)),
    }
}

/// Says whether the inputs may be metered; builds no program.
fn check(arguments: &FuelArguments, inputs: &[Input]) -> Result<Status, Failure> {
    let mut build = Build::new(&arguments.compile.options(), purpose(arguments))?;
    let admission = build.admission(inputs, arguments.trust.allowed()?)?;
    let report = CheckedFuel { admission: &admission };
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(arguments.output.as_deref(), &report.text(), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(&FuelCheckJson::new(&admission)))?;
    }
    Ok(if admission.objections.is_empty() { Status::Fine } else { Status::Verdict })
}

fn purpose(arguments: &FuelArguments) -> Purpose {
    Purpose::Fuel {
        overshoot: (!arguments.unchecked && !arguments.by_segment)
            .then(|| u64::try_from(arguments.overshoot).unwrap_or(u64::MAX)),
        audit: arguments.audit,
        harden: arguments.trust.harden,
        by_segment: arguments.by_segment,
    }
}

fn only(inputs: &[Input]) -> Result<&Input, Failure> {
    match inputs {
        [input] => Ok(input),
        _ => Err(Failure::Usage("--emit obj and --emit bc take one input".to_owned())),
    }
}

fn run_program(arguments: &FuelArguments, program: &Path) -> Result<Status, Failure> {
    run_built(arguments, program, None)
}

fn run_built(
    arguments: &FuelArguments,
    program: &Path,
    portability: Option<&Portability>,
) -> Result<Status, Failure> {
    let promises = is_metered(program)?;
    if arguments.limit.is_some() && overshoot(&promises).is_none() {
        return Err(Failure::Usage(format!(
            "{} was built with --unchecked, so nothing can stop it; build it without, or leave --limit",
            program.display()
        )));
    }
    let (limit, streams) = (limit(arguments)?, streams(arguments));
    let world = arguments.deterministic.then(|| FixedWorld::for_program(program)).transpose()?;
    let engine = arguments.portability.engine.map(Engine::from);
    let spending = spend(&run_of(program, arguments, limit, &streams), world.as_ref(), engine)?;
    show_report(arguments, &report(&spending, limit, &promises, portability)?)
}

/// Checks the inputs, builds them, and runs the program within walls.
fn run_walled(arguments: &FuelArguments, inputs: &[Input]) -> Result<Status, Failure> {
    if inputs.iter().any(|input| input.language == Language::Program) {
        return Err(Failure::Usage(
            "--sandbox builds what it runs, since a program says too little of itself; give its sources or bitcode"
                .to_owned(),
        ));
    }
    let (limit, streams) = (limit(arguments)?, streams(arguments));
    let mut build = placed_build(arguments)?;
    let made = build.path("made");
    let building = Progress::start("building the metered program");
    let admission = build.admitted_program(inputs, arguments.trust.allowed()?, &made)?;
    drop(building);
    note_unlike_run(&build);
    if !admission.objections.is_empty() {
        save_text(None, &rejection(&admission, "rejected"), Stream::Stderr)?;
        if let Some(path) = &arguments.json {
            save_json(path, &document(&FuelJson::rejected(&admission, limit, build.cost.facts().name)))?;
        }
        return Ok(Status::Verdict);
    }
    let promises = is_metered(&made)?;
    let room = Room { memory: arguments.trust.memory, time: arguments.trust.seconds };
    let walled = spend_walled(&run_of(&made, arguments, limit, &streams), room)?;
    let report = report(&walled.spending, limit, &promises, None)?;
    if report.verdict() == FuelVerdict::Finished || arguments.trust.partial {
        walled.release(&streams)?;
    }
    show_report(arguments, &report)
}

/// The most work between two checks in all modules; none if one has no checks.
fn overshoot(promises: &[Promise]) -> Option<u64> {
    let all: Option<Vec<u64>> = promises.iter().map(|promise| promise.overshoot).collect();
    all?.into_iter().max()
}

/// Stores of all modules, and those that are asked first; none if one module asks none.
fn guarded(promises: &[Promise]) -> Option<(u32, u32)> {
    let all: Option<Vec<(u32, u32)>> = promises.iter().map(|promise| promise.guarded).collect();
    all.map(|all| all.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1)))
}

fn limit(arguments: &FuelArguments) -> Result<Option<u64>, Failure> {
    match arguments.limit.map(u64::try_from) {
        None => Ok(None),
        Some(Ok(limit)) if limit <= i64::MAX as u64 / 2 => Ok(Some(limit)),
        Some(_) => Err(Failure::Usage("--limit goes up to 4.6 · 10^18 instructions".to_owned())),
    }
}

fn streams(arguments: &FuelArguments) -> Streams {
    Streams {
        stdin: arguments.stdin.clone(),
        stdout: arguments.stdout.clone(),
        stderr: None,
        stdout_to_stderr: arguments.json.as_deref() == Some(Path::new("-")),
    }
}

/// The run that is wanted.
fn run_of<'a>(
    program: &'a Path,
    arguments: &'a FuelArguments,
    limit: Option<u64>,
    streams: &'a Streams,
) -> FuelRun<'a> {
    FuelRun { program, arguments: &arguments.arguments, limit, streams }
}

/// What there is to show of a run.
fn report<'a>(
    spending: &'a Spending,
    limit: Option<u64>,
    promises: &'a [Promise],
    portability: Option<&'a Portability>,
) -> Result<FuelReport<'a>, Failure> {
    Ok(FuelReport {
        spending,
        limit,
        cost_model: cost_models(promises)?,
        overshoot: overshoot(promises),
        guarded: guarded(promises),
        code: promises.iter().find_map(|promise| promise.portable.as_deref()),
        sysroot: promises.iter().find_map(|promise| promise.sysroot.as_deref()),
        functions: portability.map(|found| &*found.functions),
    })
}

/// Says what came of it, and gives the exit status.
fn show_report(arguments: &FuelArguments, report: &FuelReport<'_>) -> Result<Status, Failure> {
    save_text(None, &report.text(), Stream::Stderr)?;
    if let Some(path) = &arguments.json {
        save_json(path, &document(&FuelJson::new(report)))?;
    }
    Ok(match (report.verdict(), report.spending.finish) {
        (
            FuelVerdict::UsedUp
            | FuelVerdict::Rejected
            | FuelVerdict::Time
            | FuelVerdict::Blocked
            | FuelVerdict::Memory,
            _,
        ) => Status::Verdict,
        (FuelVerdict::Interrupted, _) => Status::Interrupted(report.spending.interrupted.unwrap_or_default()),
        (FuelVerdict::Finished, Finish::Exited(0)) => Status::Fine,
        _ => Status::Program,
    })
}

/// The one model by which all modules of a program pay.
fn cost_models(promises: &[Promise]) -> Result<String, Failure> {
    let mut names: Vec<&str> = promises.iter().map(|promise| promise.cost_model.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [name] => Ok(name.to_owned()),
        _ => Err(Failure::Counters(format!(
            "the program's modules pay by different cost models ({}); build all of them alike",
            names.join(", ")
        ))),
    }
}

//! `opcost predict --counts --timing`: how long does a program take, by exact counts?
//!
//! The ledger says which modules were counted and how they were compiled; they are compiled so
//! again, to the same anchor, and a process of its own works out what their machine code did. What
//! that takes stands in a timing file.

use std::collections::BTreeSet;
use std::path::Path;

use crate::arguments::PredictTimeArguments;
use crate::verbs::export;
use crate::verbs::life_ledger::compile_as;
use crate::verbs::show::save_failure_json;
use crate::verbs::timing::read_timing;
use opcost::ledgers;
use opcost_answer::work::ProgramWork;
use opcost_answer::{Failure, Status};
use opcost_job::work::WorkModule;
use opcost_profile::{Ledger, ModuleFacts};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::timing::{TimeJson, TimeReport, print_time};
use opcost_timing::{Factors, Timing, price};
use opcost_toolchain::build::{Build, Optimiser, Purpose, Simulated, processor};
use opcost_toolchain::input::Input;

/// Carries out the verb.
pub(crate) fn run(arguments: &PredictTimeArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &PredictTimeArguments) -> Result<Status, Failure> {
    let timing = read_timing(&arguments.timing)?;
    let ledger = ledgers::counts(&arguments.counts, None)?;
    let working = Progress::start("simulating the machine code");
    let work = work_of(&ledger, &arguments.counts, &timing)?;
    drop(working);
    fits(&work, &timing, &arguments.timing)?;
    let here = processor()?;
    let found = price(&work, &timing, Factors::default(), arguments.source.into());
    let report = TimeReport {
        predicted: &found,
        work: &work,
        timing: &timing,
        name: arguments.timing.display().to_string(),
        is_of_this_machine: here.name == timing.processor.model,
        seconds_measured: arguments.against_seconds,
    };
    if let Some(path) = &arguments.json {
        save_json(path, &document(&TimeJson::new(&report)))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(arguments.output.as_deref(), &print_time(&report, screen_width()), Stream::Stdout)?;
    }
    Ok(Status::Fine)
}

/// What the program of a ledger did.
fn work_of(ledger: &Ledger, origin: &Path, timing: &Timing) -> Result<ProgramWork, Failure> {
    // Each process that ran a module has told of it.
    let mut names = BTreeSet::new();
    let modules: Vec<&ModuleFacts> =
        ledger.about.modules.iter().filter(|facts| names.insert(&facts.module)).collect();
    let Some(first) = modules.first() else {
        return Err(Failure::Counters(format!("{} has no modules", origin.display())));
    };
    let options = compile_as(first, &ledger.about.cost.name);
    let build = Build::new(&options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let mut compiled = Vec::new();
    for (position, facts) in modules.iter().enumerate() {
        let module = export::compile(facts, ledger, position, &build)?;
        let own = Build::new(
            &compile_as(facts, &ledger.about.cost.name),
            Purpose::Sample { optimiser: Optimiser::BeforeAnchor },
        )?;
        compiled
            .push(WorkModule { module, code: own.code_options(&Input::classify(Path::new(&facts.module))?) });
    }
    let file = build.path("counts.opc");
    ledgers::save(&file, ledger)?;
    build.work(
        file,
        compiled,
        Simulated { processor: &timing.processor.model, capacities: timing.memory.capacities() },
    )
}

/// Whether the program's code is for the machine of the timing file.
fn fits(work: &ProgramWork, timing: &Timing, path: &Path) -> Result<(), Failure> {
    let wanted = &timing.processor.target;
    let other = work.targets.iter().find(|target| target.split('-').next() != Some(wanted));
    match other {
        None => Ok(()),
        Some(target) => Err(Failure::Usage(format!(
            "{} is of a machine for {wanted}, and the program is for {target}; measure on such a machine",
            path.display()
        ))),
    }
}

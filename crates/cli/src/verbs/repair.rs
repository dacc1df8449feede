//! `opcost repair`: sampled counts, made consistent.
//!
//! The ledger holds what samples say of each segment; the program's map says how flow
//! goes. Both must be of one build, which is checked function by function.

use std::path::{Path, PathBuf};

use opcost_index::Id;
use opcost_key::{Hash128, ModuleMap};
use opcost_profile::{Ledger, Origin, Quality, World};
use opcost_recover::{
    CountedModule, Course, MODEL_ERROR, Moved, RawObservations, RepairOptions, RepairSolver, Repaired,
    RunFacts, SampledModule, Starts, make_ledger, moves, raw_observations, repair, summarize,
};

use super::count::shown;
use super::show::save_failure_json;
use crate::arguments::RepairArguments;
use opcost::ledgers;
use opcost_answer::{Failure, Status};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::ledger::repair::{MovedJson, RepairJson, print_repair};
use opcost_run::image::SampledImage;
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::{Input, Language};

/// Carries out the verb.
pub(crate) fn run(arguments: &RepairArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &RepairArguments) -> Result<Status, Failure> {
    let ledger = ledgers::counts(&arguments.raw, None)?;
    let image = image(arguments, &ledger)?;
    let maps: Vec<&ModuleMap> = image.modules.iter().map(|(_, map, _)| map).collect();
    let raw = raw_observations(&ledger, &maps).ok_or_else(|| {
        Failure::Usage(format!(
            "{} holds no samples: its counts were counted or repaired already; opcost sample --raw FILE writes what \
             is to be repaired",
            shown(&arguments.raw)
        ))
    })?;
    if samples(&raw) == 0 {
        return Err(Failure::Counters(format!(
            "no function that was sampled in {} is in this program as it was then: give the program that was sampled, \
             or build its sources with the same flags",
            shown(&arguments.raw)
        )));
    }
    let working = Progress::start("making the counts consistent");
    let modules: Vec<SampledModule<'_>> =
        maps.iter().zip(&raw.modules).map(|(map, observed)| SampledModule { map, observed }).collect();
    let runs = ledger.about.runs.max(1);
    let options = RepairOptions {
        cycles_per_sample: raw.cycles_per_sample,
        error: MODEL_ERROR,
        solver: arguments.solver,
        // How many processes each run had is not kept, nor whether branches were recorded.
        starts: Starts { least: runs, most: u64::MAX },
    };
    let repaired = repair(&modules, options).map_err(|error| Failure::Counters(error.to_string()))?;
    drop(working);
    if let Some(path) = &arguments.output {
        ledgers::save(path, &made(&image, &repaired, &ledger)?)?;
    }
    let moved = moves(&modules, &repaired.counts, raw.cycles_per_sample);
    let outcome = Outcome { maps: &maps, raw: &raw, repaired: &repaired, moved: &moved };
    let answer = outcome.answer(arguments.solver);
    if let Some(path) = &arguments.json {
        save_json(path, &document(&answer))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(None, &print_repair(&answer), Stream::Stdout)?;
    }
    match &arguments.output {
        Some(path) => opcost_answer::tell!("next: opcost report {}", shown(path)),
        None => opcost_answer::tell!("next: opcost repair {} -o repaired.opc", shown(&arguments.raw)),
    }
    Ok(Status::Fine)
}

/// The program that was sampled: as given, built again, or as the ledger names it.
fn image(arguments: &RepairArguments, ledger: &Ledger) -> Result<SampledImage, Failure> {
    let named = ledger.about.commands.first().and_then(|words| words.first()).map(PathBuf::from);
    let inputs = match (arguments.inputs.as_slice(), named) {
        ([], Some(named)) if named.is_file() => vec![named],
        ([], _) => {
            return Err(Failure::Usage(format!(
                "the program that was sampled is not where {} says: name it or its sources after the ledger, opcost \
                 repair {} PROG",
                shown(&arguments.raw),
                shown(&arguments.raw)
            )));
        }
        (given, _) => given.to_vec(),
    };
    let inputs = Input::all(inputs.iter().map(|path| &**path))?;
    let read = |path: &Path| {
        SampledImage::read(path)?
            .ok_or_else(|| Failure::Usage(format!("{}: {}", shown(path), SampledImage::why_not(path))))
    };
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        return read(path);
    }
    let build =
        Build::new(&arguments.compile.options(), Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let program = build.path("program");
    let building = Progress::start("building the program");
    build.program(&inputs, &program)?;
    drop(building);
    read(&program)
}

/// The ledger of the consistent counts.
fn made(image: &SampledImage, repaired: &Repaired, raw: &Ledger) -> Result<Ledger, Failure> {
    let counted: Vec<CountedModule<'_>> = (image.modules.iter().zip(&repaired.counts))
        .map(|((_, map, _), counts)| CountedModule { map, counts })
        .collect();
    let hashes: Vec<Hash128> = image.modules.iter().map(|(hash, _, _)| *hash).collect();
    let run = RunFacts {
        machine: raw.about.machines.first().cloned().unwrap_or_default(),
        command: raw.about.commands.first().cloned().unwrap_or_default(),
        origin: Origin::Repaired,
        quality: Quality::Estimate,
        world: World::Open,
        course: Course::default(),
    };
    let mut ledger = make_ledger(&counted, &hashes, &summarize(&counted), &run)
        .map_err(|error| Failure::Counters(error.to_string()))?;
    ledger.about.runs = raw.about.runs;
    ledger.about.commands.clone_from(&raw.about.commands);
    ledger.about.machines.clone_from(&raw.about.machines);
    Ok(ledger)
}

/// How many samples hit what is in the program.
fn samples(raw: &RawObservations) -> u64 {
    raw.modules.iter().map(|module| module.samples()).sum()
}

/// What was made consistent, of which modules, and how far counts moved.
struct Outcome<'a> {
    maps: &'a [&'a ModuleMap],
    raw: &'a RawObservations,
    repaired: &'a Repaired,
    moved: &'a [Moved],
}

impl Outcome<'_> {
    /// The same as it is printed.
    fn answer(&self, solver: RepairSolver) -> RepairJson {
        let Outcome { maps, raw, repaired, moved } = *self;
        let sum = |of: fn(&Moved) -> f64| moved.iter().map(of).sum();
        let narrow = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
        let function = |one: &Moved| {
            let map = maps[one.module];
            let function = &map.functions[one.function];
            let (segment, block_before, block_after) = one.most;
            let mut places =
                function.instructions_of(segment).filter_map(|id| function.instructions[id].place);
            let line = places.find_map(|place| Some(&map.places[place]).filter(|place| place.line > 0));
            MovedJson {
                name: function.name.clone(),
                module: map.module.clone(),
                before: one.before,
                after: one.after,
                moved: one.moved,
                block: u32::try_from(function.segments[segment].block.index()).unwrap_or(u32::MAX),
                file: line.map(|place| map.files[place.file].clone()),
                line: line.map(|place| place.line),
                block_before,
                block_after,
            }
        };
        RepairJson {
            schema: "opcost.repair/1",
            solver: match solver {
                RepairSolver::Likeliest => "likeliest",
                RepairSolver::Classic => "classic",
            },
            is_optimal: repaired.is_optimal,
            samples: samples(raw),
            before: sum(|one| one.before),
            after: sum(|one| one.after),
            moved: sum(|one| one.moved),
            calls: narrow(repaired.entries),
            calls_from_outside: narrow(repaired.from_outside),
            left: narrow(repaired.left),
            functions: moved.iter().map(function).collect(),
            refused: raw.refused.clone(),
        }
    }
}

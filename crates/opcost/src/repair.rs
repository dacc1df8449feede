//! Sampled counts, made consistent: what has to move?
//!
//! The ledger holds what samples say of each segment; the program's map says how flow
//! goes. Both must be of one build, which is checked function by function.
//!
//! Input: a [`RepairRequest`]. Output: [`RepairedCounts`]. Cost: the solver's; the program is built if sources are
//! given.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::repair::{MovedFunction, RepairAnswers, RepairDocumentName};
use opcost_index::Id;
use opcost_key::{Hash128, ModuleMap};
use opcost_profile::Ledger;
pub use opcost_recover::RepairSolver;
use opcost_recover::{Moved, RawObservations, Repaired, SampledModule, consistent, moves, raw_observations};
use opcost_run::image::SampledImage;
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

use crate::ledgers;
use crate::progress::work;

/// Which samples are repaired, and how.
#[derive(Clone, Debug)]
pub struct RepairRequest {
    /// A ledger of samples.
    pub samples: PathBuf,
    /// The program that was sampled, or its sources; none: where the ledger says it is.
    pub inputs: Vec<PathBuf>,
    /// How sources are compiled.
    pub options: CompileOptions,
    /// By which solver.
    pub solver: RepairSolver,
}

/// Consistent counts.
#[derive(Clone, Debug)]
pub struct RepairedCounts {
    /// What moved.
    pub answers: RepairAnswers,
    /// The counts.
    pub ledger: Ledger,
}

/// Makes counts of samples consistent.
///
/// # Errors
/// The ledger has no samples, or is of another program; the program cannot be found or built.
pub fn repair(request: &RepairRequest) -> Result<RepairedCounts, Failure> {
    let ledger = ledgers::counts(&request.samples, None)?;
    let image = image(request, &ledger)?;
    let maps: Vec<&ModuleMap> = image.modules.iter().map(|(_, map, _)| map).collect();
    let raw = raw_observations(&ledger, &maps).ok_or_else(|| {
        Failure::Usage(format!(
            "{} holds no samples: its counts were counted or repaired already; opcost sample --raw FILE writes what \
             is to be repaired",
            request.samples.display()
        ))
    })?;
    if samples(&raw) == 0 {
        return Err(Failure::Counters(format!(
            "no function that was sampled in {} is in this program as it was then. Give the program that was sampled, \
             or build its sources with the same flags",
            request.samples.display()
        )));
    }
    let working = work("making the counts consistent");
    let hashes: Vec<Hash128> = image.modules.iter().map(|(hash, _, _)| *hash).collect();
    let made = consistent(&ledger, &raw, &maps, &hashes, request.solver)
        .map_err(|error| Failure::Counters(error.to_string()))?;
    drop(working);
    let modules: Vec<SampledModule<'_>> =
        maps.iter().zip(&raw.modules).map(|(map, observed)| SampledModule { map, observed }).collect();
    let moved = moves(&modules, &made.repaired.counts, raw.cycles_per_sample);
    let outcome = Outcome { maps: &maps, raw: &raw, repaired: &made.repaired, moved: &moved };
    Ok(RepairedCounts { answers: outcome.answer(request.solver), ledger: made.ledger })
}

/// The program that was sampled: as given, built again, or as the ledger names it.
fn image(request: &RepairRequest, ledger: &Ledger) -> Result<SampledImage, Failure> {
    let named = ledger.about.commands.first().and_then(|words| words.first()).map(PathBuf::from);
    let inputs = match (request.inputs.as_slice(), named) {
        ([], Some(named)) if named.is_file() => vec![named],
        ([], _) => {
            return Err(Failure::Usage(format!(
                "the program that was sampled is not where {} says: name it or its sources after the ledger, opcost \
                 repair {} PROG",
                request.samples.display(),
                request.samples.display()
            )));
        }
        (given, _) => given.to_vec(),
    };
    let inputs = Input::all(inputs.iter().map(|path| &**path))?;
    let read = |path: &Path| {
        SampledImage::read(path)?
            .ok_or_else(|| Failure::Usage(format!("{}: {}", path.display(), SampledImage::why_not(path))))
    };
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        return read(path);
    }
    let build = Build::new(&request.options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let program = build.path("program");
    let building = work("building the program");
    build.program(&inputs, &program)?;
    drop(building);
    read(&program)
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
    fn answer(&self, solver: RepairSolver) -> RepairAnswers {
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
            MovedFunction {
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
        RepairAnswers {
            schema: RepairDocumentName,
            solver: match solver {
                RepairSolver::Likeliest => "likeliest".to_owned(),
                RepairSolver::Classic => "classic".to_owned(),
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

//! From a prediction to plain answers, and to a ledger with the keys of a count.
//!
//! The program is surveyed as if it were counted. Its map has the weights, and the hashes by which a
//! counted ledger knows the same code. What is predicted becomes the counts of that map. Facts have
//! the origin `predicted`; of what is not known there is no value, but the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_answer::predict::{
    Executions, OpenInput, PredictAnswers, PredictedBlock, PredictedClass, PredictedFunction,
    PredictionSource,
};
use opcost_answer::slice::{BlockPosition, SliceCells, SliceCounts};
use opcost_claims::{Bindings, Claims};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, IdMap};
use opcost_instrument::{Bodies, InstrumentRequest, survey};
use opcost_ir::FunctionText;
use opcost_job::program::PredictJob;
use opcost_key::{
    BlockId, BuildFacts, FunctionId, FunctionKey, FunctionMap, Hash128, ModuleMap, Place, PlaceId, Placement,
    SegmentId,
};
use opcost_llvm::{Maker, Session};
use opcost_predict::fraction::{Fraction, rounded, to_f64, whole};
use opcost_predict::{
    Averages, BlockPrediction, Class, FunctionPrediction, LoopRun, Measured, Prediction, Wishes, predict,
    static_frequencies,
};
use opcost_profile::formats::map::write_map;
use opcost_profile::formats::opc::save_ledger;
use opcost_profile::{Fact, Ledger, LedgerError, Origin, Quality, Subject};
use opcost_recover::{
    CountedModule, Course, FunctionCounts, ModuleCounts, RecoverError, RunFacts, implied_edges, make_ledger,
    summarize,
};

use crate::error::WorkError;
use crate::names::name_files;
use crate::weights::{runs, weights};

/// Executions of all blocks.
///
/// # Errors
/// A name that has a number is in no formula; the ledger cannot be written.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    session: &mut Session,
    job: &PredictJob,
) -> Result<PredictAnswers, WorkError> {
    let bindings = super::inputs::bindings(&job.inputs);
    if !job.inputs.bindings.is_empty() {
        let own =
            Bindings { given: job.inputs.bindings.clone(), reads: bindings.reads, ..Bindings::default() };
        super::loops::check(&job.inputs.bindings, &Claims::compute(program, &own))?;
    }
    let averages = match &job.trip_counts {
        Some(path) => super::averages::of_run(program.module, path)?,
        None => Averages::default(),
    };
    let wishes = Wishes {
        is_guess: job.is_guess,
        // What is given for a name may be another number than memory holds.
        is_followed: job.inputs.bindings.is_empty(),
        averages,
        measured: job.measured.as_ref().map(|counts| measured(program, counts)).transpose()?,
    };
    let (prediction, _) = predict(program, &bindings, &wishes);
    let map = map(program, job)?;
    let made = Made { program, session, map: &map, prediction: &prediction };
    let functions: Vec<PredictedFunction> =
        program.module.functions.ids().filter_map(|id| made.function(id)).collect();
    let mut total = whole(0);
    for (id, function) in prediction.functions.iter() {
        let Some(function) = function else { continue };
        let weights = weights(&map.functions[id], &function.cut_offs);
        for (block, one) in function.blocks.iter().filter(|(_, one)| one.executions.is_some()) {
            total += &one.least * whole(weights[block]);
        }
    }
    let is_open = functions.iter().flat_map(|one| &one.blocks).any(|block| block.executions.is_none());
    let no_ledger = match &job.ledger {
        Some(path) => match ledger(program, job, &map, &prediction)? {
            Ok(ledger) => {
                save_ledger(path, &ledger).map_err(|error| WorkError::Refused(error.to_string()))?;
                None
            }
            Err(reason) => Some(reason.to_string()),
        },
        None => None,
    };
    let inputs = prediction.inputs.iter();
    Ok(PredictAnswers {
        world: if program.roots.world == World::Closed { "closed" } else { "open" }.to_owned(),
        has_main: prediction.has_main,
        early_end: prediction.early_end.map(|(id, block)| made.end(id, block)),
        functions,
        inputs: inputs
            .map(|one| OpenInput {
                name: one.name.clone(),
                about: one.about.clone(),
                flag: format!("--set '{}=VALUE'", one.name),
            })
            .collect(),
        total: rounded(&total).to_string(),
        slice_run: None,
        source: match (&job.measured, &job.trip_counts) {
            (Some(_), _) => PredictionSource::Slice,
            (None, Some(_)) => PredictionSource::TripCounts,
            (None, None) => PredictionSource::Code,
        },
        is_open,
        no_ledger,
        code: opcost_certificate::fingerprint(program.module).to_string(),
    })
}

/// Counts of a run of the slice, by blocks and loops of the program.
fn measured(program: &MemoryModel<'_>, run: &SliceCounts) -> Result<Measured, WorkError> {
    let SliceCells { loops, blocks } = &run.cells;
    let is_whole = run.counts.len() >= 2 * loops.len() + blocks.len();
    if !is_whole || run.code != opcost_certificate::fingerprint(program.module).to_string() {
        return Err(WorkError::Refused(
            "the slice that was run is of other code than is predicted (a defect of opcost, please report it)"
                .to_owned(),
        ));
    }
    let mut measured = Measured::default();
    let at = |one: &BlockPosition| (FunctionId::new(one.function as usize), BlockId::new(one.block as usize));
    for (one, counts) in loops.iter().zip(run.counts.chunks_exact(2)) {
        let (function, header) = at(one);
        measured.add_loop(function, header, LoopRun { entries: counts[0], headers: counts[1] });
    }
    for (one, &count) in blocks.iter().zip(&run.counts[2 * loops.len()..]) {
        let (function, block) = at(one);
        measured.add_block(function, block, count);
    }
    Ok(measured)
}

/// The map of the program as it is.
fn map(program: &MemoryModel<'_>, job: &PredictJob) -> Result<ModuleMap, WorkError> {
    let name = job.build.modules.first().cloned().unwrap_or_default();
    Ok(survey(program.module, &request(job, name, &program.module.triple), Bodies::Own)?)
}

fn request(job: &PredictJob, module: String, target: &str) -> InstrumentRequest<'static> {
    let build = &job.build;
    InstrumentRequest {
        module,
        anchor: build.anchor,
        build: BuildFacts {
            compiler: build.compiler.clone().unwrap_or_else(|| "an unknown compiler".to_owned()),
            flags: build.flags.clone(),
            target: target.to_owned(),
            opcost: env!("CARGO_PKG_VERSION").to_owned(),
            placement: None,
            has_debug_lines: false,
        },
        cost: build.cost.clone(),
        placement: Placement::Chords,
        per_thread: false,
        wrapped: opcost_runtime::WRAPPED,
    }
}

/// Answers while they are made.
struct Made<'a> {
    program: &'a MemoryModel<'a>,
    session: &'a Session,
    map: &'a ModuleMap,
    prediction: &'a Prediction,
}

impl Made<'_> {
    fn function(&self, id: FunctionId) -> Option<PredictedFunction> {
        let predicted: &FunctionPrediction = self.prediction.functions[id].as_ref()?;
        let module = self.program.module;
        let function = &module.functions[id];
        let text = FunctionText::new(module, function);
        let forest = LoopForest::compute(function, &Dominators::compute(function, BlockId::new(0)));
        let header =
            |block: BlockId| forest.innermost[block].map(|id| forest.loops[id].header.index() as u32);
        let weights = weights(&self.map.functions[id], &predicted.cut_offs);
        let by_llvm = shares(&self.session.block_frequencies(id));
        let by_statics: IdMap<BlockId, f64> = static_frequencies(module, id).values().map(to_f64).collect();
        let blocks = function.blocks.ids().map(|block| {
            let one: &BlockPrediction = &predicted.blocks[block];
            let place =
                function.instructions_of(block).find_map(|at| self.location(function.instructions[at].place));
            let (file, line) = place.unzip();
            PredictedBlock {
                header: header(block),
                block: block.index() as u32,
                label: text.block(block),
                file,
                line,
                executions: one.executions.as_ref().map(executions),
                near: to_f64(&one.least),
                class: class(one.class),
                is_exact: one.is_exact,
                formula: one.formula.clone(),
                reason: one.reason.clone(),
                weight: weights[block],
                by_llvm: by_llvm[block.index()],
                by_statics: by_statics[block],
            }
        });
        let (file, line) = self.location(function.place).unzip();
        Some(PredictedFunction {
            key: module.key(id),
            file,
            line,
            entries: predicted.entries.as_ref().map(executions),
            class: class(predicted.class),
            reason: predicted.reason.clone(),
            blocks: blocks.collect(),
        })
    }

    /// A block that ends the program, by its line or its label.
    fn end(&self, id: FunctionId, block: BlockId) -> String {
        let function = &self.program.module.functions[id];
        let at =
            function.instructions_of(block).find_map(|at| self.location(function.instructions[at].place));
        match at {
            Some((file, line)) => format!("{}:{line}", opcost_answer::names::tidy_path(&file)),
            None => format!("{}:{}", function.name, block.index()),
        }
    }

    fn location(&self, place: Option<PlaceId>) -> Option<(String, u32)> {
        let place: &Place = &self.program.module.places[place?];
        (place.line > 0).then(|| (self.program.module.files[place.file].clone(), place.line))
    }
}

/// Frequencies by that of the entry.
fn shares(frequencies: &IdMap<BlockId, u64>) -> Vec<f64> {
    let entry = frequencies.values().next().copied().unwrap_or(0).max(1);
    frequencies.values().map(|&frequency| frequency as f64 / entry as f64).collect()
}

fn executions(number: &Fraction) -> Executions {
    Executions(rounded(number).to_string())
}

fn class(class: Class) -> PredictedClass {
    match class {
        Class::StaticBlock => PredictedClass::StaticBlock,
        Class::Constant => PredictedClass::Constant,
        Class::Formula | Class::Open => PredictedClass::Formula,
        Class::Run => PredictedClass::Run,
        Class::Bound => PredictedClass::Bound,
        Class::StaticLoop => PredictedClass::StaticLoop,
        Class::Unknown => PredictedClass::Unknown,
    }
}

/// Why a prediction is no ledger.
#[derive(Debug, thiserror::Error)]
enum NoLedger {
    /// A count does not fit.
    #[error("{0} is predicted to run more often than the 64 bits of a ledger hold")]
    TooLarge(String),
    /// The counts make none.
    #[error(transparent)]
    Counts(#[from] RecoverError),
    /// The facts make none.
    #[error(transparent)]
    Facts(#[from] LedgerError),
}

/// The prediction as a ledger, or why there is none.
fn ledger(
    program: &MemoryModel<'_>,
    job: &PredictJob,
    map: &ModuleMap,
    prediction: &Prediction,
) -> Result<Result<Ledger, NoLedger>, WorkError> {
    let mut modules = Vec::new();
    if job.program.bitcode.len() == 1 {
        let keys = program.module.functions.ids().map(|id| program.module.key(id)).collect();
        modules.push((map.clone(), keys));
    } else {
        // Linked, a function may have another hash than by itself.
        for (position, path) in job.program.bitcode.iter().enumerate() {
            modules.push(module_map(job, position, path)?);
        }
    }
    Ok(ledger_of(&modules, &Predicted::of(program, prediction, job.measured.is_some())))
}

/// The map of a module, and what its functions are called in the program.
type Keyed = (ModuleMap, Vec<FunctionKey>);

fn module_map(job: &PredictJob, position: usize, path: &Path) -> Result<Keyed, WorkError> {
    let maker = if job.program.is_own { Maker::FrontEnd } else { Maker::Anyone };
    let mut session = Session::read(path, maker)?;
    let mut module = session.snapshot();
    name_files(&mut module, &job.program.root);
    let name = job.build.modules.get(position).cloned().unwrap_or_else(|| module.source_name.clone());
    let keys = module.functions.ids().map(|id| module.key(id)).collect();
    Ok((survey(&module, &request(job, name, &module.triple), Bodies::Own)?, keys))
}

/// What is predicted, by key.
struct Predicted<'a> {
    functions: BTreeMap<FunctionKey, &'a FunctionPrediction>,
    /// What its exact numbers rest on.
    assumed: &'static str,
}

impl<'a> Predicted<'a> {
    fn of(program: &MemoryModel<'_>, prediction: &'a Prediction, is_by_slice: bool) -> Predicted<'a> {
        let all = prediction.functions.iter();
        let functions = all.filter_map(|(id, one)| Some((program.module.key(id), one.as_ref()?))).collect();
        Predicted { functions, assumed: if is_by_slice { ASSUMED_BY_SLICE } else { ASSUMED } }
    }
}

fn ledger_of(modules: &[Keyed], predicted: &Predicted<'_>) -> Result<Ledger, NoLedger> {
    // A function that several modules hold runs in the first.
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (map, keys) in modules {
        let mut functions = IdMap::new();
        for (function, key) in map.functions.values().zip(keys) {
            let own = predicted.functions.get(key).copied();
            let fits = |one: &&FunctionPrediction| one.blocks.len() >= function.blocks.len();
            let own = own.filter(fits).filter(|_| seen.insert(key.clone()));
            functions.push(counts(function, own)?);
        }
        all.push(ModuleCounts { functions });
    }
    let counted: Vec<CountedModule<'_>> =
        modules.iter().zip(&all).map(|((map, _), counts)| CountedModule { map, counts }).collect();
    let hashes: Vec<Hash128> = modules.iter().map(|(map, _)| write_map(map).1).collect();
    let run = RunFacts {
        machine: String::new(),
        command: Vec::new(),
        origin: Origin::Predicted,
        quality: Quality::Estimate,
        world: opcost_profile::World::Closed,
        course: Course::default(),
    };
    let ledger = make_ledger(&counted, &hashes, &summarize(&counted), &run)?;
    let mut named = Named::new();
    for (map, keys) in modules {
        for (function, key) in map.functions.values().zip(keys) {
            if let Some(one) = predicted.functions.get(key).copied() {
                named.insert((map.module.as_str(), function.name.as_str()), one);
            }
        }
    }
    let facts = ledger.facts().iter().cloned().map(|fact| with_quality(fact, &named, predicted.assumed));
    let mut about = ledger.about.clone();
    // What is predicted is one run, which no machine made.
    (about.machines, about.commands, about.runs) = (Vec::new(), Vec::new(), 1);
    Ok(Ledger::new(about, facts.collect::<Vec<Fact>>())?)
}

/// Module and name of a function, as a ledger has them.
type Named<'a> = BTreeMap<(&'a str, &'a str), &'a FunctionPrediction>;

/// Of a block of which nothing is known there is no value; what rests on no guess says so.
fn with_quality(fact: Fact, named: &Named<'_>, assumed: &str) -> Fact {
    let Subject::Block { function, block, .. } = &fact.subject else { return fact };
    let one = named.get(&(function.module.as_str(), function.name.as_str()));
    let Some(one) = one.and_then(|one| one.blocks.values().nth(*block as usize)) else { return fact };
    match one.class {
        Class::Open | Class::Unknown => {
            let reason = one.reason.clone().unwrap_or_else(|| "an input has no value".to_owned());
            Fact { value: None, quality: Quality::Unknown(reason), ..fact }
        }
        _ if one.is_exact => Fact { quality: Quality::ExactUnder(assumed.to_owned()), ..fact },
        _ => fact,
    }
}

/// What counts without guesses rest on.
const ASSUMED: &str = "trip counts and branches as opcost loops says; calls return";
/// And with a run of the slice.
const ASSUMED_BY_SLICE: &str = "the slice runs the same loops as the program; calls return";

fn counts(
    function: &FunctionMap,
    predicted: Option<&FunctionPrediction>,
) -> Result<FunctionCounts, NoLedger> {
    let number = |fraction: &Fraction| {
        u64::try_from(rounded(fraction)).map_err(|_| NoLedger::TooLarge(function.name.clone()))
    };
    let of_block = |block: BlockId| match predicted {
        Some(predicted) => number(&predicted.blocks[block].least),
        None => Ok(0),
    };
    let segments = function.segments.values().map(|segment| match predicted {
        Some(predicted) if !runs(segment, &predicted.cut_offs) => Ok(0),
        _ => of_block(segment.block),
    });
    let segments: IdMap<SegmentId, u64> =
        segments.collect::<Result<Vec<u64>, NoLedger>>()?.into_iter().collect();
    let entries = predicted.and_then(|one| one.blocks.values().next()).map(|one| number(&one.least));
    let entries = match predicted.and_then(|one| one.entries.as_ref()) {
        Some(entries) => number(entries)?,
        None => entries.transpose()?.unwrap_or(0),
    };
    Ok(FunctionCounts {
        edges: Some(implied_edges(function, &segments, entries)),
        segments,
        entries,
        returns: None,
        left: None,
        lengths: BTreeMap::new(),
        paths: Vec::new(),
    })
}

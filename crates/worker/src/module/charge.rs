//! One module: from bitcode to an object that adds up what is predicted of it.
//!
//! Weights of blocks are those of counts, from a survey. Where loops are entered, and what their formulas need
//! there, a recording says. The room `predict` makes the charges of both, and its auditor looks at them.

use std::path::Path;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_index::IdMap;
use opcost_instrument::{Bodies, RecordedPoints, RecordedSubject, ValuesRequest, record, survey};
use opcost_ir::{Charging, Layout, Module, PointId};
use opcost_job::module::{ModuleJob, Phases, Product};
use opcost_key::{BlockId, FunctionId, ModuleMap};
use opcost_library::Effects;
use opcost_llvm::Session;
use opcost_predict::charges::{Chargeable, LoopPoint, charging};
use opcost_predict::charges_verified::verify;
use opcost_predict::cut_offs;

use super::prepared::{emission, plan_request};
use super::stopwatch::Stopwatch;
use crate::error::WorkError;
use crate::weights::weights;

/// Has the module that the session holds predict itself.
pub(crate) fn charge(
    mut session: Session,
    job: &ModuleJob,
    runtime: Option<&Path>,
    mut watch: Stopwatch,
) -> Result<Option<Phases>, WorkError> {
    let mut module = session.snapshot_in_detail();
    let request = plan_request(&mut module, job);
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let map = survey(&module, &request, Bodies::Own)?;
    let charges = charges_of(&module, &map)?;
    drop(module);
    watch.lap("plan");
    session.charge(&charges)?;
    watch.lap("apply");
    if let Some(runtime) = runtime {
        session.link(runtime)?;
    }
    if job.product == Product::Counted {
        session.write(&job.output)?;
        return Ok(None);
    }
    session.emit(&job.output, emission(&job.code))?;
    watch.lap("machine code");
    Ok(Some(watch.finish(instructions)))
}

fn charges_of(module: &Module, map: &ModuleMap) -> Result<Charging, WorkError> {
    let turns = ValuesRequest { turns: true, ..ValuesRequest::default() };
    let recorded = record(module, &turns, &opcost_claims::check::guarded_claims(module))?;
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let memory = MemoryModel::of(module, &layout, &effects, World::Open);
    let weights: IdMap<FunctionId, IdMap<BlockId, u64>> = module
        .functions
        .iter()
        .map(|(id, _)| {
            let own = &map.functions[id];
            // A function that is not ours to touch has no segments.
            if own.segments.is_empty() {
                return IdMap::new();
            }
            weights(own, &cut_offs(&memory, id))
        })
        .collect();
    let loops = loops(&recorded);
    let of = Chargeable { weights: &weights, recording: &recorded.recording, loops: &loops };
    let charges = charging(&memory, of);
    verify(module, &charges).map_err(|defect| {
        WorkError::Refused(format!(
            "the prediction cannot be put into the program: {defect}. This is a defect of opcost"
        ))
    })?;
    Ok(charges)
}

fn loops(recorded: &RecordedPoints) -> IdMap<PointId, LoopPoint> {
    let of = |facts: &opcost_instrument::PointFacts| match facts.subject {
        RecordedSubject::Loop { header, .. } => LoopPoint { function: facts.function, header },
        RecordedSubject::Value { .. } | RecordedSubject::Parameter(_) => {
            unreachable!("only iterations were asked for")
        }
    };
    recorded.points.values().map(of).collect()
}

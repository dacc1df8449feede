//! What does a run say, in the form of a prediction?
//!
//! Time is predicted of blocks and how often they ran. Where a ledger has counted them, nothing is
//! guessed: each block has class `run`, and is exact. So predictions of counts and counts of runs share
//! one report and one document.
//!
//! Input: a ledger of exact counts, as [`is_exact`] says. Output: [`PredictAnswers`]. Cost: its facts. Limits: a ledger has no
//! labels of blocks and no nests of loops, so blocks have no label and no header.

use std::collections::BTreeMap;

use opcost_answer::predict::{
    Executions, PredictAnswers, PredictedBlock, PredictedClass, PredictedFunction, PredictionSource,
};
use opcost_key::FunctionKey;
use opcost_profile::{Column, Ledger, Origin, Quality, SourcePlace, Subject};

/// One function as its facts come.
#[derive(Default)]
struct Counted {
    location: Option<SourcePlace>,
    calls: u64,
    blocks: BTreeMap<u32, CountedBlock>,
}

/// One block: its counts are sums over the facts.
struct CountedBlock {
    location: Option<SourcePlace>,
    executions: u64,
    instructions: u64,
}

/// Whether every count of a block is that of a run, and exact.
pub fn is_exact(ledger: &Ledger) -> bool {
    let counts = ledger
        .facts()
        .iter()
        .filter(|fact| matches!(fact.subject, Subject::Block { .. }) && fact.column == Column::Count);
    let mut counts = counts.peekable();
    counts.peek().is_some()
        && counts.all(|fact| {
            fact.origin != Origin::Predicted
                && matches!(fact.quality, Quality::Exact | Quality::ExactUnder(_))
        })
}

/// The counts of a ledger. `has_main` is true of programs: a ledger is of a run, so something began it.
pub fn recorded(ledger: &Ledger) -> PredictAnswers {
    let mut all: BTreeMap<FunctionKey, Counted> = BTreeMap::new();
    for fact in ledger.facts() {
        let value = fact.value.unwrap_or(0);
        match (&fact.subject, fact.column) {
            (Subject::Function { function, place }, Column::Calls) => {
                let one = all.entry(function.key()).or_default();
                one.calls += value;
                one.location = place.clone();
            }
            (Subject::Block { function, block, place }, Column::Count) => {
                let one = all.entry(function.key()).or_default();
                one.blocks.entry(*block).or_insert_with(|| CountedBlock::at(place)).executions += value;
            }
            (Subject::Block { function, block, place }, Column::Instructions) => {
                let one = all.entry(function.key()).or_default();
                one.blocks.entry(*block).or_insert_with(|| CountedBlock::at(place)).instructions += value;
            }
            _ => {}
        }
    }
    let total = ledger.sum(Column::Instructions, |subject| matches!(subject, Subject::Function { .. }));
    let functions = all.into_iter().map(|(key, one)| function(key, one)).collect();
    PredictAnswers {
        source: PredictionSource::Count,
        slice_run: None,
        world: "closed".to_owned(),
        has_main: true,
        functions,
        total: total.to_string(),
        ..PredictAnswers::default()
    }
}

impl CountedBlock {
    fn at(place: &Option<SourcePlace>) -> CountedBlock {
        CountedBlock { location: place.clone(), executions: 0, instructions: 0 }
    }
}

fn block_of(block: u32, one: CountedBlock) -> PredictedBlock {
    PredictedBlock {
        block,
        header: None,
        label: String::new(),
        file: one.location.as_ref().map(|location| location.file.to_string()),
        line: one.location.as_ref().map(|location| location.line),
        executions: Some(Executions(one.executions.to_string())),
        near: one.executions as f64,
        class: PredictedClass::Run,
        is_exact: true,
        formula: None,
        reason: None,
        weight: one.instructions.checked_div(one.executions).unwrap_or(0),
        by_llvm: 0.0,
        by_statics: 0.0,
    }
}

fn function(key: FunctionKey, one: Counted) -> PredictedFunction {
    PredictedFunction {
        key,
        file: one.location.as_ref().map(|location| location.file.to_string()),
        line: one.location.as_ref().map(|location| location.line),
        entries: Some(Executions(one.calls.to_string())),
        class: PredictedClass::Run,
        reason: None,
        blocks: one.blocks.into_iter().map(|(block, one)| block_of(block, one)).collect(),
    }
}

//! What does a run say, in the form of a prediction?
//!
//! Time is predicted of blocks and how often they ran. Where a ledger has counted them, nothing is
//! guessed: each block has class `run`, and is exact. So predictions of counts and counts of runs share
//! one report and one document.
//!
//! Input: a ledger of counts. Output: [`PredictAnswers`]. Cost: its facts. Limits: a ledger has no
//! labels of blocks and no nests of loops, so blocks have no label and no header.

use std::collections::BTreeMap;

use opcost_answer::predict::{Executions, PredictAnswers, PredictedBlock, PredictedClass, PredictedFunction};
use opcost_key::FunctionKey;
use opcost_profile::{Column, Ledger, SourcePlace, Subject};

/// One function as its facts come.
#[derive(Default)]
struct Counted {
    location: Option<SourcePlace>,
    calls: u64,
    blocks: BTreeMap<u32, PredictedBlock>,
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
                let row = one.blocks.entry(*block).or_insert_with(|| empty(*block, place.as_ref()));
                row.near += value as f64;
                row.executions = Some(Executions((row.near as u64).to_string()));
            }
            (Subject::Block { function, block, place }, Column::Instructions) => {
                let one = all.entry(function.key()).or_default();
                let row = one.blocks.entry(*block).or_insert_with(|| empty(*block, place.as_ref()));
                // A sum until the count is there, too.
                row.weight += value;
            }
            _ => {}
        }
    }
    let total = ledger.sum(Column::Instructions, |subject| matches!(subject, Subject::Function { .. }));
    let functions = all.into_iter().map(|(key, one)| function(key, one)).collect();
    PredictAnswers {
        world: "closed".to_owned(),
        has_main: true,
        functions,
        total: total.to_string(),
        ..PredictAnswers::default()
    }
}

fn empty(block: u32, location: Option<&SourcePlace>) -> PredictedBlock {
    PredictedBlock {
        block,
        header: None,
        label: String::new(),
        file: location.map(|location| location.file.to_string()),
        line: location.map(|location| location.line),
        executions: Some(Executions("0".to_owned())),
        near: 0.0,
        class: PredictedClass::Run,
        is_exact: true,
        formula: None,
        reason: None,
        weight: 0,
        by_llvm: 0.0,
        by_statics: 0.0,
    }
}

fn function(key: FunctionKey, mut one: Counted) -> PredictedFunction {
    for block in one.blocks.values_mut() {
        block.weight = block.weight.checked_div(block.near as u64).unwrap_or(0);
    }
    PredictedFunction {
        key,
        file: one.location.as_ref().map(|location| location.file.to_string()),
        line: one.location.as_ref().map(|location| location.line),
        entries: Some(Executions(one.calls.to_string())),
        class: PredictedClass::Run,
        reason: None,
        blocks: one.blocks.into_values().collect(),
    }
}

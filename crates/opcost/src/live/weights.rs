//! How often were branches of one function taken, by samples so far?
//!
//! The samples in the function's own first version are made consistent by themselves (`opcost_recover::repair`): that
//! takes milliseconds, where the whole program takes seconds. Ratios are what a version needs.
//!
//! Input: a map, and what was observed of its segments. Output: branches with counts. Cost: the function, and a table of
//! the module. Limit: what was inlined elsewhere is not seen.

use opcost_index::{Id, IdMap};
use opcost_key::live::FunctionWeights;
use opcost_key::{FunctionId, FunctionMap, ModuleMap};
use opcost_recover::{
    MODEL_ERROR, ModuleObservations, RepairOptions, RepairSolver, SampledModule, Starts, branches, repair,
};

/// Samples of a function that is hot.
pub(super) const ENOUGH: u64 = 8;

/// None if nothing is known of it.
pub(super) fn weights(
    map: &ModuleMap,
    observed: &ModuleObservations,
    function: FunctionId,
    symbol: &str,
) -> Option<FunctionWeights> {
    // Nobody else is there who could be called.
    let mut one = ModuleMap {
        module: map.module.clone(),
        anchor: map.anchor,
        build: map.build.clone(),
        cost: map.cost.clone(),
        files: IdMap::new(),
        places: IdMap::new(),
        functions: IdMap::new(),
        counter_count: map.counter_count,
        call_sites: IdMap::new(),
        addresses_taken: Vec::new(),
        by_code: None,
        texts: Vec::new(),
    };
    let mut own = FunctionMap { calls: Vec::new(), ..map.functions[function].clone() };
    own.expected.pointers = None;
    one.functions.push(own);
    let mut functions = IdMap::new();
    functions.push(observed.functions[function].clone());
    let alone = ModuleObservations { functions, without_block: 0 };
    let options = RepairOptions {
        cycles_per_sample: CYCLES,
        error: MODEL_ERROR,
        solver: RepairSolver::Likeliest,
        starts: Starts { least: 1, most: u64::MAX },
    };
    let repaired = repair(&[SampledModule { map: &one, observed: &alone }], options).ok()?;
    let (map, counts) = (one.functions.values().next()?, repaired.counts.first()?.functions.values().next()?);
    let taken = branches(map, counts)?;
    let rows = taken.into_iter().map(|((block, slot), count)| (block.index() as u32, slot, count));
    Some(FunctionWeights { symbol: symbol.to_owned(), entries: counts.entries, branches: rows.collect() })
}

/// Cycles between two samples, nearly: ratios do not hang on it.
const CYCLES: f64 = 2.5e6;

//! How often were branches taken, by samples so far?
//!
//! Samples of first versions are made consistent for the whole program (`crate::sampling::estimate`). Of each module
//! the functions that ran have their branches.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_index::Id;
use opcost_job::live::FunctionWeights;
use opcost_recover::{RepairSolver, branches};
use opcost_sample::Samples;
use opcost_toolchain::build::LiveModule;

use crate::sampling::estimate::Estimate;

/// By module. None if there are too few samples.
pub(super) fn weights(
    samples: &Samples,
    program: &Path,
    modules: &[LiveModule],
) -> Option<Vec<Vec<FunctionWeights>>> {
    let estimate = Estimate::of(samples, &[program.to_owned()], RepairSolver::Likeliest).ok()?;
    let mut all = vec![Vec::new(); modules.len()];
    for counted in estimate.counted() {
        let Some(number) = modules.iter().position(|module| module.name == counted.map.module) else {
            continue;
        };
        let symbols: BTreeMap<&str, &str> =
            modules[number].functions.iter().map(|one| (one.name.as_str(), one.symbol.as_str())).collect();
        for (id, counts) in counted.counts.functions.iter() {
            let map = &counted.map.functions[id];
            let Some(&symbol) = symbols.get(map.name.as_str()) else { continue };
            if counts.segments.values().all(|&count| count == 0) {
                continue;
            }
            let Some(taken) = branches(map, counts) else { continue };
            let rows = taken.into_iter().map(|((block, slot), count)| (block.index() as u32, slot, count));
            all[number].push(FunctionWeights {
                symbol: symbol.to_owned(),
                entries: counts.entries,
                branches: rows.collect(),
            });
        }
    }
    Some(all)
}

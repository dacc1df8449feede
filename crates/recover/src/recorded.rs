//! How often did segments run, as records of branches say?
//!
//! A run is code from an address to another of which every instruction ran once
//! (`opcost_sample`). So each row of a function's code ran as often as runs go over its
//! beginning, and what follows of that for segments, with several copies or one, is as of
//! samples: each instruction is one that was seen so often. Time has no part in it, and so
//! neither have cycles nor waiting.
//!
//! Observations have one form: a segment that was recorded n times is told as n samples of
//! [`RECORDED`] cycles. At so many, the error by which time is not trusted comes to a tenth:
//! which branches a processor keeps is not quite left to chance either (Chen et al., "Taming
//! hardware event samples for precise and versatile feedback directed optimizations", 2013).
//!
//! Input: a map, its code, runs by first and last address. Output: observations, and the
//! instructions in all of the runs. Cost: linear, but for the order of rows.

use std::collections::BTreeMap;

use opcost_key::ModuleMap;
use opcost_profile::formats::code::ModuleCode;

use crate::duration::Cycles;
use crate::observation::Observation;
use crate::sampled::{ModuleObservations, observe};

/// Cycles that one execution represents where no time was measured.
pub const RECORDED: f64 = 35.0;

/// What was recorded of a module, and how many instructions that were.
pub fn observe_runs(
    map: &ModuleMap,
    code: &ModuleCode,
    runs: &[((u64, u64), u64)],
) -> (ModuleObservations, u64) {
    let over = Over::of(runs);
    let mut hits: BTreeMap<u64, u64> = BTreeMap::new();
    for function in &code.functions {
        for row in &function.rows {
            let begin = function.address + u64::from(row.offset);
            let seen = over.at(begin) * u64::from(row.instructions.max(1));
            if seen > 0 {
                hits.insert(begin, seen);
            }
        }
    }
    let mut all = observe(map, code, &hits, Cycles::Mean);
    let instructions = all.samples();
    for function in all.functions.values_mut() {
        for one in function.values_mut() {
            let samples = one.count(1.0).round() as u64;
            *one =
                if one.cycles > 0.0 { Observation::busy(samples, RECORDED) } else { Observation::default() };
        }
    }
    (all, instructions)
}

/// How many runs go over each address.
struct Over {
    /// From this address on, so many; ascending.
    changes: Vec<(u64, u64)>,
}

impl Over {
    fn of(runs: &[((u64, u64), u64)]) -> Self {
        let mut steps: BTreeMap<u64, i128> = BTreeMap::new();
        for &((first, last), count) in runs {
            *steps.entry(first).or_default() += i128::from(count);
            // Its last instruction begins at `last` and is part of it.
            *steps.entry(last.saturating_add(1)).or_default() -= i128::from(count);
        }
        let mut sum = 0;
        let after = |(address, step): (u64, i128)| {
            sum += step;
            (address, u64::try_from(sum).unwrap_or(u64::MAX))
        };
        Over { changes: steps.into_iter().map(after).collect() }
    }

    fn at(&self, address: u64) -> u64 {
        let behind = self.changes.partition_point(|&(from, _)| from <= address);
        behind.checked_sub(1).map_or(0, |at| self.changes[at].1)
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{FunctionId, Hash128};
    use opcost_profile::formats::code::{CodeRow, FunctionCode};

    use super::*;
    use crate::MODEL_ERROR;
    use crate::example::single_loop;
    use crate::repair::error_of;

    #[test]
    fn code_ran_as_often_as_runs_go_over_it() {
        let over = Over::of(&[((10, 20), 3), ((20, 30), 4), ((20, 20), 1)]);
        assert_eq!([9, 10, 19, 20, 21, 30, 31].map(|address| over.at(address)), [0, 3, 3, 8, 4, 4, 0]);
        assert_eq!(Over::of(&[]).at(7), 0);
    }

    #[test]
    fn counts_are_those_of_runs_however_long_the_code_is() {
        let map = single_loop();
        let row = |offset, instructions, block| CodeRow {
            offset,
            instruction: None,
            block: Some(block),
            instructions,
            throughput: 160,
            latency: 20,
            group: None,
            factor: 1,
            begins_block: true,
        };
        // Three blocks of 1, 7 and 2 instructions at 0x100, 0x104 and 0x120.
        let rows = vec![row(0, 1, 0), row(4, 7, 1), row(0x20, 2, 2)];
        let functions = vec![FunctionCode { address: 0x100, bytes: 0x28, rows }];
        let code = ModuleCode { map: Hash128(0), functions };
        // Once in from the top, 98 times round, once round and out.
        let runs = [((0x100, 0x11c), 1), ((0x104, 0x11c), 98), ((0x104, 0x124), 1)];
        let (seen, instructions) = observe_runs(&map, &code, &runs);
        let found: Vec<Observation> = seen.functions[FunctionId::new(0)].values().copied().collect();
        assert_eq!(found, [1, 100, 1].map(|count| Observation::busy(count, RECORDED)));
        assert_eq!(instructions, 1 + 7 * 100 + 2);
        assert!((error_of(&found[0], MODEL_ERROR) - 0.1).abs() < 0.005);
    }
}

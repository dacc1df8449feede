//! Which block waited, where time was seen at the first instruction of the next one?
//!
//! A clock interrupts between two instructions, once the older one has retired. So who waits
//! is seen at the instruction behind it. A block that ends in a load (or in a comparison with
//! memory, which the processor joins with its branch) is seen at the first instruction of the
//! block that it goes to. That block then looks slow, or is taken to have run often.
//!
//! The time at the first instructions behind such a block is shared out, in rounds
//! (expectation and maximisation: Dempster, Laird and Rubin 1977). How long a block waits at
//! its end is what its successors' first instructions took, by how often it ran. How long its
//! successors take for coming there is that again. Two ways out of one load then have the
//! samples that they ran for, whatever the load takes. At the start a block ran as often as its
//! other instructions say. After a round it is by all its samples, with the longer cycles.
//!
//! A branch that was not foreseen, and a cache that answers, take a few instructions' time, and
//! nothing says which it was. So a wait is only believed for what it is longer than
//! [`OTHERWISE`] times its block. That, [`SLOW`] and [`ROUNDS`] were chosen on four programs of
//! `corpus/training.toml` (LZ4, zlib, bzip2, Expat) and three small ones, in three runs each at
//! 4 kHz. Without the limit LZ4 agreed 2.3 points worse in function; with 4, zlib 1.8. From 8 to
//! 20 no program changed by more than 0.3. Weighing such blocks less, with cycles as they
//! were, was tried too: zlib and a loop that waits agreed 2 to 15 points worse.
//!
//! Output: longer cycles, and so less trust (`repair/evidence`): what a segment is busy stays.
//! Cost: edges times rounds. Limits: where successors wait unequally (a match in a table is in
//! the cache more often than a miss) they are taken to wait alike; and what several blocks
//! that wait unequally lead to has its time shared by how often they ran alone.

use std::collections::BTreeMap;

use opcost_index::{IdMap, IdSet};
use opcost_key::{FunctionMap, SegmentId};
use opcost_profile::formats::code::CodeRow;

use crate::observation::Observation;

/// How many times longer than its block a wait is that cannot be anything else.
const OTHERWISE: f64 = 8.0;
/// Cycles of an instruction beyond one, of those that others may wait for: loads, divisions.
const SLOW: u16 = 4;
/// Instructions that a processor retires together: a comparison and its branch.
const TOGETHER: u16 = 2;
/// With half of them a loop that waits agreed 2.9 points worse, with twice as many 0.1 better.
const ROUNDS: usize = 4;

/// Where a function's machine blocks begin and end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arrivals {
    /// Samples at the first instructions of machine blocks.
    pub(crate) first: BTreeMap<SegmentId, u64>,
    /// Segments at whose end something may wait.
    pub(crate) waiting: IdSet<SegmentId>,
}

/// Whether the last instructions of a machine block may be waited for after it.
pub(crate) fn ends_slowly(rows: &[CodeRow]) -> bool {
    let (mut instructions, mut latency) = (0u16, 0u16);
    for row in rows.iter().rev() {
        instructions = instructions.saturating_add(row.instructions);
        latency = latency.saturating_add(row.latency);
        if instructions >= TOGETHER || row.begins_block {
            break;
        }
    }
    instructions <= TOGETHER + 1 && latency >= instructions + SLOW
}

/// Makes cycles longer by what segments wait for those before them.
pub(crate) fn lengthen(
    function: &FunctionMap,
    arrivals: &Arrivals,
    seen: &mut IdMap<SegmentId, Observation>,
) {
    let crossings = Crossings::of(function, arrivals);
    if crossings.all.is_empty() {
        return;
    }
    let alone: IdMap<SegmentId, f64> = seen.values().map(|one| one.cycles).collect();
    let rate = |samples: u64, cycles: f64| if cycles > 0.0 { samples as f64 / cycles } else { 0.0 };
    let others = seen.iter().map(|(id, one)| one.samples.saturating_sub(crossings.first[id]));
    let mut ran: IdMap<SegmentId, f64> =
        others.zip(alone.values()).map(|(samples, &cycles)| rate(samples, cycles)).collect();
    for _ in 0..ROUNDS {
        let waits = crossings.waits(&ran, &alone);
        for (id, one) in alone.ids().zip(seen.values_mut()).filter(|(id, _)| alone[*id] > 0.0) {
            one.cycles = alone[id] + waits[id];
            ran[id] = rate(one.samples, one.cycles);
        }
    }
}

/// A way out of a segment that may wait at its end.
struct Crossing {
    from: SegmentId,
    to: SegmentId,
}

struct Crossings {
    all: Vec<Crossing>,
    /// By segment: how many edges lead out of it.
    out: IdMap<SegmentId, f64>,
    /// Samples at the first instructions of those that a way leads to.
    first: IdMap<SegmentId, u64>,
}

impl Crossings {
    fn of(function: &FunctionMap, arrivals: &Arrivals) -> Crossings {
        let segments = function.segments.len();
        let mut crossings = Crossings {
            all: Vec::new(),
            out: IdMap::filled(segments, 0.0),
            first: IdMap::filled(segments, 0),
        };
        for edge in function.edges.values() {
            let (Some(from), Some(to)) = (edge.from, edge.to) else { continue };
            crossings.out[from] += 1.0;
            if arrivals.waiting.contains(from) {
                crossings.first[to] = arrivals.first.get(&to).copied().unwrap_or(0);
                crossings.all.push(Crossing { from, to });
            }
        }
        crossings
    }

    /// Cycles by which each segment's first instruction is waited for, where segments ran `ran`
    /// times a cycle of samples and take `alone` by themselves.
    fn waits(&self, ran: &IdMap<SegmentId, f64>, alone: &IdMap<SegmentId, f64>) -> IdMap<SegmentId, f64> {
        let went = |way: &Crossing| ran[way.from] / self.out[way.from];
        let mut came = IdMap::filled(ran.len(), 0.0);
        self.all.iter().for_each(|way| came[way.to] += went(way));
        let share = |way: &Crossing| if came[way.to] > 0.0 { went(way) / came[way.to] } else { 0.0 };
        let mut behind = IdMap::filled(ran.len(), 0.0);
        self.all.iter().for_each(|way| behind[way.from] += self.first[way.to] as f64 * share(way));
        let wait = |id: SegmentId| match ran[id] > 0.0 {
            true => (behind[id] / ran[id] - OTHERWISE * alone[id]).max(0.0),
            false => 0.0,
        };
        let mut waits = IdMap::filled(ran.len(), 0.0);
        self.all.iter().for_each(|way| waits[way.to] += share(way) * wait(way.from));
        waits
    }
}

#[cfg(test)]
#[path = "arrival_tests.rs"]
mod tests;

//! How much had to move to make counts consistent, and where?
//!
//! A segment's count by its own samples is held against the count that it got; a
//! segment without code had none and moves by nothing. Sums go by function.
//!
//! Cost: linear, and a sort of functions. Limit: what moved is no error: chance alone
//! moves counts of few samples by much.

use opcost_index::Id;
use opcost_key::{FunctionId, SegmentId};

use crate::{ModuleCounts, SampledModule};

/// What became of one function's counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Position of the module.
    pub module: usize,
    /// The function.
    pub function: FunctionId,
    /// Sum of its segments' counts by their own samples.
    pub before: f64,
    /// The same segments' consistent counts.
    pub after: f64,
    /// Sum of the distances.
    pub moved: f64,
    /// The segment that moved most, with its count before and after.
    pub most: (SegmentId, f64, u64),
}

/// Functions by how much their counts moved, most first; those of which nothing moved
/// are left out.
pub fn moves(modules: &[SampledModule<'_>], counts: &[ModuleCounts], cycles_per_sample: f64) -> Vec<Moved> {
    let mut all = Vec::new();
    for (module, (sampled, counted)) in modules.iter().zip(counts).enumerate() {
        for (function, counts) in counted.functions.iter() {
            let none = (SegmentId::new(0), 0.0, 0);
            let mut sum = Moved { module, function, before: 0.0, after: 0.0, moved: 0.0, most: none };
            let observed = &sampled.observed.functions[function];
            for (segment, one) in observed.iter().filter(|(_, one)| one.cycles > 0.0) {
                let (before, after) = (one.count(cycles_per_sample), counts.segments[segment]);
                sum.before += before;
                sum.after += after as f64;
                sum.moved += (after as f64 - before).abs();
                let (_, least, most) = sum.most;
                if (after as f64 - before).abs() > (most as f64 - least).abs() {
                    sum.most = (segment, before, after);
                }
            }
            if sum.moved >= 0.5 {
                all.push(sum);
            }
        }
    }
    all.sort_by(|a, b| {
        b.moved.total_cmp(&a.moved).then((a.module, a.function.index()).cmp(&(b.module, b.function.index())))
    });
    all
}

#[cfg(test)]
mod tests {
    use opcost_index::IdMap;

    use super::*;
    use crate::example::single_loop;
    use crate::{ModuleObservations, Observation, RepairOptions, RepairSolver, Starts, repair};

    #[test]
    fn the_segment_that_moved_most_is_named() {
        let map = single_loop();
        // 1000 in, 100,000 round, and 3000 out, which cannot be.
        let seen: IdMap<SegmentId, Observation> = [(30, 3.0), (7000, 7.0), (150, 5.0)]
            .into_iter()
            .map(|(samples, cycles)| Observation::busy(samples, cycles))
            .collect();
        let observed = ModuleObservations { functions: [seen].into_iter().collect(), without_block: 0 };
        let sampled = [SampledModule { map: &map, observed: &observed }];
        let options = RepairOptions {
            cycles_per_sample: 100.0,
            error: 0.3,
            solver: RepairSolver::Likeliest,
            starts: Starts::ONCE,
        };
        let repaired = repair(&sampled, options).expect("counts");
        let moved = moves(&sampled, &repaired.counts, 100.0);
        let [one] = moved.as_slice() else { panic!("one function: {moved:?}") };
        assert_eq!(one.before.round(), 104_000.0);
        let whole: f64 =
            repaired.counts[0].functions[one.function].segments.values().map(|&count| count as f64).sum();
        assert_eq!(one.after, whole);
        let (segment, before, after) = one.most;
        assert!((before - 100.0 * [30.0 / 3.0, 7000.0 / 7.0, 150.0 / 5.0][segment.index()]).abs() < 1e-6);
        assert!((after as f64 - before).abs() >= one.moved / 3.0, "the most is at least the mean");
    }
}

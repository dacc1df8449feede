//! Planted truth: blocks wait at their ends, and are seen at the first instruction behind.

use opcost_index::{Id, IdMap};
use opcost_key::{EdgeKind, FunctionId, Meter, ModuleMap, SegmentId};
use proptest::prelude::*;

use super::*;
use crate::example::{branch, edge, function, module, segment};
use crate::{MODEL_ERROR, ModuleObservations, RepairOptions, RepairSolver, SampledModule, Starts, repair};

fn row(instructions: u16, latency: u16, begins_block: bool) -> CodeRow {
    let (offset, instruction, block, throughput, group, factor) = (0, None, Some(0), 8, None, 1);
    CodeRow { offset, instruction, block, instructions, throughput, latency, group, factor, begins_block }
}

#[test]
fn blocks_that_end_in_loads_are_told() {
    assert!(ends_slowly(&[row(4, 4, true), row(1, 6, false), row(1, 1, false)]), "compared with memory");
    assert!(ends_slowly(&[row(2, 7, true)]), "in one row");
    assert!(!ends_slowly(&[row(1, 6, true), row(1, 1, false), row(1, 1, false)]), "used before the branch");
    assert!(!ends_slowly(&[row(1, 9, true), row(1, 1, true)]), "of another block");
    assert!(!ends_slowly(&[row(8, 30, true)]), "anywhere in many");
    assert!(!ends_slowly(&[]));
}

/// A loop that tries: each test but the last goes on to the next, or to the end of the turn.
fn tries(tests: usize) -> ModuleMap {
    let (end, out) = (1 + tests, 2 + tests);
    let mut edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), Meter::Derived),
    ];
    for test in 1..=tests {
        edges.push(edge(segment(test), segment(test + 1), branch(test, 0), Meter::Derived));
        if test < tests {
            edges.push(edge(segment(test), segment(end), branch(test, 1), Meter::Derived));
        }
    }
    edges.push(edge(segment(end), segment(1), branch(end, 0), Meter::Derived));
    edges.push(edge(segment(end), segment(out), branch(end, 1), Meter::Derived));
    edges.push(edge(segment(out), None, EdgeKind::Return, Meter::Derived));
    let block: &[&[u32]] = &[&[1]];
    module("tries.c", vec![function("main", &vec![block; tests + 3], edges)], 0)
}

/// Counts by what was seen.
fn counts(map: &ModuleMap, seen: IdMap<SegmentId, Observation>) -> Vec<u64> {
    let observed = ModuleObservations { functions: IdMap::filled(1, seen), without_block: 0 };
    let (solver, starts) = (RepairSolver::Likeliest, Starts::ONCE);
    let options = RepairOptions { cycles_per_sample: 1e4, error: MODEL_ERROR, solver, starts };
    let repaired = repair(&[SampledModule { map, observed: &observed }], options).expect("counts");
    repaired.counts[0].functions[FunctionId::new(0)].segments.values().copied().collect()
}

/// Counts without what is known of arrivals, and with it.
fn both(map: &ModuleMap, arrivals: &Arrivals, seen: &IdMap<SegmentId, Observation>) -> (Vec<u64>, Vec<u64>) {
    let mut longer = seen.clone();
    lengthen(&map.functions[FunctionId::new(0)], arrivals, &mut longer);
    (counts(map, seen.clone()), counts(map, longer))
}

/// Sum of the lesser shares.
fn overlap(found: &[u64], truth: &[u64]) -> f64 {
    let share = |all: &[u64], at: usize| all[at] as f64 / all.iter().sum::<u64>().max(1) as f64;
    (0..truth.len()).map(|at| share(found, at).min(share(truth, at))).sum()
}

/// As `chain.c` was seen: a loop compares bytes in a window that is in no cache.
#[test]
fn a_comparison_that_waits_is_no_reason_for_the_next_one() {
    let seen = [(2, 0.97), (22, 0.606), (1017, 0.541), (31, 0.514), (10_300, 0.564), (2, 0.487)];
    let seen = seen.iter().map(|&(samples, cycles)| Observation::busy(samples, cycles)).collect();
    let first = [(0, 1), (1, 3), (2, 1016), (3, 13), (4, 6633), (5, 1)];
    let arrivals = Arrivals {
        first: first.iter().map(|&(at, samples)| (SegmentId::new(at), samples)).collect(),
        waiting: (1..=3).map(SegmentId::new).collect(),
    };
    let truth = [300_000, 18_000_000, 2_251_530, 281_646, 18_000_000, 300_000];
    let (without, with) = both(&tries(3), &arrivals, &seen);
    let share = |counts: &[u64]| counts[2] as f64 / counts[1] as f64;
    assert!(share(&without) > 0.4, "{without:?}: the second comparison would run every other time");
    assert!((0.08..0.2).contains(&share(&with)), "{with:?} for one in eight");
    assert!(overlap(&with, &truth) > overlap(&without, &truth) + 0.1, "{with:?}, {without:?}");
}

/// How often each block of such a loop runs, and what is seen of it where each test waits.
struct Planted {
    map: ModuleMap,
    truth: Vec<u64>,
    arrivals: Arrivals,
    seen: IdMap<SegmentId, Observation>,
}

/// Tests of which one in `odds` goes on, and that wait so many cycles.
fn planted(odds: &[u64], waits: &[u64], turns: u64) -> Planted {
    let tests = odds.len();
    let mut truth = vec![1000, turns];
    odds[..tests - 1].iter().for_each(|odds| truth.push(truth[truth.len() - 1] / odds));
    truth.extend([turns, 1000]);
    let cycles = 1.0;
    let mut first = vec![0; truth.len()];
    for test in 1..=tests {
        let next = if test < tests { truth[test + 1] } else { 0 };
        first[test + 1] += next * waits[test - 1];
        first[tests + 1] += (truth[test] - next) * waits[test - 1];
    }
    let samples = |cycles: u64| cycles.div_ceil(10_000);
    let of = |(&count, &first): (&u64, &u64)| Observation::busy(samples(count + first), cycles);
    let seen = truth.iter().zip(&first).map(of).collect();
    let ids = (0..truth.len()).map(SegmentId::new);
    let arrivals = Arrivals {
        first: ids.zip(&first).map(|(id, &first)| (id, first / 10_000)).collect(),
        waiting: (1..=tests).map(SegmentId::new).collect(),
    };
    Planted { map: tries(tests), truth, arrivals, seen }
}

/// Over all odds and waits; not in each of them. Where every other test goes on and the second
/// waits five times as long as the first, six points are lost.
#[test]
fn counts_are_nearer_on_average() {
    let (mut before, mut after, mut cases) = (0.0, 0.0, 0.0);
    for odds in [[2, 2, 2], [2, 8, 4], [4, 4, 4], [8, 2, 8], [8, 8, 8]] {
        for waits in [[30, 30, 30], [30, 150, 60], [100, 100, 100], [150, 30, 60], [200, 150, 100]] {
            let planted = planted(&odds, &waits, 20_000_000);
            let (without, with) = both(&planted.map, &planted.arrivals, &planted.seen);
            before += overlap(&without, &planted.truth);
            after += overlap(&with, &planted.truth);
            cases += 1.0;
        }
    }
    assert!(after > before + 0.03 * cases, "{} after {}", after / cases, before / cases);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Waits are seldom equal, and counts are nearer for each of the waits that memory has.
    #[test]
    fn counts_are_nearer_where_tests_wait(odds in prop::collection::vec(4u64..9, 3..5), wait in 100u64..300) {
        let waits: Vec<u64> = (1..).map(|test| wait / test).take(odds.len()).collect();
        let planted = planted(&odds, &waits, 20_000_000);
        let (without, with) = both(&planted.map, &planted.arrivals, &planted.seen);
        let (without, with) = (overlap(&without, &planted.truth), overlap(&with, &planted.truth));
        prop_assert!(with > without + 0.03 && with > 0.9, "{with} after {without}");
    }

    /// What does not wait is as before.
    #[test]
    fn short_waits_change_nothing(
        tests in prop::collection::vec((2u64..9, 0u64..4), 2..5),
        turns in 10_000_000u64..50_000_000,
    ) {
        let (odds, waits): (Vec<u64>, Vec<u64>) = tests.into_iter().unzip();
        let planted = planted(&odds, &waits, turns);
        let mut longer = planted.seen.clone();
        lengthen(&planted.map.functions[FunctionId::new(0)], &planted.arrivals, &mut longer);
        prop_assert_eq!(longer, planted.seen);
    }
}

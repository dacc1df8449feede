//! Counts out of counters: walks by hand and at random on small skeletons, and
//! counters that cannot be.

use opcost_index::Id;
use opcost_key::{
    BlockId, CallSiteId, Charge, CounterId, EdgeId, EdgeKind, FunctionId, Meter, ModuleMap, SegmentId,
};
use proptest::prelude::*;

use super::{FunctionCounts, LeftFrames, recover_module};
use crate::RecoverError;
use crate::example::{
    branch, call_left, counter, diamond, edge, function, left, module, recovered, segment, single_loop,
};

fn only(map: &ModuleMap, counters: &[u64], left: &[(usize, i64)]) -> FunctionCounts {
    recovered(map, counters, left).functions[FunctionId::new(0)].clone()
}

fn segments(counts: &FunctionCounts) -> Vec<u64> {
    counts.segments.values().copied().collect()
}

fn edges(counts: &FunctionCounts) -> Vec<i64> {
    counts.edges.as_ref().expect("chords give edges").values().copied().collect()
}

fn error(map: &ModuleMap, counters: &[u64], left: &[(usize, i64)]) -> RecoverError {
    let left: LeftFrames = left.iter().map(|&(site, count)| (CallSiteId::new(site), count)).collect();
    recover_module(map, counters, &left).unwrap_err()
}

#[test]
fn a_diamond() {
    let map = diamond();
    let counts = only(&map, &[10, 3], &[]);
    assert_eq!(segments(&counts), [10, 3, 7, 10]);
    assert_eq!(edges(&counts), [10, 3, 7, 3, 7, 10]);
    assert_eq!((counts.entries, counts.returns, counts.left), (10, Some(10), Some(0)));
    let function = &map.functions[FunctionId::new(0)];
    assert_eq!(counts.weight(function, Charge::Instruction), 10 * 2 + 3 * 3 + 7 * 5 + 10);
    assert_eq!(counts.block(function, BlockId::new(2)), 7);
    assert_eq!(counts.instructions(function).values().copied().collect::<Vec<_>>(), [10, 10, 3, 3, 3, 7, 10]);
}

#[test]
fn a_loop_that_runs_its_body_8_times_on_2_calls() {
    let counts = only(&single_loop(), &[2, 14], &[]);
    assert_eq!(segments(&counts), [2, 16, 2]);
    assert_eq!(edges(&counts), [2, 2, 14, 2, 2]);
}

#[test]
fn a_call_that_did_not_return_once() {
    let counts = only(&call_left(), &[5, 4], &[(0, 1)]);
    assert_eq!(segments(&counts), [5, 4]);
    assert_eq!((counts.entries, counts.returns, counts.left), (5, Some(4), Some(1)));
}

#[test]
fn a_child_process_returns_from_a_frame_it_never_entered() {
    let counts = only(&call_left(), &[0, 1], &[(0, -1)]);
    assert_eq!(segments(&counts), [0, 1]);
    assert_eq!(edges(&counts), [0, 1, -1, 1]);
    assert_eq!((counts.entries, counts.returns, counts.left), (0, Some(1), Some(-1)));
}

/// `if (setjmp(b) < 3) longjmp(b, 1)`: left at the call of longjmp, here again
/// behind that of setjmp.
#[test]
fn a_longjmp_comes_in_again() {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, counter(0)),
        edge(segment(0), segment(1), EdgeKind::Fall, Meter::Derived),
        edge(None, segment(1), EdgeKind::Again, counter(1)),
        edge(segment(1), segment(2), branch(0, 0), Meter::Derived),
        edge(segment(1), segment(3), branch(0, 1), Meter::Derived),
        edge(segment(2), None, left(0), Meter::LeftFrames),
        edge(segment(3), None, EdgeKind::Return, Meter::Derived),
    ];
    let blocks: [&[&[u32]]; 3] = [&[&[1], &[1]], &[&[1]], &[&[1]]];
    let map = module("jump.c", vec![function("jump", &blocks, edges)], 2);
    let counts = only(&map, &[1, 3], &[(0, 3)]);
    assert_eq!(segments(&counts), [1, 4, 3, 1]);
    assert_eq!((counts.entries, counts.returns, counts.left), (1, Some(1), Some(0)));
}

/// The same program under both placements.
#[test]
fn every_segment_counts_directly() {
    let mut map = call_left();
    let only_function = &mut map.functions[FunctionId::new(0)];
    only_function.segment_counters = Some(CounterId::new(0));
    only_function.edges.values_mut().for_each(|edge| edge.meter = Meter::Derived);
    let direct = only(&map, &[5, 4], &[]);
    let derived = only(&call_left(), &[5, 4], &[(0, 1)]);
    assert_eq!(direct.edges, None);
    assert_eq!(FunctionCounts { edges: None, ..derived }, direct);

    // A return with company leaves its share open.
    map.functions[FunctionId::new(0)].edges[EdgeId::new(2)].from = segment(1);
    let open = only(&map, &[5, 5], &[]);
    assert_eq!((open.returns, open.left), (None, None));
}

#[test]
fn counters_of_another_build_are_refused() {
    let found = error(&diamond(), &[1], &[]);
    assert_eq!(found, RecoverError::CounterCount { module: "diamond.c".into(), expected: 2, actual: 1 });
    assert!(found.to_string().contains("different builds"), "{found}");
    let found = error(&call_left(), &[5, 4], &[(3, 1)]);
    assert_eq!(found, RecoverError::UnknownCallSite { module: "left.c".into(), site: CallSiteId::new(3) });
}

#[test]
fn what_cannot_have_happened_is_a_contradiction_with_name_and_line() {
    // The arm was taken more often than the function was entered.
    let found = error(&diamond(), &[3, 10], &[]).to_string();
    assert!(
        found.contains("the raw counters and the map disagree in function choose of diamond.c"),
        "{found}"
    );
    assert!(found.contains("edge2 would have been taken -7 times (at src.c:10)"), "{found}");
    // Returns and left frames do not make up the calls.
    let found = error(&call_left(), &[5, 5], &[(0, 1)]).to_string();
    assert!(found.contains("function risky of left.c"), "{found}");
    // More than any counter holds.
    let found = error(&single_loop(), &[u64::MAX, u64::MAX], &[]).to_string();
    assert!(found.contains("segment1 would have run"), "{found}");
}

#[test]
fn a_map_that_does_not_determine_the_counts_is_our_fault() {
    let mut map = diamond();
    map.functions[FunctionId::new(0)].edges[EdgeId::new(1)].meter = Meter::Derived;
    let found = error(&map, &[3, 0], &[]).to_string();
    assert!(
        found.contains("does not determine function choose") && found.contains("fault of opcost"),
        "{found}"
    );
}

proptest! {
    /// Walks through the diamond and the loop are recovered exactly.
    #[test]
    fn walks_are_recovered(left_arm in 0u64..1 << 40, right_arm in 0u64..1 << 40) {
        let counts = only(&diamond(), &[left_arm + right_arm, left_arm], &[]);
        prop_assert_eq!(segments(&counts), [left_arm + right_arm, left_arm, right_arm, left_arm + right_arm]);
        let counts = only(&single_loop(), &[left_arm, right_arm], &[]);
        prop_assert_eq!(counts.segments[SegmentId::new(1)], left_arm + right_arm);
    }

    #[test]
    fn no_counters_make_it_panic(counters in prop::collection::vec(any::<u64>(), 2), frames in any::<i64>()) {
        for map in [diamond(), single_loop(), call_left()] {
            let _ = recover_module(&map, &counters, &[(CallSiteId::new(0), frames)].into());
        }
    }
}

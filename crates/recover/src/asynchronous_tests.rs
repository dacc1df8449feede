//! What is known of counts when frames are still open: cases small enough to
//! walk by hand.

use opcost_index::Id;
use opcost_key::{CallSiteId, CounterId, FunctionId, ModuleMap};

use super::{OpenCounts, recover_open_module};
use crate::example::{call_left, diamond, recovered, single_loop};
use crate::{LeftFrames, RecoverError};

fn open(map: &ModuleMap, counters: &[u64], left: &[(usize, i64)]) -> OpenCounts {
    let left: LeftFrames = left.iter().map(|&(site, count)| (CallSiteId::new(site), count)).collect();
    recover_open_module(map, counters, &left).unwrap()
}

fn segments(counts: &OpenCounts) -> Vec<u64> {
    counts.at_least.functions[FunctionId::new(0)].segments.values().copied().collect()
}

#[test]
fn a_frame_that_is_open_may_stand_before_or_behind_the_call() {
    // 5 came in, 3 returned, 1 was left: the fifth ran 2 instructions, or those and 3 more.
    let counts = open(&call_left(), &[5, 3], &[(0, 1)]);
    assert_eq!(segments(&counts), [4, 3]);
    assert_eq!(counts.missing, Some(2 + 3));
}

#[test]
fn where_all_frames_are_closed_nothing_is_missing() {
    let counts = open(&call_left(), &[5, 4], &[(0, 1)]);
    assert_eq!(segments(&counts), [5, 4]);
    assert_eq!(counts.missing, Some(0));
}

#[test]
fn a_child_may_hold_frames_of_its_parent() {
    // One frame came with the fork and returned, one is still there.
    let counts = open(&call_left(), &[0, 1], &[(0, -2)]);
    assert_eq!(segments(&counts), [0, 1]);
    assert_eq!(counts.missing, Some(3));
}

#[test]
fn a_loop_that_may_count_in_registers_has_no_upper_bound() {
    let counts = open(&single_loop(), &[2, 14], &[]);
    assert_eq!(segments(&counts), [2, 14, 0]);
    assert_eq!(counts.missing, None);
    assert_eq!(open(&single_loop(), &[0, 0], &[]).missing, None);
    let lost: Vec<&str> = counts.lost.iter().map(|one| &*one.function).collect();
    assert_eq!(lost, [&*single_loop().functions[FunctionId::new(0)].name]);
}

/// Of a million entries at most two came from before the loop, so control went around for the others; once
/// it left.
#[test]
fn a_loop_with_a_counter_in_memory_has_a_count() {
    let mut map = single_loop();
    map.functions[FunctionId::new(0)].segment_counters = Some(CounterId::new(0));
    map.counter_count = 3;
    let counts = open(&map, &[2, 1_000_000, 1], &[]);
    assert_eq!(segments(&counts), [0, 999_999, 0]);
    assert!(counts.lost.is_empty());
}

#[test]
fn counters_of_segments_bound_what_surely_went_on() {
    let mut map = diamond();
    map.functions[FunctionId::new(0)].segment_counters = Some(CounterId::new(0));
    map.counter_count = 4;
    let counts = open(&map, &[10, 3, 6, 8], &[]);
    // Of 8 that came to the join 6 at most came by one branch, and 3 by the other.
    assert_eq!(segments(&counts), [9, 2, 5, 0]);
    assert_eq!(counts.missing, Some(2 + 3 + 5 + 8));
    let bounded = recovered(&map, &[10, 3, 6, 8], &[]);
    assert_eq!(counts.at_least.functions[FunctionId::new(0)].entries, 10);
    assert_eq!(bounded.functions[FunctionId::new(0)].entries, 10);
}

#[test]
fn counters_of_another_program_are_refused() {
    let error = recover_open_module(&diamond(), &[1], &LeftFrames::new()).unwrap_err();
    assert!(matches!(error, RecoverError::CounterCount { expected: 2, actual: 1, .. }), "{error}");
}

//! Pieces of planted code: what runs how often is known, samples are without noise.

use proptest::prelude::*;

use super::*;

fn row(instruction: Option<u32>, instructions: u16, factor: u16, group: Option<u32>) -> CodeRow {
    let (offset, block, throughput, latency, begins_block) = (0, Some(0), 0, 0, false);
    CodeRow { offset, instruction, block, instructions, throughput, latency, group, factor, begins_block }
}

/// Code of one machine block that runs `times`: by instruction, how many machine
/// instructions. A sample in each cycle, a cycle for each of them.
struct Code<'a> {
    factor: u16,
    group: u32,
    times: u64,
    rows: &'a [(u32, u16)],
}

/// What is seen of a segment that has this code.
fn seen(code: &[Code]) -> Observation {
    let mut pieces: BTreeMap<PieceKey, CopiedPiece> = BTreeMap::new();
    for (block, code) in code.iter().enumerate() {
        let mut run = CopyRun::default();
        for &(instruction, instructions) in code.rows {
            let row = row(Some(instruction), instructions, code.factor, Some(code.group));
            run.add(
                PieceKey::of(&row, block),
                &row,
                vec![code.times * u64::from(instructions)],
                Cycles::Mean,
            );
        }
        run.share(Cycles::Mean, &mut pieces);
    }
    joined(&pieces.into_values().collect::<Vec<_>>())
}

/// A piece that is a run by itself.
fn piece(rows: &[(CodeRow, u64)], how: Cycles) -> CopiedPiece {
    let mut run = CopyRun::default();
    for (row, samples) in rows {
        run.add((), row, vec![*samples], how);
    }
    let mut pieces = BTreeMap::new();
    run.share(how, &mut pieces);
    pieces.remove(&()).expect("a piece")
}

#[track_caller]
fn ran(code: &[Code], times: f64) {
    let seen = seen(code);
    let all: u64 =
        code.iter().map(|one| one.times * one.rows.iter().map(|row| u64::from(row.1)).sum::<u64>()).sum();
    assert_eq!(seen.samples, all);
    assert!((seen.count(1.0) / times - 1.0).abs() < 1e-9, "{} and not {times}", seen.count(1.0));
}

const BODY: &[(u32, u16)] = &[(0, 2), (1, 1), (2, 3)];
const FOUR: &[(u32, u16)] =
    &[(0, 2), (1, 1), (2, 3), (0, 2), (1, 1), (2, 3), (0, 2), (1, 1), (2, 3), (0, 2), (1, 1), (2, 3)];

#[test]
fn four_copies_in_one_machine_block_multiply() {
    ran(&[Code { factor: 4, group: 0, times: 1000, rows: FOUR }], 4000.0);
    // The same with what is left over, in a loop of its own.
    let left = Code { factor: 1, group: 1, times: 3, rows: BODY };
    ran(&[Code { factor: 4, group: 0, times: 1000, rows: FOUR }, left], 4003.0);
}

#[test]
fn four_copies_in_blocks_of_their_own_multiply_once() {
    let copy = |times| Code { factor: 4, group: 0, times, rows: BODY };
    ran(&[copy(1000), copy(1000), copy(1000), copy(1000)], 4000.0);
    // The loop may be left in the middle.
    ran(&[copy(1001), copy(1001), copy(1000), copy(1000)], 4002.0);
    // One copy was optimised away: the others tell of it.
    ran(&[copy(1000), copy(1000), copy(1000)], 4000.0);
}

#[test]
fn vectors_multiply_and_what_is_left_over_adds() {
    let vector = Code { factor: 16, group: 0, times: 500, rows: &[(0, 1), (1, 2)] };
    ran(&[vector, Code { factor: 1, group: 1, times: 7, rows: BODY_OF_TWO }], 8007.0);
}

const BODY_OF_TWO: &[(u32, u16)] = &[(0, 1), (1, 1)];

#[test]
fn loops_inlined_at_two_places_are_two_loops() {
    let at = |group, times| Code { factor: 4, group, times, rows: FOUR };
    ran(&[at(0, 1000), at(1, 250)], 5000.0);
    // Two copies of the body in one machine block, inlined one behind the other.
    let mut pieces = Vec::new();
    for group in 0..2 {
        let row = row(Some(0), 2, 1, Some(group));
        assert_eq!(PieceKey::of(&row, 5), PieceKey::Block { block: 5, group: Some(group) });
        pieces.push(piece(&[(row, 2 * 300)], Cycles::Mean));
    }
    assert_eq!(joined(&pieces).count(1.0), 600.0);
}

#[test]
fn exclusive_copies_add_whatever_they_cost() {
    let long = Code { factor: 1, group: 0, times: 10, rows: &[(0, 4), (1, 4)] };
    let short = Code { factor: 1, group: 0, times: 30, rows: &[(0, 1), (1, 1)] };
    ran(&[long, short], 40.0);
}

#[test]
fn parts_of_one_block_are_no_copies() {
    let first = || Code { factor: 1, group: 0, times: 10, rows: &[(0, 2), (1, 1)] };
    let second = || Code { factor: 1, group: 0, times: 10, rows: &[(2, 3)] };
    ran(&[first(), second()], 10.0);
    // And a copy of both.
    ran(&[first(), second(), Code { factor: 1, group: 0, times: 5, rows: BODY }], 15.0);
}

#[test]
fn code_that_names_nothing_counts_if_there_is_no_other() {
    let unnamed = |times: u64| piece(&[(row(None, 2, 1, None), 2 * times)], Cycles::Mean);
    assert_eq!(joined(&[unnamed(3), unnamed(4)]).count(1.0), 7.0);
    let named = piece(&[(row(Some(0), 1, 1, None), 5)], Cycles::Mean);
    let both = joined(&[unnamed(3), named]);
    assert_eq!(both.samples, 11);
    assert!((both.count(1.0) - 5.0).abs() < 1e-12);
}

/// Two blocks that became one machine block run equally often, whichever is seen.
#[test]
fn a_machine_block_is_seen_as_a_whole() {
    let mut run = CopyRun::default();
    run.add("body", &row(Some(0), 6, 4, Some(0)), vec![700], Cycles::Mean);
    run.add("latch", &row(Some(1), 1, 4, Some(1)), vec![], Cycles::Mean);
    let mut pieces = BTreeMap::new();
    run.share(Cycles::Mean, &mut pieces);
    for (name, samples) in [("body", 600), ("latch", 100)] {
        let seen = joined(&[pieces[name].clone()]);
        assert_eq!(seen.samples, samples, "{name}");
        assert!((seen.count(1.0) - 400.0).abs() < 1e-9, "{name}");
    }
    assert_eq!(
        whole_shares(3, BTreeMap::from([(0, 0.9), (1, 0.9), (2, 1.2)])).into_values().collect::<Vec<_>>(),
        [1, 1, 1]
    );
    assert_eq!(whole_shares(0, BTreeMap::<u8, f64>::new()).len(), 0);
}

#[test]
fn nothing_seen_has_the_cycles_of_a_copy() {
    let code = [
        Code { factor: 1, group: 0, times: 0, rows: &[(0, 4)] },
        Code { factor: 1, group: 0, times: 0, rows: &[(0, 2)] },
    ];
    assert_eq!(seen(&code), Observation::busy(0, 3.0));
    assert_eq!(seen(&[Code { factor: 4, group: 0, times: 0, rows: FOUR }]).cycles, 6.0);
    assert_eq!(joined(&[]), Observation::default());
}

#[test]
fn waiting_in_an_unrolled_loop_is_as_much_longer() {
    let observed = |samples: [u64; 4], factor| {
        let rows = samples.map(|samples| (row(Some(0), 2, factor, None), samples));
        joined(&[piece(&rows, Cycles::Model)])
    };
    let piled = observed([0, 4000, 0, 0], 1);
    assert!(piled.cycles > 2.0 * observed([1000; 4], 1).cycles);
    assert!((4.0 * observed([0, 4000, 0, 0], 4).cycles / piled.cycles - 1.0).abs() < 1e-9);
}

proptest! {
    /// Whatever the unroller makes of a loop, its body is found to run as often.
    #[test]
    fn unrolled_or_not_the_count_is_the_same(
        costs in proptest::collection::vec(1u16..5, 1..6),
        factor in 2u16..9,
        turns in 0u64..1000,
        peeled in 0u64..3,
        is_split in any::<bool>(),
    ) {
        let body: Vec<(u32, u16)> = (0..).zip(costs).collect();
        let all = (0..factor).flat_map(|_| body.clone()).collect::<Vec<_>>();
        let mut code: Vec<Code> = match is_split {
            true => (0..factor).map(|_| Code { factor, group: 0, times: turns, rows: &body }).collect(),
            false => vec![Code { factor, group: 0, times: turns, rows: &all }],
        };
        code.extend((0..peeled).map(|_| Code { factor: 1, group: 1, times: 2, rows: &body }));
        let times = turns * u64::from(factor) + 2 * peeled;
        prop_assert!((seen(&code).count(1.0) - times as f64).abs() < 1e-6);
    }
}

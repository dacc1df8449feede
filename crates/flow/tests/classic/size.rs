//! Large graphs and large numbers.

use opcost_flow::check_conservation;
use opcost_flow::classic::{CountedPlace, Prior, Repair, RepairError, TimeModel};
use opcost_index::Id;

use super::{Edge, KEEP, Node, OUT, Sampled, price};
use Prior::{Measured, Share};

const BLOCKS: usize = 100_000;

/// A line of blocks; the `n`th has the id `name(n)`.
fn line(weight: impl Fn(usize) -> u64, name: impl Fn(usize) -> usize) -> Sampled {
    let mut blocks = vec![0; BLOCKS];
    (0..BLOCKS).for_each(|n| blocks[name(n)] = weight(n));
    let between = (1..BLOCKS).map(|n| (name(n - 1), name(n), Share(1)));
    let ends = [(OUT, name(0), Share(1)), (name(BLOCKS - 1), OUT, Share(1))];
    Sampled::new(&blocks, &ends.into_iter().chain(between).collect::<Vec<_>>())
}

fn assert_consistent(line: &Sampled, repair: &Repair<Node, Edge>) {
    let (edges, counts) = repair.closed(&line.edges);
    assert_eq!(check_conservation(BLOCKS, &edges, &counts), Ok(()));
}

/// A few blocks of a long line have too much or too little. Each is set right
/// for itself: the block, and the edge behind it that shares its weight.
#[test]
fn a_long_line_with_few_wrong_blocks() {
    let wrong = |n: usize| if n % 9973 == 5000 { 700 + n as u64 % 800 } else { 1000 };
    let line = line(wrong, |n| n);
    let moves: u64 = (0..BLOCKS).map(|n| wrong(n).abs_diff(1000)).sum();
    assert!(moves > 1000);
    let repair = line.repair(&line.all_at(price(1, 1)));
    assert!(repair.nodes.values().all(|count| count.after == 1000));
    assert_eq!(repair.cost, u128::from(2 * moves));
    assert!(repair.effort.passes <= 10 && repair.effort.augmentations <= 20, "{:?}", repair.effort);
    assert_consistent(&line, &repair);
}

/// The first half says 1000, the second 900. The shortest augmenting path
/// raises the second, and it is cheaper to lower the first: one cycle round
/// all of the line, which must not take as many passes as it is long.
#[test]
fn a_cycle_as_long_as_the_program() {
    let half = |n: usize| if n < BLOCKS / 2 { 1000 } else { 900 };
    // 7 has no factor in common with 100,000.
    for name in [|n: usize| n, |n: usize| n * 7 % BLOCKS, |n: usize| BLOCKS - 1 - n] {
        let line = line(half, name);
        let repair = line.repair(&line.all_at(price(3, 1)));
        assert!(repair.nodes.values().all(|count| count.after == 900));
        // The entry, half of the blocks and the edges behind them, by 100.
        assert_eq!(repair.cost, 100 * (1 + BLOCKS as u128));
        assert_eq!(repair.effort.cycles, 1);
        assert!(repair.effort.passes <= 10, "{:?}", repair.effort);
        assert_consistent(&line, &repair);
    }
}

/// 100,000 cases of a switch, all alike but one.
#[test]
fn a_wide_switch() {
    let cases = (1..BLOCKS - 1).flat_map(|n| [(0, n, Share(1)), (n, BLOCKS - 1, Share(1))]);
    let ends = [(OUT, 0, Share(1)), (BLOCKS - 1, OUT, Share(1))];
    let mut blocks = vec![2; BLOCKS];
    blocks[0] = 2 * (BLOCKS as u64 - 2);
    blocks[BLOCKS - 1] = blocks[0];
    blocks[77] = 9;
    let switch = Sampled::new(&blocks, &ends.into_iter().chain(cases).collect::<Vec<_>>());
    let repair = switch.repair(&switch.all_at(price(1, 1)));
    assert_eq!((repair.nodes[Node::new(77)].after, repair.cost), (2, 14));
    assert_consistent(&switch, &repair);
}

/// 50,000 loops in one another, as deep as no program is: no recursion.
#[test]
fn a_deep_nest() {
    let depth = BLOCKS / 2;
    let inward = (1..BLOCKS).map(|n| (n - 1, n, Measured(10)));
    let back = (0..depth).map(|n| (BLOCKS - 1 - n, n, Measured(0)));
    let ends = [(OUT, 0, Measured(10)), (BLOCKS - 1, OUT, Measured(9))];
    let edges: Vec<_> = ends.into_iter().chain(inward).chain(back).collect();
    let nest = Sampled::new(&vec![10; BLOCKS], &edges);
    let repair = nest.repair(&nest.all_at(price(1, 1)));
    assert_eq!(repair.cost, 1, "the exit is raised by one");
    assert_consistent(&nest, &repair);
}

#[test]
fn the_largest_counts_are_kept_when_they_balance() {
    let edges = [(OUT, 0, Share(1)), (0, 1, Share(1)), (0, 1, Share(u64::MAX)), (1, OUT, Share(1))];
    let repair = Sampled::new(&[u64::MAX, u64::MAX], &edges).repair(&TimeModel::GccMcf);
    assert_eq!((repair.cost, repair.nodes[Node::new(1)].after), (0, u64::MAX));
    assert_eq!(repair.edges[Edge::new(1)].after + repair.edges[Edge::new(2)].after, u64::MAX);
}

/// Two full entries run into one block, and raising is free.
#[test]
fn a_count_past_64_bits_is_an_error() {
    let edges = [(OUT, 0, Measured(u64::MAX)), (OUT, 0, Measured(u64::MAX)), (0, OUT, Share(1))];
    let sum = Sampled::new(&[1], &edges);
    let node = RepairError::CountOverflow {
        counted: CountedPlace::Node(Node::new(0)),
        count: 2 * u128::from(u64::MAX),
    };
    assert_eq!(sum.try_repair(&sum.all_at(price(0, 1)), KEEP), Err(node.clone()));
    assert_eq!(
        node.to_string(),
        "node0 would have the count 36893488147419103230, which is more than 64 bits hold"
    );
    // In a block of its own the sum is refused at the edge or the block first met.
    let lowered = sum.try_repair(&sum.all_at(price(1, 0)), KEEP).unwrap();
    assert_eq!(lowered.cost, 0);
}

/// Entry and exit say everything, the block nothing, at the highest prices:
/// each product fits into 128 bits, their sum does not.
#[test]
fn a_cost_past_128_bits_is_an_error() {
    let edges = [(OUT, 0, Measured(u64::MAX)), (0, 1, Share(1)), (1, OUT, Measured(u64::MAX))];
    let dear = Sampled::new(&[0, 0], &edges);
    let result = dear.try_repair(&dear.all_at(price(u64::MAX, u64::MAX)), KEEP);
    assert_eq!(result, Err(RepairError::SumOverflow));
    let cheap = dear.try_repair(&dear.all_at(price(u64::MAX, u64::MAX >> 1)), KEEP).unwrap();
    assert_eq!(cheap.cost, 2 * u128::from(u64::MAX) * u128::from(u64::MAX >> 1));
}

//! Small flow charts after the papers, worked by hand.

use opcost_flow::{
    Bounds, Countability, FlowEdge, FlowError, bounds, check_conservation, choose_chords, reconstruct, solve,
};
use opcost_index::{Id, IdMap};

opcost_index::define_id!(struct Node, "node");
opcost_index::define_id!(struct Edge, "edge");

/// The outside.
const OUT: usize = usize::MAX;

fn edges(ends: &[(usize, usize)]) -> IdMap<Edge, FlowEdge<Node>> {
    let place = |position| (position != OUT).then(|| Node::new(position));
    ends.iter().map(|&(from, to)| FlowEdge { from: place(from), to: place(to) }).collect()
}

fn weights(weights: &[u64]) -> IdMap<Edge, Countability> {
    weights.iter().map(|&weight| Countability::Countable { weight }).collect()
}

fn chords(nodes: usize, ends: &[(usize, usize)], weight: &[u64]) -> Vec<usize> {
    let chords = choose_chords(nodes, &edges(ends), &weights(weight)).expect("all edges are countable");
    chords.iter().map(Id::index).collect()
}

fn known(counts: &[Option<i128>]) -> IdMap<Edge, Option<i128>> {
    IdMap::from_vec(counts.to_vec())
}

/// After Ball and Larus (1994), section 2: `while P { if Q A else B; if R break; C }`.
/// Nodes: P, Q, A, B, R, C.
const LOOP_WITH_BREAK: [(usize, usize); 10] = [
    (OUT, 0), // enter
    (0, 1),   // P holds
    (0, OUT), // P fails
    (1, 2),   // Q holds
    (1, 3),   // Q fails
    (2, 4),
    (3, 4),
    (4, OUT), // R: break
    (4, 5),
    (5, 0), // back edge
];

/// The loop runs ten times per entry; Q is even, R rarely holds.
const LOOP_WEIGHTS: [u64; 10] = [10, 100, 5, 50, 50, 50, 50, 5, 95, 95];

#[test]
fn counters_move_out_of_the_hot_path() {
    let chords = chords(6, &LOOP_WITH_BREAK, &LOOP_WEIGHTS);
    // By hand: the tree takes 1, 8, 9, then 3, 4 (5 and 6 now close cycles),
    // then 0 (2 and 7 now do). 10 edges - 7 places + 1 tree = 4 chords.
    assert_eq!(chords, [2, 5, 6, 7]);
    // Four increments per turn of the loop become one.
    assert_eq!(chords.iter().map(|&edge| LOOP_WEIGHTS[edge]).sum::<u64>(), 110);
    assert_eq!(LOOP_WEIGHTS.iter().sum::<u64>(), 510);
}

#[test]
fn the_loop_with_break_is_reconstructed() {
    let truth = [3, 20, 2, 12, 8, 12, 8, 1, 19, 19];
    let edges = edges(&LOOP_WITH_BREAK);
    let chords = choose_chords(6, &edges, &weights(&LOOP_WEIGHTS)).unwrap();
    let known = edges.ids().map(|edge| chords.contains(edge).then_some(truth[edge.index()])).collect();
    // 3 entries and 19 ways back make 22 tests of P: 20 held, 2 failed.
    assert_eq!(reconstruct(6, &edges, &known).unwrap().as_slice(), truth);
}

/// After Knuth and Stevenson (1973): a flow chart of n + 1 boxes and m arrows
/// needs m - n measurements, whichever spanning tree is taken. Here a chart
/// with two nested loops and a way round, counted for every weighting.
#[test]
fn the_number_of_measurements_does_not_depend_on_the_weights() {
    let chart = [(OUT, 0), (0, 1), (1, 2), (2, 2), (2, 1), (2, 3), (0, 3), (3, 0), (3, OUT)];
    for turn in 0..chart.len() {
        let weight: Vec<u64> = (0..chart.len()).map(|edge| ((edge + turn) % chart.len()) as u64).collect();
        let chords = chords(4, &chart, &weight);
        assert_eq!(chords.len(), chart.len() - 4);
        assert!(chords.contains(&3), "a self-loop is never in the tree");
    }
}

#[test]
fn an_irreducible_loop_needs_no_special_care() {
    // Two ways into the cycle 1, 2.
    let edges = edges(&[(OUT, 0), (0, 1), (0, 2), (1, 2), (2, 1), (1, OUT)]);
    let counts = reconstruct(3, &edges, &known(&[None, None, Some(4), None, Some(9), Some(10)])).unwrap();
    assert_eq!(counts.as_slice(), [10, 6, 4, 5, 9, 10]);
}

#[test]
fn ties_go_to_the_smaller_id() {
    assert_eq!(chords(1, &[(OUT, 0), (OUT, 0), (0, OUT)], &[7, 7, 7]), [1, 2]);
    assert_eq!(chords(1, &[(OUT, 0), (OUT, 0), (0, OUT)], &[7, 8, 7]), [0, 2]);
}

#[test]
fn what_cannot_be_counted_is_in_the_tree_and_what_is_known_is_nowhere() {
    let edges = edges(&[(OUT, 0), (0, 1), (1, OUT), (0, OUT)]);
    let heavy = Countability::Countable { weight: u64::MAX };
    let countability = IdMap::from_vec(vec![heavy, heavy, Countability::Uncountable, Countability::Measured]);
    let chords = choose_chords(2, &edges, &countability).unwrap();
    assert_eq!(chords.iter().map(Id::index).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_cycle_without_a_place_for_a_counter_is_named() {
    let edges = edges(&[(OUT, 0), (0, 1), (1, 2), (0, 2), (2, OUT)]);
    let light = Countability::Countable { weight: 1 };
    let no = Countability::Uncountable;
    let error = choose_chords(3, &edges, &IdMap::from_vec(vec![light, no, no, no, light])).unwrap_err();
    assert_eq!(error.to_string(), "no edge of the cycle edge1, edge2, edge3 can be counted");
}

#[test]
fn each_fault_is_named() {
    let edges = edges(&[(OUT, 0), (0, 1), (0, 1), (1, OUT)]);
    let fault = |counts| solve(2, &edges, &known(counts)).unwrap_err().to_string();
    assert_eq!(
        fault(&[Some(1), None, None, Some(1)]),
        "counts are not determined: nothing is known on the cycle edge1, edge2"
    );
    assert_eq!(
        fault(&[Some(5), Some(1), Some(1), None]),
        "counts contradict each other: 5 into node0, 2 out of it"
    );
    assert_eq!(
        fault(&[Some(i128::MAX), Some(i128::MAX), Some(1), None]),
        "the count of edge2 makes a sum of more than 128 bits"
    );
    let negative = reconstruct(2, &edges, &known(&[Some(5), Some(6), None, None])).unwrap_err();
    assert_eq!(negative, FlowError::Negative { edge: Edge::new(2), count: -1 });
    assert!(solve(2, &edges, &known(&[Some(5), Some(6), None, None])).is_ok());
}

#[test]
fn the_checker_names_the_place() {
    let edges = edges(&[(OUT, 0), (0, OUT)]);
    let wrong = check_conservation(1, &edges, &IdMap::from_vec(vec![2, 1])).unwrap_err();
    assert_eq!(wrong.to_string(), "counts contradict each other: 2 into node0, 1 out of it");
}

#[test]
fn an_edge_from_outside_to_outside_balances_itself() {
    let edges = edges(&[(OUT, OUT)]);
    assert_eq!(solve(0, &edges, &known(&[Some(1)])).unwrap().as_slice(), [1]);
    assert_eq!(solve(0, &edges, &known(&[None])), Err(FlowError::Undetermined { cycle: vec![Edge::new(0)] }));
}

/// A loop that is killed: entered once, the way into its body counted a million times.
#[test]
fn a_killed_loop_keeps_its_count_but_for_one_frame() {
    let edges = edges(&[(OUT, 0), (0, 1), (1, 0), (0, OUT)]);
    let counts = known(&[Some(1), Some(1_000_000), None, Some(0)]);
    assert!(matches!(solve(2, &edges, &counts), Err(FlowError::Contradiction { .. })));
    let found = bounds(2, &edges, &counts).unwrap();
    assert_eq!(found[Edge::new(2)], Bounds { lower: 999_999, upper: Some(1_000_000) });
    assert_eq!(found[Edge::new(0)], Bounds { lower: 1, upper: Some(1) });
}

#[test]
fn open_frames_cannot_explain_flow_from_nowhere() {
    let edges = edges(&[(OUT, 0), (0, 1), (1, OUT)]);
    let error = bounds(2, &edges, &known(&[Some(3), None, Some(5)])).unwrap_err();
    assert!(matches!(error, FlowError::Contradiction { .. }), "{error}");
}

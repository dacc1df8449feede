//! Networks where at the optimum nothing flows across a cut, so that Newton's
//! weights there are lost beside the others. Each was found at random, and
//! stopped a solver that raised its noise pivots and trusted in its steps to
//! the end.

use crate::closed_forms::solved;
use crate::referees::{Priced, priced_network, shortest_paths};

fn assert_cheapest(nodes: usize, edges: &[Priced], supply: &[i64]) {
    let way_round = (0..nodes).map(|node| (node, (node + 1) % nodes, 50.0));
    let edges: Vec<Priced> = edges.iter().copied().chain(way_round).collect();
    let expected = shortest_paths(nodes, &edges, supply).expect("the way round is open");
    let solution = solved(&priced_network(&edges, supply));
    let found = solution.certificate.objective;
    assert!((found - expected).abs() <= 1e-6 * expected.max(1.0), "{found} is not {expected}");
    assert!(solution.work.steps <= 30, "{:?}", solution.work);
}

#[test]
fn five_nodes_that_owe_a_sixth_nothing() {
    let edges = [
        (0, 4, 5.0),
        (0, 0, 0.0),
        (0, 1, 0.0),
        (5, 1, 6.0),
        (1, 0, 6.0),
        (3, 2, 1.0),
        (3, 5, 3.0),
        (2, 0, 3.0),
    ];
    assert_cheapest(6, &edges, &[0, -3, -3, 3, 4, -1]);
}

/// The rows were met to 3e-6 and 1e-4 by turns.
#[test]
fn residuals_that_alternate() {
    let edges = [
        (2, 3, 5.0),
        (6, 0, 0.0),
        (2, 1, 5.0),
        (3, 4, 2.0),
        (2, 5, 9.0),
        (3, 1, 2.0),
        (3, 2, 9.0),
        (5, 5, 7.0),
        (1, 1, 8.0),
        (1, 1, 6.0),
        (0, 2, 4.0),
        (0, 5, 0.0),
        (3, 5, 7.0),
        (6, 5, 11.0),
        (5, 3, 10.0),
        (3, 0, 10.0),
        (0, 6, 7.0),
        (2, 6, 4.0),
        (1, 2, 11.0),
        (2, 6, 1.0),
    ];
    assert_cheapest(7, &edges, &[-9, 0, 3, 3, 2, -2, 3]);
}

/// A hundred and fifty steps, each to its full length, changed nothing.
#[test]
fn full_steps_that_lead_nowhere() {
    let edges = [
        (5, 0, 2.0),
        (2, 0, 4.0),
        (1, 0, 3.0),
        (1, 6, 2.0),
        (3, 0, 3.0),
        (5, 3, 7.0),
        (2, 6, 7.0),
        (5, 4, 10.0),
        (5, 6, 0.0),
        (2, 1, 6.0),
        (3, 6, 5.0),
        (5, 1, 7.0),
        (2, 0, 6.0),
        (4, 2, 6.0),
        (1, 6, 5.0),
        (2, 5, 9.0),
        (4, 3, 4.0),
        (3, 2, 9.0),
        (5, 1, 11.0),
        (4, 6, 9.0),
        (6, 6, 2.0),
        (3, 3, 3.0),
        (0, 6, 9.0),
        (3, 6, 6.0),
    ];
    assert_cheapest(7, &edges, &[-5, 4, 0, 0, 4, -4, 1]);
}

/// The rows held to 1e-16, and the gap stayed at 3e-6.
#[test]
fn a_gap_that_stays_where_rows_hold() {
    let edges = [
        (1, 0, 2.0),
        (2, 1, 1.0),
        (0, 5, 7.0),
        (2, 3, 11.0),
        (7, 3, 1.0),
        (4, 1, 10.0),
        (5, 2, 1.0),
        (3, 0, 2.0),
        (7, 2, 10.0),
        (0, 3, 3.0),
        (0, 4, 9.0),
        (7, 1, 3.0),
        (2, 2, 7.0),
        (1, 5, 8.0),
        (6, 5, 10.0),
        (2, 2, 10.0),
        (1, 0, 0.0),
        (7, 4, 9.0),
        (4, 7, 10.0),
    ];
    assert_cheapest(8, &edges, &[8, -3, -2, -2, 0, -2, -2, 3]);
    let edges = [
        (1, 2, 10.0),
        (7, 0, 0.0),
        (5, 6, 3.0),
        (3, 7, 10.0),
        (3, 0, 2.0),
        (1, 0, 7.0),
        (1, 5, 4.0),
        (4, 0, 4.0),
        (2, 7, 2.0),
        (6, 2, 5.0),
    ];
    assert_cheapest(8, &edges, &[5, 1, -2, 4, -4, 0, 0, -4]);
}

/// Gap and rows were both 1e-5 short.
#[test]
fn few_edges_beside_the_way_round() {
    let edges = [(0, 6, 9.0), (2, 3, 3.0), (7, 4, 9.0), (5, 6, 8.0), (3, 5, 8.0)];
    assert_cheapest(8, &edges, &[6, -1, 4, -4, -2, 0, 0, -3]);
    let edges = [(3, 2, 10.0), (3, 2, 11.0), (5, 1, 2.0), (2, 4, 5.0), (5, 2, 1.0)];
    assert_cheapest(6, &edges, &[-1, 4, -3, -1, 0, 1]);
}

/// Duals on either side of a cut ran away from each other.
#[test]
fn duals_that_nothing_holds_together() {
    let edges = [
        (1, 5, 11.0),
        (2, 2, 0.0),
        (1, 3, 8.0),
        (5, 3, 11.0),
        (6, 5, 1.0),
        (4, 5, 9.0),
        (7, 2, 0.0),
        (7, 1, 2.0),
        (6, 6, 9.0),
        (3, 1, 1.0),
        (1, 5, 7.0),
        (5, 1, 9.0),
        (2, 0, 4.0),
        (2, 3, 7.0),
        (5, 4, 11.0),
        (6, 2, 1.0),
    ];
    assert_cheapest(8, &edges, &[-1, 0, 4, -3, -1, 4, -1, -2]);
}

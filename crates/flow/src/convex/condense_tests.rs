//! Small problems, condensed and solved, against those as they were given.

use super::super::presolve::presolve;
use super::super::problem::{Cost, Problem};
use super::*;

/// Rows of a graph, each node's inflow less its outflow; `supply` comes in at node 0
/// and goes out where edges lead nowhere.
fn network(nodes: usize, edges: &[(usize, Option<usize>, Cost)], supply: f64) -> Problem {
    let mut problem = Problem::new();
    let mut rows = vec![Vec::new(); nodes];
    for &(from, to, cost) in edges {
        let edge = problem.add_variable(cost);
        rows[from].push((edge, -1.0));
        to.into_iter().for_each(|to| rows[to].push((edge, 1.0)));
    }
    for (node, row) in rows.into_iter().enumerate() {
        problem.add_row(if node == 0 { -supply } else { 0.0 }, row);
    }
    problem
}

fn rows_left(problem: &Problem) -> (IdMap<VariableId, f64>, usize) {
    let costs = problem.costs.values().map(|&cost| Smooth::of_cost(cost).expect("no corners")).collect();
    let mut reduced = presolve(problem, &costs).expect("it is possible");
    let condensation = condense(&mut reduced).expect("it is possible");
    let left = reduced.rows.values().flatten().count();
    let mut values = IdMap::filled(problem.variable_count(), 0.0);
    let mut duals = IdMap::filled(problem.row_count(), 0.0);
    if left == 0 {
        condensation.expand(&mut values, &mut duals);
    }
    let values = reduced.roots.values().map(|&(root, ratio)| {
        let fixed = reduced.classes[root].fixed;
        ratio * fixed.unwrap_or(values[root])
    });
    (values.collect(), left)
}

fn priced(price: f64) -> Cost {
    Cost::Linear { price }
}

/// Hecht and Ullman's transformations leave one node of a reducible graph: a loop of
/// two ways back within a loop, and a branch behind it.
#[test]
fn of_reducible_code_that_was_not_seen_the_cheapest_way_is_left() {
    let edges = [
        (0, Some(1), priced(1.0)),
        (1, Some(2), priced(1.0)),
        (2, Some(3), priced(1.0)),
        (3, Some(2), priced(1.0)),
        (3, Some(1), priced(1.0)),
        (3, Some(4), priced(1.0)),
        (4, Some(5), priced(3.0)),
        (4, Some(6), priced(1.0)),
        (5, Some(7), priced(0.0)),
        (6, Some(7), priced(1.0)),
        (4, Some(7), priced(9.0)),
        (7, None, priced(0.0)),
    ];
    let (values, left) = rows_left(&network(8, &edges, 10.0));
    assert_eq!(left, 0);
    let values: Vec<f64> = values.values().copied().collect();
    assert_eq!(values, [10.0, 10.0, 10.0, 0.0, 0.0, 10.0, 0.0, 10.0, 0.0, 10.0, 0.0, 10.0]);
}

#[test]
fn ways_of_the_same_price_share() {
    let ways = [2.0, 2.0, 3.0, 2.0].map(|price| (0, Some(1), priced(price)));
    let edges: Vec<_> = ways.into_iter().chain([(1, None, Cost::Free)]).collect();
    let (values, left) = rows_left(&network(2, &edges, 6.0));
    assert_eq!(left, 0);
    let near = |value: f64, wanted: f64| (value - wanted).abs() < 1e-12;
    let wanted = [2.0, 2.0, 0.0, 2.0, 6.0];
    assert!(values.values().zip(wanted).all(|(&value, wanted)| near(value, wanted)), "{values:?}");
}

/// What was seen has no linear cost: the branch stays, the dear way beside it goes.
#[test]
fn what_was_seen_stays() {
    let seen = |samples| Cost::Deviance { samples, cycles: 1.0, dispersion: 1.0 };
    let edges = [
        (0, Some(1), priced(0.0)),
        (1, Some(2), seen(3.0)),
        (1, Some(2), seen(5.0)),
        (1, Some(2), priced(2.0)),
        (2, None, priced(0.0)),
    ];
    let (_, left) = rows_left(&network(3, &edges, 6.0));
    assert_eq!(left, 1);
}

/// A way that is dearer by its own price than one of infinite slope at 0 is dropped,
/// one that is cheaper is not.
#[test]
fn a_way_is_only_dropped_for_one_that_is_never_dearer() {
    for (price, is_dropped) in [(2.0, true), (1.9, false)] {
        let seen = Cost::Deviance { samples: 3.0, cycles: 1.0, dispersion: 1.0 };
        let edges = [(0, None, seen), (0, None, priced(price))];
        let problem = network(1, &edges, 6.0);
        let (_, left) = rows_left(&problem);
        assert_eq!(left == 0, is_dropped, "{price}");
    }
}

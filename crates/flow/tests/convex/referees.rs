//! Two other ways to the same least cost: successive shortest paths for linear
//! costs on networks, and ascent in one dual at a time for strictly convex
//! costs on any rows.

use opcost_flow::convex::{Cost, Problem, VariableId};
use opcost_index::Id;
use proptest::prelude::*;

use crate::closed_forms::solved;

/// An edge of a network: from, to, price.
pub(crate) type Priced = (usize, usize, f64);

/// Least cost of sending `supply[v]` out of each node (negative: into it) over
/// edges without capacity: successive shortest paths by Bellman and Ford.
/// Supplies are integers that add up to 0; `None` when a node is cut off.
pub(crate) fn shortest_paths(nodes: usize, edges: &[Priced], supply: &[i64]) -> Option<f64> {
    let mut left = supply.to_vec();
    let mut flow = vec![0i64; edges.len()];
    let mut cost = 0.0;
    while let Some(source) = left.iter().position(|&amount| amount > 0) {
        let mut distance = vec![f64::INFINITY; nodes];
        // The edge that a node was reached by, and whether forwards.
        let mut by: Vec<Option<(usize, bool)>> = vec![None; nodes];
        distance[source] = 0.0;
        for _ in 0..nodes {
            for (number, &(from, to, price)) in edges.iter().enumerate() {
                if distance[from] + price < distance[to] - 1e-9 {
                    distance[to] = distance[from] + price;
                    by[to] = Some((number, true));
                }
                if flow[number] > 0 && distance[to] - price < distance[from] - 1e-9 {
                    distance[from] = distance[to] - price;
                    by[from] = Some((number, false));
                }
            }
        }
        let sink = (0..nodes)
            .filter(|&node| left[node] < 0 && distance[node].is_finite())
            .min_by(|&a, &b| distance[a].total_cmp(&distance[b]))?;
        // Unit by unit is slow and simple.
        let mut node = sink;
        while let Some((number, forwards)) = by[node].filter(|_| node != source) {
            flow[number] += if forwards { 1 } else { -1 };
            cost += if forwards { edges[number].2 } else { -edges[number].2 };
            node = if forwards { edges[number].0 } else { edges[number].1 };
        }
        left[source] -= 1;
        left[sink] += 1;
    }
    Some(cost)
}

/// A variable for each edge, and a row for each node.
pub(crate) fn priced_network(edges: &[Priced], supply: &[i64]) -> Problem {
    let mut problem = Problem::new();
    let flows: Vec<VariableId> =
        edges.iter().map(|&(_, _, price)| problem.add_variable(Cost::Linear { price })).collect();
    for (node, &amount) in supply.iter().enumerate() {
        let mut row = Vec::new();
        for (&(from, to, _), &flow) in edges.iter().zip(&flows) {
            if from == node {
                row.push((flow, 1.0));
            }
            if to == node {
                row.push((flow, -1.0));
            }
        }
        problem.add_row(amount as f64, row);
    }
    problem
}

fn network() -> impl Strategy<Value = (usize, Vec<Priced>, Vec<i64>)> {
    (2usize..9).prop_flat_map(|nodes| {
        let edge = (0..nodes, 0..nodes, (0u32..12).prop_map(f64::from));
        (Just(nodes), prop::collection::vec(edge, 1..25), prop::collection::vec(-4i64..5, nodes)).prop_map(
            |(nodes, mut edges, mut supply)| {
                let sum: i64 = supply.iter().sum();
                supply[0] -= sum;
                // A dear way round, so that no node is cut off.
                edges.extend((0..nodes).map(|node| (node, (node + 1) % nodes, 50.0)));
                (nodes, edges, supply)
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn linear_costs_are_those_of_successive_shortest_paths((nodes, edges, supply) in network()) {
        let expected = shortest_paths(nodes, &edges, &supply).expect("the way round is open");
        let solution = solved(&priced_network(&edges, &supply));
        prop_assert!(
            (solution.certificate.objective - expected).abs() <= 1e-6 * expected.max(1.0),
            "{} is not {}", solution.certificate.objective, expected
        );
    }
}

/// A row: right-hand side and entries.
type Row = (f64, Vec<(usize, f64)>);

/// Where a strictly convex cost minus `paid` per unit is least.
fn cheapest(cost: Cost, paid: f64) -> f64 {
    match cost {
        Cost::Quadratic { target, weight } => (target + paid / (2.0 * weight)).max(0.0),
        Cost::Deviance { samples, cycles, dispersion } => {
            let rest = 2.0 * cycles / dispersion - paid;
            if rest > 0.0 { 2.0 * samples / dispersion / rest } else { f64::INFINITY }
        }
        _ => unreachable!("only strictly convex costs"),
    }
}

/// Least cost by ascent in one dual value at a time: each row's dual is moved
/// (by bisection) to where the row holds, until all do (Bertsekas, "Nonlinear
/// programming", 6.2). Converges because costs are strictly convex.
fn dual_ascent(costs: &[Cost], rows: &[Row]) -> Option<Vec<f64>> {
    let mut duals = vec![0.0; rows.len()];
    let values = |duals: &[f64]| -> Vec<f64> {
        let mut paid = vec![0.0; costs.len()];
        for ((_, entries), dual) in rows.iter().zip(duals) {
            entries.iter().for_each(|&(variable, factor)| paid[variable] += factor * dual);
        }
        costs.iter().zip(&paid).map(|(&cost, &paid)| cheapest(cost, paid)).collect()
    };
    let sum = |row: &Row, values: &[f64]| -> f64 {
        row.1.iter().map(|&(variable, factor)| factor * values[variable]).sum::<f64>() - row.0
    };
    for _ in 0..20_000 {
        for number in 0..rows.len() {
            let (mut low, mut high) = (duals[number] - 1e3, duals[number] + 1e3);
            for _ in 0..60 {
                duals[number] = f64::midpoint(low, high);
                // Sums of opposite infinities are no number; closer, then.
                let sum = sum(&rows[number], &values(&duals));
                if sum < 0.0 { low = duals[number] } else { high = duals[number] }
            }
        }
        let values = values(&duals);
        let worst = rows.iter().map(|row| sum(row, &values).abs()).fold(0.0, f64::max);
        if worst < 1e-8 {
            return Some(values);
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Trees of conservation, where each row moves few variables: the ascent
    /// gets there in reasonable time.
    #[test]
    fn convex_costs_are_those_of_dual_ascent(
        costs in prop::collection::vec(
            prop_oneof![
                (0.0..20.0, 0.1..3.0).prop_map(|(target, weight)| Cost::Quadratic { target, weight }),
                (1.0..50.0, 0.5..3.0).prop_map(|(samples, cycles)| Cost::observed(samples, cycles, 0.2)),
            ],
            4..9,
        ),
        picks in prop::collection::vec((0usize..100, 0usize..100, 0usize..100), 1..3),
    ) {
        let count = costs.len();
        let rows: Vec<Row> = picks
            .iter()
            .enumerate()
            .map(|(number, &(a, b, c))| {
                let entries = vec![(a % count, 1.0), ((a + 1 + b % (count - 1)) % count, -1.0), (c % count, -0.5)];
                (number as f64, entries)
            })
            .collect();
        let Some(values) = dual_ascent(&costs, &rows) else { return Ok(()) };
        let expected: f64 = costs.iter().zip(&values).map(|(cost, &value)| cost.of(value)).sum();
        let mut problem = Problem::new();
        for &cost in &costs {
            problem.add_variable(cost);
        }
        for (right, entries) in &rows {
            let entries = entries.iter().map(|&(variable, factor)| (VariableId::new(variable), factor));
            problem.add_row(*right, entries);
        }
        let solution = solved(&problem);
        prop_assert!(
            (solution.certificate.objective - expected).abs() <= 2e-6 * expected.max(1.0),
            "{} is not {}", solution.certificate.objective, expected
        );
    }
}

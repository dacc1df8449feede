//! Problems whose answers can be written down, or found by trying out.

use opcost_flow::convex::{Cost, Problem, Settings, Solution, SolveStatus, VariableId, minimise};

pub(crate) fn poisson(samples: f64, cycles: f64) -> Cost {
    Cost::Deviance { samples, cycles, dispersion: 1.0 }
}

pub(crate) fn solved(problem: &Problem) -> Solution {
    let solution = minimise(problem, Settings::default());
    assert_eq!(solution.status, SolveStatus::Optimal, "{:?}", solution.certificate);
    assert!(solution.certificate.holds(1e-6));
    solution
}

pub(crate) fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance * expected.abs().max(1e-300), "{value} is not {expected}");
}

fn equal(problem: &mut Problem, a: VariableId, b: VariableId) {
    problem.add_row(0.0, [(a, 1.0), (b, -1.0)]);
}

/// Blocks in a row run equally often: all samples by all cycles.
#[test]
fn a_chain_is_scaled_in_proportion() {
    let observed = [(17.0, 2.0), (0.0, 1.0), (60.0, 5.0), (3.0, 0.5)];
    let mut problem = Problem::new();
    let blocks: Vec<VariableId> =
        observed.iter().map(|&(samples, cycles)| problem.add_variable(poisson(samples, cycles))).collect();
    for pair in blocks.windows(2) {
        let edge = problem.add_variable(Cost::Free);
        equal(&mut problem, pair[0], edge);
        equal(&mut problem, edge, pair[1]);
    }
    let solution = solved(&problem);
    for (_, &count) in solution.values.iter() {
        assert_near(count, 80.0 / 8.5, 1e-12);
    }
    // The presolve left nothing to iterate on.
    assert_eq!(solution.work.components, 0);
}

/// Least of a function of one variable, by thirds.
fn least(mut low: f64, mut high: f64, cost: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if cost(low + third) < cost(high - third) { high -= third } else { low += third }
    }
    (low + high) / 2.0
}

/// Head and tail run as often as both arms together.
fn diamond(costs: [Cost; 4]) -> (Problem, [VariableId; 4]) {
    let mut problem = Problem::new();
    let blocks = costs.map(|cost| problem.add_variable(cost));
    let [head, left, right, tail] = blocks;
    problem.add_row(0.0, [(head, 1.0), (left, -1.0), (right, -1.0)]);
    problem.add_row(0.0, [(left, 1.0), (right, 1.0), (tail, -1.0)]);
    (problem, blocks)
}

#[test]
fn a_diamond_costs_what_a_search_finds() {
    for (head, left, right, tail) in [(90.0, 40.0, 20.0, 95.0), (5.0, 0.0, 11.0, 0.0), (0.0, 1.0, 1e6, 3.0)] {
        let costs = [poisson(head, 1.0), poisson(left, 0.5), poisson(right, 3.0), poisson(tail, 2.0)];
        let (problem, blocks) = diamond(costs);
        let solution = solved(&problem);
        let cost = |left: f64, right: f64| {
            costs[0].of(left + right) + costs[1].of(left) + costs[2].of(right) + costs[3].of(left + right)
        };
        let top = 10.0 + head + left + right + tail;
        let best_right = |left: f64| least(0.0, top, |right| cost(left, right));
        let best = least(0.0, top, |left| cost(left, best_right(left)));
        let expected = cost(best, best_right(best));
        assert!((solution.certificate.objective - expected).abs() <= 1e-6 * expected.max(1.0));
        assert_near(
            solution.values[blocks[0]],
            solution.values[blocks[1]] + solution.values[blocks[2]],
            1e-9,
        );
    }
}

/// A loop of which something is known: `trips` back edges per entry, at a
/// `price` for each more or less.
fn tied_loop(price: f64) -> (Problem, [VariableId; 3]) {
    let mut problem = Problem::new();
    let entry = problem.add_variable(poisson(30.0, 1.0));
    let header = problem.add_variable(poisson(1000.0, 2.0));
    let back = problem.add_variable(Cost::Free);
    problem.add_row(0.0, [(header, 1.0), (entry, -1.0), (back, -1.0)]);
    let more = problem.add_variable(Cost::Linear { price });
    let less = problem.add_variable(Cost::Linear { price });
    problem.add_row(0.0, [(back, 1.0), (entry, -9.0), (more, -1.0), (less, 1.0)]);
    (problem, [entry, header, back])
}

#[test]
fn a_dear_tie_holds_and_a_cheap_one_gives_way() {
    // back = 9 entry, header = 10 entry: one count for 1030 samples in 21 cycles.
    let (problem, [entry, header, back]) = tied_loop(100.0);
    let solution = solved(&problem);
    assert_near(solution.values[entry], 1030.0 / 21.0, 1e-6);
    assert_near(solution.values[header], 10_300.0 / 21.0, 1e-6);
    assert_near(solution.values[back], 9270.0 / 21.0, 1e-6);
    for price in [0.0, 1e-3, 0.02, 0.3] {
        let (problem, [entry, _, back]) = tied_loop(price);
        let solution = solved(&problem);
        let cost = |entry: f64, back: f64| {
            poisson(30.0, 1.0).of(entry)
                + poisson(1000.0, 2.0).of(entry + back)
                + price * (back - 9.0 * entry).abs()
        };
        let best_back = |entry: f64| least(0.0, 2000.0, |back| cost(entry, back));
        let best = least(0.0, 2000.0, |entry| cost(entry, best_back(entry)));
        let expected = cost(best, best_back(best));
        assert!((solution.certificate.objective - expected).abs() <= 1e-6 * expected.max(1.0));
        let found = cost(solution.values[entry], solution.values[back]);
        assert!((found - expected).abs() <= 1e-6 * expected.max(1.0));
    }
}

#[test]
fn squares_meet_in_the_weighted_mean() {
    let mut problem = Problem::new();
    let a = problem.add_variable(Cost::Quadratic { target: 1.0, weight: 3.0 });
    let b = problem.add_variable(Cost::Quadratic { target: 5.0, weight: 1.0 });
    let c = problem.add_variable(Cost::Free);
    problem.add_row(0.0, [(a, 1.0), (c, -1.0)]);
    problem.add_row(0.0, [(b, 1.0), (c, -1.0)]);
    assert_near(solved(&problem).values[c], 2.0, 1e-9);
}

#[test]
fn a_square_that_wants_less_than_nothing_gets_nothing() {
    let mut problem = Problem::new();
    let a = problem.add_variable(Cost::Quadratic { target: -4.0, weight: 1.0 });
    let b = problem.add_variable(Cost::Quadratic { target: 3.0, weight: 1.0 });
    let c = problem.add_variable(Cost::Linear { price: 1.0 });
    problem.add_row(2.0, [(a, 1.0), (b, 1.0), (c, -1.0)]);
    let solution = solved(&problem);
    // b costs (b - 3)^2, each unit of b above 2 one more: least at 5/2.
    assert!(solution.values[a] < 1e-6);
    assert_near(solution.values[b], 2.5, 1e-6);
}

#[test]
fn two_sided_costs_pull_to_the_dearer_side() {
    // Both must be equal; the one that is dearer to move stays.
    let two_sided = |target, above, below| Cost::TwoSided { target, above, below };
    for (first, second, expected) in [
        (two_sided(10.0, 3.0, 3.0), two_sided(4.0, 1.0, 1.0), 10.0),
        (two_sided(10.0, 9.0, 1.0), two_sided(4.0, 2.0, 9.0), 4.0),
        (two_sided(0.0, 1.0, 5.0), two_sided(4.0, 2.0, 2.0), 4.0),
    ] {
        let mut problem = Problem::new();
        let a = problem.add_variable(first);
        let b = problem.add_variable(second);
        equal(&mut problem, a, b);
        let solution = solved(&problem);
        assert_near(solution.values[a], expected, 1e-5);
        assert_near(solution.values[b], expected, 1e-5);
    }
}

#[test]
fn a_dual_says_what_one_more_would_cost() {
    let problem = |right: f64| {
        let mut problem = Problem::new();
        let a = problem.add_variable(poisson(10.0, 1.0));
        let b = problem.add_variable(poisson(20.0, 1.0));
        let row = problem.add_row(right, [(a, 1.0), (b, 1.0)]);
        (problem, row)
    };
    let (at, row) = problem(45.0);
    let (above, _) = problem(45.001);
    let (at, above) = (solved(&at), solved(&above));
    let slope = (above.certificate.objective - at.certificate.objective) / 0.001;
    assert_near(at.duals[row], slope, 1e-3);
    // 45 = 1.5 * 30, and the derivative of the deviance is 2 (1 - 1 / 1.5).
    assert_near(at.duals[row], 2.0 / 3.0, 1e-6);
}

#[test]
fn dispersion_follows_from_the_relative_error() {
    let expected = Cost::Deviance { samples: 400.0, cycles: 3.0, dispersion: 26.0 };
    assert_eq!(Cost::observed(400.0, 3.0, 0.25), expected);
    // At twice the count: 2 (800 - 400 + 400 ln(1/2)) / 26.
    assert_near(expected.of(800.0 / 3.0), 2.0 * (400.0 - 400.0 * 2f64.ln()) / 26.0, 1e-9);
    assert_eq!(expected.of(0.0), f64::INFINITY);
}

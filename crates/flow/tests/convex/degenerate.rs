//! Bad scales, nothing seen, nothing priced, contradictions.

use opcost_flow::convex::{
    Cost, LARGEST_SHIFT, Problem, Settings, SolveStatus, VariableId, certify, minimise,
};
use opcost_index::IdMap;

use crate::closed_forms::{assert_near, poisson, solved};

/// Entry, loop, exit; all counts times `scale`.
fn hot_loop(turns: f64, scale: f64) -> (Problem, [VariableId; 3]) {
    let mut problem = Problem::new();
    let entry = problem.add_variable(poisson(3.0, 1.0 / scale));
    let header = problem.add_variable(poisson(0.5 * turns, 0.5 / scale));
    let back = problem.add_variable(Cost::Free);
    let exit = problem.add_variable(poisson(1.0, 1.0 / scale));
    problem.add_row(0.0, [(header, 1.0), (entry, -1.0), (back, -1.0)]);
    problem.add_row(0.0, [(header, 1.0), (exit, -1.0), (back, -1.0)]);
    (problem, [entry, header, exit])
}

#[test]
fn small_counts_beside_large_ones_are_as_exact_as_these() {
    for scale in [1e-9, 1e-3, 1.0, 1e6, 1e12] {
        for (turns, precision) in [(1e2, 1e-5), (1e3, 1e-5), (1e5, 1e-4)] {
            let (problem, [entry, header, exit]) = hot_loop(turns, scale);
            let solution = solved(&problem);
            assert_near(solution.values[entry], 2.0 * scale, precision);
            assert_near(solution.values[exit], 2.0 * scale, precision);
            assert_near(solution.values[header], turns * scale, 1e-9);
        }
    }
}

/// Beside a count of 1e11, rounding alone moves a count of 2 by parts of it.
/// The gap is small all the same, and what rounding is worth is told.
#[test]
fn a_hundred_billion_turns_leave_an_honest_answer() {
    let (problem, [_, header, _]) = hot_loop(1e11, 1.0);
    let solution = minimise(&problem, Settings::default());
    assert_near(solution.values[header], 1e11, 1e-9);
    assert!(solution.certificate.gap <= 1e-6, "{:?}", solution.certificate);
    assert!(solution.certificate.residual <= 1e-8, "{:?}", solution.certificate);
    let told = solution.certificate.shift > LARGEST_SHIFT;
    assert_eq!(told, solution.status == SolveStatus::BudgetReached, "{:?}", solution.certificate);
}

#[test]
fn prices_of_any_size_are_followed() {
    // Two ways, one slightly dearer; the cost is told in units of 1.
    for price in [1.0, 1e3, 1e9] {
        for amount in [1.0, 1e5, 1e11] {
            let mut problem = Problem::new();
            let cheap = problem.add_variable(Cost::Linear { price });
            let dear = problem.add_variable(Cost::Linear { price: 1.01 * price });
            problem.add_row(amount, [(cheap, 1.0), (dear, 1.0)]);
            let solution = solved(&problem);
            assert_near(solution.certificate.objective, amount * price, 1e-6);
            assert!(solution.values[dear] <= 1e-3 * amount);
        }
    }
}

#[test]
fn contradicting_rows_are_named() {
    let mut problem = Problem::new();
    let x = problem.add_variable(Cost::Free);
    problem.add_row(1.0, [(x, 1.0)]);
    let second = problem.add_row(2.0, [(x, 1.0)]);
    let solution = minimise(&problem, Settings::default());
    assert_eq!(solution.status, SolveStatus::Infeasible { row: second });

    let mut problem = Problem::new();
    let x = problem.add_variable(Cost::Linear { price: 1.0 });
    let y = problem.add_variable(Cost::Linear { price: 1.0 });
    let row = problem.add_row(-3.0, [(x, 1.0), (y, 2.0)]);
    assert_eq!(minimise(&problem, Settings::default()).status, SolveStatus::Infeasible { row });
}

/// No single row is wrong, and presolve sees nothing.
#[test]
fn a_contradiction_of_several_rows_is_found() {
    for observed in [false, true] {
        let mut problem = Problem::new();
        let cost = if observed { poisson(10.0, 2.0) } else { Cost::Linear { price: 1.0 } };
        let [a, b, c, d] = [0; 4].map(|_| problem.add_variable(cost));
        let rows = [
            problem.add_row(10.0, [(a, 1.0), (b, 1.0), (c, 1.0)]),
            problem.add_row(30.0, [(a, 1.0), (b, 1.0), (d, 1.0)]),
            // d - c is 20 by the others.
            problem.add_row(50.0, [(d, 1.0), (c, -1.0), (a, 1e-9)]),
        ];
        let SolveStatus::Infeasible { row } = minimise(&problem, Settings::default()).status else {
            panic!("a solution of what has none");
        };
        assert!(rows.contains(&row));
    }
}

#[test]
fn samples_where_nothing_can_run_are_a_contradiction() {
    let mut problem = Problem::new();
    let entry = problem.add_variable(Cost::Free);
    let block = problem.add_variable(poisson(7.0, 1.0));
    let other = problem.add_variable(Cost::Free);
    let never = problem.add_row(0.0, [(entry, 1.0), (other, 1.0)]);
    let flow = problem.add_row(0.0, [(entry, 1.0), (block, -1.0)]);
    let SolveStatus::Infeasible { row } = minimise(&problem, Settings::default()).status else {
        panic!("samples without executions");
    };
    assert!([never, flow].contains(&row));
}

/// A function with a loop of which nothing was seen.
fn silent(cost: Cost) -> Problem {
    let mut problem = Problem::new();
    let [entry, header, body, back, exit] = [0; 5].map(|_| problem.add_variable(cost));
    problem.add_row(0.0, [(entry, 1.0), (back, 1.0), (header, -1.0)]);
    problem.add_row(0.0, [(header, 1.0), (body, -1.0), (exit, -1.0)]);
    problem.add_row(0.0, [(body, 1.0), (back, -1.0)]);
    problem
}

#[test]
fn no_samples_are_no_executions() {
    let solution = solved(&silent(poisson(0.0, 3.0)));
    assert!(solution.certificate.objective <= 1e-6);
    assert!(solution.values.values().all(|&count| count <= 1e-6));
}

#[test]
fn what_costs_nothing_is_finite_and_always_the_same() {
    let problem = silent(Cost::Free);
    let first = solved(&problem);
    assert!(first.values.values().all(|count| count.is_finite()));
    let second = solved(&problem);
    assert_eq!(first.values.as_slice(), second.values.as_slice());
    assert_eq!(first.duals.as_slice(), second.duals.as_slice());
}

#[test]
fn an_empty_problem_and_empty_rows_are_solved() {
    assert_eq!(solved(&Problem::new()).certificate.objective, 0.0);
    let mut problem = Problem::new();
    problem.add_row(0.0, []);
    let x = problem.add_variable(poisson(12.0, 3.0));
    let solution = solved(&problem);
    assert_near(solution.values[x], 4.0, 1e-12);
    let row = problem.add_row(1.0, []);
    assert_eq!(minimise(&problem, Settings::default()).status, SolveStatus::Infeasible { row });
}

/// f runs 200 times and calls itself in every second execution, so 100 calls
/// come from outside. Main calls it once, so 99 more are missing there.
#[test]
fn recursion_is_a_circulation() {
    let mut problem = Problem::new();
    let [outside, entry, calling] = [0; 3].map(|_| problem.add_variable(Cost::Free));
    let body = problem.add_variable(poisson(200.0, 1.0));
    let other = problem.add_variable(Cost::Free);
    problem.add_row(0.0, [(entry, 1.0), (outside, -1.0), (calling, -1.0)]);
    problem.add_row(0.0, [(body, 1.0), (entry, -1.0)]);
    problem.add_row(0.0, [(body, 1.0), (calling, -1.0), (other, -1.0)]);
    problem.add_row(0.0, [(calling, 2.0), (body, -1.0)]);
    let solution = solved(&problem);
    assert_near(solution.values[entry], 200.0, 1e-6);
    assert_near(solution.values[calling], 100.0, 1e-6);
    assert_near(solution.values[outside], 100.0, 1e-6);
}

#[test]
fn a_variable_in_hundreds_of_rows_makes_no_dense_matrix() {
    // One block that calls 3000 functions, each seen by itself.
    let mut problem = Problem::new();
    let block = problem.add_variable(Cost::Free);
    for callee in 0..3000 {
        let entry = problem.add_variable(poisson(f64::from(callee % 7), 0.5));
        let unseen = problem.add_variable(Cost::Linear { price: 0.3 });
        problem.add_row(0.0, [(entry, 1.0), (block, -1.0), (unseen, -1.0)]);
    }
    let solution = solved(&problem);
    assert!(solution.work.factor_entries <= 10 * solution.work.rows, "{:?}", solution.work);
}

#[test]
fn a_row_of_thousands_of_variables_makes_no_dense_matrix() {
    let mut problem = Problem::new();
    let entry = problem.add_variable(poisson(5e4, 1.0));
    let mut callers = vec![(entry, -1.0)];
    for site in 0..3000 {
        let block = problem.add_variable(poisson(f64::from(site % 11), 0.5));
        let [taken, skipped] = [0; 2].map(|_| problem.add_variable(Cost::Linear { price: 1e-3 }));
        problem.add_row(0.0, [(block, -1.0), (taken, 1.0), (skipped, 1.0)]);
        callers.push((taken, 1.0));
    }
    problem.add_row(0.0, callers);
    let solution = solved(&problem);
    assert!(solution.work.factor_entries <= 3 * solution.work.rows, "{:?}", solution.work);
}

#[test]
fn the_step_budget_is_told_with_an_honest_gap() {
    let (problem, _) = hot_loop(1e5, 1.0);
    let solution = minimise(&problem, Settings { steps: 2, ..Settings::default() });
    assert_eq!(solution.status, SolveStatus::BudgetReached);
    assert!(!solution.certificate.holds(1e-6));
    let best = solved(&problem).certificate.objective;
    assert!(solution.certificate.objective - solution.certificate.gap <= best + 1e-6 * best.max(1.0));
}

#[test]
fn the_checker_rejects_what_is_a_little_wrong() {
    let (problem, [entry, header, _]) = hot_loop(1e5, 1.0);
    let solution = solved(&problem);
    let altered = |variable: VariableId, factor: f64| {
        let values: IdMap<VariableId, f64> = solution
            .values
            .iter()
            .map(|(other, &value)| if other == variable { factor * value } else { value })
            .collect();
        certify(&problem, &values, &solution.duals)
    };
    assert!(altered(entry, 1.0).holds(1e-6));
    assert!(altered(header, 1.001).residual > 1e-4);
    assert!(altered(entry, -1.0).least_value < 0.0);
    assert!(!altered(entry, -1.0).holds(1e-6));
    // Feasible but dearer: everything twice as often.
    let twice = solution.values.values().map(|value| 2.0 * value).collect();
    let certificate = certify(&problem, &twice, &solution.duals);
    assert!(certificate.residual <= 1e-6);
    assert!(certificate.relative_gap() > 0.1);
}

/// Two counts that one row makes one: what their costs want lies far apart.
#[test]
fn a_row_of_two_costs_is_solved() {
    let square = |target, weight| Cost::Quadratic { target, weight };
    let seen = |samples, cycles, dispersion| Cost::Deviance { samples, cycles, dispersion };
    let cases = [
        (
            -193.625,
            seen(1.0, 7.533294794859426, 3.3425333733093328),
            -2.0,
            square(28.237094394035168, 2.0317223110457334),
            -1.0,
        ),
        (
            -66.875,
            square(18.302834325950514, 4.654911173558053),
            -1.0,
            square(7.896440630045412, 1.2575233432695307),
            -1.0,
        ),
        (
            28.75,
            seen(65.0, 6.467041281454415, 1.4440040510467376),
            1.0,
            square(31.49199167912938, 3.223313102510016),
            -1.0,
        ),
        (1.75, square(29.31082449916597, 0.01), 20.0, Cost::Free, -0.5),
        (46.1875, seen(59.0, 0.1, 1.0), 10.0, Cost::Free, -0.5),
    ];
    for (right, one, times_one, other, times_other) in cases {
        let mut problem = Problem::new();
        let (one, other) = (problem.add_variable(one), problem.add_variable(other));
        problem.add_row(right, [(one, times_one), (other, times_other)]);
        let solution = minimise(&problem, Settings::default());
        assert_eq!(solution.status, SolveStatus::Optimal, "{:?}", solution.certificate);
    }
}

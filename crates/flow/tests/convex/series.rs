//! Problems of the same rows that are solved one after the other, as when counts are
//! weighed again by what they came to.

use opcost_flow::convex::{Cost, Problem, Series, Settings, SolveStatus, minimise};

use crate::program::{Profile, Program, Random, Repair};

/// Prices and weights change by up to a factor of about 20, their kinds do not.
fn reweigh(problem: &Problem, random: &mut Random) -> Problem {
    let mut other = problem.clone();
    for position in 0..problem.variable_count() {
        let variable = opcost_index::Id::new(position);
        let factor = (6.0 * random.unit() - 3.0).exp();
        let factor = if random.below(2) == 0 { factor } else { 1.0 };
        other.set_cost(
            variable,
            match problem.cost(variable) {
                Cost::Linear { price } => Cost::Linear { price: price * factor },
                Cost::Deviance { samples, cycles, dispersion } => {
                    Cost::Deviance { samples, cycles, dispersion: dispersion * factor }
                }
                Cost::TwoSided { target, above, below } => {
                    Cost::TwoSided { target, above: above * factor, below: below / factor }
                }
                cost => cost,
            },
        );
    }
    other
}

fn assert_as_if_alone(series: &mut Series, problem: &Problem) -> usize {
    let (together, alone) =
        (series.minimise(problem, Settings::default()), minimise(problem, Settings::default()));
    assert_eq!(together.status, SolveStatus::Optimal, "{:?}", together.certificate);
    let (ours, theirs) = (together.certificate.objective, alone.certificate.objective);
    assert!((ours - theirs).abs() <= 2e-6 * theirs.max(1.0), "{ours} is not {theirs}");
    together.work.steps
}

#[test]
fn a_series_finds_what_each_finds_alone() {
    let mut random = Random(4);
    for functions in [1, 3, 10, 100] {
        for samples in [1.0, 1e2, 1e4, 1e7] {
            let program = Program::random(&mut random, functions, 12, 0.4);
            let profile = Profile::random(&mut random, &program, samples);
            let mut problem = Repair::new(&program, &profile).problem;
            let mut series = Series::new();
            for _ in 0..4 {
                assert_as_if_alone(&mut series, &problem);
                problem = reweigh(&problem, &mut random);
            }
        }
    }
}

#[test]
fn a_series_may_turn_to_another_problem() {
    let mut random = Random(5);
    let mut series = Series::new();
    for functions in [3, 5, 3] {
        let program = Program::random(&mut random, functions, 12, 0.4);
        // Another profile of the same program has other costs of other kinds.
        for samples in [1e2, 1e4] {
            let profile = Profile::random(&mut random, &program, samples);
            assert_as_if_alone(&mut series, &Repair::new(&program, &profile).problem);
        }
    }
}

/// Two ways beside each other, of which now the one is cheaper and now the other.
#[test]
fn the_cheaper_of_two_ways_may_change() {
    let problem = |prices: [f64; 2], samples: f64| {
        let mut problem = Problem::new();
        let seen = problem.add_variable(Cost::Deviance { samples, cycles: 1.0, dispersion: 1.0 });
        let ways = prices.map(|price| problem.add_variable(Cost::Linear { price }));
        problem.add_row(10.0, [(seen, 1.0), (ways[0], 1.0), (ways[1], 1.0)]);
        problem
    };
    // What was seen costs 2 (1 - samples / x) for one more at x: as much as the cheaper way
    // at x = samples / (1 - price / 2).
    let mut series = Series::new();
    for (prices, samples, wanted) in [
        ([1.0, 0.5], 3.0, [4.0, 0.0, 6.0]),
        ([0.5, 1.0], 3.0, [4.0, 6.0, 0.0]),
        ([1.0, 1.0], 3.0, [6.0, 2.0, 2.0]),
        ([3.0, 1.0], 4.0, [8.0, 0.0, 2.0]),
        ([3.0, 4.0], 4.0, [10.0, 0.0, 0.0]),
        ([1.0, 4.0], 4.0, [8.0, 2.0, 0.0]),
    ] {
        let problem = problem(prices, samples);
        let solution = series.minimise(&problem, Settings::default());
        assert_eq!(solution.status, SolveStatus::Optimal);
        for (&value, wanted) in solution.values.values().zip(wanted) {
            assert!((value - wanted).abs() < 1e-3, "{prices:?}: {:?}", solution.values);
        }
    }
}

/// What is only approximate costs little more and nearly adds up.
#[test]
fn approximate_values_are_near_the_best() {
    let mut random = Random(6);
    for samples in [1e2, 1e5] {
        let program = Program::random(&mut random, 100, 14, 0.4);
        let profile = Profile::random(&mut random, &program, samples);
        let problem = Repair::new(&program, &profile).problem;
        let mut series = Series::new();
        let rough = Settings { tolerance: 1e-2, ..Settings::default() };
        let values = series.approximate(&problem, rough);
        let best = series.minimise(&problem, Settings::default());
        assert_eq!(best.status, SolveStatus::Optimal);
        let (ours, theirs) = (problem.objective(&values), best.certificate.objective);
        assert!((ours - theirs).abs() <= 1e-2 * theirs, "{ours} is not {theirs}");
    }
}

/// The steps of a series whose costs change a little are fewer than those of its members.
#[test]
fn a_series_goes_on_where_it_was() {
    let mut random = Random(7);
    let program = Program::random(&mut random, 200, 14, 0.4);
    let profile = Profile::random(&mut random, &program, 1e4);
    let problem = Repair::new(&program, &profile).problem;
    let mut series = Series::new();
    let first = assert_as_if_alone(&mut series, &problem);
    let again = assert_as_if_alone(&mut series, &problem);
    assert!(again <= 3, "{again} steps after {first}");
}

/// Corners may move, come and go.
#[test]
fn corners_may_change() {
    let mut problem = Problem::new();
    let all = [(); 3].map(|()| problem.add_variable(Cost::Free));
    problem.add_row(10.0, all.map(|variable| (variable, 1.0)));
    let corner = |target, above, below| Cost::TwoSided { target, above, below };
    let mut series = Series::new();
    for (costs, wanted) in [
        ([corner(2.0, 1.0, 3.0), corner(5.0, 2.0, 3.0), Cost::Linear { price: 5.0 }], [5.0, 5.0, 0.0]),
        ([corner(2.0, 3.0, 3.0), corner(5.0, 2.0, 3.0), Cost::Linear { price: 5.0 }], [2.0, 8.0, 0.0]),
        ([corner(4.0, 3.0, 3.0), corner(5.0, 2.0, 3.0), Cost::Linear { price: 5.0 }], [4.0, 6.0, 0.0]),
        ([Cost::Linear { price: 5.0 }, corner(4.0, 3.0, 3.0), corner(5.0, 2.0, 3.0)], [0.0, 4.0, 6.0]),
        ([Cost::Linear { price: 5.0 }, corner(4.0, 9.0, 3.0), Cost::Linear { price: 6.0 }], [6.0, 4.0, 0.0]),
    ] {
        all.into_iter().zip(costs).for_each(|(variable, cost)| problem.set_cost(variable, cost));
        let solution = series.minimise(&problem, Settings::default());
        assert_eq!(solution.status, SolveStatus::Optimal, "{costs:?}: {:?}", solution.certificate);
        for (&value, wanted) in solution.values.values().zip(wanted) {
            assert!((value - wanted).abs() < 1e-3, "{costs:?}: {:?}", solution.values);
        }
    }
}

//! Whole programs: thousands of blocks, calls, profiles of few and of many
//! samples.

use opcost_flow::convex::{Settings, SolveStatus, minimise};

use crate::program::{Profile, Program, Random, Repair};

fn assert_repaired(program: &Program, random: &mut Random, samples: f64) {
    let profile = Profile::random(random, program, samples);
    let repair = Repair::new(program, &profile);
    let solution = minimise(&repair.problem, Settings::default());
    assert_eq!(solution.status, SolveStatus::Optimal, "{samples} samples: {:?}", solution.certificate);
    assert!(solution.certificate.relative_gap() <= 1e-6);
    let work = solution.work;
    assert!(work.steps <= 60, "{work:?}");
    // Presolve leaves a third of the rows at most, and elimination fills in little.
    assert!(work.rows * 2 <= repair.problem.row_count(), "{work:?}");
    assert!(work.factor_entries <= 12 * work.rows.max(10), "{work:?}");
}

/// What the speed comes from, in figures that no machine changes: of a program that was
/// hardly seen a tenth of the rows is left to the solver.
#[test]
fn code_that_was_not_seen_costs_the_solver_little() {
    let mut random = Random(8);
    let program = Program::random(&mut random, 400, 14, 0.4);
    let profile = Profile::random(&mut random, &program, 30.0);
    let repair = Repair::new(&program, &profile);
    let solution = minimise(&repair.problem, Settings::default());
    assert_eq!(solution.status, SolveStatus::Optimal, "{:?}", solution.certificate);
    let work = solution.work;
    assert!(work.rows * 10 <= repair.problem.row_count(), "{work:?} of {}", repair.problem.row_count());
    assert!(work.factor_work <= 15 * repair.problem.row_count(), "{work:?}");
    assert!(work.steps <= 30, "{work:?}");
}

#[test]
fn small_programs_are_repaired() {
    let mut random = Random(1);
    for functions in [1, 2, 5, 20] {
        for samples in [1.0, 1e2, 1e4, 1e7, 1e11] {
            for _ in 0..4 {
                let program = Program::random(&mut random, functions, 12, 0.4);
                assert_repaired(&program, &mut random, samples);
            }
        }
    }
}

#[test]
fn programs_of_thousands_of_blocks_are_repaired() {
    let mut random = Random(2);
    for samples in [30.0, 1e4, 1e8] {
        let program = Program::random(&mut random, 400, 14, 0.4);
        assert!(program.blocks() > 4000);
        assert_repaired(&program, &mut random, samples);
    }
}

#[test]
fn one_function_of_thousands_of_blocks_is_repaired() {
    let mut random = Random(3);
    let program = Program::random(&mut random, 1, 4000, 0.0);
    assert_repaired(&program, &mut random, 1e5);
}

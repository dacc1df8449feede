//! How long does the repair of a whole program take?
//!
//! `cargo run --release -p opcost-flow --example repair_speed [FUNCTIONS]`
//! makes up a program of the size of SQLite (2,600 functions, 38,000 blocks)
//! and samples of it, and tells seconds, steps and the proven gap; then the seconds that
//! the same takes once more with every dispersion doubled where samples were seen, as
//! when counts are weighed again.

use std::time::Instant;

use opcost_flow::convex::{Cost, Series, Settings, VariableId};
use opcost_index::Id;

#[allow(dead_code)]
#[path = "../tests/convex/program.rs"]
mod program;

use program::{Profile, Program, Random, Repair};

fn main() {
    let functions =
        std::env::args().nth(1).map_or(2600, |number| number.parse().expect("a number of functions"));
    let mut random = Random(2026);
    let program = Program::random(&mut random, functions, 14, 0.4);
    for samples in [1e2, 1e5, 1e9] {
        let profile = Profile::random(&mut random, &program, samples);
        let repair = Repair::new(&program, &profile);
        println!(
            "{samples:.0e} samples of {functions} functions, {} blocks: {} variables, {} rows",
            program.blocks(),
            repair.problem.variable_count(),
            repair.problem.row_count()
        );
        let start = Instant::now();
        let mut series = Series::new();
        let solution = series.minimise(&repair.problem, Settings::default());
        println!("  {:.3} s, {:?}, {:?}", start.elapsed().as_secs_f64(), solution.status, solution.work);
        println!(
            "  relative gap {:.1e}, residual {:.1e}, cost {:.6e}",
            solution.certificate.relative_gap(),
            solution.certificate.residual,
            solution.certificate.objective
        );
        let mut problem = repair.problem.clone();
        for variable in (0..problem.variable_count()).map(VariableId::new) {
            if let Cost::Deviance { samples, cycles, dispersion } = problem.cost(variable)
                && samples > 0.0
            {
                problem.set_cost(variable, Cost::Deviance { samples, cycles, dispersion: 2.0 * dispersion });
            }
        }
        let start = Instant::now();
        let again = series.minimise(&problem, Settings::default());
        println!(
            "  again: {:.3} s, {:?}, {} steps",
            start.elapsed().as_secs_f64(),
            again.status,
            again.work.steps
        );
    }
}

//! By which factor are all expected cycles wrong, where something certain says it?
//!
//! On a busy or a slow machine all code takes longer than its instructions let expect, and all
//! counts would be too high by one factor. As a rule nothing tells it: counts of which all are
//! twice as high obey the same equations. But a program that is started once, and whose loops
//! turn as often as their code says, has some counts that are certain, and samples in that code
//! are a measure of the factor. So it is one more unknown. For each value the likeliest counts
//! are sought; taken is the value for which these are likeliest, with what is usual of the factor
//! as one more observation ([`USUAL`]). It is soft: where trip counts and samples contradict
//! each other in a few places only, no factor makes these likelier.
//!
//! As a variable of the same problem (the number of starts, in counts that are too high) the
//! factor was lost among counts of hundreds of millions: rows are held to a share of these.
//!
//! Output: the factor, 1 where nothing is certain. Cost: that of a pass for each value; so large
//! programs go without, whose trip counts hardly reach to their first function.

use opcost_flow::convex::{Cost, Series, Settings, VariableId};
use opcost_index::IdMap;

use super::posed::Posed;
use super::program::Program;

/// A factor that was tried.
struct Tried {
    /// Its logarithm.
    at: f64,
    cost: f64,
}

impl Posed {
    /// The likeliest factor, for the costs that the problem has.
    pub(super) fn scale(&self, solver: &mut Series, settings: Settings) -> f64 {
        if self.ties.is_empty() {
            return 1.0;
        }
        let mut trial = self.problem.clone();
        let mut cost_of = |logarithm: f64| {
            for (variable, &cost) in self.problem.costs() {
                trial.set_cost(variable, longer(cost, logarithm.exp()));
            }
            let values = solver.approximate(&trial, settings);
            trial.objective(&values) + (logarithm / USUAL).powi(2)
        };
        let tried = (-STEPS..=STEPS).map(|step| f64::from(step) * STEP);
        let costs: Vec<Tried> = tried.map(|at| Tried { at, cost: cost_of(at) }).collect();
        let best = (0..costs.len()).min_by(|&a, &b| costs[a].cost.total_cmp(&costs[b].cost)).expect("values");
        let around = costs.get(best.wrapping_sub(1)).zip(costs.get(best + 1));
        let lowest = around.map_or(costs[best].at, |(below, above)| vertex(below, &costs[best], above));
        lowest.exp()
    }

    /// Weighs by executions that take so many times longer than expected; the counts are those
    /// of the pass before.
    pub(super) fn take_longer(&mut self, program: &Program<'_>, counts: &IdMap<VariableId, f64>, scale: f64) {
        self.options.cycles_per_sample /= scale;
        self.weigh_again(program, &counts.values().map(|count| count / scale).collect());
    }
}

/// The cost where each execution takes longer by a factor: that of counts which are as much
/// smaller. Only how often the program was started stays what it is.
fn longer(cost: Cost, factor: f64) -> Cost {
    match cost {
        Cost::Deviance { samples, cycles, dispersion } => {
            Cost::Deviance { samples, cycles: cycles * factor, dispersion }
        }
        Cost::Linear { price } => Cost::Linear { price: price * factor },
        Cost::Free | Cost::TwoSided { .. } | Cost::Quadratic { .. } => cost,
    }
}

/// Where the parabola through three points, evenly apart, is lowest.
fn vertex(below: &Tried, middle: &Tried, above: &Tried) -> f64 {
    let bend = below.cost - 2.0 * middle.cost + above.cost;
    let shift = if bend > 0.0 { (below.cost - above.cost) / (2.0 * bend) } else { 0.0 };
    middle.at + shift.clamp(-1.0, 1.0) * (middle.at - below.at)
}

/// Of the logarithm: how far it is off as a rule.
const USUAL: f64 = 0.5;

/// Tried are so many values above 1 and below, so far apart in their logarithms.
const STEPS: i32 = 5;
const STEP: f64 = 0.3;

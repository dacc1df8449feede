//! Which counts cost least, and who can vouch for it?
//!
//! [`minimise`] puts the parts together: corners of two-sided costs become
//! rows of their own, [`presolve`](super::presolve) and
//! [`condense`](super::condense) shrink, what is left falls into independent components, each is scaled to typical counts of 1
//! and given to the [interior-point method](super::interior), and the duals of
//! all rows are made good ([`postsolve`](super::postsolve)). Whatever comes
//! out is judged by the checker of [`certificate`](super::certificate), which
//! sees the problem as it was given: the status is the checker's word, not the
//! solver's.
//!
//! When the rows could not be met, the least sum of what they lack is sought
//! (the elastic problem, which always has a solution). If it is not 0 there is
//! no solution, and the row that lacks most is named.
//!
//! Limit: counts are doubles. In a row of counts of 1e11 a count of 2 is known
//! to about a tenth; where that is worth something in cost, the certificate
//! tells so (`shift`) and the status is not optimal.
//!
//! Cost: 15 to 40 factorisations of the normal equations.

use opcost_index::IdMap;

use super::certificate::{Certificate, certify};
use super::components::components;
use super::condense::condense;
use super::interior::{Goal, minimise as minimise_component};
use super::postsolve::price_removed_rows;
use super::presolve::presolve;
use super::problem::{Cost, Problem, RowId, VariableId};
use super::smooth::Smooth;

/// How exact and how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What may be missing of the least cost, relative to the greater of it
    /// and 1, for a solution to be called optimal.
    pub tolerance: f64,
    /// The most steps in a component.
    pub steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-6, steps: 150 }
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No feasible values cost less, up to the tolerance.
    Optimal,
    /// The steps are used up or lead nowhere; the certificate says what the
    /// values are worth.
    BudgetReached,
    /// No values satisfy all rows; this one lacks most, or contradicts others.
    Infeasible {
        /// The row.
        row: RowId,
    },
}

/// Values with their proof.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Whether the values are optimal.
    pub status: Status,
    /// A value for each variable; 0 for all when a row is known to be
    /// impossible before anything was solved.
    pub values: IdMap<VariableId, f64>,
    /// By how much the least cost rises per unit of a right-hand side.
    pub duals: IdMap<RowId, f64>,
    /// What the checker found of them.
    pub certificate: Certificate,
    /// What it took.
    pub work: Work,
}

/// Measures of effort that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Components that were solved.
    pub components: usize,
    /// Most steps in a component.
    pub steps: usize,
    /// Rows left by presolve.
    pub rows: usize,
    /// Variables left by presolve.
    pub variables: usize,
    /// Entries of the factors, all components together.
    pub factor_entries: usize,
    /// Multiplications that one factorisation of each component takes.
    pub factor_work: usize,
}

/// Minimises.
pub fn minimise(problem: &Problem, settings: Settings) -> Solution {
    let (smooth, costs) = without_corners(problem);
    let mut solution = match solve_smooth(problem, &smooth, &costs, settings) {
        Ok(solution) => solution,
        // Never the row of a corner: its slacks have both signs.
        Err(row) => return impossible(problem, row),
    };
    if solution.certificate.holds(settings.tolerance) {
        solution.status = Status::Optimal;
    } else if let Some(row) = contradiction(problem, &solution, settings) {
        solution.status = Status::Infeasible { row };
    }
    solution
}

/// A corner at t becomes `x - more + less = t` with linear costs. The rows and
/// variables of the problem keep their ids.
fn without_corners(problem: &Problem) -> (Problem, IdMap<VariableId, Smooth>) {
    let mut smooth = problem.clone();
    for (variable, &cost) in problem.costs.iter() {
        let (None, Cost::TwoSided { target, above, below }) = (Smooth::of_cost(cost), cost) else { continue };
        smooth.costs[variable] = Cost::Free;
        let more = smooth.add_variable(Cost::Linear { price: above });
        let less = smooth.add_variable(Cost::Linear { price: below });
        smooth.add_row(target, [(variable, 1.0), (more, -1.0), (less, 1.0)]);
    }
    let costs = smooth.costs.values().map(|&cost| Smooth::of_cost(cost).expect("corners are gone")).collect();
    (smooth, costs)
}

fn impossible(problem: &Problem, row: RowId) -> Solution {
    let values = IdMap::filled(problem.variable_count(), 0.0);
    let duals = IdMap::filled(problem.row_count(), 0.0);
    let certificate = certify(problem, &values, &duals);
    Solution { status: Status::Infeasible { row }, values, duals, certificate, work: Work::default() }
}

fn solve_smooth(
    problem: &Problem,
    smooth: &Problem,
    costs: &IdMap<VariableId, Smooth>,
    settings: Settings,
) -> Result<Solution, RowId> {
    let mut reduced = presolve(smooth, costs)?;
    let condensation = condense(&mut reduced)?;
    let reduced = &reduced;
    let mut roots: IdMap<VariableId, f64> = reduced
        .classes
        .values()
        .map(|class| class.fixed.unwrap_or_else(|| class.cost.minimiser(class.cost.slope)))
        .collect();
    let mut duals = IdMap::filled(smooth.row_count(), 0.0);
    let mut work = Work::default();
    let parts = components(reduced);
    let unit = 1.0 / parts.parts.len().max(1) as f64;
    let negligible = negligible_count(smooth, costs);
    for part in &parts.parts {
        let (component, scale) = parts.scaled(part, smooth, reduced, unit, negligible);
        let goal = Goal { aim: settings.tolerance * 1e-2, steps: settings.steps };
        let outcome = minimise_component(&component, goal);
        part.record(&outcome, &scale, &mut roots, &mut duals);
        work.components += 1;
        work.steps = work.steps.max(outcome.steps);
        work.rows += component.matrix.height;
        work.variables += component.matrix.width();
        work.factor_entries += outcome.factor_entries;
        work.factor_work += outcome.factor_work;
    }
    condensation.expand(&mut roots, &mut duals);
    let values: IdMap<VariableId, f64> =
        reduced.roots.values().map(|&(root, ratio)| ratio * roots[root]).collect();
    price_removed_rows(smooth, costs, reduced, &values, &mut duals);
    let values = values.values().take(problem.variable_count()).copied().collect();
    let duals = duals.values().take(problem.row_count()).copied().collect();
    let certificate = certify(problem, &values, &duals);
    Ok(Solution { status: Status::BudgetReached, values, duals, certificate, work })
}

/// A thousandth of the least positive count that a cost or a row names.
fn negligible_count(problem: &Problem, costs: &IdMap<VariableId, Smooth>) -> f64 {
    let wanted = costs.values().map(|cost| cost.minimiser(cost.slope));
    let least = (wanted.chain(problem.right_hand_sides.values().map(|right| right.abs())))
        .filter(|&count| count > 0.0)
        .fold(f64::INFINITY, f64::min);
    1e-3 * least
}

/// The row that lacks most where all rows together lack least, if they lack
/// anything.
fn contradiction(problem: &Problem, solution: &Solution, settings: Settings) -> Option<RowId> {
    if solution.certificate.residual <= settings.tolerance {
        return None;
    }
    let greatest = problem.right_hand_sides.values().map(|right| right.abs()).fold(0.0, f64::max);
    if greatest == 0.0 {
        return None;
    }
    let mut elastic = Problem::new();
    for _ in problem.costs.ids() {
        elastic.add_variable(Cost::Free);
    }
    let price = Cost::Linear { price: 1e3 / greatest };
    let slacks: IdMap<RowId, [VariableId; 2]> = problem
        .right_hand_sides
        .iter()
        .map(|(row, &right)| {
            let slacks = [elastic.add_variable(price), elastic.add_variable(price)];
            let extra = [(slacks[0], 1.0), (slacks[1], -1.0)];
            elastic.add_row(right, problem.entries(row).iter().copied().chain(extra));
            slacks
        })
        .collect();
    let (smooth, costs) = without_corners(&elastic);
    let least = solve_smooth(&elastic, &smooth, &costs, settings).ok()?;
    let certificate = &least.certificate;
    if certificate.objective - certificate.gap <= 1e3 * settings.tolerance {
        return None;
    }
    let lack = |slacks: &[VariableId; 2]| (least.values[slacks[0]] - least.values[slacks[1]]).abs();
    // The first of the rows that lack most.
    slacks
        .iter()
        .fold(None, |worst: Option<(RowId, f64)>, (row, slacks)| match worst {
            Some((_, most)) if lack(slacks) <= most * (1.0 + 1e-6) => worst,
            _ => Some((row, lack(slacks))),
        })
        .map(|(row, _)| row)
}

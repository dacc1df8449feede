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

use super::certificate::{OptimalityCertificate, certify};
use super::interior::Goal;
use super::prepared::Prepared;
use super::problem::{Cost, Problem, RowId, VariableId};
use super::work::SolveWork;

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
pub enum SolveStatus {
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
    pub status: SolveStatus,
    /// A value for each variable; 0 for all when a row is known to be
    /// impossible before anything was solved.
    pub values: IdMap<VariableId, f64>,
    /// By how much the least cost rises per unit of a right-hand side.
    pub duals: IdMap<RowId, f64>,
    /// What the checker found of them.
    pub certificate: OptimalityCertificate,
    /// What it took.
    pub work: SolveWork,
}

/// Minimises.
pub fn minimise(problem: &Problem, settings: Settings) -> Solution {
    Series::new().minimise(problem, settings)
}

/// Solves problems one after the other. For each it uses what it found out of the one before, where
/// that had the same rows and costs of the same kinds.
#[derive(Default)]
pub struct Series {
    prepared: Option<Prepared>,
}

impl Series {
    /// One that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimises. The solution is judged as any other, wherever the search began.
    pub fn minimise(&mut self, problem: &Problem, settings: Settings) -> Solution {
        let prepared = match self.prepare(problem) {
            Ok(prepared) => prepared,
            // Never the row of a corner: its slacks have both signs.
            Err(row) => return impossible(problem, row),
        };
        let was_used = prepared.was_used();
        let mut solution = solve(problem, prepared, settings);
        if was_used && !solution.certificate.holds(settings.tolerance) {
            // What is left of other costs may be what stands in the way, or not.
            self.prepared = None;
            let afresh = self.minimise(problem, settings);
            let worth = |one: &Solution| {
                let certificate = &one.certificate;
                (certificate.residual.max(settings.tolerance), certificate.gap)
            };
            if afresh.status == SolveStatus::Optimal || worth(&afresh) < worth(&solution) {
                return afresh;
            }
        }
        if solution.certificate.holds(settings.tolerance) {
            solution.status = SolveStatus::Optimal;
        } else if let Some(row) = contradiction(problem, &solution, settings) {
            solution.status = SolveStatus::Infeasible { row };
        }
        solution
    }

    /// Values that cost about as little as any, which nothing vouches for; 0 for all when
    /// a row is known to be impossible.
    pub fn approximate(&mut self, problem: &Problem, settings: Settings) -> IdMap<VariableId, f64> {
        match self.prepare(problem) {
            Ok(prepared) => {
                let values = prepared.solve(goal(settings)).values;
                values.values().take(problem.variable_count()).copied().collect()
            }
            Err(_) => IdMap::filled(problem.variable_count(), 0.0),
        }
    }

    fn prepare(&mut self, problem: &Problem) -> Result<&mut Prepared, RowId> {
        let mut before = self.prepared.take();
        let prepared = match before.take_if(|prepared| prepared.reprice(problem)) {
            Some(prepared) => prepared,
            None => Prepared::new(problem)?,
        };
        Ok(self.prepared.insert(prepared))
    }
}

fn goal(settings: Settings) -> Goal {
    Goal { aim: settings.tolerance * 1e-2, steps: settings.steps }
}

fn impossible(problem: &Problem, row: RowId) -> Solution {
    let values = IdMap::filled(problem.variable_count(), 0.0);
    let duals = IdMap::filled(problem.row_count(), 0.0);
    let certificate = certify(problem, &values, &duals);
    Solution {
        status: SolveStatus::Infeasible { row },
        values,
        duals,
        certificate,
        work: SolveWork::default(),
    }
}

fn solve(problem: &Problem, prepared: &mut Prepared, settings: Settings) -> Solution {
    let solved = prepared.solve(goal(settings));
    let work = solved.work;
    let values = solved.values.values().take(problem.variable_count()).copied().collect();
    let duals = prepared.duals(solved).values().take(problem.row_count()).copied().collect();
    let certificate = certify(problem, &values, &duals);
    Solution { status: SolveStatus::BudgetReached, values, duals, certificate, work }
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
    let least = solve(&elastic, &mut Prepared::new(&elastic).ok()?, settings);
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

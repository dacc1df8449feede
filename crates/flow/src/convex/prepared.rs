//! What of a problem is done once, however often it is solved with other costs?
//!
//! Counts that are weighed again by what they came to (iterative reweighting) make a
//! series of problems of the same rows, in which prices and weights change, but not
//! which variables have a logarithm. All that [`presolve`](super::presolve) finds, and
//! the order of elimination, depends on these only. What
//! [`condense`](super::condense) finds depends on which of two ways is dearer: its steps
//! are gone through again with the new costs, and only where a way that was left out
//! became the cheaper one all is done anew. Each part begins where it ended.
//!
//! Input: the problem. Output: values, and on demand duals. Cost: one passage over the
//! variables and the steps, in place of setting up.

use opcost_index::{Id, IdMap};

use super::component::{Component, FlowPoint};
use super::components::{ComponentPart, Scale, Whole, components};
use super::condensation::Condensation;
use super::condense::condense;
use super::interior::{Goal, minimise as minimise_component};
use super::normal::NormalEquations;
use super::postsolve::price_removed_rows;
use super::presolve::{Reduced, presolve};
use super::problem::{Cost, Problem, RowId, VariableId};
use super::smooth::Smooth;
use super::work::SolveWork;

/// A problem taken apart, with what its parts came to.
pub(crate) struct Prepared {
    /// Without corners, after which there are more variables and rows than given.
    smooth: Problem,
    variables: usize,
    rows: usize,
    costs: IdMap<VariableId, Smooth>,
    reduced: Reduced,
    condensation: Condensation,
    parts: Vec<PreparedPart>,
}

struct PreparedPart {
    part: ComponentPart,
    component: Component,
    scale: Scale,
    equations: NormalEquations,
    /// Where it ended.
    last: Option<FlowPoint>,
}

/// Values and duals of the problem without corners.
pub(crate) struct Solved {
    pub(crate) values: IdMap<VariableId, f64>,
    /// Without those of the rows that presolve took away.
    duals: IdMap<RowId, f64>,
    pub(crate) work: SolveWork,
}

impl Prepared {
    /// Takes a problem apart; `Err` names a row that cannot hold.
    pub(crate) fn new(problem: &Problem) -> Result<Self, RowId> {
        let (smooth, costs) = without_corners(problem);
        let mut reduced = presolve(&smooth, &costs)?;
        let condensation = condense(&mut reduced)?;
        let mut places = components(&reduced);
        let whole = Whole { problem: &smooth, reduced: &reduced };
        let unit = places.unit();
        let negligible = negligible_count(&smooth, &costs);
        let parts = std::mem::take(&mut places.parts);
        let parts = parts.into_iter().map(|part| {
            let (component, scale) = places.scaled(&part, whole, unit, negligible);
            let equations = NormalEquations::new(&component.matrix);
            PreparedPart { part, component, scale, equations, last: None }
        });
        let parts = parts.collect();
        let (variables, rows) = (problem.variable_count(), problem.row_count());
        Ok(Self { smooth, variables, rows, costs, reduced, condensation, parts })
    }

    /// Takes the costs of this problem; false where that needs a fresh start.
    pub(crate) fn reprice(&mut self, problem: &Problem) -> bool {
        if !self.take_costs(problem) {
            return false;
        }
        for class in self.reduced.classes.values_mut() {
            class.cost = Smooth::default();
        }
        for (variable, cost) in self.costs.iter() {
            let (root, ratio) = self.reduced.roots[variable];
            let class = &mut self.reduced.classes[root];
            class.cost = class.cost.plus(cost.scaled(ratio));
        }
        if !self.condensation.reprice(&mut self.reduced) {
            return false;
        }
        let whole = Whole { problem: &self.smooth, reduced: &self.reduced };
        for prepared in &mut self.parts {
            let PreparedPart { part, component, scale, .. } = prepared;
            part.reprice(whole, scale, component);
        }
        true
    }

    /// As [`without_corners`] of the problem, if it has the same rows and costs of the same
    /// kinds.
    fn take_costs(&mut self, problem: &Problem) -> bool {
        let (smooth, rows) = (&mut self.smooth, problem.row_count());
        let is_same = self.variables == problem.variable_count()
            && self.rows == rows
            && smooth.right_hand_sides.values().take(rows).eq(problem.right_hand_sides.values())
            && smooth.ends.values().take(rows).eq(problem.ends.values())
            && smooth.entries.starts_with(&problem.entries);
        if !is_same {
            return false;
        }
        // Corners have a row and two variables each, behind those of the problem.
        let mut slacks = (problem.variable_count()..smooth.variable_count()).map(VariableId::new);
        let mut corners = (rows..smooth.row_count()).map(RowId::new);
        for (variable, &cost) in problem.costs.iter() {
            let is_corner = Smooth::of_cost(cost).is_none();
            let plain = if is_corner { Cost::Free } else { cost };
            smooth.costs[variable] = plain;
            if let (true, Cost::TwoSided { target, above, below }) = (is_corner, cost) {
                let (Some(more), Some(less), Some(row)) = (slacks.next(), slacks.next(), corners.next())
                else {
                    return false;
                };
                if smooth.right_hand_sides[row] != target || smooth.entries(row)[0].0 != variable {
                    return false;
                }
                smooth.costs[more] = Cost::Linear { price: above };
                smooth.costs[less] = Cost::Linear { price: below };
            }
        }
        let mut is_alike = slacks.next().is_none();
        for (ours, &cost) in self.costs.values_mut().zip(smooth.costs.values()) {
            let Some(theirs) = Smooth::of_cost(cost) else { return false };
            is_alike &= (ours.log_weight > 0.0) == (theirs.log_weight > 0.0)
                && (ours.curvature > 0.0) == (theirs.curvature > 0.0);
            *ours = theirs;
        }
        is_alike
    }

    /// Whether something was solved before.
    pub(crate) fn was_used(&self) -> bool {
        self.parts.iter().any(|part| part.last.is_some())
    }

    /// Solves all parts.
    pub(crate) fn solve(&mut self, goal: Goal) -> Solved {
        let classes = self.reduced.classes.values();
        let mut roots: IdMap<VariableId, f64> = classes
            .map(|class| class.fixed.unwrap_or_else(|| class.cost.minimiser(class.cost.slope)))
            .collect();
        let mut duals = IdMap::filled(self.smooth.row_count(), 0.0);
        let mut work = SolveWork::default();
        for prepared in &mut self.parts {
            let PreparedPart { part, component, scale, equations, last } = prepared;
            let outcome = minimise_component(component, equations, last.take(), goal);
            part.record(&outcome, scale, &mut roots, &mut duals);
            work.components += 1;
            work.steps = work.steps.max(outcome.steps);
            work.rows += component.matrix.height;
            work.variables += component.matrix.width();
            work.factor_entries += equations.factor_entries();
            work.factor_work += equations.factor_work();
            *last = Some(outcome.point);
        }
        self.condensation.expand(&mut roots, &mut duals);
        let values = self.reduced.roots.values().map(|&(root, ratio)| ratio * roots[root]).collect();
        Solved { values, duals, work }
    }

    /// The duals of all rows.
    pub(crate) fn duals(&self, mut solved: Solved) -> IdMap<RowId, f64> {
        price_removed_rows(&self.smooth, &self.costs, &self.reduced, &solved.values, &mut solved.duals);
        solved.duals
    }
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

/// A thousandth of the least positive count that a cost or a row names.
fn negligible_count(problem: &Problem, costs: &IdMap<VariableId, Smooth>) -> f64 {
    let wanted = costs.values().map(|cost| cost.minimiser(cost.slope));
    let least = (wanted.chain(problem.right_hand_sides.values().map(|right| right.abs())))
        .filter(|&count| count > 0.0)
        .fold(f64::INFINITY, f64::min);
    1e-3 * least
}

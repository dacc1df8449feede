//! What are the rows worth that presolve took away?
//!
//! With the values and the duals of the remaining rows known, the reductions
//! are gone through backwards. A *left-over* of a class is the sum over its
//! members of ratio times reduced cost, reduced cost being the derivative of
//! the cost minus what the rows pay. Rows that a class had inside itself
//! cancel in this sum, so it is known before they are.
//!
//! - At a merge, the dual value of the row is chosen such that the part whose
//!   carrier did not become that of the whole has no left-over.
//! - A row that fixed one class takes all of its left-over.
//! - A row that fixed classes at 0 is priced so that none of their left-overs
//!   is negative.
//!
//! In the end every variable has reduced cost 0, except carriers, which have
//! what the solver left (0 or more up to its precision). Cost: n log n, since
//! a merge names the smaller part.

use opcost_index::IdMap;

use super::presolve::{Reduced, Reduction, Rings};
use super::problem::{Problem, RowId, RowsByVariable, VariableId};
use super::smooth::Smooth;

/// Fills in the duals of all rows in `reduced.reductions`; those of the rows
/// that were left must be in `duals`, the others 0.
pub(crate) fn price_removed_rows(
    problem: &Problem,
    costs: &IdMap<VariableId, Smooth>,
    reduced: &Reduced,
    values: &IdMap<VariableId, f64>,
    duals: &mut IdMap<RowId, f64>,
) {
    let mut postsolve = Postsolve::new(problem, costs, reduced, values, duals);
    for (root, class) in reduced.classes.iter() {
        if class.fixed.is_none() && reduced.roots[root].0 == root {
            postsolve.left_over[class.carrier] = postsolve.sum(root);
        }
    }
    for reduction in reduced.reductions.iter().rev() {
        match reduction {
            Reduction::Merged { row, root, removed: gone, carrier, carries_both } => {
                postsolve.rings.exchange(*root, *gone);
                let wanted = if *carries_both { postsolve.left_over[*carrier] } else { 0.0 };
                postsolve.divide(*row, *gone, wanted);
            }
            Reduction::Fixed { row, root } => {
                postsolve.divide(*row, *root, 0.0);
                postsolve.left_over[reduced.classes[*root].carrier] = 0.0;
            }
            Reduction::Zeroed { row, roots } => postsolve.pay_all(*row, &reduced.zeroed[roots.clone()]),
        }
    }
}

struct Postsolve<'a> {
    problem: &'a Problem,
    costs: &'a IdMap<VariableId, Smooth>,
    reduced: &'a Reduced,
    values: &'a IdMap<VariableId, f64>,
    duals: &'a mut IdMap<RowId, f64>,
    /// Rows of each variable with its coefficients.
    columns: RowsByVariable,
    /// The members of each class as it was before the reductions that were done.
    rings: Rings,
    /// Of each class, kept at its carrier.
    left_over: IdMap<VariableId, f64>,
    /// Which variables belong to the classes at hand: those with the number of
    /// the question.
    query_stamp: IdMap<VariableId, u32>,
    question: u32,
}

impl<'a> Postsolve<'a> {
    fn new(
        problem: &'a Problem,
        costs: &'a IdMap<VariableId, Smooth>,
        reduced: &'a Reduced,
        values: &'a IdMap<VariableId, f64>,
        duals: &'a mut IdMap<RowId, f64>,
    ) -> Self {
        let columns = problem.rows_by_variable();
        let left_over = IdMap::filled(problem.variable_count(), 0.0);
        let asked = IdMap::filled(problem.variable_count(), 0);
        let rings = reduced.rings.clone();
        Self {
            problem,
            costs,
            reduced,
            values,
            duals,
            columns,
            rings,
            left_over,
            query_stamp: asked,
            question: 0,
        }
    }

    /// Left-over of a class by the duals known so far.
    fn sum(&self, root: VariableId) -> f64 {
        self.rings
            .of(root)
            .map(|member| {
                let (_, ratio) = self.reduced.roots[member];
                let paid: f64 = self
                    .columns
                    .of(member)
                    .iter()
                    .map(|&(row, coefficient)| coefficient * self.duals[row])
                    .sum();
                ratio * (self.costs[member].derivative(self.values[member]) - paid)
            })
            .sum()
    }

    /// What a unit of the row's dual takes off the left-over of a class.
    fn share(&mut self, row: RowId, root: VariableId) -> f64 {
        self.question += 1;
        for member in self.rings.of(root) {
            self.query_stamp[member] = self.question;
        }
        (self
            .problem
            .entries(row)
            .iter()
            .filter(|(variable, _)| self.query_stamp[*variable] == self.question))
        .map(|&(variable, coefficient)| coefficient * self.reduced.roots[variable].1)
        .sum()
    }

    /// Chooses the row's dual so that `wanted` is left over of a class.
    fn divide(&mut self, row: RowId, root: VariableId, wanted: f64) {
        let share = self.share(row, root);
        if share != 0.0 {
            self.duals[row] = (self.sum(root) - wanted) / share;
        }
    }

    fn pay_all(&mut self, row: RowId, roots: &[VariableId]) {
        let classes: Vec<(VariableId, f64, f64)> = roots
            .iter()
            .map(|&root| {
                let share = self.share(row, root);
                (self.reduced.classes[root].carrier, self.sum(root), share)
            })
            .collect();
        // All shares have one sign; the dual goes as far from 0 as it must.
        let needed = classes
            .iter()
            .filter(|&&(_, sum, share)| sum < 0.0 && share != 0.0)
            .map(|&(_, sum, share)| sum / share)
            .fold(0.0, |most: f64, needed| if needed.abs() > most.abs() { needed } else { most });
        self.duals[row] = needed;
        for (carrier, sum, share) in classes {
            self.left_over[carrier] = sum - needed * share;
        }
    }
}

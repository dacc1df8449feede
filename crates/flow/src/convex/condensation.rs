//! What were the values and duals of what was condensed, and is that still right?
//!
//! The steps of [`condense`](super::condense) are gone through backwards to fill in values
//! and duals: a variable that a row told is what the others make of it, and its row pays
//! what it costs; of variables that were one each has its share. Forwards they are gone
//! through when costs have changed: what they do to rows does not depend on prices but for
//! one thing, which of two ways beside each other is dearer. Where that has turned round,
//! the way that went takes all.
//!
//! Input: values and duals of what was left; or new costs. Output: those of all; or the
//! costs of what is left. Cost: entries of what went.

use opcost_index::IdMap;

use super::lists::{Lists, Span};
use super::presolve::Reduced;
use super::problem::{RowId, VariableId};
use super::smooth::Smooth;

/// A variable and where else it was, when it went.
#[derive(Debug)]
pub(crate) struct RemovedVariable {
    pub(crate) variable: VariableId,
    pub(crate) cost: Smooth,
    /// Its coefficient in the row that went with it.
    pub(crate) pivot: f64,
    /// Where its other rows are, among what was taken from the columns.
    pub(crate) column: Span,
}

/// A change that is to be undone.
#[derive(Debug)]
pub(crate) enum CondensationStep {
    /// The variable is what the row leaves of `right` for it; with no others it is fixed.
    Determined { row: RowId, removed: RemovedVariable, right: f64, others: Span },
    /// All are 0.
    Zeroed { row: RowId, all: Vec<RemovedVariable> },
    /// The variable has `share` of what the other one has, whose column it has `ratio` times.
    Twin { variable: VariableId, representative: VariableId, ratio: f64, share: f64 },
    /// No row says anything of it.
    Loose { variable: VariableId, cost: Smooth },
}

/// How values and duals of what went follow from the rest.
#[derive(Debug)]
pub(crate) struct Condensation {
    pub(crate) steps: Vec<CondensationStep>,
    pub(crate) columns: Lists<VariableId, (RowId, f64)>,
    /// The others of all steps.
    pub(crate) others: Vec<(VariableId, f64)>,
}

impl Condensation {
    /// Fills in what went; values and duals of what was left must be there.
    pub(crate) fn expand(&self, values: &mut IdMap<VariableId, f64>, duals: &mut IdMap<RowId, f64>) {
        for step in self.steps.iter().rev() {
            match step {
                CondensationStep::Determined { row, removed: gone, right, others } => {
                    let others = self.others[others.range()].iter();
                    let parts = others.map(|&(variable, coefficient)| coefficient * values[variable]);
                    // All parts and the right-hand side have one sign: nothing cancels.
                    let value = ((right - parts.sum::<f64>()) / gone.pivot).max(0.0);
                    values[gone.variable] = value;
                    duals[*row] = self.unpaid(gone, value, duals) / gone.pivot;
                }
                CondensationStep::Zeroed { row, all } => {
                    // The dual goes as far from 0 as it must for the dearest.
                    let needed = |gone: &RemovedVariable| self.unpaid(gone, 0.0, duals).min(0.0) / gone.pivot;
                    let farther = |most: f64, next: f64| if next.abs() > most.abs() { next } else { most };
                    duals[*row] = all.iter().map(needed).fold(0.0, farther);
                    all.iter().for_each(|gone| values[gone.variable] = 0.0);
                }
                CondensationStep::Twin { variable, representative: keeper, ratio, share } => {
                    let all = values[*keeper];
                    values[*variable] = share * all / ratio;
                    values[*keeper] = (1.0 - share) * all;
                }
                CondensationStep::Loose { variable, cost } => values[*variable] = cost.minimiser(cost.slope),
            }
        }
    }

    /// What the other rows do not pay for a unit of what went, at a value.
    fn unpaid(&self, gone: &RemovedVariable, value: f64, duals: &IdMap<RowId, f64>) -> f64 {
        let column = self.columns.taken(gone.column).iter();
        let paid: f64 = column.map(|&(row, coefficient)| coefficient * duals[row]).sum();
        gone.cost.derivative(value) - paid
    }

    /// Goes through all steps with other costs of the classes, which are replaced by those of what
    /// is left. False when a twin that was dropped may be the cheaper one now.
    pub(crate) fn reprice(&mut self, reduced: &mut Reduced) -> bool {
        let classes = &mut reduced.classes;
        let mut stands_for = IdMap::filled(classes.len(), 1.0);
        for step in &mut self.steps {
            match step {
                CondensationStep::Determined { removed: gone, others, .. } => {
                    gone.cost = classes[gone.variable].cost;
                    for &(other, coefficient) in &self.others[others.range()] {
                        let more = gone.cost.scaled(-coefficient / gone.pivot);
                        classes[other].cost = classes[other].cost.plus(more);
                    }
                }
                CondensationStep::Zeroed { all, .. } => {
                    all.iter_mut().for_each(|gone| gone.cost = classes[gone.variable].cost);
                }
                CondensationStep::Twin { variable, representative: keeper, ratio, share } => {
                    let (ours, theirs) = (classes[*variable].cost, classes[*keeper].cost);
                    if is_costlier(ours, theirs, *ratio) {
                        let ours = Priced { variable: *variable, cost: ours };
                        let theirs = Priced { variable: *keeper, cost: theirs };
                        *share = shared(&mut stands_for, ours, theirs, *ratio);
                    } else if theirs.log_weight == 0.0 && theirs.curvature == 0.0 {
                        // The one that went has all; the column that stayed takes its price.
                        *share = 1.0;
                        stands_for[*keeper] = stands_for[*variable];
                        classes[*keeper].cost = ours.scaled(1.0 / *ratio);
                    } else {
                        return false;
                    }
                }
                CondensationStep::Loose { variable, cost } => *cost = classes[*variable].cost,
            }
        }
        true
    }
}

/// Prices that differ by this share are the same.
const SAME: f64 = 1e-10;

/// Whether a unit costs no less than `ratio` units of the other, whatever there is of both.
pub(crate) fn is_costlier(ours: Smooth, theirs: Smooth, ratio: f64) -> bool {
    ours.log_weight == 0.0
        && ours.curvature == 0.0
        && theirs.curvature == 0.0
        && ours.slope >= ratio * theirs.slope * (1.0 - SAME)
}

/// A variable and what it costs.
#[derive(Clone, Copy)]
pub(crate) struct Priced {
    pub(crate) variable: VariableId,
    pub(crate) cost: Smooth,
}

/// The share of a variable in what its twin has: what it represents, if they cost the same.
pub(crate) fn shared(
    stands_for: &mut IdMap<VariableId, f64>,
    ours: Priced,
    theirs: Priced,
    ratio: f64,
) -> f64 {
    if theirs.cost.log_weight > 0.0 || ours.cost.slope > ratio * theirs.cost.slope * (1.0 + SAME) {
        return 0.0;
    }
    stands_for[theirs.variable] += stands_for[ours.variable];
    stands_for[ours.variable] / stands_for[theirs.variable]
}

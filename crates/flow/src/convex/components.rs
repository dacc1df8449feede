//! Which parts of a problem have nothing to do with each other?
//!
//! Rows that share no variable, directly or not, are solved apart: small parts
//! are done in few steps, and each has its own unit of counts. A part is
//! scaled to a mean count of 1 and rows whose greatest coefficient is 1.
//!
//! Variables without any cost get a price. Without one, the solution might be
//! anything up to infinity; with one, y = 0 has all reduced costs above 0, so
//! that there is an optimum, it is bounded, and the method finds the same one
//! always. All prices of a part together are about [`TIE_BREAK`] units of cost
//! at typical counts, below what the tolerance can see.
//!
//! Cost: entries of the rows that presolve left.

use opcost_index::IdMap;

use super::columns::{Columns, split_wide_columns};
use super::component::Component;
use super::interior::Outcome;
use super::presolve::Reduced;
use super::problem::{Problem, RowId, VariableId};
use super::smooth::Smooth;

/// Rows that share variables, directly or not, with these variables.
#[derive(Default)]
pub(crate) struct ComponentPart {
    rows: Vec<RowId>,
    variables: Vec<VariableId>,
}

/// The parts, and where each variable is in its own.
pub(crate) struct Parts {
    pub(crate) parts: Vec<ComponentPart>,
    place: IdMap<VariableId, usize>,
}

/// What parts are of: a problem, and what presolve left of it.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) reduced: &'a Reduced,
}

/// What a component was divided by.
pub(crate) struct Scale {
    counts: f64,
    rows: Vec<f64>,
}

/// Takes a reduced problem apart.
pub(crate) fn components(reduced: &Reduced) -> Parts {
    // Union-find over variables by the rows that hold them.
    let mut leader: IdMap<VariableId, VariableId> = reduced.classes.ids().collect();
    for (_, entries) in reduced.live_rows() {
        for pair in entries.windows(2) {
            let (a, b) = (lead(&mut leader, pair[0].0), lead(&mut leader, pair[1].0));
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut part_of: IdMap<VariableId, Option<usize>> = IdMap::filled(leader.len(), None);
    let mut parts: Vec<ComponentPart> = Vec::new();
    for (id, entries) in reduced.live_rows() {
        let Some(&(first, _)) = entries.first() else { continue };
        let first = lead(&mut leader, first);
        let part = *part_of[first].get_or_insert_with(|| {
            parts.push(ComponentPart::default());
            parts.len() - 1
        });
        parts[part].rows.push(id);
    }
    for (variable, class) in reduced.classes.iter() {
        if class.fixed.is_none() && reduced.roots[variable].0 == variable {
            let leading = lead(&mut leader, variable);
            if let Some(part) = part_of[leading] {
                parts[part].variables.push(variable);
            }
        }
    }
    let place = places(&mut parts, reduced);
    Parts { parts, place }
}

/// Where each variable is in its part: after those in fewer rows. So loops over entries of columns
/// iterate equally often for thousands of columns, and processors predict where they end. SQLite's
/// Newton steps take a fifth less time.
fn places(parts: &mut [ComponentPart], reduced: &Reduced) -> IdMap<VariableId, usize> {
    let mut heights: IdMap<VariableId, u32> = IdMap::filled(reduced.classes.len(), 0);
    for (_, entries) in reduced.live_rows() {
        entries.iter().for_each(|&(variable, _)| heights[variable] += 1);
    }
    let mut place = IdMap::filled(heights.len(), usize::MAX);
    for part in parts {
        part.variables.sort_by_key(|&variable| heights[variable]);
        part.variables.iter().enumerate().for_each(|(at, &variable)| place[variable] = at);
    }
    place
}

/// The variable that represents all that share rows with this one, so far.
fn lead(leader: &mut IdMap<VariableId, VariableId>, mut variable: VariableId) -> VariableId {
    while leader[variable] != variable {
        let next = leader[leader[variable]];
        leader[variable] = next;
        variable = next;
    }
    variable
}

/// What the price of the free adds up to, in units of cost.
const TIE_BREAK: f64 = 3e-8;

impl Parts {
    /// A part as the interior-point method wants it, where costs below `unit`
    /// and counts below `negligible` do not matter.
    pub(crate) fn scaled(
        &self,
        part: &ComponentPart,
        whole: Whole<'_>,
        unit: f64,
        negligible: f64,
    ) -> (Component, Scale) {
        let reduced = whole.reduced;
        let (matrix, mut right_hand_sides, rows) = self.rows_of(part, reduced);
        let costs = part.variables.iter().map(|&root| reduced.classes[root].cost);
        let counts = typical_count(costs, part, reduced);
        right_hand_sides.iter_mut().for_each(|right| *right /= counts);
        let tie_break = TIE_BREAK * unit / part.variables.len() as f64;
        let (matrix, _) = split_wide_columns(matrix);
        right_hand_sides.resize(matrix.height, 0.0);
        let negligible = negligible / counts;
        let costs = vec![Smooth::default(); matrix.width()];
        let mut component =
            Component { matrix, right_hand_sides, costs, base_cost: 0.0, negligible, tie_break, unit };
        let scale = Scale { counts, rows };
        part.reprice(whole, &scale, &mut component);
        (component, scale)
    }

    /// A cost that is small for one part.
    pub(crate) fn unit(&self) -> f64 {
        1.0 / self.parts.len().max(1) as f64
    }

    /// Matrix and right-hand sides of a part, each row divided by its greatest
    /// coefficient, and the inverse of that.
    fn rows_of(&self, part: &ComponentPart, reduced: &Reduced) -> (Columns, Vec<f64>, Vec<f64>) {
        let mut entries = Vec::new();
        let mut right_hand_sides = Vec::with_capacity(part.rows.len());
        let mut factors = Vec::with_capacity(part.rows.len());
        for (position, (of_row, right_hand_side)) in part.live_rows(reduced).enumerate() {
            let factor = 1.0 / of_row.iter().map(|entry| entry.1.abs()).fold(0.0, f64::max);
            let place = |&(variable, coefficient): &(VariableId, f64)| {
                (self.place[variable], position as u32, coefficient * factor)
            };
            entries.extend(of_row.iter().map(place));
            right_hand_sides.push(right_hand_side * factor);
            factors.push(factor);
        }
        let matrix = Columns::of_entries(part.rows.len(), part.variables.len(), &entries);
        (matrix, right_hand_sides, factors)
    }
}

impl ComponentPart {
    /// Gives its component the costs as they are now.
    pub(crate) fn reprice(&self, whole: Whole<'_>, scale: &Scale, component: &mut Component) {
        for (column, (cost, &root)) in component.costs.iter_mut().zip(&self.variables).enumerate() {
            *cost = whole.reduced.classes[root].cost.scaled(scale.counts);
            if cost.is_free() {
                // A small coefficient asks for a large count, which is no dearer for that.
                let greatest = component.matrix.column(column).map(|(_, factor)| factor.abs());
                *cost = Smooth::linear(component.tie_break * greatest.fold(0.0, f64::max));
            }
        }
        component.base_cost = self.variables.iter().map(|&root| base_cost(whole, root)).sum();
    }

    /// Its rows and what they add up to.
    fn live_rows<'a>(&'a self, reduced: &'a Reduced) -> impl Iterator<Item = (&'a [(VariableId, f64)], f64)> {
        self.rows.iter().map(|&row| {
            let live = reduced.rows[row].as_ref().expect("a part has rows that are left");
            (reduced.entries(live), live.right_hand_side)
        })
    }

    /// Notes values and duals in the units of the problem.
    pub(crate) fn record(
        &self,
        outcome: &Outcome,
        scale: &Scale,
        roots: &mut IdMap<VariableId, f64>,
        duals: &mut IdMap<RowId, f64>,
    ) {
        for (&variable, &value) in self.variables.iter().zip(&outcome.point.x) {
            roots[variable] = value * scale.counts;
        }
        for ((&row, &dual), factor) in self.rows.iter().zip(&outcome.point.y).zip(&scale.rows) {
            duals[row] = dual * factor / scale.counts;
        }
    }
}

/// The mean of the counts that costs and rows name, or 1.
fn typical_count(costs: impl Iterator<Item = Smooth>, part: &ComponentPart, reduced: &Reduced) -> f64 {
    let wanted = costs.map(|cost| cost.minimiser(cost.slope));
    let needed = part.live_rows(reduced).map(|(entries, right_hand_side)| {
        let least = entries.iter().map(|entry| entry.1.abs()).fold(f64::INFINITY, f64::min);
        right_hand_side.abs() / least
    });
    let named: Vec<f64> = wanted.chain(needed).filter(|&count| count > 0.0 && count.is_finite()).collect();
    if named.is_empty() { 1.0 } else { named.iter().sum::<f64>() / named.len() as f64 }
}

/// What the members of a class cost where the class is at its cheapest.
fn base_cost(whole: Whole<'_>, root: VariableId) -> f64 {
    let Whole { problem, reduced } = whole;
    let class = &reduced.classes[root];
    let best = class.cost.minimiser(class.cost.slope);
    let cost = |member: VariableId| problem.cost(member).of(reduced.roots[member].1 * best);
    reduced.rings.of(root).map(cost).sum()
}

//! Which variables can be had without a solver?
//!
//! Three rules, applied until none does (Andersen and Andersen, "Presolving in
//! linear programming", 1995):
//!
//! - a row `a x = b` fixes x;
//! - a row `a x - c y = 0` makes x and y one: blocks and edges in a chain share
//!   a variable, and their costs add up to one of the same family
//!   ([`smooth`](super::smooth));
//! - a row of one sign that adds up to 0 fixes all its variables at 0: code
//!   that nothing enters. Interior points need this, for without it there
//!   would be no interior.
//!
//! Variables that are one form a *class*, whose members stand in a ring: two rings
//! become one, and that one the two again, when the successors of one member of each
//! change places. Every reduction is noted, so that [`postsolve`](super::postsolve) can
//! undo them and price the rows that went.
//!
//! Output: classes, fixed or not, and the rows that are left. Cost: each row
//! is looked at once more for each batch of changes in it; a budget of 64
//! times the entries bounds it (what it leaves is solved, not lost).

use std::collections::VecDeque;
use std::ops::Range;

use opcost_index::IdMap;

use super::problem::{Problem, RowId, RowsByVariable, VariableId};
use super::smooth::Smooth;

/// Chains of ratios beyond this are left to the solver.
pub(crate) const LARGEST_RATIO: f64 = 1e9;

/// What a row adds up to is 0 when it is below this share of its terms.
pub(crate) const ROUNDING: f64 = 1e-12;

/// A reduction that took a row away.
#[derive(Clone, Debug)]
pub(crate) enum Reduction {
    /// Two classes became one.
    Merged {
        row: RowId,
        /// That of both.
        root: VariableId,
        /// That of the smaller one.
        removed: VariableId,
        /// The carrier of the smaller one.
        carrier: VariableId,
        /// Whether it became that of both.
        carries_both: bool,
    },
    /// The class of this root was fixed at a value.
    Fixed { row: RowId, root: VariableId },
    /// The classes of these roots, a part of [`Reduced::zeroed`], were fixed at 0.
    Zeroed { row: RowId, roots: Range<usize> },
}

/// Variables that are multiples of one of them, the root.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// How many they are.
    size: u32,
    /// The member that is charged with what the dual values leave over: of
    /// those with the greatest logarithmic weight the first.
    pub(crate) carrier: VariableId,
    /// Cost of the root's value.
    pub(crate) cost: Smooth,
    /// The value of the root, once it is certain.
    pub(crate) fixed: Option<f64>,
}

/// Which member of its class comes after each variable.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    after: IdMap<VariableId, VariableId>,
}

impl Rings {
    /// Makes one ring of those of two variables, or two of one.
    pub(crate) fn exchange(&mut self, a: VariableId, b: VariableId) {
        (self.after[a], self.after[b]) = (self.after[b], self.after[a]);
    }

    /// All variables in the ring of one.
    pub(crate) fn of(&self, first: VariableId) -> impl Iterator<Item = VariableId> + '_ {
        let next = move |&variable: &VariableId| Some(self.after[variable]).filter(|&next| next != first);
        std::iter::successors(Some(first), next)
    }
}

/// A problem taken apart.
#[derive(Debug)]
pub(crate) struct Reduced {
    /// Root of each variable and the ratio of the variable to it.
    pub(crate) roots: IdMap<VariableId, (VariableId, f64)>,
    /// One class per root; those of other variables are not used.
    pub(crate) classes: IdMap<VariableId, Class>,
    /// The members of each class.
    pub(crate) rings: Rings,
    /// What is left: entries are roots that are not fixed, each once.
    pub(crate) rows: IdMap<RowId, Option<LiveRow>>,
    /// The entries of all rows; some that went.
    entries: Vec<(VariableId, f64)>,
    /// In the order in which they were made.
    pub(crate) reductions: Vec<Reduction>,
    /// The roots that were fixed at 0.
    pub(crate) zeroed: Vec<VariableId>,
}

impl Reduced {
    /// The entries of a row that is left.
    pub(crate) fn entries(&self, row: &LiveRow) -> &[(VariableId, f64)] {
        &self.entries[row.range()]
    }

    /// The rows that are left, with their entries.
    pub(crate) fn live_rows(&self) -> impl Iterator<Item = (RowId, &[(VariableId, f64)])> {
        self.rows.iter().filter_map(|(row, live)| Some((row, self.entries(live.as_ref()?))))
    }

    /// Gives a row that is left other entries.
    pub(crate) fn set_entries(&mut self, row: RowId, entries: &[(VariableId, f64)]) {
        let Some(live) = &mut self.rows[row] else { return };
        if entries.len() > live.length as usize {
            live.start = self.entries.len();
            self.entries.extend_from_slice(entries);
        } else {
            self.entries[live.start..live.start + entries.len()].copy_from_slice(entries);
        }
        live.length = entries.len() as u32;
    }
}

/// A row with what is fixed in it brought to the right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveRow {
    /// Where its entries begin among those of all rows, and how many they are.
    start: usize,
    length: u32,
    pub(crate) right_hand_side: f64,
    /// The greatest term that went into the right-hand side.
    scale: f64,
}

impl LiveRow {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.length as usize
    }

    /// Takes from the right-hand side what a term is.
    pub(crate) fn move_right(&mut self, term: f64) {
        self.right_hand_side -= term;
        self.scale = self.scale.max(term.abs());
        if self.right_hand_side.abs() <= ROUNDING * self.scale {
            self.right_hand_side = 0.0;
        }
    }
}

/// Reduces; `Err` names a row that cannot hold.
pub(crate) fn presolve(problem: &Problem, costs: &IdMap<VariableId, Smooth>) -> Result<Reduced, RowId> {
    let mut presolve = Presolve::new(problem, costs);
    let mut budget = 64 * (problem.entries.len() + problem.row_count());
    while let Some(row) = presolve.queue.pop_front() {
        presolve.queued[row] = false;
        let Some(live) = presolve.state.rows[row].take() else { continue };
        let length = live.length as usize + 1;
        presolve.reduce(row, live)?;
        if budget < length {
            break;
        }
        budget -= length;
    }
    // Rows in the queue when the budget ran out may hold stale entries.
    presolve.compress_all();
    presolve.flatten();
    Ok(presolve.state)
}

struct Presolve<'a> {
    costs: &'a IdMap<VariableId, Smooth>,
    state: Reduced,
    /// Rows of each variable.
    columns: RowsByVariable,
    queue: VecDeque<RowId>,
    queued: IdMap<RowId, bool>,
    /// Where a root is in the row that is being compressed.
    place: IdMap<VariableId, usize>,
    /// Roots of that row with their sums and greatest terms.
    row_roots: Vec<(VariableId, f64, f64)>,
}

impl<'a> Presolve<'a> {
    fn new(problem: &'a Problem, costs: &'a IdMap<VariableId, Smooth>) -> Self {
        let mut start = 0;
        let row = |(&end, &right_hand_side): (&usize, &f64)| {
            let length = (end - start) as u32;
            let row = LiveRow { start, length, right_hand_side, scale: right_hand_side.abs() };
            start = end;
            Some(row)
        };
        let rows = problem.ends.values().zip(problem.right_hand_sides.values()).map(row).collect();
        let class = |variable| Class { size: 1, cost: costs[variable], carrier: variable, fixed: None };
        let state = Reduced {
            roots: costs.ids().map(|variable| (variable, 1.0)).collect(),
            classes: costs.ids().map(class).collect(),
            rings: Rings { after: costs.ids().collect() },
            rows,
            entries: problem.entries.clone(),
            reductions: Vec::with_capacity(problem.row_count()),
            zeroed: Vec::new(),
        };
        Self {
            costs,
            state,
            columns: problem.rows_by_variable(),
            queue: problem.ends.ids().collect(),
            queued: IdMap::filled(problem.row_count(), true),
            place: IdMap::filled(problem.variable_count(), usize::MAX),
            row_roots: Vec::new(),
        }
    }

    /// Root and ratio of a variable, with the path shortened.
    fn find(&mut self, variable: VariableId) -> (VariableId, f64) {
        let (mut root, mut ratio) = self.state.roots[variable];
        while self.state.roots[root].0 != root {
            let (next, factor) = self.state.roots[root];
            ratio *= factor;
            root = next;
        }
        self.state.roots[variable] = (root, ratio);
        (root, ratio)
    }

    /// Sums up the entries of each class and brings fixed ones to the right.
    fn compress(&mut self, live: &mut LiveRow) {
        let mut kept = std::mem::take(&mut self.row_roots);
        for place in live.range() {
            let (variable, coefficient) = self.state.entries[place];
            let (root, ratio) = self.find(variable);
            let term = coefficient * ratio;
            if let Some(value) = self.state.classes[root].fixed {
                live.right_hand_side -= term * value;
                live.scale = live.scale.max((term * value).abs());
                continue;
            }
            let place = self.place[root];
            if place == usize::MAX {
                self.place[root] = kept.len();
                kept.push((root, term, term.abs()));
            } else {
                kept[place].1 += term;
                kept[place].2 = kept[place].2.max(term.abs());
            }
        }
        for &(root, _, _) in &kept {
            self.place[root] = usize::MAX;
        }
        let mut end = live.start;
        for (root, sum, greatest) in kept.drain(..) {
            if sum.abs() > ROUNDING * greatest {
                self.state.entries[end] = (root, sum);
                end += 1;
            }
        }
        live.length = (end - live.start) as u32;
        self.row_roots = kept;
        if live.right_hand_side.abs() <= ROUNDING * live.scale {
            live.right_hand_side = 0.0;
        }
    }

    fn reduce(&mut self, row: RowId, mut live: LiveRow) -> Result<(), RowId> {
        self.compress(&mut live);
        let right = live.right_hand_side;
        let one = match *self.state.entries(&live) {
            [] if right != 0.0 => return Err(row),
            [] => return Ok(()),
            [(root, coefficient)] => return self.fix(row, root, right / coefficient),
            // along * a + against * b = 0
            [(a, along), (b, against)] if right == 0.0 && (along > 0.0) != (against > 0.0) => {
                Some((a, b, -along / against))
            }
            _ => None,
        };
        if one.is_some_and(|(a, b, ratio)| self.merge(row, a, b, ratio)) {
            return Ok(());
        }
        let entries = self.state.entries(&live).iter();
        let positive = entries.filter(|&&(_, coefficient)| coefficient > 0.0).count();
        let sign = match positive {
            0 => -1.0,
            _ if positive == live.length as usize => 1.0,
            _ => {
                self.state.rows[row] = Some(live);
                return Ok(());
            }
        };
        if right * sign < 0.0 {
            return Err(row);
        }
        if right != 0.0 {
            self.state.rows[row] = Some(live);
            return Ok(());
        }
        self.zero(row, live)
    }

    fn fix(&mut self, row: RowId, root: VariableId, value: f64) -> Result<(), RowId> {
        // Where samples were seen, 0 costs infinitely much.
        let observed = self.state.classes[root].cost.log_weight > 0.0;
        if value < 0.0 || (observed && value <= 0.0) {
            return Err(row);
        }
        self.state.reductions.push(Reduction::Fixed { row, root });
        self.settle(root, value);
        Ok(())
    }

    fn zero(&mut self, row: RowId, live: LiveRow) -> Result<(), RowId> {
        let start = self.state.zeroed.len();
        for place in live.range() {
            let (root, _) = self.state.entries[place];
            if self.state.classes[root].cost.log_weight > 0.0 {
                return Err(row);
            }
            self.settle(root, 0.0);
            self.state.zeroed.push(root);
        }
        self.state.reductions.push(Reduction::Zeroed { row, roots: start..self.state.zeroed.len() });
        Ok(())
    }

    fn settle(&mut self, root: VariableId, value: f64) {
        self.state.classes[root].fixed = Some(value);
        self.requeue_rows_of(root);
    }

    /// At the rows of all members of a class.
    fn requeue_rows_of(&mut self, root: VariableId) {
        for member in self.state.rings.of(root) {
            for &(row, _) in self.columns.of(member) {
                if !self.queued[row] {
                    self.queued[row] = true;
                    self.queue.push_back(row);
                }
            }
        }
    }

    /// Makes `b = ratio * a` one class with it; false when the ratio is extreme.
    fn merge(&mut self, row: RowId, a: VariableId, b: VariableId, ratio: f64) -> bool {
        if !(1.0 / LARGEST_RATIO..=LARGEST_RATIO).contains(&ratio) {
            return false;
        }
        let size = |root: VariableId| self.state.classes[root].size;
        let (root, gone, ratio) = if size(a) >= size(b) { (a, b, ratio) } else { (b, a, 1.0 / ratio) };
        self.requeue_rows_of(gone);
        self.state.rings.exchange(root, gone);
        self.state.roots[gone] = (root, ratio);
        let Class { size, carrier, cost, .. } = self.state.classes[gone];
        let class = &mut self.state.classes[root];
        class.size += size;
        class.cost = class.cost.plus(cost.scaled(ratio));
        let weight = |variable: VariableId| self.costs[variable].log_weight;
        let carries_both = weight(carrier) > weight(class.carrier);
        if carries_both {
            class.carrier = carrier;
        }
        self.state.reductions.push(Reduction::Merged { row, root, removed: gone, carrier, carries_both });
        true
    }

    fn compress_all(&mut self) {
        for row in self.state.rows.ids() {
            if let Some(mut live) = self.state.rows[row].take() {
                self.compress(&mut live);
                self.state.rows[row] = Some(live);
            }
        }
    }

    fn flatten(&mut self) {
        for variable in self.state.roots.ids() {
            self.find(variable);
        }
    }
}

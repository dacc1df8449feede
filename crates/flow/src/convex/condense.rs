//! Which rows need not be there, because one of their variables is what the others are?
//!
//! Most code of a program was never seen. It has linear costs only, and there an
//! optimum uses the cheapest way, which needs no solver to be found. Three rules,
//! applied until none does:
//!
//! - a row `x = t + a b + c d + ...` whose parts on the right are all positive tells x,
//!   and that x is 0 or more needs no saying: a linear cost is shared out to the parts,
//!   x is put in everywhere and the row is gone (implied free column substitution,
//!   Andersen and Andersen, "Presolving in linear programming", 1995). So a node of one
//!   way in joins the node before it, and where a loop closes on one node its variable
//!   leaves all rows and is 0: the transformations T1 and T2 that take reducible graphs
//!   apart (Hecht and Ullman, 1972);
//! - of two variables of the same column the one that is dearer in any amount is 0;
//!   where they cost the same, they are one and share its value;
//! - a row that got one variable fixes it, one of one sign that adds up to 0 fixes all
//!   its variables at 0, as in [`presolve`](super::presolve).
//!
//! A row of two variables may be left out whatever they cost, since their costs add up.
//!
//! Input: what [`presolve`](super::presolve) left. Output: fewer rows and variables in
//! the same place, and a [`Condensation`] that has the values and duals of what went.
//! Cost: rows are looked at again when they change; no substitution makes more entries
//! than it takes.

use std::collections::VecDeque;

use opcost_index::{Id, IdMap};

use super::condensation::{Condensation, CondensationStep, Priced, RemovedVariable, is_costlier, shared};
use super::lists::{Lists, Span};
use super::presolve::{LARGEST_RATIO, ROUNDING, Reduced};
use super::problem::{RowId, VariableId};
use super::smooth::Smooth;

/// Rows of more variables wait.
const LONG: usize = 16;

/// Condenses what is left of a problem; `Err` names a row that cannot hold.
pub(crate) fn condense(reduced: &mut Reduced) -> Result<Condensation, RowId> {
    let mut condenser = Condenser::new(reduced);
    while let Some(row) = condenser.next_row() {
        condenser.queued[row] = false;
        if condenser.reduced.rows[row].is_some() {
            condenser.process_row(row)?;
        }
    }
    condenser.write_back();
    let Condenser { steps, columns, others, .. } = condenser;
    Ok(Condensation { steps, columns, others })
}

struct Condenser<'a> {
    reduced: &'a mut Reduced,
    /// Entries of each variable, by row; the truth.
    columns: Lists<VariableId, (RowId, f64)>,
    /// Variables of each row: all that have an entry in it, and some that had.
    members: Lists<RowId, VariableId>,
    /// Rows that may name a variable twice, since it came again.
    repeats: IdMap<RowId, bool>,
    /// Rows to look at, and long ones that wait until no other is left: they change often.
    queue: VecDeque<RowId>,
    long: VecDeque<RowId>,
    queued: IdMap<RowId, bool>,
    /// By the hash of a column a variable that had it.
    twins: Vec<Option<VariableId>>,
    /// How many variables of the same column and cost each represents.
    stands_for: IdMap<VariableId, f64>,
    /// The entries of the row that is looked at.
    entries: Vec<(VariableId, f64)>,
    steps: Vec<CondensationStep>,
    others: Vec<(VariableId, f64)>,
}

impl<'a> Condenser<'a> {
    fn new(reduced: &'a mut Reduced) -> Self {
        let variables = reduced.classes.len();
        let mut sizes: IdMap<VariableId, usize> = IdMap::filled(variables, 0);
        let mut lengths: IdMap<RowId, usize> = IdMap::filled(reduced.rows.len(), 0);
        for (row, entries) in reduced.live_rows() {
            lengths[row] = entries.len();
            entries.iter().for_each(|&(variable, _)| sizes[variable] += 1);
        }
        let mut columns = Lists::with_room(sizes.values().copied(), (RowId::new(0), 0.0));
        let mut members = Lists::with_room(lengths.values().copied(), VariableId::new(0));
        for (row, entries) in reduced.live_rows() {
            for (position, &(variable, coefficient)) in entries.iter().enumerate() {
                let end = columns.of(variable).len();
                columns.insert(variable, end, (row, coefficient));
                members.insert(row, position, variable);
            }
        }
        let live = sizes.values().filter(|&&size| size > 0).count();
        let slots = (2 * live).next_power_of_two();
        let mut condenser = Self {
            columns,
            members,
            long: VecDeque::new(),
            queue: reduced.rows.iter().filter(|(_, live)| live.is_some()).map(|(row, _)| row).collect(),
            queued: IdMap::filled(reduced.rows.len(), true),
            twins: vec![None; slots],
            stands_for: IdMap::filled(variables, 1.0),
            repeats: IdMap::filled(reduced.rows.len(), false),
            entries: Vec::new(),
            // One for each row and variable at most; what is not needed is never touched.
            steps: Vec::with_capacity(live),
            others: Vec::new(),
            reduced,
        };
        for variable in condenser.reduced.classes.ids() {
            if !condenser.columns.of(variable).is_empty() {
                condenser.find_twin(variable);
            }
        }
        condenser
    }

    fn cost(&self, variable: VariableId) -> Smooth {
        self.reduced.classes[variable].cost
    }

    fn requeue(&mut self, row: RowId) {
        if !std::mem::replace(&mut self.queued[row], true) {
            let is_long = self.members.of(row).len() > LONG;
            if is_long { &mut self.long } else { &mut self.queue }.push_back(row);
        }
    }

    fn next_row(&mut self) -> Option<RowId> {
        self.queue.pop_front().or_else(|| self.long.pop_front())
    }

    /// Finds the entries of a row, each variable once.
    fn find_entries(&mut self, row: RowId) {
        if std::mem::replace(&mut self.repeats[row], false) {
            let mut once = self.members.of(row).to_vec();
            once.sort_unstable();
            once.dedup();
            self.members.of_mut(row)[..once.len()].copy_from_slice(&once);
            self.members.truncate(row, once.len());
        }
        self.entries.clear();
        for &variable in self.members.of(row) {
            let entry = self.columns.of(variable).iter().find(|entry| entry.0 == row);
            self.entries.extend(entry.map(|&(_, coefficient)| (variable, coefficient)));
        }
        for (member, entry) in self.members.of_mut(row).iter_mut().zip(&self.entries) {
            *member = entry.0;
        }
        self.members.truncate(row, self.entries.len());
    }

    fn process_row(&mut self, row: RowId) -> Result<(), RowId> {
        self.find_entries(row);
        let entries = std::mem::take(&mut self.entries);
        let told = self.reduce(row, &entries);
        self.entries = entries;
        told
    }

    fn reduce(&mut self, row: RowId, entries: &[(VariableId, f64)]) -> Result<(), RowId> {
        let right = self.reduced.rows[row].as_ref().map_or(0.0, |live| live.right_hand_side);
        if let Some(position) = self.determined_entry(entries, right) {
            self.substitute(row, entries, position, right);
            return Ok(());
        }
        let positive = entries.iter().filter(|entry| entry.1 > 0.0).count();
        if positive != 0 && positive != entries.len() {
            return Ok(());
        }
        let sign = if positive == 0 { -1.0 } else { 1.0 };
        let has_seen = |&(variable, _): &(VariableId, f64)| self.cost(variable).log_weight > 0.0;
        if right * sign < 0.0 || (right != 0.0 && entries.is_empty()) {
            return Err(row);
        }
        if right != 0.0 {
            return Ok(());
        }
        if entries.iter().any(has_seen) {
            return Err(row);
        }
        let all = entries.iter().map(|&(variable, _)| self.remove(variable, row)).collect();
        self.reduced.rows[row] = None;
        self.steps.push(CondensationStep::Zeroed { row, all });
        Ok(())
    }

    /// Takes a variable out of all rows.
    fn remove(&mut self, variable: VariableId, row: RowId) -> RemovedVariable {
        let column = self.columns.of(variable);
        let position = column.iter().position(|entry| entry.0 == row).expect("it has an entry there");
        let (_, pivot) = self.columns.remove(variable, position);
        let column = self.columns.take(variable);
        for place in column.range() {
            let (other, _) = self.columns.taken_at(place);
            self.requeue(other);
        }
        RemovedVariable { variable, cost: self.cost(variable), pivot, column }
    }

    /// The entry whose variable a row determines, if it may be put in for it.
    fn determined_entry(&self, entries: &[(VariableId, f64)], right: f64) -> Option<usize> {
        let positive = entries.iter().filter(|entry| entry.1 > 0.0).count();
        let is_pair = entries.len() == 2 && right == 0.0;
        let may = |&position: &usize| {
            let (variable, pivot) = entries[position];
            let (alone, cost) =
                (if pivot > 0.0 { positive } else { entries.len() - positive }, self.cost(variable));
            let is_linear = cost.log_weight == 0.0 && cost.curvature == 0.0;
            let (others, elsewhere) = (entries.len() - 1, self.columns.of(variable).len() - 1);
            let value = right / pivot;
            let is_told = match others {
                0 => value > 0.0 || (value == 0.0 && cost.log_weight == 0.0),
                _ => value >= 0.0 && (is_linear || is_pair),
            };
            let is_tame = |other: &(VariableId, f64)| {
                let ratio = (other.1 / pivot).abs();
                (1.0 / LARGEST_RATIO..=LARGEST_RATIO).contains(&ratio)
            };
            alone == 1
                && is_told
                && elsewhere * others <= elsewhere + entries.len()
                && entries.iter().all(is_tame)
        };
        // What is left over at the end is best left with the greatest logarithm.
        let rank = |&position: &usize| {
            let (variable, _) = entries[position];
            (self.cost(variable).log_weight, self.columns.of(variable).len())
        };
        (0..entries.len()).filter(may).min_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("numbers"))
    }

    /// Puts in what the row says of the variable at this position.
    fn substitute(&mut self, row: RowId, entries: &[(VariableId, f64)], position: usize, right: f64) {
        let (variable, _) = entries[position];
        let gone = self.remove(variable, row);
        let value = right / gone.pivot;
        let others =
            || entries.iter().enumerate().filter(|&(place, _)| place != position).map(|(_, other)| *other);
        for (other, coefficient) in others() {
            let ratio = -coefficient / gone.pivot;
            let own = self.columns.of(other).iter().position(|entry| entry.0 == row);
            self.columns.remove(other, own.expect("it has an entry there"));
            for place in gone.column.range() {
                let (elsewhere, entry) = self.columns.taken_at(place);
                self.add(other, elsewhere, entry * ratio);
            }
            let class = &mut self.reduced.classes[other];
            class.cost = class.cost.plus(gone.cost.scaled(ratio));
        }
        for &(elsewhere, entry) in self.columns.taken(gone.column) {
            if let Some(live) = &mut self.reduced.rows[elsewhere] {
                live.move_right(entry * value);
            }
        }
        self.reduced.rows[row] = None;
        let start = self.others.len();
        self.others.extend(others());
        let told = Span::of(start..self.others.len());
        self.steps.push(CondensationStep::Determined { row, removed: gone, right, others: told });
        for (other, _) in others() {
            self.find_twin(other);
        }
    }

    /// Adds to an entry.
    fn add(&mut self, variable: VariableId, row: RowId, more: f64) {
        let column = self.columns.of_mut(variable);
        match column.binary_search_by_key(&row, |entry| entry.0) {
            Ok(position) => {
                let before = column[position].1;
                let sum = before + more;
                if sum.abs() <= ROUNDING * before.abs() {
                    self.columns.remove(variable, position);
                    self.repeats[row] = true;
                } else {
                    column[position].1 = sum;
                }
            }
            Err(position) => {
                self.columns.insert(variable, position, (row, more));
                let end = self.members.of(row).len();
                self.members.insert(row, end, variable);
            }
        }
    }

    /// Makes two variables of the same column one.
    fn find_twin(&mut self, variable: VariableId) {
        let Some(&(_, first)) = self.columns.of(variable).first() else {
            // Of a twin that just went this is undone first and does no harm.
            let cost = self.cost(variable);
            self.steps.push(CondensationStep::Loose { variable, cost });
            return;
        };
        let slot = self.slot(variable);
        let other = self.twins[slot].replace(variable).filter(|&other| other != variable);
        let Some(other) = other.filter(|&other| self.are_parallel(variable, other)) else { return };
        // A unit of the one is as much as this of the other.
        let ratio = first / self.columns.of(other)[0].1;
        let (ours, theirs) = (self.cost(variable), self.cost(other));
        if is_costlier(ours, theirs, ratio) {
            self.drop_twin(variable, other, ratio);
            self.twins[slot] = Some(other);
        } else if is_costlier(theirs, ours, 1.0 / ratio) {
            self.drop_twin(other, variable, 1.0 / ratio);
        }
    }

    fn slot(&self, variable: VariableId) -> usize {
        let column = self.columns.of(variable);
        let unit = 1.0 / column[0].1.abs();
        let mut hash = column.len() as u64;
        for &(row, coefficient) in column {
            for part in [row.index() as u64, (coefficient * unit).to_bits()] {
                hash = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                hash ^= hash >> 29;
            }
        }
        hash as usize & (self.twins.len() - 1)
    }

    fn are_parallel(&self, variable: VariableId, other: VariableId) -> bool {
        let (ours, theirs) = (self.columns.of(variable), self.columns.of(other));
        if ours.len() != theirs.len() {
            return false;
        }
        let ratio = ours[0].1 / theirs[0].1;
        ratio > 0.0
            && ours.iter().zip(theirs).all(|(ours, theirs)| ours.0 == theirs.0 && ours.1 == ratio * theirs.1)
    }

    fn drop_twin(&mut self, variable: VariableId, keeper: VariableId, ratio: f64) {
        for place in self.columns.take(variable).range() {
            let (row, _) = self.columns.taken_at(place);
            self.requeue(row);
        }
        let ours = Priced { variable, cost: self.cost(variable) };
        let theirs = Priced { variable: keeper, cost: self.cost(keeper) };
        let share = shared(&mut self.stands_for, ours, theirs, ratio);
        self.steps.push(CondensationStep::Twin { variable, representative: keeper, ratio, share });
    }

    fn write_back(&mut self) {
        for row in self.reduced.rows.ids() {
            if self.reduced.rows[row].is_some() {
                self.find_entries(row);
                self.reduced.set_entries(row, &self.entries);
            }
        }
    }
}

#[cfg(test)]
#[path = "condense_tests.rs"]
mod tests;

//! Which ranges do all definitions agree on? A fixpoint, component by component.
//!
//! Variables are taken in the order of strongly connected components, sources
//! first; what depends on nothing of its own is computed once. In a cycle:
//!
//! 1. ranges grow from nothing; a `Join` that grew [`DELAY`] times is widened to
//!    the next threshold (constants and ends of ranges that the cycle compares
//!    or computes with);
//! 2. then they shrink: each is met with what its definition makes of it, at
//!    most [`ROUNDS`] times;
//! 3. then it is looked whether each holds what its definition makes of the result, since arcs are
//!    not monotone; where not, step 1 holds.
//!
//! A cycle that needs more steps than its [`Budget`] is everything, and shrinks from there; how
//! many were is reported. Why each step is sound: every value that is ever taken is in one step of
//! values taken before it, so whatever holds its own step holds all values (induction over time),
//! and so does what is met with a step from ranges that hold all values.
//!
//! Cost: steps at most [`STEPS`] for each variable, and some for each cycle.

use std::collections::BTreeSet;

use opcost_index::{Graph, IdMap, strongly_connected_components};

use super::range::Range;
use super::sources::Edges;
use super::tables::Tables;
use super::transfer::Ranges;
use super::variables::{Definition, VariableId, Variables};
use crate::ranges::{Budget, FloatRange, ValueRange};

/// How often a join grows before it is widened.
const DELAY: u8 = 4;
/// How often anything grows before it is everything.
const MOST_GROWTHS: u8 = 100;
/// How often ranges shrink.
const ROUNDS: usize = 4;
/// Steps of a cycle: for each variable, and besides.
pub(super) const STEPS: Steps = Steps { of_a_variable: 40, of_a_cycle: 1000 };
/// Thresholds of a cycle.
const MOST_THRESHOLDS: usize = 64;
/// A cycle of more variables is widened at once.
const LARGE: usize = 5000;

/// How many steps a cycle may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// For each of its variables,
    pub(super) of_a_variable: u64,
    /// and besides.
    pub(super) of_a_cycle: u64,
}

/// Ranges, and how many variables are on cycles that were given up.
pub(super) struct Solved {
    pub(super) ranges: IdMap<VariableId, Range>,
    pub(super) given_up: usize,
}

/// Solves all variables.
pub(super) fn solve(variables: &Variables, tables: &Tables) -> Solved {
    solve_within(STEPS, variables, tables)
}

/// The same, each cycle within so many steps.
pub(super) fn solve_within(steps: Steps, variables: &Variables, tables: &Tables) -> Solved {
    let sources = Edges::to_sources(variables);
    let components = strongly_connected_components(&sources);
    let users = sources.turned();
    let of = variables.iter().map(|(_, variable)| Range::empty(variable.kind)).collect();
    let mut solver = Solver {
        ranges: Ranges { variables, tables, of },
        place: IdMap::filled(variables.len(), (u32::MAX, 0)),
        growths: IdMap::filled(variables.len(), 0),
        users: &users,
        sources: &sources,
        given_up: 0,
        steps,
    };
    for (number, members) in components.members.iter().enumerate() {
        // Tarjan's stack has sources behind what needs them.
        for (position, &member) in members.iter().rev().enumerate() {
            solver.place[member] = (number as u32, position as u32);
        }
        match members[..] {
            [only] if !sources.successors(only).any(|source| source == only) => {
                solver.ranges.of[only] = solver.ranges.evaluate(only);
            }
            _ => solver.cycle(number as u32, &members.iter().rev().copied().collect::<Vec<_>>()),
        }
    }
    Solved { ranges: solver.ranges.of, given_up: solver.given_up }
}

/// Variables whose range does not hold what their definition makes of the ranges
/// of their sources: none of what was solved.
pub(super) fn not_closed(
    variables: &Variables,
    tables: &Tables,
    of: &IdMap<VariableId, Range>,
) -> Vec<VariableId> {
    let ranges = Ranges { variables, tables, of: of.clone() };
    let breaks = |id: &VariableId| !ranges.of[*id].contains_all(&ranges.evaluate(*id));
    variables.iter().map(|(id, _)| id).filter(breaks).collect()
}

struct Solver<'a> {
    ranges: Ranges<'a>,
    /// Component and position in it.
    place: IdMap<VariableId, (u32, u32)>,
    growths: IdMap<VariableId, u8>,
    users: &'a Edges,
    sources: &'a Edges,
    given_up: usize,
    steps: Steps,
}

impl Solver<'_> {
    fn cycle(&mut self, number: u32, members: &[VariableId]) {
        let mut budget = Budget::new(self.steps.of_a_variable * members.len() as u64 + self.steps.of_a_cycle);
        let thresholds = self.thresholds(number, members);
        if !self.grow(number, members, &thresholds, &mut budget) {
            self.given_up += members.len();
            for &member in members {
                self.ranges.of[member] = Range::full(self.ranges.variables.get(member).kind);
            }
        }
        let grown: Vec<Range> = members.iter().map(|&member| self.ranges.of[member].clone()).collect();
        self.shrink(members);
        if !self.is_closed(members) {
            members.iter().zip(grown).for_each(|(&member, range)| self.ranges.of[member] = range);
        }
    }

    /// Whether each range holds one step.
    fn is_closed(&self, members: &[VariableId]) -> bool {
        members.iter().all(|&member| self.ranges.of[member].contains_all(&self.ranges.evaluate(member)))
    }

    /// No if the budget is used up.
    fn grow(
        &mut self,
        number: u32,
        members: &[VariableId],
        thresholds: &Thresholds,
        budget: &mut Budget,
    ) -> bool {
        let delay = if members.len() > LARGE { 1 } else { DELAY };
        let mut work: BTreeSet<u32> = (0..members.len() as u32).collect();
        while let Some(position) = work.pop_first() {
            if !budget.spend() {
                return false;
            }
            let member = members[position as usize];
            let next = self.ranges.evaluate(member);
            let old = &self.ranges.of[member];
            if old.contains_all(&next) {
                continue;
            }
            let is_join = matches!(self.ranges.variables.get(member).definition, Definition::Join(_));
            let growths = &mut self.growths[member];
            *growths = growths.saturating_add(1);
            let grown = match *growths {
                MOST_GROWTHS.. => Range::full(self.ranges.variables.get(member).kind),
                growths if is_join && growths > delay => thresholds.widened(old, &next),
                _ => old.join(&next),
            };
            self.ranges.of[member] = grown;
            for user in self.users.successors(member) {
                if self.place[user].0 == number {
                    work.insert(self.place[user].1);
                }
            }
        }
        true
    }

    fn shrink(&mut self, members: &[VariableId]) {
        for _ in 0..ROUNDS {
            let mut is_changed = false;
            for &member in members {
                let next = self.ranges.evaluate(member);
                let old = &self.ranges.of[member];
                if next.contains_all(old) {
                    continue;
                }
                let met = old.meet(&next);
                if met != *old {
                    self.ranges.of[member] = met;
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
    }

    /// Ends of what the cycle computes with and compares to.
    fn thresholds(&self, number: u32, members: &[VariableId]) -> Thresholds {
        let mut words: BTreeSet<u128> = BTreeSet::new();
        for &member in members {
            for source in self.sources.successors(member) {
                let is_inside = self.place[source].0 == number;
                if is_inside || words.len() > MOST_THRESHOLDS {
                    continue;
                }
                let Range::Integer(range) = &self.ranges.of[source] else { continue };
                let ends = [range.interval().ends(), range.unsigned_range()];
                for end in ends.into_iter().flatten().flat_map(|(low, high)| [low, high]) {
                    let mask = crate::ranges::word::mask(range.type_width());
                    words.extend([end.wrapping_sub(1) & mask, end, end.wrapping_add(1) & mask]);
                }
            }
        }
        Thresholds { words: words.into_iter().collect() }
    }
}

/// Where ends of ranges stop when they are widened.
struct Thresholds {
    words: Vec<u128>,
}

impl Thresholds {
    fn widened(&self, old: &Range, next: &Range) -> Range {
        match (old, next) {
            (Range::Integer(old), Range::Integer(next)) => Range::Integer(self.integer(old, next)),
            (Range::Float(old), Range::Float(next)) => Range::Float(FloatRange::widen(*old, *next)),
            _ => old.clone(),
        }
    }

    /// Those that fit the width, as they are and as negative numbers.
    fn integer(&self, old: &ValueRange, next: &ValueRange) -> ValueRange {
        let mask = crate::ranges::word::mask(old.type_width());
        let mut words: Vec<u128> = self.words.iter().copied().filter(|&word| word <= mask).collect();
        let half = crate::ranges::word::sign_bit(old.type_width());
        words.extend([half - 1, half]);
        words.sort_unstable();
        old.widen(next, &words)
    }
}

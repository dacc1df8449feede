//! Joins, meets and what a comparison says: part by part, then reduced.

use opcost_ir::{Flags, Predicate};

use super::ValueRange;
use crate::ranges::concrete::evaluate;
use crate::ranges::interval::Interval;
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::small_set::SmallSet;
use crate::ranges::word::mask;

impl ValueRange {
    /// What is in either.
    #[must_use]
    pub fn join(&self, other: &ValueRange) -> ValueRange {
        self.joined(other).reduced()
    }

    pub(super) fn joined(&self, other: &ValueRange) -> ValueRange {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        ValueRange {
            interval: self.interval.join(other.interval),
            bits: self.bits.join(other.bits),
            congruence: self.congruence.join(other.congruence),
            set: self.set.as_ref().zip(other.set.as_ref()).and_then(|(one, two)| one.join(two)),
        }
    }

    /// What is in both.
    #[must_use]
    pub fn meet(&self, other: &ValueRange) -> ValueRange {
        let mut met = ValueRange {
            interval: self.interval.meet(other.interval),
            bits: self.bits.meet(other.bits),
            congruence: self.congruence.meet(other.congruence),
            set: match (&self.set, &other.set) {
                (Some(one), Some(two)) => Some(one.filtered(|value| two.contains(value))),
                (one, two) => one.clone().or_else(|| two.clone()),
            },
        };
        // The best arc around two pieces may leave out neither operand's gap.
        met.narrow_to(self.interval);
        met.narrow_to(other.interval);
        met.reduced()
    }

    /// The values `x` for which `x predicate y` is true for some `y` in `other`.
    #[must_use]
    pub fn refine(&self, predicate: Predicate, other: &ValueRange, flags: Flags) -> ValueRange {
        let mut refined = self.clone();
        if predicate.is_float() {
            return refined;
        }
        refined.narrow_to(self.interval.refine(predicate, other.interval, flags));
        if predicate == Predicate::Eq {
            refined.bits = self.bits.meet(other.bits);
            refined.congruence = self.congruence.meet(other.congruence);
        }
        let step = RangeStep { operation: Operation::Compare(predicate), flags, width: 1 };
        let width = self.type_width();
        refined.set = match (&self.set, &other.set) {
            (Some(set), Some(others)) => Some(set.filtered(|value| {
                others.values().iter().any(|&other| evaluate(&step, width, &[value, other]) == Some(1))
            })),
            (None, Some(others)) if predicate == Predicate::Eq => Some(others.clone()),
            (set, _) => set.clone(),
        };
        if refined.set.as_ref().is_some_and(|set| set.values().is_empty()) || refined.interval.is_empty() {
            return ValueRange::empty(width);
        }
        refined.reduced()
    }

    /// Whether all of `other` is seen to be in it: yes is certain, no is not.
    pub fn contains_all(&self, other: &ValueRange) -> bool {
        if other.is_empty() {
            return true;
        }
        if let Some(set) = &other.set {
            return set.values().iter().all(|&value| self.contains(value));
        }
        self.set.is_none()
            && self.bits.contains_all(other.bits)
            && self.congruence.join(other.congruence) == self.congruence
            && (self.interval.contains_all(other.interval) || other.is_apart_from_gap_of(self.interval))
    }

    /// Whether bits and residues leave nothing outside of the arc: of two equally
    /// small arcs around the same values either may have been taken.
    fn is_apart_from_gap_of(&self, arc: Interval) -> bool {
        let (Some((_, high)), Some(span)) = (arc.ends(), arc.span()) else { return false };
        let width = self.type_width();
        let gap = Interval::arc(width, high.wrapping_add(1) & mask(width), mask(width) - span - 1);
        let inside = self.meet(&ValueRange::from(gap));
        inside.is_empty()
            || inside.set.is_some_and(|set| set.values().iter().all(|&value| !self.contains(value)))
    }

    /// These values, some of which may be added: a set becomes none if there
    /// are too many.
    pub fn of_values(width: u32, values: &[u128]) -> ValueRange {
        if let Some(set) = SmallSet::of(width, values.iter().copied()) {
            return ValueRange::of_set(set);
        }
        ValueRange::around(width, values).reduced()
    }
}

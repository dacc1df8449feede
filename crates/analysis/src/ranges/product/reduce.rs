//! What do the parts of a product know of each other?
//!
//! One round gives each part what the others know; rounds go on until nothing changes. A part only
//! ever takes what holds fewer values, so rounds end; they are counted all the same.

use super::ValueRange;
use crate::ranges::congruence::Congruence;
use crate::ranges::interval::{Hull, Interval};
use crate::ranges::known_bits::KnownBits;
use crate::ranges::small_set::SmallSet;

/// How often the parts may inform each other.
pub(super) const ROUNDS: u32 = 4;

impl ValueRange {
    /// The same values, or fewer that are none, with parts that know of each other.
    #[must_use]
    pub(super) fn reduced(mut self) -> ValueRange {
        for _ in 0..ROUNDS {
            let before = (self.interval, self.bits, self.congruence);
            self.enumerate();
            if let Some(set) = self.set.take() {
                let set = set.filtered(|value| self.contains(value));
                self.narrow_to(set.interval());
                self.bits = self.bits.meet(set.known_bits());
                let classes =
                    set.values().iter().map(|&value| Congruence::constant(self.type_width(), value));
                let class = classes.fold(Congruence::empty(self.type_width()), Congruence::join);
                self.congruence = self.congruence.meet(class);
                self.set = Some(set);
            }
            self.bits =
                self.bits.meet(KnownBits::of_interval(self.interval)).meet(self.congruence.known_bits());
            self.congruence = self.congruence.meet(Congruence::of_known_bits(self.bits));
            self.narrow_to(self.bits.interval());
            self.narrow_to(self.ends_that_fit());
            if self.interval.is_empty() || self.bits.is_empty() || self.congruence.is_empty() {
                return ValueRange::empty(self.type_width());
            }
            if before == (self.interval, self.bits, self.congruence) {
                break;
            }
        }
        self
    }

    /// Takes the arc if what is in both has fewer members than ours.
    pub(super) fn narrow_to(&mut self, arc: Interval) {
        let met = self.interval.meet(arc);
        if met.span() < self.interval.span() {
            self.interval = met;
        }
    }

    /// The arc with its ends moved to numbers that have the bits and leave the
    /// residue.
    fn ends_that_fit(&self) -> Interval {
        let mut hull = Hull::new(self.type_width());
        for (low, high) in self.interval.pieces() {
            let fits = self.bits.within(low, high).and_then(|(low, high)| self.congruence.within(low, high));
            if let Some((low, high)) = fits {
                hull.add(low, high);
            }
        }
        hull.best()
    }

    /// Makes a set of few values.
    fn enumerate(&mut self) {
        const MOST: u128 = SmallSet::MOST as u128;
        if self.set.is_some()
            || self.interval.is_empty()
            || self.bits.is_empty()
            || self.congruence.is_empty()
        {
            return;
        }
        let width = self.type_width();
        let members = self.interval.span().filter(|&span| span < MOST);
        let unknown = self.bits.unknown_bits();
        let values = if let (Some(span), Some((low, _))) = (members, self.interval.ends()) {
            SmallSet::of(width, (0..=span).map(|ahead| low.wrapping_add(ahead)))
        } else if unknown.count_ones() <= MOST.trailing_zeros() {
            let mut below = 0u128;
            let choices = (0..1 << unknown.count_ones()).map(|_| {
                let value = self.bits.ones() | below;
                below = (below | !unknown).wrapping_add(1) & unknown;
                value
            });
            SmallSet::of(width, choices.collect::<Vec<_>>())
        } else {
            let step = self.congruence.modulus().max(1);
            let ends =
                self.interval.unsigned_pieces().filter_map(|(low, high)| self.congruence.within(low, high));
            let ends: Vec<_> = ends.collect();
            if ends.iter().any(|(low, high)| (high - low) / step >= MOST) {
                return;
            }
            let each =
                ends.iter().flat_map(|&(low, high)| (0..=(high - low) / step).map(move |n| low + n * step));
            SmallSet::of(width, each)
        };
        self.set = values;
    }
}

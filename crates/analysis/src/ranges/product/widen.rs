//! Steps that make a fixpoint end: widening, narrowing, a budget.
//!
//! Widening leaves stable parts as they are. An end of the arc that moved goes to the next
//! threshold, in the signed or unsigned order that the arc fits into, and to everything when there
//! is none; bits and residues that changed are joined, which can happen only as often as there are
//! bits. Nothing is reduced here: reducing could take back what was given up. The set is dropped.

use super::ValueRange;
use crate::ranges::interval::Interval;
use crate::ranges::word::{mask, sign_bit, signed};

/// How many steps may still be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u64,
}

impl Budget {
    /// So many steps.
    pub fn new(steps: u64) -> Budget {
        Budget { left: steps }
    }

    /// Takes a step; no, if there is none left: then take
    /// [`ValueRange::full`] and say so.
    pub fn spend(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }

    /// Steps left.
    pub fn left(self) -> u64 {
        self.left
    }
}

impl ValueRange {
    /// A range around this and `next`, such that a chain of widenings ends.
    /// `thresholds` are words in unsigned order, without the ends of the type.
    #[must_use]
    pub fn widen(&self, next: &ValueRange, thresholds: &[u128]) -> ValueRange {
        if self.is_empty() {
            return next.clone();
        }
        let same_set = match (&self.set, &next.set) {
            (Some(old), Some(new)) => new.values().iter().all(|&value| old.contains(value)),
            (None, _) => true,
            (Some(_), None) => next.is_empty(),
        };
        ValueRange {
            interval: widened(self.interval, next.interval, thresholds),
            bits: self.bits.join(next.bits),
            congruence: self.congruence.join(next.congruence),
            set: if same_set { self.set.clone() } else { None },
        }
    }

    /// What is in both: `next` is what a step makes of this range, which was a
    /// fixpoint from above.
    #[must_use]
    pub fn narrow(&self, next: &ValueRange) -> ValueRange {
        self.meet(next)
    }
}

/// An arc around both whose ends are those of `old` where they held, else
/// thresholds or the ends of the type.
fn widened(old: Interval, next: Interval, thresholds: &[u128]) -> Interval {
    let width = old.type_width();
    if old.contains_all(next) {
        return old;
    }
    let around = old.join(next);
    let (Some(old), Some(new)) = (old.ends(), around.ends()) else { return around };
    let half = sign_bit(width);
    // Turned into the order in which the arc does not cross the seam.
    let turn = if new.0 <= new.1 {
        0
    } else if signed(new.0, width) <= signed(new.1, width) {
        half
    } else {
        return Interval::full(width);
    };
    let (old, new) = ((old.0 ^ turn, old.1 ^ turn), (new.0 ^ turn, new.1 ^ turn));
    let turned = || thresholds.iter().map(|&threshold| (threshold & mask(width)) ^ turn);
    let low = if new.0 == old.0 { new.0 } else { turned().filter(|&it| it <= new.0).max().unwrap_or(0) };
    let high =
        if new.1 == old.1 { new.1 } else { turned().filter(|&it| it >= new.1).min().unwrap_or(mask(width)) };
    Interval::new(width, low ^ turn, high ^ turn)
}

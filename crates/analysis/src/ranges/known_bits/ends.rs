//! Which members of a box are between two numbers?
//!
//! The least member from a number on shares its highest bits, leaves it upwards at one bit and is
//! the least after that. Cost: constant.

use super::KnownBits;
use crate::ranges::interval::{Hull, Interval};
use crate::ranges::word::{low_bits, mask};

impl KnownBits {
    /// The arc with its ends moved to members.
    pub(super) fn ends_within(self, arc: Interval) -> Interval {
        let mut hull = Hull::new(self.width);
        for (low, high) in arc.pieces().filter_map(|(low, high)| self.within(low, high)) {
            hull.add(low, high);
        }
        hull.best()
    }

    /// The least value from `low` on and the greatest up to `high` that have
    /// these bits.
    pub(crate) fn within(self, low: u128, high: u128) -> Option<(u128, u128)> {
        let first = self.least_from(low)?;
        let turned = KnownBits::new(self.type_width(), self.ones(), self.zeros());
        let last = turned.least_from(!high & mask(self.type_width()))?;
        let last = !last & mask(self.type_width());
        (first <= last).then_some((first, last))
    }

    /// The least value from `low` on that has these bits: `low` itself, or one
    /// that leaves it upwards at the last bit where it can.
    fn least_from(self, low: u128) -> Option<u128> {
        if self.is_empty() {
            return None;
        }
        let here = mask(self.type_width());
        let lacks_one = !low & self.ones();
        let conflicts = lacks_one | low & self.zeros();
        if conflicts == 0 {
            return Some(low);
        }
        let bit = conflicts.ilog2();
        if lacks_one >> bit & 1 == 1 {
            return self.leaving(low, bit);
        }
        // The last bit above that may be set and is not.
        let free = !low & !self.zeros() & !self.ones() & here & !low_bits(bit + 1);
        (free != 0).then(|| self.leaving(low, free.trailing_zeros())).flatten()
    }

    fn leaving(self, low: u128, bit: u32) -> Option<u128> {
        Some(low & !low_bits(bit + 1) | 1 << bit | self.ones() & low_bits(bit))
    }
}

//! Which members of a box lie between two numbers?
//!
//! The least member from a number on shares its highest bits, leaves it upwards
//! at one bit and is the least behind that. Cost: linear in the width.

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
        let mut leaves_at = None;
        for bit in (0..self.type_width()).rev() {
            match (low >> bit & 1, self.zeros() >> bit & 1, self.ones() >> bit & 1) {
                (0, 0, 0) => leaves_at = Some(bit),
                (0, _, 1) => {
                    leaves_at = Some(bit);
                    break;
                }
                (1, 1, _) => {
                    leaves_at?;
                    return self.leaving(low, leaves_at?);
                }
                _ => {}
            }
            if bit == 0 {
                return Some(low);
            }
        }
        self.leaving(low, leaves_at?)
    }

    fn leaving(self, low: u128, bit: u32) -> Option<u128> {
        Some(low & !low_bits(bit + 1) | 1 << bit | self.ones() & low_bits(bit))
    }
}

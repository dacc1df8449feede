//! How many bits of a member are set, or zero at an end?
//!
//! An interval is at most 256 blocks whose lowest bits are free; the counts of
//! a block are an interval. So every result here is the best arc.

use super::bitwise::aligned_blocks;
use super::{Hull, Interval};
use crate::ranges::word::{bit_length, mask};

impl Interval {
    /// Bits that are set.
    pub(super) fn population_counts(self) -> Interval {
        let counts = |prefix: u128, free| Some((prefix.count_ones(), prefix.count_ones() + free));
        self.counted(counts).best()
    }

    /// Zeros above the highest bit.
    pub(super) fn leading_zeros(self, zero_is_poison: bool) -> Interval {
        let width = self.width;
        let mut hull = Hull::new(width);
        for (low, high) in self.unsigned_pieces() {
            let low = if zero_is_poison { low.max(1) } else { low };
            if low <= high {
                hull.add(u128::from(width - bit_length(high)), u128::from(width - bit_length(low)));
            }
        }
        hull.best()
    }

    /// Zeros below the lowest bit.
    pub(super) fn trailing_zeros(self, zero_is_poison: bool) -> Interval {
        let mut hull = self.counted(|_, free| free.checked_sub(1).map(|most| (0, most)));
        // The first member of a block has more than those behind it.
        for piece in self.unsigned_pieces() {
            for (prefix, _) in aligned_blocks(piece).filter(|&(prefix, _)| prefix != 0) {
                hull.add_value(u128::from(prefix.trailing_zeros()));
            }
        }
        if !zero_is_poison && self.contains(0) {
            hull.add_value(u128::from(self.width) & mask(self.width));
        }
        hull.best()
    }

    fn counted(self, count: impl Fn(u128, u32) -> Option<(u32, u32)>) -> Hull {
        let mut hull = Hull::new(self.width);
        for piece in self.unsigned_pieces() {
            for (low, high) in aligned_blocks(piece).filter_map(|(prefix, free)| count(prefix, free)) {
                hull.add(u128::from(low), u128::from(high));
            }
        }
        hull
    }
}

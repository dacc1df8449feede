//! `and`, `or`, `xor` and words turned round.
//!
//! The least and the greatest result over two intervals are found from the
//! highest bit down: of all ways to stay within the ends, those with the best
//! bit go on. Which ends are still touched is all that matters, four answers,
//! so sixteen states. Exact ends; gaps within are not seen. Cost: linear in the
//! width.

use super::{ArcPiece, Hull, Interval};
use crate::ranges::operation::Operation;
use crate::ranges::word::{bit_length, low_bits, reversed};

impl Interval {
    /// `self op other`, bit by bit.
    pub(super) fn bitwise(self, other: Interval, operation: Operation) -> Interval {
        let mut hull = Hull::new(self.width);
        for left in self.pieces() {
            for right in other.pieces() {
                let ends = [false, true].map(|largest| extreme(operation, left, right, self.width, largest));
                hull.add(ends[0], ends[1]);
            }
        }
        hull.best()
    }

    /// Groups of so many bits in the other order.
    pub(super) fn reversed(self, group: u32) -> Interval {
        let width = self.width;
        let mut hull = Hull::new(width);
        for piece in self.unsigned_pieces() {
            for (prefix, free) in aligned_blocks(piece) {
                let low = reversed(prefix, width, group);
                hull.add(low, low | reversed(low_bits(free), width, group));
            }
        }
        hull.best()
    }
}

/// The piece, cut into words that share all but their lowest `free` bits.
pub(super) fn aligned_blocks(piece: ArcPiece) -> impl Iterator<Item = (u128, u32)> {
    let mut next = Some(piece.0);
    std::iter::from_fn(move || {
        let prefix = next?;
        // As large as the alignment and the end allow.
        let room = piece.1 - prefix;
        let fitting = if room == u128::MAX { 128 } else { bit_length(room + 1) - 1 };
        let free = prefix.trailing_zeros().min(fitting);
        next = prefix.checked_add(low_bits(free)).filter(|&last| last < piece.1).map(|last| last + 1);
        Some((prefix, free))
    })
}

/// Touching neither the lower nor the upper end; of both operands, the state 0.
const FREE: u16 = 0b00;

fn extreme(operation: Operation, left: ArcPiece, right: ArcPiece, width: u32, largest: bool) -> u128 {
    let of = |left: bool, right: bool| match operation {
        Operation::And => left & right,
        Operation::Or => left | right,
        _ => left ^ right,
    };
    let mut states: u16 = 1 << 0b1111;
    let mut result = 0;
    for bit in (0..width).rev() {
        let mut reached = [0u16; 2];
        for state in (0..16).filter(|state| states >> state & 1 != 0) {
            for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
                let left = follow(state & 3, left, bit, first);
                let right = follow(state >> 2, right, bit, second);
                if let (Some(left), Some(right)) = (left, right) {
                    reached[usize::from(of(first, second))] |= 1 << (left | right << 2);
                }
            }
        }
        let chosen = if largest { reached[1] != 0 } else { reached[0] == 0 };
        result |= u128::from(chosen) << bit;
        states = reached[usize::from(chosen)];
        // Touching no end, the rest is as one likes.
        if states >> FREE & 1 != 0 {
            return if largest { result | low_bits(bit) } else { result };
        }
    }
    result
}

/// Which ends a prefix still touches (bit 0 the lower, bit 1 the upper one) when `set` comes next.
/// None if it would leave the interval.
fn follow(touching: u16, ends: ArcPiece, bit: u32, set: bool) -> Option<u16> {
    let (low, high) = (ends.0 >> bit & 1 != 0, ends.1 >> bit & 1 != 0);
    let mut still = FREE;
    if touching & 1 != 0 {
        if !set && low {
            return None;
        }
        still |= u16::from(set == low);
    }
    if touching & 2 != 0 {
        if set && !high {
            return None;
        }
        still |= u16::from(set == high) << 1;
    }
    Some(still)
}

//! Which piece of which file does an address mean in a process, at a time?
//!
//! Each process has an address space that changes: a new mapping takes the
//! place of what lay there (so what was unmapped in between needs no record),
//! `fork` copies the space, `exec` empties it. Records are folded in the order
//! of their times, so an address is looked up in the space of its moment.
//!
//! Cost: logarithmic in the mappings of a process for each sample and each
//! mapping; a copy of them for each fork.

use std::collections::BTreeMap;

/// Memory from `start` to `end`, which is `home` from `offset` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedPiece<H> {
    pub(crate) end: u64,
    /// In the file, of its first byte.
    pub(crate) offset: u64,
    pub(crate) home: H,
}

/// The executable memory of one process, by first address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space<H> {
    pieces: BTreeMap<u64, MappedPiece<H>>,
}

impl<H> Default for Space<H> {
    fn default() -> Self {
        Space { pieces: BTreeMap::new() }
    }
}

impl<H: Clone> Space<H> {
    /// Puts a piece where it belongs; what it covers is removed.
    pub(crate) fn map(&mut self, start: u64, piece: MappedPiece<H>) {
        if piece.end <= start {
            return;
        }
        // What reaches into it from before is cut, and may go on behind it.
        if let Some((&before, old)) = self.pieces.range_mut(..start).next_back()
            && old.end > start
        {
            let rest = (old.end > piece.end).then(|| {
                let offset = old.offset.wrapping_add(piece.end - before);
                MappedPiece { end: old.end, offset, home: old.home.clone() }
            });
            old.end = start;
            if let Some(rest) = rest {
                self.pieces.insert(piece.end, rest);
            }
        }
        let covered: Vec<u64> = self.pieces.range(start..piece.end).map(|(start, _)| *start).collect();
        for begin in covered {
            let old = self.pieces.remove(&begin).filter(|old| old.end > piece.end);
            if let Some(old) = old {
                let offset = old.offset.wrapping_add(piece.end - begin);
                self.pieces.insert(piece.end, MappedPiece { offset, ..old });
            }
        }
        self.pieces.insert(start, piece);
    }

    /// What is at an address, and where in it.
    pub(crate) fn find(&self, address: u64) -> Option<(&H, u64)> {
        let (start, piece) = self.pieces.range(..=address).next_back()?;
        (address < piece.end).then(|| (&piece.home, piece.offset.wrapping_add(address - start)))
    }

    /// Forgets everything: `exec`.
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(end: u64, offset: u64, home: u32) -> MappedPiece<u32> {
        MappedPiece { end, offset, home }
    }

    #[test]
    fn a_hole_in_the_middle_leaves_both_ends_with_their_places() {
        let mut space = Space::default();
        space.map(100, piece(200, 1000, 1));
        space.map(140, piece(160, 5000, 2));
        assert_eq!(space.find(139), Some((&1, 1039)));
        assert_eq!(space.find(140), Some((&2, 5000)));
        assert_eq!(space.find(160), Some((&1, 1060)));
        assert_eq!(space.find(200), None);
        assert_eq!(space.find(99), None);
    }

    proptest! {
        /// The referee writes every byte down.
        #[test]
        fn like_a_table_of_bytes(maps in prop::collection::vec((0_u64..64, 0_u64..24, 0_u64..1000), 0..24)) {
            let mut space = Space::default();
            let mut bytes: Vec<Option<(u32, u64)>> = vec![None; 96];
            for (home, (start, length, offset)) in (0..).zip(maps) {
                space.map(start, piece(start + length, offset, home));
                for distance in 0..length {
                    bytes[(start + distance) as usize] = Some((home, offset + distance));
                }
                for (address, byte) in (0..).zip(&bytes) {
                    prop_assert_eq!(space.find(address).map(|(home, offset)| (*home, offset)), *byte);
                }
            }
        }
    }
}

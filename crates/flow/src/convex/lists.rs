//! How are many short lists kept that change a little?
//!
//! In one vector, each with some room; a list that outgrows its room moves to the end.
//! What a list that was taken away held stays where it was and can be read for ever.
//!
//! Cost: no allocation per list; moves double the room, so that they are paid by what
//! was added. Limit: 2^32 entries in all, left ones included.

use std::ops::Range;

use opcost_index::{Id, IdMap};

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: u32,
    length: u32,
    room: u32,
}

/// Where entries are in a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// # Panics
    /// When it ends after 2^32 entries.
    pub(crate) fn of(range: Range<usize>) -> Self {
        let place = |place| u32::try_from(place).expect("less than 2^32 entries");
        Self { start: place(range.start), end: place(range.end) }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A list for each id.
#[derive(Debug)]
pub(crate) struct Lists<I: Id, T> {
    places: IdMap<I, Place>,
    entries: Vec<T>,
    /// Marks a place without an entry.
    none: T,
}

impl<I: Id, T: Copy> Lists<I, T> {
    /// Empty lists with room for so many entries each; `none` is any entry.
    ///
    /// # Panics
    /// When these are 2^32 or more together.
    pub(crate) fn with_room(rooms: impl Iterator<Item = usize>, none: T) -> Self {
        let mut end = 0usize;
        let places = rooms.map(|room| {
            let start = u32::try_from(end).expect("less than 2^32 entries");
            end += room;
            Place { start, length: 0, room: room as u32 }
        });
        let places = places.collect();
        Self { places, entries: vec![none; end], none }
    }

    fn range(&self, id: I) -> Range<usize> {
        let Place { start, length, .. } = self.places[id];
        start as usize..(start + length) as usize
    }

    /// A list.
    #[inline]
    pub(crate) fn of(&self, id: I) -> &[T] {
        &self.entries[self.range(id)]
    }

    /// The same, to be changed in place.
    #[inline]
    pub(crate) fn of_mut(&mut self, id: I) -> &mut [T] {
        let range = self.range(id);
        &mut self.entries[range]
    }

    /// What lists that were taken away held.
    pub(crate) fn taken(&self, span: Span) -> &[T] {
        &self.entries[span.range()]
    }

    /// One entry of these.
    pub(crate) fn taken_at(&self, place: usize) -> T {
        self.entries[place]
    }

    /// Empties a list; where its entries stay.
    pub(crate) fn take(&mut self, id: I) -> Span {
        let span = Span::of(self.range(id));
        self.places[id] = Place::default();
        span
    }

    /// Takes out one entry; the others keep their order.
    pub(crate) fn remove(&mut self, id: I, position: usize) -> T {
        let list = self.of_mut(id);
        let gone = list[position];
        list.copy_within(position + 1.., position);
        self.places[id].length -= 1;
        gone
    }

    /// Puts one in front of the one at a position, or at the end.
    ///
    /// # Panics
    /// When there would be 2^32 entries.
    pub(crate) fn insert(&mut self, id: I, position: usize, entry: T) {
        let Place { start, length, room } = self.places[id];
        if length == room {
            let range = self.range(id);
            let end = self.entries.len();
            let room = 2 * length + 2;
            self.entries.extend_from_within(range);
            self.entries.resize(end + room as usize, self.none);
            u32::try_from(self.entries.len()).expect("less than 2^32 entries");
            self.places[id] = Place { start: end as u32, length: length + 1, room };
        } else {
            self.places[id] = Place { start, length: length + 1, room };
        }
        let list = self.of_mut(id);
        list.copy_within(position..length as usize, position + 1);
        list[position] = entry;
    }

    /// Keeps the first entries only.
    pub(crate) fn truncate(&mut self, id: I, length: usize) {
        let place = &mut self.places[id];
        place.length = place.length.min(length as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::RowId;
    use super::*;

    /// Referee: a vector for each.
    #[test]
    fn lists_are_what_vectors_are() {
        let count = 5;
        let mut lists: Lists<RowId, u32> = Lists::with_room([0, 1, 3, 0, 2].into_iter(), 0);
        let mut vectors = vec![Vec::new(); count];
        let mut state = 1u32;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        };
        for entry in 0..2000u32 {
            let which = next(count);
            let (id, vector) = (RowId::new(which), &mut vectors[which]);
            match next(8) {
                0 if !vector.is_empty() => {
                    let position = next(vector.len());
                    assert_eq!(lists.remove(id, position), vector.remove(position));
                }
                1 if entry % 40 == 0 => {
                    let range = lists.take(id);
                    assert_eq!(lists.taken(range), vector.split_off(0));
                }
                2 if entry % 20 == 0 => {
                    vector.truncate(3);
                    lists.truncate(id, 3);
                }
                _ => {
                    let position = next(vector.len() + 1);
                    vector.insert(position, entry);
                    lists.insert(id, position, entry);
                }
            }
            assert!((0..count).all(|which| lists.of(RowId::new(which)) == vectors[which]));
        }
    }
}

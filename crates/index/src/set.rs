//! Which of them? A set of ids as one bit each.
//!
//! Cost: one bit per id below the largest inserted; iteration is in id order,
//! so results never depend on hashing.

use std::marker::PhantomData;

use crate::Id;

/// A growing bit set over one kind of id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdSet<I> {
    words: Vec<u64>,
    kind: PhantomData<fn(I)>,
}

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        Self { words: Vec::new(), kind: PhantomData }
    }

    /// Adds `id`; true when it was not there before.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, id.index() % 64);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & (1 << bit) == 0;
        self.words[word] |= 1 << bit;
        fresh
    }

    /// Takes `id` out; true when it was there.
    pub fn remove(&mut self, id: I) -> bool {
        let present = self.contains(id);
        if present {
            self.words[id.index() / 64] &= !(1 << (id.index() % 64));
        }
        present
    }

    /// Whether `id` is in the set.
    pub fn contains(&self, id: I) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word & (1 << (id.index() % 64)) != 0)
    }

    /// How many ids are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The ids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(position, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| I::new(position * 64 + bit))
        })
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<A: IntoIterator<Item = I>>(ids: A) -> Self {
        let mut set = Self::new();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

impl<I: Id> std::fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::IdSet;
    use crate::Id;

    crate::define_id!(struct Bit, "bit");

    proptest! {
        #[test]
        fn behaves_like_a_sorted_set(steps in prop::collection::vec((0usize..200, any::<bool>()), 0..100)) {
            let mut ours = IdSet::<Bit>::new();
            let mut reference = BTreeSet::new();
            for (position, add) in steps {
                let id = Bit::new(position);
                if add {
                    prop_assert_eq!(ours.insert(id), reference.insert(position));
                } else {
                    prop_assert_eq!(ours.remove(id), reference.remove(&position));
                }
            }
            prop_assert_eq!(ours.len(), reference.len());
            prop_assert_eq!(ours.is_empty(), reference.is_empty());
            let listed: Vec<usize> = ours.iter().map(|id| id.index()).collect();
            prop_assert_eq!(listed, reference.into_iter().collect::<Vec<_>>());
        }
    }
}

//! What names a thing? A dense number that cannot be mistaken for another kind.
//!
//! [`define_id!`](crate::define_id) makes a `u32` newtype with a printed prefix
//! (`block3`), and [`IdMap`] is the vector it indexes. Cost: that of a `Vec`.
//! Limit: 2^32 - 1 things of a kind.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A dense id: a number below the size of the [`IdMap`] it indexes.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug + fmt::Display {
    /// The id with this position. Panics above `u32::MAX`.
    fn new(position: usize) -> Self;
    /// The position in its map.
    fn index(self) -> usize;
}

/// Defines an id type: `define_id!(/// doc \n pub struct BlockId, "block");`
/// It prints as prefix and number.
#[macro_export]
macro_rules! define_id {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident, $prefix:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        $visibility struct $name(u32);

        impl $crate::Id for $name {
            fn new(position: usize) -> Self {
                Self(u32::try_from(position).expect("more than 2^32 ids of one kind"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A vector indexed by one kind of id only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdMap<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    kind: PhantomData<fn(I)>,
}

impl<I: Id, T> IdMap<I, T> {
    /// An empty map.
    pub fn new() -> Self {
        Self::from_vec(Vec::new())
    }

    /// The map whose item at position `n` is `items[n]`.
    pub fn from_vec(items: Vec<T>) -> Self {
        Self { items, kind: PhantomData }
    }

    /// A map of `length` copies of `item`.
    pub fn filled(length: usize, item: T) -> Self
    where
        T: Clone,
    {
        Self::from_vec(vec![item; length])
    }

    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// The id that the next [`push`](Self::push) returns.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, or `None` when the id is past the end.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// Ids with their items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(position, item)| (I::new(position), item))
    }

    /// The items in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Default for IdMap<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IdMap<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdMap<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdMap<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Self::from_vec(items.into_iter().collect())
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IdMap<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, IdMap};

    crate::define_id!(struct Apple, "apple");

    #[test]
    fn ids_are_dense_and_print_with_their_prefix() {
        let mut basket: IdMap<Apple, &str> = IdMap::new();
        let first = basket.push("red");
        let second = basket.push("green");
        assert_eq!((first.index(), second.index()), (0, 1));
        assert_eq!(second.to_string(), "apple1");
        assert_eq!(basket[second], "green");
        assert_eq!(basket.get(basket.next_id()), None);
    }
}

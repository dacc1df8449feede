//! Which bytes of an object? A set, one bit for each.
//!
//! Input: places and lengths. Output: [`Bytes`]. What is outside of the object is in no set: an
//! access there is undefined. Cost: linear in the object.

/// Bytes of an object of a fixed size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    words: Vec<u64>,
    size: u64,
}

impl Bytes {
    /// None of so many.
    pub(super) fn none(size: u64) -> Bytes {
        Bytes { words: vec![0; size.div_ceil(64) as usize], size }
    }

    /// All of them.
    pub(super) fn all(size: u64) -> Bytes {
        let mut bytes = Bytes::none(size);
        bytes.add(0, size);
        bytes
    }

    /// Adds `length` bytes from `first` on, if all of them are inside.
    pub(super) fn add(&mut self, first: i64, length: u64) {
        let Ok(first) = u64::try_from(first) else { return };
        let Some(end) = first.checked_add(length).filter(|&end| end <= self.size) else { return };
        for at in first..end {
            self.words[(at / 64) as usize] |= 1 << (at % 64);
        }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Takes all away.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds those of another.
    pub(super) fn join(&mut self, other: &Bytes) {
        self.words.iter_mut().zip(&other.words).for_each(|(one, two)| *one |= two);
    }

    /// Leaves those that are in both.
    pub(super) fn meet(&mut self, other: &Bytes) {
        self.words.iter_mut().zip(&other.words).for_each(|(one, two)| *one &= two);
    }

    /// Those that are not in the other.
    pub(super) fn without(mut self, other: &Bytes) -> Bytes {
        self.words.iter_mut().zip(&other.words).for_each(|(one, two)| *one &= !two);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn sets_of_bytes() {
        let mut low = Bytes::none(100);
        assert!(low.is_empty());
        low.add(0, 60);
        low.add(50, 30);
        let mut all = low.clone();
        all.add(80, 20);
        assert_eq!(all, Bytes::all(100));
        assert!(low.clone().without(&all).is_empty());
        let mut rest = Bytes::none(100);
        rest.add(80, 20);
        assert_eq!(all.clone().without(&low), rest);
        rest.meet(&low);
        assert!(rest.is_empty());
        low.join(&all);
        assert_eq!(low, all);
        low.clear();
        // What is not all inside is not there.
        low.add(-1, 2);
        low.add(99, 2);
        low.add(i64::MAX, u64::MAX);
        assert!(low.is_empty());
    }
}

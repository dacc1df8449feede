//! At which offsets of an object? A first one and a distance.
//!
//! Cost: constant, but for the greatest common divisor.

/// Offsets `first + k · step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) first: i128,
    /// 0: only `first`.
    pub(crate) step: u128,
}

impl Places {
    pub(crate) fn exact(first: i128) -> Places {
        Places { first, step: 0 }
    }

    /// Both.
    pub(crate) fn join(self, other: Places) -> Places {
        let apart = self.first.abs_diff(other.first);
        let step = divisor(divisor(self.step, other.step), apart);
        Places { first: self.first.min(other.first), step }.reduced()
    }

    pub(crate) fn moved(self, by: i128, step: u128) -> Places {
        Places { first: self.first + by, step: divisor(self.step, step) }.reduced()
    }

    /// The first one is the rest, so that equal places are equal words.
    fn reduced(self) -> Places {
        match i128::try_from(self.step) {
            Ok(step) if step > 0 => Places { first: self.first.rem_euclid(step), step: self.step },
            _ => self,
        }
    }

    /// Whether no place of one touches one of the other, of these sizes.
    pub(crate) fn is_disjoint(self, size: u64, other: Places, other_size: u64) -> bool {
        let step = divisor(self.step, other.step);
        let ahead = other.first - self.first;
        match i128::try_from(step) {
            Ok(0) => ahead >= i128::from(size) || -ahead >= i128::from(other_size),
            Ok(step) => {
                let inside = ahead.rem_euclid(step);
                inside >= i128::from(size) && inside + i128::from(other_size) <= step
            }
            Err(_) => false,
        }
    }

    /// Whether all places of `other` are among these.
    pub(crate) fn holds(self, other: Places) -> bool {
        let apart = self.first.abs_diff(other.first);
        match self.step {
            0 => other.step == 0 && apart == 0,
            step => apart.is_multiple_of(step) && other.step.is_multiple_of(step),
        }
    }

    /// Whether any two of them, of one size, are the same or do not touch.
    pub(crate) fn is_same_or_disjoint(self, other: Places, size: u64) -> bool {
        let step = divisor(divisor(self.step, other.step), self.first.abs_diff(other.first));
        step == 0 || step >= u128::from(size)
    }
}

/// The greatest number that divides both.
pub(crate) fn divisor(mut one: u128, mut two: u128) -> u128 {
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::Places;

    fn every(first: i128, step: u128) -> Places {
        Places { first, step }
    }

    #[test]
    fn places_of_fields_do_not_touch_each_other() {
        let (x, y) = (every(0, 8), every(4, 8));
        assert!(x.is_disjoint(4, y, 4) && !x.is_disjoint(8, y, 4) && !x.is_disjoint(4, every(2, 0), 4));
        assert!(every(3, 0).is_disjoint(1, every(4, 0), 4) && !every(3, 0).is_disjoint(2, every(4, 0), 4));
        assert!(every(0, 4).holds(every(8, 0)) && every(0, 4).holds(every(4, 8)));
        assert!(!every(0, 4).holds(every(2, 0)) && !every(8, 0).holds(every(0, 4)));
        assert_eq!(every(4, 0).join(every(12, 0)), every(4, 8));
        assert!(x.is_same_or_disjoint(y, 4) && !x.is_same_or_disjoint(every(2, 8), 4));
    }
}

//! Where in an object may a pointer point? One offset, or every so many bytes.
//!
//! A set of byte offsets is `first, first + step, …, last`: a congruence (Granger, "Static analysis
//! of arithmetical congruences", 1989) with a range. Without a known end it runs to the object's
//! end, and then represents every offset with that remainder, since no access is before the
//! object's start. A range that is narrower than the object comes from the type of an array whose
//! index is not known: that indices stay inside their array is what the language says, and anyone
//! who concludes something from it says so ([`Apart::ByIndex`]). Cost: constant.

/// The end of an object whose size does not matter.
const END: i64 = i64::MAX;

/// A set of byte offsets from the start of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offsets {
    first: i64,
    last: i64,
    /// 0 if it is one offset.
    step: u64,
}

/// How an address comes from another by a `getelementptr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// So many bytes on.
    By(i64),
    /// So many bytes on, and any number of steps.
    Stride {
        /// The constant part.
        by: i64,
        /// What all unknown parts are multiples of.
        step: u64,
        /// Array whose index is unknown: its offset, its bytes, and the furthest
        /// way that the indices can go in it.
        array: Option<ArraySpan>,
    },
    /// Anywhere in the same object.
    Anywhere,
}

/// The array that unknown indices stay in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArraySpan {
    /// Where it begins, from the address that is indexed.
    pub at: i64,
    /// Its elements.
    pub length: u64,
    /// Bytes from one to the next.
    pub stride: u64,
    /// Bytes from the first to the last place that the indices reach.
    pub reach: u64,
}

/// Why two accesses do not touch the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// By their offsets, whatever the indices are.
    Always,
    /// If indices stay inside their array.
    ByIndex,
}

impl Offsets {
    /// Anywhere.
    pub const ANY: Offsets = Offsets { first: 0, last: END, step: 1 };

    /// One offset.
    pub fn exact(offset: i64) -> Self {
        Offsets { first: offset, last: offset, step: 0 }
    }

    /// Every offset that is `first` and a multiple of `step`.
    pub fn every(first: i64, step: u64) -> Self {
        match i64::try_from(step) {
            Ok(signed @ 1..) => Offsets { first: first.rem_euclid(signed), last: END, step },
            _ => Self::exact(first),
        }
    }

    /// The offset, if it is one.
    pub fn as_exact(self) -> Option<i64> {
        (self.step == 0).then_some(self.first)
    }

    /// First offset, last offset (`None`: up to the object's end), step.
    pub fn parts(self) -> (i64, Option<i64>, u64) {
        (self.first, (self.last != END).then_some(self.last), self.step)
    }

    /// Whether it goes to both ends of the object.
    fn is_whole(self) -> bool {
        self.step > 0 && self.last == END && self.first.unsigned_abs() < self.step
    }

    /// Whether each offset of `other` is one of these.
    pub fn contain(self, other: Offsets) -> bool {
        if self.step == 0 {
            return self == other;
        }
        let same_residue = other.step.is_multiple_of(self.step)
            && self.first.abs_diff(other.first).is_multiple_of(self.step);
        let is_in_range = self.is_whole() || (self.first <= other.first && other.last <= self.last);
        same_residue && is_in_range
    }

    /// The least such set that holds both.
    pub fn join(self, other: Offsets) -> Offsets {
        if self.contain(other) {
            return self;
        }
        if other.contain(self) {
            return other;
        }
        let step = gcd(gcd(self.step, other.step), self.first.abs_diff(other.first));
        Self::every(self.first, step)
    }

    /// Without the assumption that indices stay inside an array.
    pub fn without_end(self) -> Offsets {
        if self.step == 0 { self } else { Self::every(self.first, self.step) }
    }

    /// Where the moved pointer points; `is_array` says whether such an array begins at an offset of
    /// the object.
    pub fn moved(self, by: Move, is_array: impl Fn(i64, &ArraySpan) -> bool) -> Offsets {
        match by {
            Move::Anywhere => Self::ANY,
            Move::By(by) => self.shifted(by),
            Move::Stride { by, step, array } => {
                let shifted = self.shifted(by);
                let whole = Self::every(shifted.first, gcd(self.step, step));
                let array = array.filter(|span| {
                    self.as_exact().is_some_and(|start| is_array(start.wrapping_add(span.at), span))
                });
                let last = array.and_then(|span| shifted.first.checked_add_unsigned(span.reach));
                match last {
                    Some(last) if shifted.first >= 0 && step > 0 => {
                        Offsets { first: shifted.first, last, step }
                    }
                    _ => whole,
                }
            }
        }
    }

    /// So many bytes on. A range grows instead of moving: the constant may undo a part of an index
    /// that is before the array.
    fn shifted(self, by: i64) -> Offsets {
        let Some(first) = self.first.checked_add(by) else { return Self::ANY };
        if self.step == 0 {
            return Self::exact(first);
        }
        if self.last == END || by == 0 {
            return if by == 0 { self } else { Self::every(first, self.step) };
        }
        let lowest = first.min(self.first);
        let back = first.abs_diff(lowest) / self.step * self.step;
        let first = first.checked_sub_unsigned(back).filter(|&first| first >= 0);
        match (first, self.last.checked_add(by.max(0))) {
            (Some(first), Some(last)) if last < END => Offsets { first, last, step: self.step },
            _ => Self::every(self.first.wrapping_add(by), self.step),
        }
    }

    /// Whether `size` bytes at one of these never touch `other_size` bytes at
    /// one of the others.
    pub fn apart(self, size: u64, other: Offsets, other_size: u64) -> Option<Apart> {
        let step = gcd(self.step, other.step);
        let distance = i128::from(other.first) - i128::from(self.first);
        let (size, other_size) = (i128::from(size), i128::from(other_size));
        let touches = match step {
            0 => distance < size && -distance < other_size,
            _ => {
                let ahead = distance.rem_euclid(i128::from(step));
                ahead < size || i128::from(step) - ahead < other_size
            }
        };
        if !touches {
            return Some(Apart::Always);
        }
        let end = |offsets: Offsets, size: i128| match offsets.last {
            END => i128::MAX,
            last => i128::from(last) + size,
        };
        let start = |offsets: Offsets| if offsets.is_whole() { 0 } else { i128::from(offsets.first) };
        let is_before = end(self, size) <= start(other) || end(other, other_size) <= start(self);
        is_before.then_some(Apart::ByIndex)
    }
}

/// The greatest number that divides both; of 0 and x, x.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The offsets of a set below 200.
    fn members(offsets: Offsets) -> Vec<i64> {
        let (first, last, step) = offsets.parts();
        match step {
            0 => vec![first],
            _ => (first..=last.unwrap_or(199)).step_by(step as usize).collect(),
        }
    }

    fn sets() -> impl Strategy<Value = Offsets> {
        let ranged = (0i64..40, 1u64..9, 0i64..9).prop_map(|(first, step, count)| Offsets {
            first,
            last: first + count * step as i64,
            step,
        });
        prop_oneof![
            (0i64..60).prop_map(Offsets::exact),
            (0i64..60, 1u64..17).prop_map(|(first, step)| Offsets::every(first, step)),
            ranged,
        ]
    }

    proptest! {
        #[test]
        fn containing_and_joining_agree_with_the_members(a in sets(), b in sets()) {
            let (ours, theirs) = (members(a), members(b));
            if a.contain(b) {
                prop_assert!(theirs.iter().all(|offset| ours.contains(offset)), "{a:?} {b:?}");
            }
            let joined = members(a.join(b));
            prop_assert!(ours.iter().chain(&theirs).all(|offset| joined.contains(offset)), "{a:?} {b:?}");
        }

        #[test]
        fn what_is_apart_never_touches(a in sets(), b in sets(), size in 1u64..9, other in 1u64..9) {
            let touch = members(a).iter().any(|&left| {
                members(b).iter().any(|&right| left < right + other as i64 && right < left + size as i64)
            });
            prop_assert!(!(touch && a.apart(size, b, other).is_some()), "{a:?} {b:?}");
            // Of exact offsets nothing is lost.
            if a.as_exact().is_some() && b.as_exact().is_some() {
                prop_assert_eq!(touch, a.apart(size, b, other).is_none());
            }
        }

        #[test]
        fn moving_keeps_every_way(start in 0i64..50, by in -20i64..20, step in 1u64..9, turns in -9i64..9) {
            let moved = Offsets::exact(start).moved(Move::Stride { by, step, array: None }, |_, _| false);
            let there = start + by + turns * step as i64;
            if (0..200).contains(&there) {
                prop_assert!(members(moved).contains(&there));
            }
        }
    }

    #[test]
    fn an_index_stays_inside_its_array_as_long_as_nothing_is_added() {
        let span = ArraySpan { at: 8, length: 4, stride: 4, reach: 12 };
        let indexed = Move::Stride { by: 8, step: 4, array: Some(span) };
        let inside = Offsets::exact(0).moved(indexed, |start, _| start == 8);
        assert_eq!(inside.parts(), (8, Some(20), 4));
        assert_eq!(inside.apart(4, Offsets::exact(24), 4), Some(Apart::ByIndex));
        assert_eq!(inside.apart(4, Offsets::exact(22), 1), None);
        // a[i + 1] with i = -1 is a[0]: what was added may only widen.
        let added = inside.moved(Move::By(4), |_, _| false);
        assert!(added.contain(Offsets::exact(8)) && added.contain(Offsets::exact(24)));
        // No array of that kind there: anywhere with that remainder.
        let anywhere = Offsets::exact(0).moved(indexed, |_, _| false);
        assert_eq!(anywhere, Offsets::every(0, 4));
    }

    #[test]
    fn strides_keep_fields_apart() {
        let (x, y) = (Offsets::every(0, 16), Offsets::every(8, 16));
        assert_eq!(x.apart(8, y, 8), Some(Apart::Always));
        assert_eq!(x.apart(9, y, 8), None);
        assert_eq!(Offsets::ANY.apart(1, y, 8), None);
    }
}

//! Between which two numbers is a value?
//!
//! Intervals of exact integers. An end at `i128::MIN` or `i128::MAX` is open:
//! nothing is known on that side. All operations give an interval that holds
//! every possible result (Moore, "Interval Analysis", 1966); ends saturate, so
//! nothing overflows. Cost: constant.

/// The integers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormulaInterval {
    /// The least; `i128::MIN` if there is none.
    pub low: i128,
    /// The greatest; `i128::MAX` if there is none.
    pub high: i128,
}

/// The values that so many bits can hold, read with or without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain {
    /// Width, 1 to 64.
    pub bits: u32,
    /// Two's complement.
    pub signed: bool,
}

impl Domain {
    /// The most bits of a number that is followed. It is one more than a machine has, since
    /// compilers widen a counter by one so that a product cannot wrap.
    pub const WIDEST: u32 = 65;

    /// The integers of the domain.
    pub fn interval(self) -> FormulaInterval {
        if self.signed { FormulaInterval::signed(self.bits) } else { FormulaInterval::unsigned(self.bits) }
    }

    /// The domain whose integers these are.
    pub fn of(interval: FormulaInterval) -> Option<Domain> {
        let size = interval.high.checked_sub(interval.low)?.checked_add(1)?;
        let bits = size.checked_ilog2()?;
        let domains = [true, false].map(|signed| Domain { bits, signed });
        domains.into_iter().find(|domain| (1..=Self::WIDEST).contains(&bits) && domain.interval() == interval)
    }

    /// How many values there are: 2^bits.
    pub fn size(self) -> i128 {
        1 << self.bits
    }

    /// The value of the domain that differs from `value` by a multiple of 2^bits.
    pub fn reduce(self, value: i128) -> i128 {
        let residue = value.rem_euclid(self.size());
        if self.signed && residue > FormulaInterval::signed(self.bits).high {
            residue - self.size()
        } else {
            residue
        }
    }
}

impl FormulaInterval {
    /// All integers.
    pub const ALL: FormulaInterval = FormulaInterval { low: i128::MIN, high: i128::MAX };
    /// Zero and above.
    pub const NATURAL: FormulaInterval = FormulaInterval { low: 0, high: i128::MAX };

    /// One number.
    pub fn exactly(value: i128) -> FormulaInterval {
        FormulaInterval { low: value, high: value }
    }

    /// What `bits` bits, at most 126, hold without a sign.
    pub fn unsigned(bits: u32) -> FormulaInterval {
        FormulaInterval { low: 0, high: (1 << bits) - 1 }
    }

    /// What `bits` bits, 1 to 126, hold in two's complement.
    pub fn signed(bits: u32) -> FormulaInterval {
        FormulaInterval { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 }
    }

    /// The only number, if there is one.
    pub fn only(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether every number of `other` is one of these.
    pub fn holds(self, other: FormulaInterval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The numbers in both; those of `self` if there are none, which can only
    /// be where control never comes.
    pub fn and(self, other: FormulaInterval) -> FormulaInterval {
        let both = FormulaInterval { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.low <= both.high { both } else { self }
    }

    /// From the least of both to the greatest of both.
    pub fn or(self, other: FormulaInterval) -> FormulaInterval {
        FormulaInterval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Sums.
    pub fn plus(self, other: FormulaInterval) -> FormulaInterval {
        let is_open = |a: i128, b: i128, end: i128| a == end || b == end;
        let low = match is_open(self.low, other.low, i128::MIN) {
            true => i128::MIN,
            false => self.low.saturating_add(other.low),
        };
        let high = match is_open(self.high, other.high, i128::MAX) {
            true => i128::MAX,
            false => self.high.saturating_add(other.high),
        };
        FormulaInterval { low, high }
    }

    /// Products.
    pub fn times(self, other: FormulaInterval) -> FormulaInterval {
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        FormulaInterval::around(corners)
    }

    /// Multiples by one number.
    pub fn scaled(self, factor: i128) -> FormulaInterval {
        self.times(FormulaInterval::exactly(factor))
    }

    /// Each number with its sign turned.
    pub fn negated(self) -> FormulaInterval {
        self.scaled(-1)
    }

    /// The least of one number of each.
    pub fn least(self, other: FormulaInterval) -> FormulaInterval {
        FormulaInterval { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// The greatest of one number of each.
    pub fn greatest(self, other: FormulaInterval) -> FormulaInterval {
        FormulaInterval { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// What a function that never falls makes of them, open ends staying open.
    pub fn through(self, rising: impl Fn(i128) -> i128) -> FormulaInterval {
        let low = if self.low == i128::MIN { i128::MIN } else { rising(self.low) };
        let high = if self.high == i128::MAX { i128::MAX } else { rising(self.high) };
        FormulaInterval { low, high }
    }

    fn around(corners: [i128; 4]) -> FormulaInterval {
        let low = corners.into_iter().min().unwrap_or(i128::MIN);
        let high = corners.into_iter().max().unwrap_or(i128::MAX);
        FormulaInterval { low, high }
    }
}

/// A product whose factors may be open ends.
fn product(a: i128, b: i128) -> i128 {
    let product = a.saturating_mul(b);
    // -(i128::MAX) is an open end too.
    if product == -i128::MAX { i128::MIN } else { product }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn inside(interval: FormulaInterval, pick: u8) -> i128 {
        let size = interval.high - interval.low + 1;
        interval.low + i128::from(pick) % size
    }

    fn intervals() -> impl Strategy<Value = FormulaInterval> {
        (-50_i128..50, 0_i128..20).prop_map(|(low, size)| FormulaInterval { low, high: low + size })
    }

    proptest! {
        #[test]
        fn results_lie_inside(a in intervals(), b in intervals(), p: u8, q: u8) {
            let (x, y) = (inside(a, p), inside(b, q));
            let holds = |interval: FormulaInterval, value: i128| interval.holds(FormulaInterval::exactly(value));
            prop_assert!(holds(a.plus(b), x + y));
            prop_assert!(holds(a.times(b), x * y));
            prop_assert!(holds(a.least(b), x.min(y)));
            prop_assert!(holds(a.greatest(b), x.max(y)));
            prop_assert!(holds(a.or(b), x) && holds(a.or(b), y));
            prop_assert!(holds(a.scaled(y), x * y));
        }

        #[test]
        fn reducing_keeps_the_residue(value: i64, bits in 1_u32..=64, signed: bool) {
            let domain = Domain { bits, signed };
            let reduced = domain.reduce(value.into());
            prop_assert!(domain.interval().holds(FormulaInterval::exactly(reduced)));
            prop_assert_eq!((reduced - i128::from(value)).rem_euclid(domain.size()), 0);
            prop_assert_eq!(Domain::of(domain.interval()), Some(domain));
        }
    }

    #[test]
    fn open_ends_stay_open() {
        let natural = FormulaInterval::NATURAL;
        assert_eq!(natural.plus(FormulaInterval::exactly(-3)), FormulaInterval { low: -3, high: i128::MAX });
        assert_eq!(natural.negated(), FormulaInterval { low: i128::MIN, high: 0 });
        assert_eq!(FormulaInterval::ALL.times(FormulaInterval::exactly(0)), FormulaInterval::exactly(0));
        assert_eq!(FormulaInterval::ALL.plus(natural), FormulaInterval::ALL);
        assert_eq!(Domain::of(natural), None);
        assert_eq!(Domain::of(FormulaInterval { low: 0, high: 6 }), None);
    }
}

//! How often is the body of a loop copied, so that one test serves several iterations?
//!
//! Each iteration of a loop tests whether it is the last and adds to a counter. With `n` copies of its body it does
//! so once for `n` iterations, and the rest is left to a loop of one copy. Before both it has to be known how
//! many there are. So copies pay for loops that go on, and cost where a loop ends soon. The average does not say which
//! of the two a loop is: one with 1 and 99 iterations has 50. The counts of all activations do
//! ([`TripCounts`]), and each number of copies is worked out for each of them.
//!
//! Input: how many activations had how many iterations; all instructions that are carried out. Output: numbers of
//! copies, the best first, each with the size of a body up to which it is taken. Cost: distinct trip counts.
//! Limits: what a test costs is taken as fixed. Bodies that were vectorised are somebody else's.

use std::collections::BTreeMap;

/// How many activations of a loop had how many iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TripCounts {
    /// Activations by iterations.
    pub activations: BTreeMap<u64, u64>,
}

/// A number of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyCopies {
    /// Copies of the body.
    pub copies: u32,
    /// The most instructions that the body has.
    pub size: u32,
    /// Instructions that are not carried out any more.
    pub saved: u64,
}

/// What is worth copies of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnrollLimits {
    /// At least one in so many of all instructions is saved.
    pub share: u64,
    /// All copies together have at most so many instructions.
    pub size: u32,
}

impl Default for UnrollLimits {
    fn default() -> UnrollLimits {
        UnrollLimits { share: 10_000, size: 256 }
    }
}

/// Numbers of copies that are tried.
const COPIES: [u32; 3] = [8, 4, 2];
/// The test, and what is added to a counter.
const TEST: i128 = 2;
/// To know how many iterations there are, and to choose between both loops.
const SETUP: i128 = 6;

/// The numbers of copies that pay, the best first.
pub fn unroll(trips: &TripCounts, executed: u64, limits: UnrollLimits) -> Vec<BodyCopies> {
    let one = |copies: u32| {
        let saved = u64::try_from(saved(trips, copies)).unwrap_or(0);
        BodyCopies { copies, size: limits.size / copies, saved }
    };
    let is_worth =
        |one: &BodyCopies| one.saved.saturating_mul(limits.share) >= executed.max(1) && one.saved > 0;
    let mut all: Vec<BodyCopies> = COPIES.into_iter().map(one).filter(is_worth).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.saved));
    // A number of copies that saves less and fits no larger body is never taken.
    let mut largest = 0;
    all.retain(|one| {
        let is_larger = one.size > largest;
        largest = largest.max(one.size);
        is_larger
    });
    all
}

/// What so many copies save; less than nothing if they cost.
fn saved(trips: &TripCounts, copies: u32) -> i128 {
    let copies = i128::from(copies);
    let of = |(&iterations, &activations): (&u64, &u64)| {
        let fewer_tests = i128::from(iterations) / copies * (copies - 1);
        i128::from(activations).saturating_mul(fewer_tests * TEST - SETUP)
    };
    trips.activations.iter().map(of).fold(0, i128::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trips(all: &[(u64, u64)]) -> TripCounts {
        TripCounts { activations: all.iter().copied().collect() }
    }

    #[test]
    fn long_loops_get_copies_and_short_ones_do_not() {
        let long = unroll(&trips(&[(1000, 10)]), 100_000, UnrollLimits::default());
        assert_eq!(long.iter().map(|one| one.copies).collect::<Vec<_>>(), [8, 4, 2]);
        assert_eq!(long[0].saved, 10 * (125 * 7 * 2 - 6));
        assert_eq!(unroll(&trips(&[(3, 100_000)]), 100_000, UnrollLimits::default()), []);
        assert_eq!(unroll(&trips(&[]), 100_000, UnrollLimits::default()), []);
    }

    #[test]
    fn one_average_has_two_answers() {
        // Both have five iterations in the mean.
        let even = trips(&[(5, 100_000)]);
        let uneven = trips(&[(1, 99_000), (401, 1_000)]);
        let best =
            |trips: &TripCounts| unroll(trips, 1_000, UnrollLimits::default()).first().map(|one| one.copies);
        assert_eq!(best(&even), None);
        assert_eq!(best(&uneven), Some(8));
    }

    #[test]
    fn what_saves_little_of_all_is_left() {
        let short = trips(&[(100, 10)]);
        assert_eq!(unroll(&short, 100_000_000, UnrollLimits::default()), []);
        assert!(!unroll(&short, 10_000, UnrollLimits::default()).is_empty());
    }

    #[test]
    fn nothing_overflows() {
        let endless = trips(&[(u64::MAX, u64::MAX)]);
        assert_eq!(unroll(&endless, u64::MAX, UnrollLimits::default()).len(), 0);
    }
}

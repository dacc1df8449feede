//! Squares of one word: each domain against brute force, and never worse than the
//! product of two words of which nothing is known but the same.

use opcost_ir::{Flags, Predicate};

use super::judge::{self, Domain, Universe, Verdict, members};
use super::{reference, steps};
use crate::ranges::interval::Effort;
use crate::ranges::{Congruence, Interval, KnownBits, Operation, RangeStep, ValueRange, evaluate};

/// Judges all squares of a width, and holds them against products.
fn judged<D: Domain>(width: u32, apply: impl Fn(&RangeStep, &[D]) -> D) -> Verdict {
    let universe = Universe::<D>::new(width);
    let mut total = Verdict::default();
    for step in steps::squares(width) {
        total.add(judge::unary(&universe, &step, |only| apply(&step, &[only])));
        let product = RangeStep { operation: Operation::Mul, ..step };
        for &(root, _) in &universe.elements {
            let [square, product] =
                [apply(&step, &[root]), apply(&product, &[root, root])].map(|of| members(&of, width));
            assert!(square.count_ones() <= product.count_ones(), "{step:?} of {root:?}");
        }
    }
    total
}

#[test]
fn squares_hold_all_that_there_are() {
    for width in 1..=6 {
        // Of up to 256 roots each one is tried.
        let arcs = judged(width, |step, arcs: &[Interval]| Interval::apply(step, arcs));
        assert!(arcs.is_best(), "{width}: {arcs:?}");
        let ends = judged(width, |step, arcs: &[Interval]| Interval::apply_with(step, arcs, Effort::ENDS));
        assert!(ends.per_mille() > 500, "{width}: {ends:?}");
        let bits = judged(width, |step, bits: &[KnownBits]| KnownBits::apply(step, bits));
        assert!(bits.per_mille() > 700, "{width}: {bits:?}");
        judged(width, |step, classes: &[Congruence]| Congruence::apply(step, classes));
    }
}

#[test]
fn the_second_reading_of_squares_agrees_with_the_first() {
    for width in 1..=7 {
        for step in steps::squares(width) {
            for root in 0..1 << width {
                let second = reference::result(&step, width, &[root]);
                assert_eq!(evaluate(&step, width, &[root]), second, "{step:?} of {root}");
                let product = RangeStep { operation: Operation::Mul, ..step };
                assert_eq!(second, reference::result(&product, width, &[root, root]));
            }
        }
    }
}

#[test]
fn what_the_parts_know_of_a_square_together() {
    let square = |flags| RangeStep { operation: Operation::Square, flags, width: 32 };
    let of = |flags, root: &ValueRange| ValueRange::transfer(&square(flags), std::slice::from_ref(root));
    let short = ValueRange::from(Interval::new(32, 0xffff_8000, 0x7fff));
    let squared = of(Flags::NONE, &short);
    assert_eq!(squared.unsigned_range(), Some((0, 1 << 30)));
    assert_eq!(squared.bits().zeros() & 3, 2);
    // Few words are squared one by one.
    let few = ValueRange::of_values(32, &[5, 0xffff_fffb, 7]);
    assert_eq!(of(Flags::NONE, &few).set().map(|set| set.values().to_vec()), Some(vec![25, 49]));
    // In steps of twelve nothing is lost as long as nothing wraps.
    let steps =
        ValueRange::new(Interval::new(32, 0, 1200), KnownBits::unknown(32), Congruence::new(32, 12, 0));
    assert_eq!(of(Flags::NONE, &steps).congruence(), Congruence::new(32, 144, 0));
    assert!(of(Flags::NSW, &ValueRange::from(Interval::new(32, 50_000, 60_000))).is_empty());
    let whole = of(Flags::NSW, &ValueRange::full(32));
    assert_eq!(whole.signed_range(), Some((0, 46_340 * 46_340)));
    let not_zero = ValueRange::full(32).refine(Predicate::Ne, &ValueRange::constant(32, 0), Flags::NONE);
    assert_eq!(of(Flags::NSW, &not_zero).signed_range().map(|ends| ends.0), Some(1));
}

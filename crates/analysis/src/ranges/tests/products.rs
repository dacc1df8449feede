//! The product of the domains: stratified pairs at four bits against brute
//! force, reduction, widening, and examples of what only the parts together see.

use opcost_ir::{Flags, Predicate};
use opcost_testkit::Random;

use super::judge::{Domain, Universe, members};
use super::{reference, steps};
use crate::ranges::{
    Budget, Congruence, Interval, KnownBits, Operation, RangeStep, Sign, SmallSet, ValueRange, Width,
};

fn value_members(range: &ValueRange) -> u64 {
    (0..1u64 << range.type_width())
        .filter(|&value| range.contains(u128::from(value)))
        .fold(0, |all, bit| all | 1 << bit)
}

/// Products of four bits with the members of their parts, in classes by how
/// many there are: none, one, up to three, eight, fifteen, all.
fn strata(width: u32) -> Vec<Vec<(ValueRange, u64)>> {
    let arcs = Interval::elements(width);
    let boxes = KnownBits::elements(width);
    let classes = Congruence::elements(width);
    let mut random = Random::new(3);
    let mut strata = vec![Vec::new(); 6];
    for _ in 0..20_000 {
        let (arc, bits, class) = match random.below(4) {
            0 => (*random.of(&arcs), KnownBits::unknown(width), Congruence::any(width)),
            1 => (*random.of(&arcs), *random.of(&boxes), Congruence::any(width)),
            2 => (*random.of(&arcs), KnownBits::unknown(width), *random.of(&classes)),
            _ => (*random.of(&arcs), *random.of(&boxes), *random.of(&classes)),
        };
        let set = members(&arc, width) & members(&bits, width) & members(&class, width);
        let stratum = match set.count_ones() {
            0 => 0,
            1 => 1,
            2..=3 => 2,
            4..=8 => 3,
            9..=15 => 4,
            _ => 5,
        };
        let range = ValueRange::new(arc, bits, class);
        assert_eq!(set & !value_members(&range), 0, "{arc:?} {bits:?} {class:?} became {range:?}");
        if strata[stratum].len() < 400 {
            strata[stratum].push((range, set));
        }
    }
    strata
}

#[test]
fn the_parts_see_together_what_none_sees_alone() {
    let step = |operation| RangeStep::new(operation, 32);
    let index = ValueRange::from(Interval::new(32, 0, 9));
    let scaled = ValueRange::transfer(&step(Operation::Mul), &[index, ValueRange::constant(32, 12)]);
    assert_eq!(scaled.unsigned_range(), Some((0, 108)));
    assert_eq!((scaled.congruence().modulus(), scaled.bits().zeros() & 3), (12, 3));
    assert_eq!(scaled.needed_width(), Width { sign: Sign::Unsigned, bits: 7 });
    assert_eq!(scaled.unknown_bits(), 5);
    let masked =
        ValueRange::transfer(&step(Operation::And), &[ValueRange::full(32), ValueRange::constant(32, 0xf0)]);
    assert_eq!(masked.interval().ends(), Some((0, 0xf0)));
    let above = masked.refine(Predicate::Ugt, &ValueRange::constant(32, 3), Flags::NONE);
    assert_eq!(above.unsigned_range(), Some((16, 0xf0)));
    let difference = ValueRange::transfer(&step(Operation::Sub), &[masked, above]);
    assert_eq!(difference.signed_range(), Some((-0xf0, 0xe0)));
    assert_eq!(difference.needed_width(), Width { sign: Sign::Signed, bits: 9 });
}

#[test]
fn reduction_loses_no_value_and_finds_nearly_the_best_arc() {
    let mut arcs = Universe::<Interval>::new(4);
    let (mut best, mut all) = (0u32, 0u32);
    for (range, set) in strata(4).into_iter().flatten() {
        let found = value_members(&range);
        assert_eq!(found, set, "{range:?}");
        assert_eq!(range.is_empty(), set == 0);
        if let Some(values) = range.set() {
            assert_eq!(values.values().len(), set.count_ones() as usize);
        }
        all += 1;
        best += u32::from(range.interval() == arcs.best(set));
    }
    assert!(best * 1000 / all >= 990, "{best} of {all}");
}

#[test]
fn every_step_is_sound_on_stratified_pairs_of_four_bits() {
    let strata = strata(4);
    let mut random = Random::new(4);
    let (mut found, mut least) = (0u64, 0u64);
    for step in steps::binary(4) {
        for left_stratum in &strata {
            for right_stratum in &strata {
                for _ in 0..40 {
                    if left_stratum.is_empty() || right_stratum.is_empty() {
                        continue;
                    }
                    let ((left, left_set), (right, right_set)) =
                        (random.of(left_stratum), random.of(right_stratum));
                    let mut set = 0u64;
                    for one in (0..16).filter(|one| left_set >> one & 1 == 1) {
                        for two in (0..16).filter(|two| right_set >> two & 1 == 1) {
                            set |= reference::result(&step, 4, &[one, two]).map_or(0, |result| 1 << result);
                        }
                    }
                    let claimed = ValueRange::transfer(&step, &[left.clone(), right.clone()]);
                    let claimed_set = value_members(&claimed);
                    assert_eq!(set & !claimed_set, 0, "{step:?} of {left:?}, {right:?}: {claimed:?}");
                    found += u64::from(claimed_set.count_ones());
                    least += u64::from(set.count_ones());
                }
            }
        }
    }
    // Members of the products for 1000 results that there are.
    assert_eq!(found * 1000 / least, 1052);
}

#[test]
fn unary_steps_joins_meets_and_comparisons_are_sound() {
    let all: Vec<(ValueRange, u64)> = strata(4).into_iter().flatten().collect();
    let mut random = Random::new(5);
    for (range, set) in &all {
        for step in steps::unary(4) {
            let numbers = (0..16u128).filter(|number| set >> number & 1 == 1);
            let results = numbers.filter_map(|number| reference::result(&step, 4, &[number]));
            let claimed = ValueRange::transfer(&step, std::slice::from_ref(range));
            for result in results {
                assert!(claimed.contains(result), "{step:?} of {range:?}: {claimed:?} without {result}");
            }
        }
        let (other, other_set) = random.of(&all);
        assert_eq!((set | other_set) & !value_members(&range.join(other)), 0);
        assert_eq!(set & other_set & !value_members(&range.meet(other)), 0, "{range:?} {other:?}");
        for predicate in steps::predicates() {
            let step = RangeStep::new(Operation::Compare(predicate), 1);
            let refined = range.refine(predicate, other, Flags::NONE);
            for number in (0..16u128).filter(|number| set >> number & 1 == 1) {
                let others = (0..16u128).filter(|number| other_set >> number & 1 == 1);
                let is_true =
                    others.into_iter().any(|other| reference::result(&step, 4, &[number, other]) == Some(1));
                assert!(!is_true || refined.contains(number), "{range:?} {predicate:?} {other:?}");
            }
        }
    }
}

#[test]
fn funnels_and_selections_are_sound() {
    let all: Vec<(ValueRange, u64)> = strata(4).into_iter().flatten().collect();
    let bits: Vec<ValueRange> = [Interval::full(1), Interval::constant(1, 0), Interval::constant(1, 1)]
        .map(ValueRange::from)
        .to_vec();
    let mut random = Random::new(6);
    for _ in 0..3000 {
        let [one, two, three] = [(); 3].map(|()| random.of(&all).clone());
        for step in steps::funnels(4) {
            let claimed = ValueRange::transfer(&step, &[one.0.clone(), two.0.clone(), three.0.clone()]);
            for number in 0..1u64 << 12 {
                let words = [number & 15, number >> 4 & 15, number >> 8];
                let is_in = [&one, &two, &three].iter().zip(words).all(|(set, word)| set.1 >> word & 1 == 1);
                let result = || reference::result(&step, 4, &words.map(u128::from));
                assert!(!is_in || claimed.contains(result().expect("never poison")), "{step:?} {one:?}");
            }
        }
        let chosen = random.of(&bits).clone();
        let step = RangeStep::new(Operation::Select, 4);
        let claimed = ValueRange::transfer(&step, &[chosen.clone(), one.0, two.0]);
        let wanted = if chosen.contains(1) { one.1 } else { 0 } | if chosen.contains(0) { two.1 } else { 0 };
        assert_eq!(wanted & !value_members(&claimed), 0);
    }
}

#[test]
fn widening_ends_whatever_comes() {
    let thresholds = [3u128, 100, 127, 128, 200];
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let mut range = ValueRange::constant(8, u128::from(random.below(256)));
        let mut changes = 0;
        for _ in 0..300 {
            let low = u128::from(random.below(256));
            let next = ValueRange::from(Interval::new(8, low, (low + u128::from(random.below(4))) & 255));
            let joined = range.join(&next);
            let wider = range.widen(&joined, &thresholds);
            assert!(
                (0..256)
                    .all(|value| !range.contains(value) && !next.contains(value) || wider.contains(value))
            );
            changes += u32::from(wider != range);
            range = wider;
        }
        assert!(changes <= 40, "{changes} changes");
    }
}

#[test]
fn a_counter_is_widened_to_its_bound_and_narrowed() {
    // i = 0; while (i < 100) i += 3, in 16 bits.
    let (start, three, bound) =
        (ValueRange::constant(16, 0), ValueRange::constant(16, 3), ValueRange::constant(16, 100));
    let around = |head: &ValueRange| {
        let inside = head.refine(Predicate::Ult, &bound, Flags::NONE);
        start.join(&ValueRange::transfer(&RangeStep::new(Operation::Add, 16), &[inside, three.clone()]))
    };
    let mut budget = Budget::new(50);
    let mut head = start.clone();
    loop {
        assert!(budget.spend());
        let next = head.widen(&around(&head), &[100]);
        if next == head {
            break;
        }
        head = next;
    }
    let head = head.narrow(&around(&head));
    assert_eq!(head.unsigned_range(), Some((0, 102)));
    assert_eq!(head.congruence(), Congruence::new(16, 3, 0));
    assert_eq!(head.needed_width(), Width { sign: Sign::Unsigned, bits: 7 });
    assert!(!Budget::new(0).spend());
}

#[test]
fn nothing_is_left_of_what_is_always_poison() {
    let of = |value| ValueRange::constant(8, value);
    let add = RangeStep { operation: Operation::Add, flags: Flags::NUW, width: 8 };
    assert!(ValueRange::transfer(&add, &[of(200), of(100)]).is_empty());
    assert!(ValueRange::transfer(&RangeStep::new(Operation::UDiv, 8), &[of(200), of(0)]).is_empty());
    let shift = RangeStep::new(Operation::Shl, 8);
    let amounts = ValueRange::from(Interval::new(8, 8, 200));
    assert!(ValueRange::transfer(&shift, &[ValueRange::full(8), amounts]).is_empty());
    assert_eq!(ValueRange::empty(8).needed_width(), Width::NONE);
    let set = SmallSet::of(8, [1, 2]).unwrap();
    assert_eq!(ValueRange::of_set(set).needed_width(), Width { sign: Sign::Unsigned, bits: 2 });
}

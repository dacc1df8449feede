//! Small sets against brute force.

use opcost_testkit::Random;

use super::{reference, steps};
use crate::ranges::{Sign, SmallSet, Width};

fn subset(random: &mut Random, width: u32) -> SmallSet {
    let count = random.below(9);
    SmallSet::of(width, (0..count).map(|_| u128::from(random.below(1 << width)))).expect("at most eight")
}

#[test]
fn nine_values_are_too_many() {
    assert_eq!(SmallSet::of(8, 0..9), None);
    let set = SmallSet::of(8, [255, 0, 1, 511]).expect("three values");
    assert_eq!(set.values(), [0, 1, 255]);
    assert_eq!(set.needed_width(), Width { sign: Sign::Signed, bits: 2 });
    assert_eq!(set.join(&SmallSet::of(8, 2..8).unwrap()), None);
}

#[test]
fn results_are_those_of_the_values_and_no_others() {
    let mut random = Random::new(7);
    for _ in 0..200 {
        for step in steps::binary(4) {
            let (left, right) = (subset(&mut random, 4), subset(&mut random, 4));
            let mut results = SmallSet::results(&step, &[&left, &right]).expect("it fits");
            results.sort_unstable();
            results.dedup();
            let pairs =
                left.values().iter().flat_map(|&one| right.values().iter().map(move |&two| [one, two]));
            let mut expected: Vec<u128> =
                pairs.filter_map(|pair| reference::result(&step, 4, &pair)).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(results, expected, "{step:?} {left:?} {right:?}");
        }
    }
}

#[test]
fn a_set_turns_into_the_best_of_the_others() {
    let mut random = Random::new(8);
    let mut arcs = super::judge::Universe::<crate::ranges::Interval>::new(4);
    let mut boxes = super::judge::Universe::<crate::ranges::KnownBits>::new(4);
    for _ in 0..2000 {
        let set = subset(&mut random, 4);
        let members = set.values().iter().fold(0, |all, &value| all | 1 << value);
        assert_eq!(set.interval(), arcs.best(members));
        assert_eq!(set.known_bits(), boxes.best(members));
    }
}

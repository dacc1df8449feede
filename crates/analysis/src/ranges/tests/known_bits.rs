//! Known bits against brute force: every pair of boxes of four bits, every step,
//! and a floor for those that are not the best: what LLVM's `KnownBits` tells.

use std::fmt::Write;

use opcost_ir::Flags;

use super::judge::{self, Domain, Universe, Verdict};
use super::{floor, steps};
use crate::ranges::{Interval, KnownBits, Operation, RangeStep, Sign, Width};

impl Domain for KnownBits {
    fn elements(width: u32) -> Vec<KnownBits> {
        let boxes = (0..3u32.pow(width)).map(|number| {
            let digit = |bit: u32| number / 3u32.pow(bit) % 3;
            let bits =
                |wanted| (0..width).filter(|&bit| digit(bit) == wanted).fold(0, |all, bit| all | 1 << bit);
            KnownBits::new(width, bits(0), bits(1))
        });
        boxes.chain([KnownBits::empty(width)]).collect()
    }

    fn holds(&self, value: u128) -> bool {
        self.contains(value)
    }

    fn rank(&self, members: u64, _: u32) -> (u32, u32, u32, u64) {
        (members.count_ones(), 0, 0, 0)
    }
}

#[test]
fn a_box_knows_its_ends_and_its_width() {
    let bits = KnownBits::new(8, 0b1110_0001, 0b0000_0100);
    assert_eq!(bits.unsigned_range(), Some((4, 0b1_1110)));
    assert_eq!(bits.needed_width(), Width { sign: Sign::Unsigned, bits: 5 });
    assert_eq!(KnownBits::new(8, 0, 0xf8).needed_width(), Width { sign: Sign::Signed, bits: 4 });
    assert_eq!(KnownBits::constant(8, 200).needed_width(), Width::NONE);
    assert!(KnownBits::new(8, 1, 1).is_empty());
}

#[test]
fn boxes_turn_into_arcs_and_back_as_well_as_can_be() {
    for width in 1..=6 {
        let mut boxes = Universe::<KnownBits>::new(width);
        let mut arcs = Universe::<Interval>::new(width);
        for (element, members) in boxes.elements.clone() {
            let arc = arcs.best(members);
            assert_eq!(element.interval().span(), arc.span(), "{element:?}");
            assert_eq!(element.interval(), arc, "{element:?}");
        }
        for (arc, members) in arcs.elements.clone() {
            assert_eq!(KnownBits::of_interval(arc), boxes.best(members), "{arc:?}");
        }
    }
}

#[test]
fn joins_and_meets_are_exact() {
    let mut universe = Universe::<KnownBits>::new(4);
    let elements = universe.elements.clone();
    for &(left, left_members) in &elements {
        for &(right, right_members) in &elements {
            assert_eq!(left.join(right), universe.best(left_members | right_members));
            assert_eq!(left.meet(right), universe.best(left_members & right_members));
            assert_eq!(left.contains_all(right), right_members & !left_members == 0);
        }
    }
}

fn is_measured(step: &RangeStep) -> bool {
    use Operation::*;
    matches!(step.operation, Mul | UDiv | SDiv | URem | SRem)
}

#[test]
fn every_step_is_sound_and_the_best_but_products_and_quotients() {
    let mut measured = String::new();
    for width in 1..=4 {
        let universe = Universe::new(width);
        for step in steps::binary(width) {
            let verdict = judge::binary(&universe, &step, |operands| KnownBits::apply(&step, operands));
            if !is_measured(&step) {
                assert!(verdict.is_best(), "{width}: {step:?}: {verdict:?}");
            } else if width == 4 {
                let members = verdict.members * 1000 / verdict.least_members;
                writeln!(measured, "{} {} {members}", steps::name(&step), verdict.per_mille()).unwrap();
            }
        }
    }
    assert_eq!(measured.trim(), PRECISION.trim());
}

/// At four bits: how many of 1000 pairs of boxes get the best box, and how many
/// members all boxes have for 1000 that the best ones have.
const PRECISION: &str = "
Mul 972 1015
Mul nuw 868 1189
Mul nsw 905 1079
Mul nuw nsw 862 1246
UDiv 850 1284
UDiv exact 847 1367
SDiv 902 1059
SDiv exact 873 1136
URem 780 1192
SRem 849 1100
";

#[test]
fn five_bits_too() {
    let universe = Universe::new(5);
    for step in steps::binary(5) {
        let verdict = judge::binary(&universe, &step, |operands| KnownBits::apply(&step, operands));
        assert!(is_measured(&step) || verdict.is_best(), "{step:?}: {verdict:?}");
    }
}

#[test]
fn unary_steps_are_the_best_up_to_six_bits() {
    for width in 1..=6 {
        let universe = Universe::new(width);
        for step in steps::unary(width) {
            let verdict = judge::unary(&universe, &step, |only| KnownBits::apply(&step, &[only]));
            assert!(verdict.is_best(), "{width}: {step:?}: {verdict:?}");
        }
    }
}

#[test]
fn funnel_shifts_are_the_best() {
    for width in [1, 2, 3, 4] {
        let all = KnownBits::elements(width);
        let some: Vec<KnownBits> = all.iter().copied().step_by(if width == 4 { 2 } else { 1 }).collect();
        let mut verdict = Verdict::default();
        for step in steps::funnels(width) {
            let lists = [&some[..], &some[..], &all[..]];
            verdict.add(judge::ternary(width, lists, &step, |it| KnownBits::apply(&step, it)));
        }
        assert!(verdict.is_best(), "{width}: {verdict:?}");
    }
}

/// What LLVM 22.1.8 itself answers at four bits, printed by a program that calls
/// `KnownBits::mul` and its sisters: a line for each left operand, of two digits
/// for each right one, its zeros and its ones. Boxes are in the order of their
/// zeros, then of their ones.
const LLVM: &str = include_str!("llvm_known_bits.txt");

#[test]
fn nowhere_worse_than_llvm_and_so_much_better() {
    let masks = (0..16u128).flat_map(|zeros| (0..16u128).map(move |ones| (zeros, ones)));
    let boxes: Vec<KnownBits> = masks
        .filter(|(zeros, ones)| zeros & ones == 0)
        .map(|(zeros, ones)| KnownBits::new(4, zeros, ones))
        .collect();
    let members =
        |bits: KnownBits| if bits.is_empty() { 0 } else { 1u64 << bits.unknown_bits().count_ones() };
    let mut steps: Vec<RangeStep> = steps::binary(4).into_iter().filter(is_measured).collect();
    steps.retain(|step| step.operation != Operation::Mul || step.flags == Flags::NONE);
    let mut lines = LLVM.lines();
    let mut measured = String::new();
    for step in steps {
        assert_eq!(lines.next(), Some(steps::name(&step).as_str()));
        let (mut ours, mut theirs) = (0, 0);
        for &left in &boxes {
            let digits = lines.next().expect("a line for each left operand").as_bytes();
            for (&right, pair) in boxes.iter().zip(digits.chunks(2)) {
                let mask = |digit: u8| u128::from(char::from(digit).to_digit(16).expect("a digit"));
                let claimed = KnownBits::apply(&step, &[left, right]);
                // Where there is no result, LLVM says what it likes.
                if claimed.is_empty() {
                    continue;
                }
                let llvm = KnownBits::new(4, mask(pair[0]), mask(pair[1]));
                assert!(llvm.contains_all(claimed), "{step:?} of {left:?}, {right:?}: {claimed:?}, {llvm:?}");
                ours += members(claimed);
                theirs += members(llvm);
            }
        }
        writeln!(measured, "{} {ours} {theirs}", steps::name(&step)).unwrap();
    }
    assert_eq!(measured.trim(), AGAINST_LLVM.trim());
}

/// Members of all boxes, ours and LLVM's.
const AGAINST_LLVM: &str = "
Mul 48483 55935
UDiv 33569 37448
UDiv exact 18867 23503
SDiv 66835 81298
SDiv exact 33729 45418
URem 46673 59126
SRem 60424 68260
";

#[test]
fn nowhere_worse_than_the_floor() {
    for width in [4, 5] {
        let boxes = KnownBits::elements(width);
        for step in steps::binary(width).iter().filter(|step| is_measured(step)) {
            for &left in boxes.iter().filter(|element| !element.is_empty()) {
                for &right in boxes.iter().filter(|element| !element.is_empty()) {
                    let floor = floor::known(step, left, right);
                    let claimed = KnownBits::apply(step, &[left, right]);
                    assert!(
                        floor.contains_all(claimed),
                        "{step:?} of {left:?}, {right:?}: {claimed:?}, {floor:?}"
                    );
                }
            }
        }
    }
}

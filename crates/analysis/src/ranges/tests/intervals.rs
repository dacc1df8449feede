//! Arcs against brute force: every pair of them at four bits and every step.

use std::fmt::Write;

use opcost_ir::Flags;

use super::judge::{self, Domain, Universe, Verdict};
use super::steps;
use crate::ranges::interval::Effort;
use crate::ranges::{Interval, Operation, RangeStep, Sign, Width, evaluate};

impl Domain for Interval {
    fn elements(width: u32) -> Vec<Interval> {
        let size = 1u128 << width;
        let arcs = (0..size).flat_map(|low| (0..size - 1).map(move |span| (low, span)));
        let arcs = arcs.map(|(low, span)| Interval::new(width, low, (low + span) % size));
        [Interval::empty(width), Interval::full(width)].into_iter().chain(arcs).collect()
    }

    fn holds(&self, value: u128) -> bool {
        self.contains(value)
    }

    fn rank(&self, members: u64, width: u32) -> (u32, u32, u32, u64) {
        let size = members.count_ones();
        let Some((low, high)) = self.ends() else { return (0, 0, 0, 0) };
        let turned = |word: u128| word ^ (1 << (width - 1));
        (size, u32::from(low > high), u32::from(turned(low) > turned(high)), low as u64)
    }
}

#[test]
fn an_arc_crosses_the_seam_and_is_counted_right() {
    let arc = Interval::new(8, 250, 5);
    assert!(arc.contains(255) && arc.contains(0) && !arc.contains(6));
    assert_eq!(arc.span(), Some(11));
    assert_eq!(arc.signed_range(), Some((-6, 5)));
    assert_eq!(arc.unsigned_range(), Some((0, 255)));
    assert_eq!(arc.needed_width(), Width { sign: Sign::Signed, bits: 4 });
    assert_eq!(Interval::new(8, 0, 15).needed_width(), Width { sign: Sign::Unsigned, bits: 4 });
    assert_eq!(Interval::constant(8, 200).needed_width(), Width::NONE);
    assert_eq!(Interval::new(8, 0, 1).needed_width(), Width { sign: Sign::Unsigned, bits: 1 });
    assert_eq!(Interval::new(8, 255, 0).needed_width(), Width { sign: Sign::Signed, bits: 1 });
}

#[test]
fn there_are_241_arcs_of_four_bits_and_each_is_itself() {
    let mut universe = Universe::<Interval>::new(4);
    assert_eq!(universe.elements.len(), 242, "with the empty one");
    for (arc, members) in universe.elements.clone() {
        assert_eq!(arc.span().map_or(0, |span| span + 1), u128::from(members.count_ones()));
        assert_eq!(universe.best(members), arc);
        let range = arc.unsigned_range();
        let numbers: Vec<u128> = (0..16).filter(|number| members >> number & 1 == 1).collect();
        assert_eq!(range, numbers.first().map(|&first| (first, numbers[numbers.len() - 1])));
        let signed = |number: &u128| (*number as i128 + 8) % 16 - 8;
        let least = numbers.iter().map(signed).min();
        assert_eq!(arc.signed_range(), least.zip(numbers.iter().map(signed).max()));
    }
}

#[test]
fn joins_and_meets_are_the_best_arcs() {
    for width in 1..=5 {
        let mut universe = Universe::<Interval>::new(width);
        let elements = universe.elements.clone();
        for &(left, left_members) in &elements {
            for &(right, right_members) in &elements {
                assert_eq!(
                    left.join(right),
                    universe.best(left_members | right_members),
                    "{left:?} {right:?}"
                );
                assert_eq!(
                    left.meet(right),
                    universe.best(left_members & right_members),
                    "{left:?} {right:?}"
                );
                assert_eq!(left.contains_all(right), right_members & !left_members == 0);
            }
        }
    }
}

/// Operations whose results fill what is computed from the ends.
fn is_dense(step: &RangeStep) -> bool {
    use Operation::*;
    let gaps = matches!(
        step.operation,
        Mul | UDiv | SDiv | URem | SRem | Shl | And | Or | Xor | UShlSat | SShlSat | BitReverse
    );
    !gaps
}

#[test]
fn every_step_is_sound_and_the_best_arc_on_all_pairs_of_four_bits() {
    let universe = Universe::new(4);
    for step in steps::binary(4) {
        let verdict = judge::binary(&universe, &step, |operands| Interval::apply(&step, operands));
        assert!(verdict.is_best(), "{step:?}: {verdict:?}");
    }
}

#[test]
fn from_the_ends_alone_steps_are_sound_and_so_precise() {
    let universe = Universe::new(4);
    let mut measured = String::new();
    for step in steps::binary(4) {
        let verdict =
            judge::binary(&universe, &step, |operands| Interval::apply_with(&step, operands, Effort::ENDS));
        if is_dense(&step) {
            assert!(verdict.is_best(), "{step:?}: {verdict:?}");
        } else {
            let members = verdict.members * 1000 / verdict.least_members;
            writeln!(measured, "{} {} {members}", steps::name(&step), verdict.per_mille()).unwrap();
        }
    }
    assert_eq!(measured.trim(), FROM_THE_ENDS.trim());
}

/// What is found from the ends alone, at four bits: how many of 1000 pairs get
/// the best arc, and how many members all arcs have for 1000 that the best have.
const FROM_THE_ENDS: &str = "
Mul 622 1039
Mul nuw 480 1238
Mul nsw 684 1052
Mul nuw nsw 438 1343
Shl 725 1050
Shl nuw 866 1026
Shl nsw 942 1012
Shl nuw nsw 982 1003
UDiv 1000 1000
UDiv exact 1000 1000
SDiv 1000 1000
SDiv exact 1000 1000
Or 1000 1000
Or disjoint 647 1136
URem 1000 1000
SRem 999 1000
And 1000 1000
Xor 981 1002
UShlSat 761 1079
SShlSat 877 1028
";

#[test]
fn unary_steps_are_sound_and_the_best_arc_up_to_six_bits() {
    for width in 1..=6 {
        let universe = Universe::new(width);
        for step in steps::unary(width) {
            let verdict = judge::unary(&universe, &step, |only| Interval::apply(&step, &[only]));
            assert!(verdict.is_best(), "{width}: {step:?}: {verdict:?}");
            let ends = judge::unary(&universe, &step, |only: Interval| {
                Interval::apply_with(&step, &[only], Effort::ENDS)
            });
            assert!(!is_dense(&step) || ends.is_best(), "{width}: {step:?}: {ends:?}");
        }
    }
}

/// Every so many elements of a universe.
fn thinned(universe: &Universe<Interval>, every: usize) -> Vec<Interval> {
    universe.elements.iter().step_by(every).map(|&(arc, _)| arc).collect()
}

#[test]
fn a_choice_of_pairs_of_five_and_six_bits_too() {
    for (width, every) in [(5, (11, 17)), (6, (97, 113))] {
        let universe = Universe::<Interval>::new(width);
        let (lefts, rights) = (thinned(&universe, every.0), thinned(&universe, every.1));
        for step in steps::binary(width) {
            let verdict =
                judge::pairs(width, &lefts, &rights, &step, |operands| Interval::apply(&step, operands));
            assert_eq!(verdict.judged, (lefts.len() * rights.len()) as u64);
            assert!(!is_dense(&step) || verdict.is_best(), "{width}: {step:?}: {verdict:?}");
        }
    }
}

#[test]
fn narrow_types_are_steps_too() {
    for width in 1..=3 {
        let universe = Universe::new(width);
        for step in steps::binary(width) {
            let verdict = judge::binary(&universe, &step, |operands| Interval::apply(&step, operands));
            assert!(verdict.is_best(), "{width}: {step:?}: {verdict:?}");
        }
    }
}

#[test]
fn what_a_comparison_tells_is_the_best_arc() {
    let mut universe = Universe::<Interval>::new(4);
    let elements = universe.elements.clone();
    for predicate in steps::predicates() {
        for flags in [Flags::NONE, Flags::SAMESIGN] {
            let step = RangeStep { operation: Operation::Compare(predicate), flags, width: 1 };
            let holds = |left: u32, right: u32| {
                super::reference::result(&step, 4, &[u128::from(left), u128::from(right)]) == Some(1)
            };
            let rights: Vec<u64> = (0..16)
                .map(|left| (0..16).filter(|&right| holds(left, right)).fold(0, |all, bit| all | 1 << bit))
                .collect();
            for &(left, left_members) in &elements {
                for &(right, right_members) in &elements {
                    let kept = (0..16).filter(|&number| {
                        left_members >> number & 1 == 1 && rights[number as usize] & right_members != 0
                    });
                    let set = kept.fold(0u64, |all, bit| all | 1 << bit);
                    let refined = left.refine(predicate, right, flags);
                    assert_eq!(refined, universe.best(set), "{left:?} {predicate:?} {right:?} {flags:?}");
                }
            }
        }
    }
}

#[test]
fn funnel_shifts_are_sound() {
    let three = Universe::<Interval>::new(3);
    let all: Vec<Interval> = three.elements.iter().map(|&(element, _)| element).collect();
    let four: Vec<Interval> = Interval::elements(4).into_iter().step_by(3).collect();
    let amounts: Vec<Interval> = (0..16).map(|amount| Interval::constant(4, amount)).collect();
    for effort in [Effort::PAIRS, Effort::ENDS] {
        let mut total = Verdict::default();
        for step in steps::funnels(3) {
            let lists = [&all[..], &all[..], &all[..]];
            total.add(judge::ternary(3, lists, &step, |it| Interval::apply_with(&step, it, effort)));
        }
        for step in steps::funnels(4) {
            let lists = [&four[..], &four[..], &amounts[..]];
            total.add(judge::ternary(4, lists, &step, |it| Interval::apply_with(&step, it, effort)));
        }
        assert_eq!(total.judged, 600_176);
        let least = if effort.0 == 0 { 532_968 } else { total.judged };
        assert_eq!(total.best, least, "{effort:?}: {total:?}");
    }
}

#[test]
fn the_second_reading_agrees_with_the_first() {
    for width in 1..=5 {
        for step in steps::binary(width) {
            for (left, right) in
                (0..1 << width).flat_map(|left| (0..1 << width).map(move |right| (left, right)))
            {
                let operands = [left, right];
                let second = super::reference::result(&step, width, &operands);
                assert_eq!(evaluate(&step, width, &operands), second, "{step:?} {operands:?}");
            }
        }
        for step in steps::unary(width) {
            for only in 0..1 << width {
                let second = super::reference::result(&step, width, &[only]);
                assert_eq!(evaluate(&step, width, &[only]), second, "{step:?} {only}");
            }
        }
    }
}

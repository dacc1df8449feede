//! Every step backwards at four bits: no operand that leads to the range is
//! left out. And the rules of figure 4.2.

use opcost_ir::Flags;
use opcost_testkit::Random;

use super::{SIZE, WIDTH, binary, ranges, unary};
use crate::ranges::back::operand;
use crate::ranges::{Interval, Operation, RangeStep, ValueRange, evaluate};

/// The step with each set of flags that means something to it.
fn with_flags(step: RangeStep) -> Vec<RangeStep> {
    use Operation::*;
    let flags: &[Flags] = match step.operation {
        Add | Sub | Mul | Shl | Trunc => &[Flags::NUW, Flags::NSW],
        UDiv | SDiv | LShr | AShr => &[Flags::EXACT],
        Or => &[Flags::DISJOINT],
        ZExt => &[Flags::NNEG],
        _ => &[],
    };
    let with = |chosen: usize| {
        let chosen = flags.iter().enumerate().filter(|&(at, _)| chosen >> at & 1 == 1);
        chosen.fold(Flags::NONE, |all, (_, &flag)| all.with(flag))
    };
    (0..1 << flags.len()).map(|chosen| RangeStep { flags: with(chosen), ..step }).collect()
}

#[test]
fn no_operand_is_left_out() {
    let all = ranges(WIDTH, 200);
    let results = [ranges(1, 0), ranges(2, 20), ranges(3, 40), all.clone()];
    let mut random = Random::new(11);
    let (mut kept, mut given) = (0u64, 0u64);
    for step in binary().into_iter().flat_map(with_flags) {
        for _ in 0..500 {
            let constant = ValueRange::constant(WIDTH, u128::from(random.below(16)));
            let left = random.of(&all).clone();
            let right = if random.one_in(2) { constant } else { random.of(&all).clone() };
            let result = random.of(&results[step.width as usize - 1]);
            let found = [0, 1].map(|at| operand(&step, &[&left, &right], at, result));
            for at in 0..SIZE * SIZE {
                let words = [(at / SIZE) as u128, (at % SIZE) as u128];
                if !left.contains(words[0]) || !right.contains(words[1]) {
                    continue;
                }
                given += 1;
                kept += u64::from(found[0].contains(words[0]) && found[1].contains(words[1]));
                let Some(word) = evaluate(&step, WIDTH, &words) else { continue };
                for side in [0, 1] {
                    assert!(
                        !result.contains(word) || found[side].contains(words[side]),
                        "{step:?} of {words:?} is {word} in {result:?}, but operand {side} of {left:?} and {right:?} is {:?}",
                        found[side]
                    );
                }
            }
        }
    }
    // Something is left out.
    assert!(kept * 100 < given * 88, "{kept} of {given}");
}

#[test]
fn one_operand_leads_back() {
    let all = ranges(WIDTH, 60);
    let mut random = Random::new(13);
    for step in unary().into_iter().flat_map(with_flags).filter(|step| step.width <= 5) {
        let results = ranges(step.width, 60);
        for own in &all {
            for _ in 0..20 {
                let result = random.of(&results);
                let found = operand(&step, &[own], 0, result);
                for word in (0..SIZE as u128).filter(|&word| own.contains(word)) {
                    let leads = evaluate(&step, WIDTH, &[word]).is_some_and(|word| result.contains(word));
                    assert!(
                        !leads || found.contains(word),
                        "{step:?} of {word} in {own:?}, {result:?}: {found:?}"
                    );
                }
            }
        }
    }
}

fn arc(low: i128, high: i128) -> ValueRange {
    ValueRange::from(Interval::new(32, low as u32 as u128, high as u32 as u128))
}

#[track_caller]
fn leads(step: RangeStep, operands: &[&ValueRange], result: &ValueRange, low: i128, high: i128) {
    assert_eq!(operand(&step, operands, 0, result).signed_range(), Some((low, high)));
}

/// (a) a sum, (b) a difference, (c) a mask, (d) a cast, (e) what must be in a range.
#[test]
fn the_rules_of_the_document() {
    let any = ValueRange::full(32);
    let kept = |operation| RangeStep { operation, flags: Flags::NSW, width: 32 };
    leads(kept(Operation::Add), &[&any, &arc(1, 3)], &arc(0, 9), -3, 8);
    leads(kept(Operation::Sub), &[&any, &arc(1, 3)], &arc(0, 9), 1, 12);
    leads(RangeStep::new(Operation::Add, 32), &[&arc(0, 100), &arc(1, 3)], &arc(0, 9), 0, 8);
    // Wrapped, but the same.
    leads(RangeStep::new(Operation::Add, 32), &[&any, &arc(1, 1)], &arc(0, 9), -1, 8);
    leads(RangeStep::new(Operation::And, 32), &[&arc(0, 255), &arc(15, 15)], &arc(0, 7), 0, 247);
    leads(RangeStep::new(Operation::And, 32), &[&arc(0, 15), &arc(15, 15)], &arc(0, 7), 0, 7);
    let index = ValueRange::from(Interval::new(64, 0, 9));
    leads(RangeStep::new(Operation::SExt, 64), &[&any], &index, 0, 9);
    leads(
        RangeStep { operation: Operation::Trunc, flags: Flags::NSW, width: 8 },
        &[&any],
        &small(0, 9),
        0,
        9,
    );
    leads(kept(Operation::Mul), &[&any, &arc(4, 4)], &arc(0, 36), 0, 9);
    leads(RangeStep::new(Operation::LShr, 32), &[&any, &arc(4, 4)], &arc(0, 2), 0, 47);
    leads(RangeStep::new(Operation::SDiv, 32), &[&any, &arc(10, 10)], &arc(-1, 2), -19, 29);
    assert!(operand(&kept(Operation::Add), &[&arc(0, 5), &arc(1, 3)], 0, &arc(10, 20)).is_empty());
}

fn small(low: u128, high: u128) -> ValueRange {
    ValueRange::from(Interval::new(8, low, high))
}

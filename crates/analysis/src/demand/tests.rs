//! Every operation at four bits against brute force: whatever lies in the bits
//! of the operands that are not demanded, all at once, the demanded bits of the
//! result stay, for all operands in their ranges.

use opcost_ir::Predicate;
use opcost_testkit::Random;

use super::held;
use super::steps::demanded;
use crate::ranges::word::{low_bits, mask, signed};
use crate::ranges::{Congruence, Interval, KnownBits, Operation, RangeStep, Sign, ValueRange, evaluate};

mod back;
mod modules;

const WIDTH: u32 = 4;
const SIZE: usize = 1 << WIDTH;

/// Steps of two operands of four bits.
fn binary() -> Vec<RangeStep> {
    use Operation::*;
    let alike = [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor, UMin, UMax, SMin, SMax,
        UAddSat, USubSat, SAddSat, SSubSat, UShlSat, SShlSat,
    ];
    let overflows = [UAddOverflow, USubOverflow, UMulOverflow, SAddOverflow, SSubOverflow, SMulOverflow];
    let predicates = Predicate::ALL.iter().copied().filter(|predicate| !predicate.is_float());
    let mut steps: Vec<RangeStep> = alike.map(|operation| RangeStep::new(operation, WIDTH)).into();
    steps.extend(overflows.map(|operation| RangeStep::new(operation, 1)));
    steps.extend([UCmp, SCmp].map(|operation| RangeStep::new(operation, 2)));
    steps.extend(predicates.map(|predicate| RangeStep::new(Compare(predicate), 1)));
    steps
}

fn unary() -> Vec<RangeStep> {
    use Operation::*;
    let mut steps: Vec<RangeStep> = [
        Abs { minimum_is_poison: false },
        LeadingZeros { zero_is_poison: false },
        TrailingZeros { zero_is_poison: false },
        PopulationCount,
        BitReverse,
    ]
    .map(|operation| RangeStep::new(operation, WIDTH))
    .into();
    for width in 1..8 {
        match width {
            1..WIDTH => steps.push(RangeStep::new(Trunc, width)),
            WIDTH => {}
            _ => steps.extend([ZExt, SExt].map(|operation| RangeStep::new(operation, width))),
        }
    }
    steps
}

/// Each set of known bits, and arcs and residue classes with some.
fn ranges(width: u32, more: u64) -> Vec<ValueRange> {
    let size = 1u128 << width;
    let mut ranges: Vec<ValueRange> = (0..size)
        .flat_map(|zeros| (0..size).map(move |ones| (zeros, ones)))
        .filter(|(zeros, ones)| zeros & ones == 0)
        .map(|(zeros, ones)| ValueRange::from(KnownBits::new(width, zeros, ones)))
        .collect();
    let mut random = Random::new(7);
    while ranges.len() < (3usize.pow(width)) + more as usize {
        let mut word = || u128::from(random.below(size as u64));
        let arc = Interval::new(width, word(), word());
        let zeros = word() & word() & word();
        let bits = KnownBits::new(width, zeros, word() & word() & word() & !zeros);
        let class = match random.below(3) {
            0 => Congruence::new(width, u128::from(2 + random.below(4)), u128::from(random.below(2))),
            _ => Congruence::any(width),
        };
        let range = ValueRange::new(arc, bits, class);
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    ranges
}

/// A word as it is read from the bits that it is held in, of which those of
/// `garbage` are changed that are not demanded.
fn read(range: &ValueRange, bits: u128, word: u128, garbage: u128) -> u128 {
    let needed = range.needed_width();
    if needed.bits == 0 {
        return word;
    }
    let changed = (word ^ garbage & !bits) & low_bits(needed.bits);
    match needed.sign {
        Sign::Unsigned => changed,
        Sign::Signed => signed(changed, needed.bits) as u128 & mask(range.type_width()),
    }
}

/// All words that a member may be taken for, as a set.
fn taken_for(range: &ValueRange, bits: u128, word: u128) -> u16 {
    let bits = held(range, bits);
    (0..SIZE as u128).fold(0, |all, garbage| all | 1 << read(range, bits, word, garbage))
}

#[test]
fn two_operands() {
    let ranges = ranges(WIDTH, 120);
    let full = ValueRange::full(WIDTH);
    let mut random = Random::new(3);
    let mut pairs: Vec<(&ValueRange, &ValueRange)> =
        ranges.iter().flat_map(|range| [(range, &full), (&full, range)]).collect();
    pairs.extend((0..500).map(|_| (random.of(&ranges), random.of(&ranges))).collect::<Vec<_>>());
    let (mut asked, mut least) = (0u64, 0u64);
    for step in binary() {
        let table: Vec<Option<u128>> = (0..SIZE * SIZE)
            .map(|at| evaluate(&step, WIDTH, &[(at / SIZE) as u128, (at % SIZE) as u128]))
            .collect();
        // What nobody reads may be left out, but for what stops the machine.
        let stops =
            matches!(step.operation, Operation::UDiv | Operation::SDiv | Operation::URem | Operation::SRem);
        for bits in u128::from(!stops)..1 << step.width {
            let result = |left: usize, right: usize| table[left * SIZE + right].map(|word| word & bits);
            // Left sides that give something else, by what is right and given.
            let others: Vec<Vec<u16>> = (0..SIZE)
                .map(|right| {
                    let wrong = |word| (0..SIZE).filter(move |&left| result(left, right) != Some(word));
                    (0..1 << step.width)
                        .map(|word| wrong(word).fold(0u16, |set, left| set | 1 << left))
                        .collect()
                })
                .collect();
            for &(left_range, right_range) in &pairs {
                let [of_left, of_right, _] = demanded(&step, &[left_range, right_range], bits);
                asked += u64::from(
                    (held(left_range, of_left).count_ones()) + held(right_range, of_right).count_ones(),
                );
                least += 2 * u64::from(WIDTH);
                let sets = |range: &ValueRange, bits: u128| -> Vec<(usize, u16)> {
                    let members = (0..SIZE).filter(|&word| range.contains(word as u128));
                    members.map(|word| (word, taken_for(range, bits, word as u128))).collect()
                };
                let (lefts, rights) = (sets(left_range, of_left), sets(right_range, of_right));
                for &(right, right_set) in &rights {
                    for &(left, left_set) in &lefts {
                        let Some(word) = result(left, right) else { continue };
                        let is_wrong = (0..SIZE).any(|other| {
                            right_set >> other & 1 == 1 && others[other][word as usize] & left_set != 0
                        });
                        assert!(
                            !is_wrong,
                            "{step:?} {bits:#b} of {left} {left_range:?} {of_left:#b} and {right} {right_range:?} {of_right:#b}"
                        );
                    }
                }
            }
        }
    }
    // Not everything is demanded.
    assert!(asked * 100 < least * 70, "{asked} of {least}");
}

/// Brute force over all operands and all garbage.
fn check(step: &RangeStep, ranges: &[&ValueRange], bits: u128) {
    let asked = demanded(step, ranges, bits);
    let sizes: Vec<u128> = ranges.iter().map(|range| 1 << range.type_width()).collect();
    let words = |mut number: u128| -> Vec<u128> {
        sizes.iter().map(|size| (number % size, number /= size).0).collect()
    };
    let count: u128 = sizes.iter().product();
    for number in 0..count {
        let own = words(number);
        if !own.iter().zip(ranges).all(|(&word, range)| range.contains(word)) {
            continue;
        }
        let from = ranges[0].type_width();
        let Some(right) = evaluate(step, from, &own) else { continue };
        for garbage in 0..count {
            let other: Vec<u128> = words(garbage)
                .into_iter()
                .enumerate()
                .map(|(at, garbage)| read(ranges[at], held(ranges[at], asked[at]), own[at], garbage))
                .collect();
            let result = evaluate(step, from, &other);
            assert_eq!(
                result.map(|word| word & bits),
                Some(right & bits),
                "{step:?} {bits:#b} of {own:?}, taken for {other:?}: {ranges:?}, {asked:?}"
            );
        }
    }
}

#[test]
fn one_operand() {
    let ranges = ranges(WIDTH, 200);
    for step in unary() {
        for range in &ranges {
            for bits in 0..1 << step.width {
                check(&step, &[range], bits);
            }
        }
    }
    let bytes = ValueRange::full(32);
    let swap = RangeStep::new(Operation::ByteSwap, 32);
    assert_eq!(demanded(&swap, &[&bytes], 0xff00)[0], 0xff_0000);
}

#[test]
fn three_operands() {
    let (tests, words) = (ranges(1, 0), ranges(2, 10));
    let mut random = Random::new(5);
    for _ in 0..60 {
        let [one, two, three] = [random.of(&words), random.of(&words), random.of(&words)];
        for bits in 0..4 {
            check(&RangeStep::new(Operation::Select, 2), &[random.of(&tests), one, two], bits);
            check(&RangeStep::new(Operation::FShl, 2), &[one, two, three], bits);
            check(&RangeStep::new(Operation::FShr, 2), &[one, two, three], bits);
        }
    }
    // No power of two, and amounts above it.
    for amount in (0..8).map(|amount| ValueRange::constant(3, amount)).chain([ValueRange::full(3)]) {
        for bits in 0..8 {
            let full = ValueRange::full(3);
            check(&RangeStep::new(Operation::FShl, 3), &[&full, &full, &amount], bits);
            check(&RangeStep::new(Operation::FShr, 3), &[&full, &full, &amount], bits);
        }
    }
}

#[test]
fn carries_stop_at_known_bits() {
    let asked = |operation, left: KnownBits, right: KnownBits, bits| {
        let [left, right] = [left, right].map(ValueRange::from);
        demanded(&RangeStep::new(operation, 8), &[&left, &right], bits)
    };
    let any = KnownBits::unknown(8);
    assert_eq!(asked(Operation::Add, any, any, 0b0001_0000), [0b1_1111, 0b1_1111, 0]);
    // Beside zeros at the end low bits do not matter.
    let high = KnownBits::new(8, 0x0f, 0);
    assert_eq!(asked(Operation::Add, any, high, 0b0011_0000)[0], 0b0011_0000);
    // Nothing comes through where both have a zero.
    let gap = KnownBits::new(8, 0b1000, 0);
    assert_eq!(asked(Operation::Add, gap, gap, 0b0010_0000), [0b11_1000, 0b11_1000, 0]);
    assert_eq!(asked(Operation::Mul, any, KnownBits::new(8, 7, 0), 0x3f)[0], 7);
    assert_eq!(asked(Operation::Sub, any, any, 0x80), [0xff, 0xff, 0]);
}

//! Floating point ranges against the machine, and the machine against real
//! arithmetic: ends that are special, pairs drawn from them, exact integers.

use opcost_ir::Predicate;
use opcost_testkit::Random;

use crate::ranges::floating::significant_bits;
use crate::ranges::{FloatOperation, FloatRange, FloatStep, Format, Interval, Sign, ValueRange};

/// Of one or two operands.
const OPERATIONS: [FloatOperation; 19] = {
    use FloatOperation::*;
    [
        Add, Sub, Mul, Div, Rem, Neg, Abs, Sqrt, Floor, Ceil, Trunc, Round, RoundEven, MinNum, MaxNum,
        Minimum, Maximum, MinimumNum, MaximumNum,
    ]
};

const FORMATS: [Format; 2] = [Format::Single, Format::Double];

fn special(format: Format) -> Vec<f64> {
    let (tiny, least, most, whole) = match format {
        Format::Single => {
            (f64::from(f32::from_bits(1)), f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX), 24)
        }
        Format::Double => (f64::from_bits(1), f64::MIN_POSITIVE, f64::MAX, 53),
    };
    let whole = 2f64.powi(whole);
    let up = [0.0, tiny, least, 0.1, 0.5, 1.0, 1.5, 2.5, 3.0, 100.0, whole - 1.0, whole, whole + 2.0, most];
    let numbers = up.map(|number| format.rounded(number));
    numbers.into_iter().chain([f64::INFINITY]).flat_map(|number| [number, -number]).collect()
}

fn number(random: &mut Random, format: Format, special: &[f64]) -> f64 {
    let any = f64::from_bits(random.number());
    let number = match random.below(4) {
        0 => *random.of(special),
        1 if !any.is_nan() => any,
        2 => (random.below(2001) as f64) - 1000.0,
        _ => (random.number() as i64 as f64) * 2f64.powi(-(random.below(80) as i32)),
    };
    format.rounded(number)
}

/// What the machine computes.
fn machine(operation: FloatOperation, format: Format, left: f64, right: f64) -> f64 {
    use FloatOperation::*;
    let (a, b) = (left as f32, right as f32);
    let single = |single: f32, double: f64| if format == Format::Single { f64::from(single) } else { double };
    match operation {
        Add => single(a + b, left + right),
        Sub => single(a - b, left - right),
        Mul => single(a * b, left * right),
        Div => single(a / b, left / right),
        Rem => single(a % b, left % right),
        Neg => -left,
        Abs => left.abs(),
        Sqrt => single(a.sqrt(), left.sqrt()),
        Floor => left.floor(),
        Ceil => left.ceil(),
        Trunc => left.trunc(),
        Round => left.round(),
        RoundEven => left.round_ties_even(),
        MinNum | MinimumNum => left.min(right),
        MaxNum | MaximumNum => left.max(right),
        _ if left.is_nan() || right.is_nan() => f64::NAN,
        Minimum => left.min(right),
        Maximum => left.max(right),
        MulAdd => unreachable!("it has a test of its own"),
    }
}

/// A range with some of its members.
fn range(random: &mut Random, format: Format, special: &[f64]) -> (FloatRange, Vec<f64>) {
    let is_integral = random.one_in(3);
    let mut members: Vec<f64> = (0..1 + random.below(3))
        .map(|_| number(random, format, special))
        .map(|number| if is_integral { number.round() } else { number })
        .collect();
    let (low, high) = (
        members.iter().copied().fold(f64::INFINITY, f64::min),
        members.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let bits = members.iter().map(|&member| significant_bits(member)).max().unwrap_or(0);
    let mut range = FloatRange::new(format, low, high).of_integers_only(is_integral);
    if random.one_in(3) {
        range = range.with_significant_bits(bits);
    }
    if range.contains(0.0) {
        members.extend([0.0, -0.0]);
    }
    if random.one_in(4) {
        range = range.or_nan(true);
        members.push(f64::NAN);
    }
    for &member in &members {
        assert!(range.contains(member), "{range:?} without {member:?}");
    }
    (range, members)
}

#[test]
fn integers_in_doubles_need_few_bits() {
    let pixel = ValueRange::from(Interval::new(32, 0, 255));
    let pixel = FloatRange::of_integer(Format::Double, &pixel, Sign::Unsigned);
    assert_eq!((pixel.ends(), pixel.is_integral(), pixel.significant_bits()), (Some((0.0, 255.0)), true, 8));
    let step = |operation| FloatStep { operation, format: Format::Double, is_relaxed: false };
    let square = FloatRange::apply(&step(FloatOperation::Mul), &[pixel, pixel]);
    assert_eq!((square.ends(), square.significant_bits()), (Some((0.0, 65025.0)), 16));
    let half = FloatRange::constant(Format::Double, 0.5);
    let scaled = FloatRange::apply(&step(FloatOperation::Mul), &[square, half]);
    assert!(!scaled.is_integral());
    let back = scaled.to_integer(32, Sign::Signed);
    assert_eq!(back.unsigned_range(), Some((0, 32512)));
    assert_eq!(back.needed_width().bits, 15);
    let relaxed = FloatStep { is_relaxed: true, ..step(FloatOperation::Add) };
    assert_eq!(FloatRange::apply(&relaxed, &[pixel, pixel]), FloatRange::full(Format::Double));
}

#[test]
fn what_the_machine_computes_is_in_the_range() {
    let mut random = Random::new(1);
    for format in FORMATS {
        let special = special(format);
        for operation in OPERATIONS {
            let step = FloatStep { operation, format, is_relaxed: false };
            for _ in 0..4000 {
                let operands = [range(&mut random, format, &special), range(&mut random, format, &special)];
                let ranges = [operands[0].0, operands[1].0];
                let claimed = FloatRange::apply(&step, &ranges[..operation.operands()]);
                for &left in &operands[0].1 {
                    for &right in &operands[1].1 {
                        let result = machine(operation, format, left, right);
                        assert!(
                            claimed.contains(result),
                            "{operation:?} {format:?} {left:?} {right:?} = {result:?}: {ranges:?} gave {claimed:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_product_and_a_sum_are_rounded_once_or_twice() {
    let mut random = Random::new(3);
    let mut integral = 0;
    for format in FORMATS {
        let special = special(format);
        let step = FloatStep { operation: FloatOperation::MulAdd, format, is_relaxed: false };
        for _ in 0..20_000 {
            let mut one = || range(&mut random, format, &special);
            let operands = [one(), one(), one()];
            let ranges = [operands[0].0, operands[1].0, operands[2].0];
            let claimed = FloatRange::apply(&step, &ranges);
            integral += u32::from(claimed.is_integral());
            for &a in &operands[0].1 {
                for &b in &operands[1].1 {
                    for &c in &operands[2].1 {
                        let (once, twice) = match format {
                            Format::Single => {
                                let (a, b, c) = (a as f32, b as f32, c as f32);
                                (f64::from(a.mul_add(b, c)), f64::from(a * b + c))
                            }
                            Format::Double => (a.mul_add(b, c), a * b + c),
                        };
                        for result in [once, twice] {
                            assert!(
                                claimed.contains(result),
                                "{a:?} {b:?} {c:?} = {result:?}: {ranges:?} gave {claimed:?}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(integral > 500, "integers stay integers: {integral}");
}

#[test]
fn special_ends_are_met_exactly() {
    use FloatOperation::*;
    for format in FORMATS {
        let special = special(format);
        let mut intervals = Vec::new();
        for &low in &special {
            intervals.extend(special.iter().filter(|&&high| low <= high).map(|&high| (low, high)));
        }
        let intervals: Vec<_> = intervals.into_iter().step_by(7).collect();
        for operation in [Add, Sub, Mul, Abs, Neg, Floor, Sqrt, Minimum, Maximum, MinimumNum] {
            let step = FloatStep { operation, format, is_relaxed: false };
            for &left in &intervals {
                for &right in if operation.operands() == 1 { &intervals[..1] } else { &intervals[..] } {
                    let ranges = [left, right].map(|(low, high)| FloatRange::new(format, low, high));
                    let within = |ends: (f64, f64)| {
                        special.iter().copied().filter(move |&it| ends.0 <= it && it <= ends.1)
                    };
                    let results = within(left)
                        .flat_map(|one| within(right).map(move |two| machine(operation, format, one, two)));
                    let results: Vec<f64> = results.collect();
                    let numbers = || results.iter().copied().filter(|it| !it.is_nan());
                    let seen = numbers().reduce(f64::min).zip(numbers().reduce(f64::max));
                    let claimed = FloatRange::apply(&step, &ranges[..operation.operands()]);
                    assert_eq!(claimed.ends(), seen, "{step:?} {ranges:?}");
                    // NaN may come from numbers between these: never less is said.
                    assert!(claimed.may_be_nan() || results.iter().all(|it| !it.is_nan()));
                }
            }
        }
    }
}

#[test]
fn the_machine_rounds_real_numbers_to_the_nearest() {
    let mut random = Random::new(2);
    let mut judged = 0;
    for _ in 0..200_000 {
        // Integers times powers of two, so that the exact result is an integer.
        let mut part = |bits: u64| {
            let magnitude = i128::from(random.number() >> (64 - 1 - random.below(bits)));
            (if random.one_in(2) { -magnitude } else { magnitude }, random.below(40) as i32)
        };
        let ((left, left_shift), (right, right_shift)) = (part(53), part(53));
        let (a, b) = (left as f64 * 2f64.powi(-left_shift), right as f64 * 2f64.powi(-right_shift));
        let (ra, rb) = (FloatRange::constant(Format::Double, a), FloatRange::constant(Format::Double, b));
        let step = |operation| FloatStep { operation, format: Format::Double, is_relaxed: false };
        let sum = (left << (40 - left_shift)) + (right << (40 - right_shift));
        let exact = sum as f64 * 2f64.powi(-40);
        assert_eq!(
            FloatRange::apply(&step(FloatOperation::Add), &[ra, rb]).ends(),
            Some((exact + 0.0, exact + 0.0))
        );
        let product = (left * right) as f64 * 2f64.powi(-left_shift - right_shift) + 0.0;
        assert_eq!(FloatRange::apply(&step(FloatOperation::Mul), &[ra, rb]).ends(), Some((product, product)));
        // A float is a double rounded once more: harmless for one operation.
        let (a, b) = (f64::from(a as f32), f64::from(b as f32));
        for (operation, wide) in
            [(FloatOperation::Add, a + b), (FloatOperation::Mul, a * b), (FloatOperation::Div, a / b)]
        {
            let step = FloatStep { operation, format: Format::Single, is_relaxed: false };
            let ranges = [a, b].map(|number| FloatRange::constant(Format::Single, number));
            let narrow = f64::from(wide as f32) + 0.0;
            if wide.is_finite() {
                assert_eq!(FloatRange::apply(&step, &ranges).ends(), Some((narrow, narrow)));
                judged += 1;
            }
        }
    }
    assert!(judged > 500_000, "{judged}");
}

#[test]
fn bounds_from_elsewhere_are_rounded_outwards() {
    let third = 1.0 / 3.0;
    let (low, high) = FloatRange::new(Format::Single, third, third).ends().expect("two floats");
    assert!(low < third && third < high);
    assert_eq!((low as f32).next_up(), high as f32);
    assert_eq!(FloatRange::new(Format::Single, 0.5, 0.75).ends(), Some((0.5, 0.75)));
    assert!(FloatRange::new(Format::Double, 1.0, 0.0).is_empty());
}

#[test]
fn integers_go_there_and_come_back() {
    let mut random = Random::new(3);
    for _ in 0..100_000 {
        let width = *random.of(&[1u32, 8, 16, 32, 64, 128]);
        let mask = u128::MAX >> (128 - width);
        let any = u128::from(random.number()) << 64 | u128::from(random.number());
        let value = (any >> random.below(128)) & mask;
        let other = if random.one_in(2) { value } else { (any >> random.below(128)) & mask };
        let arc = Interval::constant(width, value).join(Interval::constant(width, other));
        let range = ValueRange::from(arc);
        let signed = ((value << (128 - width)) as i128) >> (128 - width);
        for format in FORMATS {
            let plain = match format {
                Format::Single => (f64::from(value as f32), f64::from(signed as f32)),
                Format::Double => (value as f64, signed as f64),
            };
            for (sign, number) in [(Sign::Unsigned, plain.0), (Sign::Signed, plain.1)] {
                let there = FloatRange::of_integer(format, &range, sign);
                assert!(there.contains(number) && there.is_integral(), "{range:?} {there:?} {number:?}");
                let is_exact = match sign {
                    Sign::Unsigned => number < 3e38 && number as u128 == value,
                    Sign::Signed => number < 1.7e38 && number as i128 == signed,
                };
                let back = there.to_integer(width, sign);
                assert!(!is_exact || back.contains(value), "{range:?} {there:?} {back:?} {value}");
                assert!(there.to_integer_saturating(width, sign).contains(value) || !is_exact);
            }
        }
    }
}

#[test]
fn conversions_to_integers_drop_fractions_and_what_does_not_fit() {
    let mut random = Random::new(4);
    for format in FORMATS {
        let special = special(format);
        for _ in 0..60_000 {
            let (range, members) = range(&mut random, format, &special);
            let signed = (range.to_integer(32, Sign::Signed), range.to_integer_saturating(32, Sign::Signed));
            let unsigned =
                (range.to_integer(32, Sign::Unsigned), range.to_integer_saturating(32, Sign::Unsigned));
            for &member in &members {
                let whole = member.trunc();
                let word = u128::from(member as i32 as u32);
                let fits = (-2147483648.0..2147483648.0).contains(&whole);
                assert!(!fits || signed.0.contains(word), "{range:?} {member:?} {signed:?}");
                assert!(signed.1.contains(word), "{range:?} {member:?} {signed:?}");
                let word = u128::from(member as u32);
                let fits = (0.0..4294967296.0).contains(&whole);
                assert!(!fits || unsigned.0.contains(word), "{range:?} {member:?} {unsigned:?}");
                assert!(unsigned.1.contains(word), "{range:?} {member:?} {unsigned:?}");
            }
            let other = if format == Format::Single { Format::Double } else { Format::Single };
            let converted = range.converted(other);
            for &member in &members {
                assert!(converted.contains(other.rounded(member)), "{range:?} {converted:?} {member:?}");
            }
        }
    }
    let nan = FloatRange::nan(Format::Double);
    assert!(nan.to_integer(8, Sign::Signed).is_empty());
    assert_eq!(nan.to_integer_saturating(8, Sign::Signed).as_constant(), Some(0));
}

#[test]
fn comparisons_joins_and_meets_keep_what_they_must() {
    let mut random = Random::new(5);
    let predicates: Vec<Predicate> =
        Predicate::ALL.iter().copied().filter(|predicate| predicate.is_float()).collect();
    for format in FORMATS {
        let special = special(format);
        for _ in 0..20_000 {
            let (left, left_members) = range(&mut random, format, &special);
            let (right, right_members) = range(&mut random, format, &special);
            let predicate = *random.of(&predicates);
            let (result, refined) = (left.compared(predicate, right), left.refine(predicate, right));
            let (joined, met, widened) = (left.join(right), left.meet(right), left.widen(right));
            for &one in &left_members {
                for &two in &right_members {
                    let is_true = holds(predicate, one, two);
                    assert!(result.contains(u128::from(is_true)), "{left:?} {predicate:?} {right:?}");
                    assert!(
                        !is_true || refined.contains(one),
                        "{left:?} {predicate:?} {right:?}: {refined:?} {one}"
                    );
                }
                assert!(joined.contains(one) && widened.contains(one));
                assert!(!right.contains(one) || met.contains(one), "{left:?} {right:?} {met:?}");
            }
            assert!(right_members.iter().all(|&two| joined.contains(two) && widened.contains(two)));
        }
    }
}

/// The word of a predicate says it: `u` or `o`, then what is compared.
fn holds(predicate: Predicate, left: f64, right: f64) -> bool {
    let name = predicate.name();
    match name {
        "false" => return false,
        "true" => return true,
        "ord" => return !left.is_nan() && !right.is_nan(),
        "uno" => return left.is_nan() || right.is_nan(),
        _ => {}
    }
    if left.is_nan() || right.is_nan() {
        return name.starts_with('u');
    }
    match &name[1..] {
        "eq" => left == right,
        "ne" => left != right,
        "lt" => left < right,
        "le" => left <= right,
        "gt" => left > right,
        _ => left >= right,
    }
}

#[test]
fn significant_bits_are_counted() {
    let counts =
        [(0.0, 0), (1.0, 1), (3.0, 2), (-6.0, 2), (0.1, 52), (255.0, 8), (f64::MAX, 53), (f64::INFINITY, 0)];
    for (number, bits) in counts {
        assert_eq!(significant_bits(number), bits, "{number}");
    }
    assert_eq!(significant_bits(f64::from_bits(0b1010)), 3);
    let seen = FloatRange::observed(Format::Double, [1.0, 96.0, 7.0]);
    assert_eq!((seen.ends(), seen.significant_bits(), seen.is_integral()), (Some((1.0, 96.0)), 3, true));
}

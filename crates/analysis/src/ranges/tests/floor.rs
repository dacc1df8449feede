//! What LLVM's `KnownBits` can tell of products, quotients and remainders, as
//! its documentation and tests describe it: a floor for ours.
//!
//! - product: zeros above what the greatest values need; the lowest bits that
//!   are certain; with `nsw`, the sign where both signs are known;
//! - quotient: zeros above (ones, if negative) what the greatest quotient needs;
//!   with `exact`, the zeros at the end, and oddness;
//! - remainder: the lowest bits where the divisor has zeros at its end; zeros
//!   above divisor and dividend; the sign of the dividend.
//!
//! Written over plain numbers of a few bits, from the idea alone.

use crate::ranges::{KnownBits, Operation, RangeStep};
use opcost_ir::Flags;

fn low(count: u32) -> u128 {
    (1 << count) - 1
}

fn length(number: u128) -> u32 {
    128 - number.leading_zeros()
}

fn zeros_at_end(of: KnownBits) -> u32 {
    (!of.zeros()).trailing_zeros().min(of.type_width())
}

fn known_at_end(of: KnownBits) -> u32 {
    of.unknown_bits().trailing_zeros().min(of.type_width())
}

/// Zeros above the lowest `length` bits.
fn below(width: u32, length: u32) -> KnownBits {
    KnownBits::new(width, low(width) & !low(length.min(width)), 0)
}

pub(super) fn known(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
    if left.as_constant() == Some(0) {
        return left;
    }
    match step.operation {
        Operation::Mul => product(step, left, right),
        Operation::UDiv => quotient(step, left, right),
        Operation::SDiv => signed_quotient(step, left, right),
        Operation::URem => {
            let most = left.unsigned_range().unwrap().1.min(right.unsigned_range().unwrap().1);
            lowest_of_remainder(left, right).meet(below(step.width, length(most))).meet(by_power(left, right))
        }
        _ => signed_remainder(step, left, right),
    }
}

fn product(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
    let width = step.width;
    let most = left.unsigned_range().unwrap().1 * right.unsigned_range().unwrap().1;
    let zeros = zeros_at_end(left) + zeros_at_end(right);
    let certain = (known_at_end(left) - zeros_at_end(left)).min(known_at_end(right) - zeros_at_end(right));
    let bits = low((zeros + certain).min(width));
    let (left_end, right_end) = (low(known_at_end(left)), low(known_at_end(right)));
    let lowest = ((left.ones() & left_end) * (right.ones() & right_end)) & bits;
    let known = below(width, length(most)).meet(KnownBits::new(width, !lowest & bits, lowest));
    if !step.flags.has(Flags::NSW) {
        return known;
    }
    let half = 1 << (width - 1);
    let sign = |of: KnownBits| match (of.zeros() & half != 0, of.ones() & half != 0) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    };
    match (sign(left), sign(right)) {
        (Some(a), Some(b)) if a == b => known.meet(KnownBits::new(width, half, 0)),
        (Some(true), Some(false)) if right.ones() != 0 => known.meet(KnownBits::new(width, 0, half)),
        (Some(false), Some(true)) if left.ones() != 0 => known.meet(KnownBits::new(width, 0, half)),
        _ => known,
    }
}

fn exact_end(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
    let width = step.width;
    let mut known = KnownBits::new(width, 0, 0);
    if !step.flags.has(Flags::EXACT) {
        return known;
    }
    let most = |of: KnownBits| of.ones().trailing_zeros().min(width) as i32;
    let least = |of: KnownBits| zeros_at_end(of) as i32;
    let (from, to) = (least(left) - most(right), most(left) - least(right));
    if from >= 0 {
        known = known.meet(KnownBits::new(width, low(from as u32), 0));
        if from == to && (from as u32) < width {
            known = known.meet(KnownBits::new(width, 0, 1 << from));
        }
    }
    if left.ones() & 1 == 1 {
        known = known.meet(KnownBits::new(width, 0, 1));
    }
    known
}

fn quotient(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
    let (most, least) = (left.unsigned_range().unwrap().1, right.unsigned_range().unwrap().0);
    let most = most.checked_div(least).unwrap_or(most);
    below(step.width, length(most)).meet(exact_end(step, left, right))
}

fn signed_quotient(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
    let width = step.width;
    let (left_ends, right_ends) = (left.signed_range().unwrap(), right.signed_range().unwrap());
    let end = exact_end(step, left, right);
    let size = 1i128 << width;
    // Quotients away from zero, where both signs are certain.
    let most = if left_ends.1 < 0 && right_ends.1 < 0 {
        // The least number by -1 overflows: what is left is not negative.
        (left_ends.0 / right_ends.1).min(size / 2 - 1)
    } else if left_ends.1 < 0 && right_ends.0 >= 0 && -left_ends.1 >= right_ends.1 {
        left_ends.0 / right_ends.0.max(1)
    } else if left_ends.0 > 0 && right_ends.1 < 0 && left_ends.0 >= -right_ends.0 {
        left_ends.1 / right_ends.1
    } else if left_ends.0 >= 0 && right_ends.0 >= 0 {
        left_ends.1 / right_ends.0.max(1)
    } else {
        return end;
    };
    let known = if most < 0 {
        let zeros = low(width) & !low(length(!most as u128));
        KnownBits::new(width, 0, zeros)
    } else {
        below(width, length(most as u128))
    };
    known.meet(end)
}

fn lowest_of_remainder(left: KnownBits, right: KnownBits) -> KnownBits {
    let kept = low(zeros_at_end(right));
    KnownBits::new(left.type_width(), left.zeros() & kept, left.ones() & kept)
}

/// By a power of two: the bits above are gone.
fn by_power(left: KnownBits, right: KnownBits) -> KnownBits {
    match right.as_constant() {
        Some(power) if power.is_power_of_two() => below(left.type_width(), power.trailing_zeros()),
        _ => KnownBits::new(left.type_width(), 0, 0),
    }
}

fn signed_remainder(step: &RangeStep, left: KnownBits, right: KnownBits) -> KnownBits {
    let (width, half) = (step.width, 1u128 << (step.width - 1));
    let known = lowest_of_remainder(left, right);
    let (is_negative, is_not) = (left.ones() & half != 0, left.zeros() & half != 0);
    if let Some(power) = right.as_constant().filter(|power| power.is_power_of_two() && *power != half) {
        let above = low(width) & !low(power.trailing_zeros());
        if is_not || left.zeros() & low(power.trailing_zeros()) == low(power.trailing_zeros()) {
            return known.meet(KnownBits::new(width, above, 0));
        }
        if is_negative && left.ones() & low(power.trailing_zeros()) != 0 {
            return known.meet(KnownBits::new(width, 0, above));
        }
        return known;
    }
    if is_not {
        let magnitude = |end: i128| end.unsigned_abs();
        let ends = right.signed_range().unwrap();
        let most = left.unsigned_range().unwrap().1.min(magnitude(ends.0).max(magnitude(ends.1)));
        return known.meet(below(width, length(most)));
    }
    if is_negative && known.ones() != 0 {
        return known.meet(KnownBits::new(width, 0, half));
    }
    known
}

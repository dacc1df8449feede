//! What does a step do to numbers?
//!
//! LLVM's meaning of each operation on words of 1 to 128 bits. No answer means
//! that the result is poison or that the operation is undefined there (a
//! division by zero), so that no range has to hold it. Cost: constant.
//! Source: LLVM's language reference. The referee is a second reading of it in
//! the tests, over wider numbers.

use opcost_ir::{Flags, Predicate};

use super::operation::{Operation, RangeStep};
use super::word::{magnitude, mask, negated, product_within, reversed, sign_bit, signed};

/// The result of a step on these words, the first of `from` bits. None if it is poison or
/// undefined, or if there are too few operands.
pub fn evaluate(step: &RangeStep, from: u32, operands: &[u128]) -> Option<u128> {
    match *operands {
        [only] => unary(step, from, only),
        [left, right] => binary(step, from, left, right),
        [first, second, third] => ternary(step, first, second, third),
        _ => None,
    }
}

fn unary(step: &RangeStep, from: u32, word: u128) -> Option<u128> {
    let (flags, result) = (step.flags, mask(step.width));
    match step.operation {
        Operation::Trunc => {
            let fits = |extended: u128| extended & mask(from) == word;
            let kept = word & result;
            let broken = flags.has(Flags::NUW) && !fits(kept)
                || flags.has(Flags::NSW) && !fits(signed(kept, step.width) as u128);
            (!broken).then_some(kept)
        }
        Operation::Square => unless_wrapped(product(word, word, from), flags),
        Operation::ZExt => (!flags.has(Flags::NNEG) || word & sign_bit(from) == 0).then_some(word),
        Operation::SExt => Some(signed(word, from) as u128 & result),
        Operation::Abs { minimum_is_poison } => {
            (!minimum_is_poison || word != sign_bit(from)).then(|| magnitude(word, from))
        }
        Operation::PopulationCount => Some(u128::from(word.count_ones()) & result),
        Operation::LeadingZeros { zero_is_poison } => {
            let count = word.leading_zeros() - (128 - from);
            (!zero_is_poison || word != 0).then_some(u128::from(count) & result)
        }
        Operation::TrailingZeros { zero_is_poison } => {
            let count = word.trailing_zeros().min(from);
            (!zero_is_poison || word != 0).then_some(u128::from(count) & result)
        }
        Operation::ByteSwap => Some(reversed(word, from, 8)),
        Operation::BitReverse => Some(reversed(word, from, 1)),
        _ => None,
    }
}

fn ternary(step: &RangeStep, first: u128, second: u128, third: u128) -> Option<u128> {
    let width = step.width;
    let amount = (third % u128::from(width)) as u32;
    match step.operation {
        Operation::Select => Some(if first != 0 { second } else { third }),
        Operation::FShl if amount == 0 => Some(first),
        Operation::FShr if amount == 0 => Some(second),
        Operation::FShl => Some((first << amount | second >> (width - amount)) & mask(width)),
        Operation::FShr => Some((first << (width - amount) | second >> amount) & mask(width)),
        _ => None,
    }
}

/// A sum, difference or product, and whether it is another number in truth.
struct Wrapped {
    value: u128,
    unsigned: bool,
    signed: bool,
}

fn sum(left: u128, right: u128, width: u32) -> Wrapped {
    let sum = left.wrapping_add(right) & mask(width);
    let signed = (left ^ sum) & (right ^ sum) & sign_bit(width) != 0;
    Wrapped { value: sum, unsigned: sum < left, signed }
}

fn difference(left: u128, right: u128, width: u32) -> Wrapped {
    let difference = left.wrapping_sub(right) & mask(width);
    let signed = (left ^ right) & (left ^ difference) & sign_bit(width) != 0;
    Wrapped { value: difference, unsigned: right > left, signed }
}

fn product(left: u128, right: u128, width: u32) -> Wrapped {
    let product = left.wrapping_mul(right) & mask(width);
    let is_negative = (left ^ right) & sign_bit(width) != 0;
    let limit = if is_negative { sign_bit(width) } else { sign_bit(width) - 1 };
    let signed = product_within(magnitude(left, width), magnitude(right, width), limit).is_none();
    Wrapped { value: product, unsigned: product_within(left, right, mask(width)).is_none(), signed }
}

fn unless_wrapped(of: Wrapped, flags: Flags) -> Option<u128> {
    let broken = flags.has(Flags::NUW) && of.unsigned || flags.has(Flags::NSW) && of.signed;
    (!broken).then_some(of.value)
}

fn binary(step: &RangeStep, width: u32, left: u128, right: u128) -> Option<u128> {
    use Operation::*;
    let flags = step.flags;
    let (signed_left, signed_right) = (signed(left, width), signed(right, width));
    let bit = |is_set: bool| Some(u128::from(is_set));
    match step.operation {
        Add => unless_wrapped(sum(left, right, width), flags),
        Sub => unless_wrapped(difference(left, right, width), flags),
        Mul => unless_wrapped(product(left, right, width), flags),
        UDiv | SDiv | URem | SRem => division(step, width, left, right),
        Shl | LShr | AShr | UShlSat | SShlSat => shift(step, width, left, right),
        And => Some(left & right),
        Or => (!flags.has(Flags::DISJOINT) || left & right == 0).then_some(left | right),
        Xor => Some(left ^ right),
        UMin => Some(left.min(right)),
        UMax => Some(left.max(right)),
        SMin => Some(if signed_left < signed_right { left } else { right }),
        SMax => Some(if signed_left > signed_right { left } else { right }),
        UAddSat => saturated(sum(left, right, width), mask(width)),
        USubSat => Some(left.saturating_sub(right)),
        SAddSat => signed_saturated(sum(left, right, width), signed_left < 0, width),
        SSubSat => signed_saturated(difference(left, right, width), signed_left < 0, width),
        UAddOverflow => bit(sum(left, right, width).unsigned),
        USubOverflow => bit(left < right),
        UMulOverflow => bit(product(left, right, width).unsigned),
        SAddOverflow => bit(sum(left, right, width).signed),
        SSubOverflow => bit(difference(left, right, width).signed),
        SMulOverflow => bit(product(left, right, width).signed),
        UCmp => Some(ordering(left.cmp(&right), step.width)),
        SCmp => Some(ordering(signed_left.cmp(&signed_right), step.width)),
        Compare(predicate) => {
            let broken = flags.has(Flags::SAMESIGN) && (signed_left < 0) != (signed_right < 0);
            if broken { None } else { bit(holds(predicate, left, right, width)?) }
        }
        _ => None,
    }
}

fn saturated(of: Wrapped, limit: u128) -> Option<u128> {
    Some(if of.unsigned { limit } else { of.value })
}

fn signed_saturated(of: Wrapped, is_negative: bool, width: u32) -> Option<u128> {
    Some(match (of.signed, is_negative) {
        (false, _) => of.value,
        (true, true) => sign_bit(width),
        (true, false) => sign_bit(width) - 1,
    })
}

fn ordering(ordering: std::cmp::Ordering, width: u32) -> u128 {
    ordering as i8 as i128 as u128 & mask(width)
}

fn holds(predicate: Predicate, left: u128, right: u128, width: u32) -> Option<bool> {
    let (signed_left, signed_right) = (signed(left, width), signed(right, width));
    Some(match predicate {
        Predicate::Eq => left == right,
        Predicate::Ne => left != right,
        Predicate::Ugt => left > right,
        Predicate::Uge => left >= right,
        Predicate::Ult => left < right,
        Predicate::Ule => left <= right,
        Predicate::Sgt => signed_left > signed_right,
        Predicate::Sge => signed_left >= signed_right,
        Predicate::Slt => signed_left < signed_right,
        Predicate::Sle => signed_left <= signed_right,
        _ => return None,
    })
}

fn division(step: &RangeStep, width: u32, left: u128, right: u128) -> Option<u128> {
    let is_signed = matches!(step.operation, Operation::SDiv | Operation::SRem);
    if right == 0 || is_signed && left == sign_bit(width) && right == mask(width) {
        return None;
    }
    let (of, by) = if is_signed { (magnitude(left, width), magnitude(right, width)) } else { (left, right) };
    let (quotient, rest) = (of / by, of % by);
    let sign = |negative: u128, value: u128| {
        if is_signed && negative & sign_bit(width) != 0 { negated(value, width) } else { value }
    };
    match step.operation {
        Operation::UDiv | Operation::SDiv => {
            let broken = step.flags.has(Flags::EXACT) && rest != 0;
            (!broken).then(|| sign(left ^ right, quotient))
        }
        _ => Some(sign(left, rest)),
    }
}

fn shift(step: &RangeStep, width: u32, left: u128, right: u128) -> Option<u128> {
    let amount = u32::try_from(right).ok().filter(|&amount| amount < width)?;
    let flags = step.flags;
    let shifted = left << amount & mask(width);
    let wrapped = Wrapped {
        value: shifted,
        unsigned: shifted >> amount != left,
        signed: signed(shifted, width) >> amount != signed(left, width),
    };
    let lost = flags.has(Flags::EXACT) && left >> amount << amount != left;
    match step.operation {
        Operation::Shl => unless_wrapped(wrapped, flags),
        Operation::UShlSat => saturated(wrapped, mask(width)),
        Operation::SShlSat => signed_saturated(wrapped, signed(left, width) < 0, width),
        Operation::LShr => (!lost).then_some(left >> amount),
        Operation::AShr => (!lost).then_some((signed(left, width) >> amount) as u128 & mask(width)),
        _ => None,
    }
}

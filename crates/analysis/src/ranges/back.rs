//! Which values can an operand have, if the result is in a range?
//!
//! The other direction of a step: given the range that the result must be in and those of all
//! operands, a range of one operand. Rules (a) to (g) of figure 4.2 of the bit width document, in
//! wrapped arithmetic: a sum leads back to a difference, a mask to the bits that it lets through, a
//! cast to the cast back as far as the operand fits; a join (f) and a split (g) are matters of the
//! code and not of a step. Promises of the step are believed, because what breaks them is poison,
//! and that is no result. What is not listed gives what is known of the operand.
//!
//! Cost: that of a step of the domains.

use opcost_ir::Flags;

use crate::ranges::word::{low_bits, mask, product_within, sign_bit, signed};
use crate::ranges::{Interval, KnownBits, Operation, RangeStep, Sign, ValueRange};

/// What the operand at `position` can be.
pub fn operand(
    step: &RangeStep,
    operands: &[&ValueRange],
    position: usize,
    result: &ValueRange,
) -> ValueRange {
    let own = operands[position];
    match found(step, operands, position, result) {
        Some(found) => own.meet(&found),
        None => own.clone(),
    }
}

fn found(
    step: &RangeStep,
    operands: &[&ValueRange],
    position: usize,
    result: &ValueRange,
) -> Option<ValueRange> {
    use Operation::*;
    let (own, width) = (operands[position], operands[position].type_width());
    let other = || operands[1 - position];
    let wraps = kept(step.flags, &[Flags::NUW, Flags::NSW]);
    let make = |operation, flags, list: [&ValueRange; 2]| {
        ValueRange::transfer(&RangeStep { operation, flags, width }, &list.map(ValueRange::clone))
    };
    Some(match (step.operation, position) {
        (Add, _) => make(Sub, wraps, [result, other()]),
        (Sub, 0) => make(Add, wraps, [result, other()]),
        (Sub, _) => make(Sub, wraps, [operands[0], result]),
        (Xor, _) => make(Xor, Flags::NONE, [result, other()]),
        (Mul, _) => return factor(step.flags, own, other().as_constant()?, result),
        (And, _) => masked(other().bits(), result)?,
        (Or, _) => filled(other().bits(), result)?,
        (ZExt | SExt, _) => {
            let inside = result.meet(&ValueRange::transfer(step, std::slice::from_ref(own)));
            ValueRange::transfer(&RangeStep::new(Trunc, width), &[inside])
        }
        (Trunc, _) => widened(step, own, result),
        (Shl, 0) => {
            // By one less than the width it is no product of signed numbers.
            let by = u32::try_from(operands[1].as_constant()?).ok().filter(|&by| by + 1 < width)?;
            return factor(step.flags, own, 1 << by, result);
        }
        (LShr | AShr, 0) => {
            let by = u32::try_from(operands[1].as_constant()?).ok().filter(|&by| by < width)?;
            let sign = if step.operation == LShr { Sign::Unsigned } else { Sign::Signed };
            unshifted(result, by, sign, width)
        }
        (UDiv, 0) => divided(operands[1].as_constant()?, result)?,
        (SDiv, 0) => divided_signed(operands[1].as_constant()?, result)?,
        (Select, 1) if operands[0].as_constant()? == 1 => result.clone(),
        (Select, 2) if operands[0].as_constant()? == 0 => result.clone(),
        _ => return None,
    })
}

/// Those of the flags that are set.
fn kept(flags: Flags, which: &[Flags]) -> Flags {
    which.iter().filter(|&&flag| flags.has(flag)).fold(Flags::NONE, |all, &flag| all.with(flag))
}

/// `own * by` is the result; what did not wrap is divided again.
fn factor(flags: Flags, own: &ValueRange, by: u128, result: &ValueRange) -> Option<ValueRange> {
    let width = own.type_width();
    let is_plain = flags.has(Flags::NUW) || {
        let (_, high) = own.unsigned_range()?;
        product_within(high, by, mask(width)).is_some()
    };
    let is_signed = flags.has(Flags::NSW) || {
        let (low, high) = own.signed_range()?;
        let fits = |end: i128| {
            let product = end.checked_mul(signed(by, width));
            product.is_some_and(|product| signed(product as u128 & mask(width), width) == product)
        };
        fits(low) && fits(high)
    };
    let divide = |operation| {
        let step = RangeStep { operation, flags: Flags::EXACT, width };
        ValueRange::transfer(&step, &[result.clone(), ValueRange::constant(width, by)])
    };
    if by == 0 {
        return None;
    }
    match (is_plain, is_signed) {
        (true, true) => Some(divide(Operation::UDiv).meet(&divide(Operation::SDiv))),
        (true, false) => Some(divide(Operation::UDiv)),
        (false, true) => Some(divide(Operation::SDiv)),
        (false, false) => None,
    }
}

/// What the result has, and what it has not where the mask lets it through.
fn masked(by: KnownBits, result: &ValueRange) -> Option<ValueRange> {
    let (width, bits) = (by.type_width(), result.bits());
    let (low, _) = result.unsigned_range()?;
    if bits.ones() & by.zeros() != 0 {
        return Some(ValueRange::empty(width));
    }
    let known = ValueRange::from(KnownBits::new(width, bits.zeros() & by.ones(), bits.ones()));
    Some(known.meet(&ValueRange::from(Interval::new(width, low, mask(width)))))
}

/// What the result has not, and what it has where nothing else brings it.
fn filled(by: KnownBits, result: &ValueRange) -> Option<ValueRange> {
    let (width, bits) = (by.type_width(), result.bits());
    let (_, high) = result.unsigned_range()?;
    if bits.zeros() & by.ones() != 0 {
        return Some(ValueRange::empty(width));
    }
    let known = ValueRange::from(KnownBits::new(width, bits.zeros(), bits.ones() & by.zeros()));
    Some(known.meet(&ValueRange::from(Interval::new(width, 0, high))))
}

/// What is truncated to the result.
fn widened(step: &RangeStep, own: &ValueRange, result: &ValueRange) -> ValueRange {
    let (width, narrow) = (own.type_width(), step.width);
    let is_plain =
        step.flags.has(Flags::NUW) || own.unsigned_range().is_some_and(|(_, high)| high <= mask(narrow));
    let half = sign_bit(narrow) as i128;
    let is_signed = step.flags.has(Flags::NSW)
        || narrow < 128 && own.signed_range().is_some_and(|(low, high)| low >= -half && high < half);
    let bits = result.bits();
    let mut found = match result.is_empty() {
        true => ValueRange::empty(width),
        false => ValueRange::from(KnownBits::new(width, bits.zeros(), bits.ones())),
    };
    let extended =
        |operation| ValueRange::transfer(&RangeStep::new(operation, width), std::slice::from_ref(result));
    if is_plain {
        found = found.meet(&extended(Operation::ZExt));
    }
    if is_signed {
        found = found.meet(&extended(Operation::SExt));
    }
    found
}

/// What is divided, without a sign, by a constant.
fn divided(by: u128, result: &ValueRange) -> Option<ValueRange> {
    let (width, (low, high)) = (result.type_width(), result.unsigned_range()?);
    let limit = mask(width);
    let Some(least) = product_within(low, by, limit) else { return Some(ValueRange::empty(width)) };
    let most = product_within(high, by, limit).and_then(|most| most.checked_add(by.checked_sub(1)?));
    Some(ValueRange::from(Interval::new(width, least, most.unwrap_or(limit).min(limit))))
}

/// The same with a sign, by a positive constant.
fn divided_signed(by: u128, result: &ValueRange) -> Option<ValueRange> {
    let (width, (low, high)) = (result.type_width(), result.signed_range()?);
    let by = signed(by, width);
    if by <= 0 || width > 64 {
        return None;
    }
    let half = sign_bit(width) as i128;
    let least = low * by - if low > 0 { 0 } else { by - 1 };
    let most = high * by + if high < 0 { 0 } else { by - 1 };
    if least >= half || most < -half {
        return Some(ValueRange::empty(width));
    }
    let word = |end: i128| end as u128 & mask(width);
    Some(ValueRange::from(Interval::new(width, word(least.max(-half)), word(most.min(half - 1)))))
}

/// What is shifted right by a constant, if the result is in a range.
pub(crate) fn unshifted(result: &ValueRange, by: u32, sign: Sign, width: u32) -> ValueRange {
    let below = low_bits(by);
    let low_zeros = |word: u128| word << by & mask(width);
    let arc = match sign {
        Sign::Unsigned => result.unsigned_range().map(|(low, high)| {
            let most = mask(width) >> by;
            (low <= most).then(|| Interval::new(width, low << by, low_zeros(high.min(most)) | below))
        }),
        Sign::Signed => result.signed_range().map(|(low, high)| {
            let word = |end: i128| end as u128 & mask(width);
            let least = -(1i128 << (width - 1 - by));
            let (low, high) = (low.max(least), high.min(-1 - least));
            (low <= high).then(|| Interval::new(width, low_zeros(word(low)), low_zeros(word(high)) | below))
        }),
    };
    arc.flatten().map_or(ValueRange::empty(width), ValueRange::from)
}

//! Which bits of its operands does an operation need?
//!
//! Given which bits of the result are demanded and the ranges of the operands:
//! such bits of each operand that the demanded ones of the result stay, whatever
//! the others are, for all operands in their ranges; in the result without flags.
//! What is known of an operand holds where its bits are right, so that it is
//! used for another operand only together with a demand of these bits.
//!
//! Cost: linear in the width.

use opcost_ir::Predicate;

use super::carries;
use super::held::given;
use crate::ranges::word::{bit_length, low_bits, mask, reversed, sign_bit};
use crate::ranges::{KnownBits, Operation, RangeStep, ValueRange};

/// All bits there are.
pub(super) const ALL: u128 = u128::MAX;

/// What is demanded of each operand. Bits above the operand's width mean nothing.
pub fn demanded(step: &RangeStep, operands: &[&ValueRange], bits: u128) -> [u128; 3] {
    use Operation::*;
    let bits = bits & mask(step.width);
    match step.operation {
        // The machine stops at these whoever reads the result.
        SDiv | SRem => return [ALL, ALL, 0],
        UDiv | URem if bits == 0 => return [0, ALL, 0],
        _ if bits == 0 => return [0; 3],
        _ => {}
    }
    let width = operands[0].type_width();
    let known = |position: usize| known(operands[position]);
    match step.operation {
        Trunc => [bits, 0, 0],
        ZExt => [bits & mask(width), 0, 0],
        SExt => [with_sign(bits & mask(width), bits & !mask(width), width), 0, 0],
        Xor => [bits, bits, 0],
        And => meeting(operands, [known(0).zeros(), known(1).zeros()], bits),
        Or => meeting(operands, [known(0).ones(), known(1).ones()], bits),
        Add => two(carries::needed(known(0), known(1), false, bits)),
        Sub => {
            let right = known(1);
            let inverted = KnownBits::new(width, right.ones(), right.zeros());
            two(carries::needed(known(0), inverted, true, bits))
        }
        Mul => product(operands, bits),
        Shl | LShr | AShr => shift(step.operation, operands, bits),
        Select => match operands[0].as_constant() {
            Some(0) => [0, 0, bits],
            Some(_) => [0, bits, 0],
            None => [1, bits, bits],
        },
        Compare(predicate) => two(comparison(predicate, operands)),
        UMin | UMax | SMin | SMax => two([ALL << bits.trailing_zeros(); 2]),
        Abs { .. } => [low_bits(bit_length(bits)) | sign_bit(width), 0, 0],
        LeadingZeros { .. } => [ALL << bit_length(known(0).ones()).saturating_sub(1), 0, 0],
        TrailingZeros { .. } => match known(0).ones().trailing_zeros() {
            at if at < width => [low_bits(at + 1), 0, 0],
            _ => [ALL, 0, 0],
        },
        ByteSwap => [reversed(bits, width, 8), 0, 0],
        BitReverse => [reversed(bits, width, 1), 0, 0],
        FShl | FShr => funnel(step.operation == FShl, operands, bits),
        _ => [ALL; 3],
    }
}

/// Of a range that holds nothing nothing is known: it is no number.
fn known(range: &ValueRange) -> KnownBits {
    if range.is_empty() { KnownBits::unknown(range.type_width()) } else { range.bits() }
}

fn two([left, right]: [u128; 2]) -> [u128; 3] {
    [left, right, 0]
}

/// The bits, and the sign if any of the others is asked for.
fn with_sign(bits: u128, others: u128, width: u32) -> u128 {
    if others == 0 { bits } else { bits | sign_bit(width) }
}

/// `and`, `or`: `deciding` are known bits that decide the result alone. Where
/// both sides have one, it is the right side's that stays demanded, unless that
/// of the left is given.
fn meeting(operands: &[&ValueRange], deciding: [u128; 2], bits: u128) -> [u128; 3] {
    let given_left = deciding[0] & given(operands[0]);
    let left = bits & !deciding[1];
    let right = bits & !(deciding[0] & !deciding[1]) & !given_left;
    [left, right, 0]
}

/// Low bits of a product need low bits of the sides, and fewer if the other side ends in zeros.
/// Those of the left must then be right themselves, unless the right side is one number.
fn product(operands: &[&ValueRange], bits: u128) -> [u128; 3] {
    let count = bit_length(bits);
    let [left, right] = [known(operands[0]).zeros_at_end(), known(operands[1]).zeros_at_end()];
    let is_one = operands[1].as_constant().is_some();
    let own = if is_one { 0 } else { left.min(count) };
    let of_left = count.saturating_sub(right).max(own);
    [low_bits(of_left), low_bits(count.saturating_sub(left)), 0]
}

/// The amounts that do not make poison.
fn amounts(range: &ValueRange, width: u32) -> impl Iterator<Item = u32> {
    (0..width).filter(|&amount| range.contains(u128::from(amount)))
}

fn shift(operation: Operation, operands: &[&ValueRange], bits: u128) -> [u128; 3] {
    let width = operands[0].type_width();
    let all = mask(width);
    let one = |amount: u32| match operation {
        Operation::Shl => bits >> amount,
        Operation::LShr => bits << amount & all,
        _ => with_sign(bits << amount & all, bits & !(all >> amount), width),
    };
    let left = amounts(operands[1], width).fold(0, |left, amount| left | one(amount));
    [left, ALL, 0]
}

/// `fshl`, `fshr`: the amount counts modulo the width.
fn funnel(is_left: bool, operands: &[&ValueRange], bits: u128) -> [u128; 3] {
    let width = operands[0].type_width();
    let amount_bits = if width.is_power_of_two() { u128::from(width - 1) } else { ALL };
    let Some(amount) = operands[2].as_constant() else { return [ALL, ALL, amount_bits] };
    let amount = (amount % u128::from(width)) as u32;
    // How far the result lies above the low end of both words together.
    let low = match (is_left, amount) {
        (true, 0) => return [bits, 0, amount_bits],
        (false, 0) => return [0, bits, amount_bits],
        (true, amount) => width - amount,
        (false, amount) => amount,
    };
    [bits >> (width - low), bits << low & mask(width), amount_bits]
}

/// Of one side only. Where the other side ends in zeros, the bits of this side at these places do
/// not decide `<` and `>=`. Where it ends in ones, they do not decide `>` and `<=`.
fn comparison(predicate: Predicate, operands: &[&ValueRange]) -> [u128; 2] {
    use Predicate::*;
    let width = operands[0].type_width();
    let zeros = |position: usize| known(operands[position]).zeros_at_end().min(width - 1);
    let ones = |position: usize| {
        let ones = known(operands[position]).ones();
        (!ones).trailing_zeros().min(width - 1)
    };
    let (of_left, of_right) = match predicate {
        Ult | Slt | Uge | Sge => (zeros(1), ones(0)),
        Ugt | Sgt | Ule | Sle => (ones(1), zeros(0)),
        _ => (0, 0),
    };
    match (of_left, of_right) {
        (0, free) => [ALL, ALL << free],
        (free, _) => [ALL << free, ALL],
    }
}

//! What do integer operations give? LLVM's language reference, word by word.
//!
//! A result is what the operation gives modulo 2^width; poison where a flag
//! promised that nothing is lost and something is, or where a shift is as wide
//! as its operand; a trap where the machine may stop: a division by zero, or
//! the least number divided by -1. Exact results are computed in 128 bits with
//! a check, so that `i128` itself is no special case. Cost: constant.

use opcost_ir::{Flags, Opcode, Predicate};

use crate::Trap;
use crate::scalar::{Scalar, mask, signed};

/// `left opcode right` at `width` bits; none for an opcode that is no binary
/// integer operation.
pub(crate) fn binary(
    opcode: Opcode,
    flags: Flags,
    left: u128,
    right: u128,
    width: u32,
) -> Option<Result<Scalar, Trap>> {
    use Opcode::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    Some(match opcode {
        Add | Sub | Mul => Ok(arithmetic(opcode, flags, left, right, width)),
        UDiv | URem | SDiv | SRem => division(opcode, flags, left, right, width),
        Shl | LShr | AShr => Ok(shift(opcode, flags, left, right, width)),
        And => Ok(Scalar::integer(width, left & right)),
        Or if flags.has(Flags::DISJOINT) && left & right != 0 => Ok(Scalar::Poison),
        Or => Ok(Scalar::integer(width, left | right)),
        Xor => Ok(Scalar::integer(width, left ^ right)),
        _ => return None,
    })
}

/// Whether a signed result, `None` if it left 128 bits, is one of `width` bits.
fn fits_signed(exact: Option<i128>, width: u32) -> bool {
    exact.is_some_and(|exact| signed(exact as u128 & mask(width), width) == exact)
}

fn fits_unsigned(exact: Option<u128>, width: u32) -> bool {
    exact.is_some_and(|exact| exact & mask(width) == exact)
}

/// Whether `left opcode right` wraps, as unsigned and as signed numbers;
/// `Add`, `Sub` and `Mul` only.
pub(crate) fn wraps(opcode: Opcode, left: u128, right: u128, width: u32) -> (bool, bool) {
    let (signed_left, signed_right) = (signed(left, width), signed(right, width));
    let (unsigned_result, signed_result) = match opcode {
        Opcode::Add => (left.checked_add(right), signed_left.checked_add(signed_right)),
        Opcode::Sub => (left.checked_sub(right), signed_left.checked_sub(signed_right)),
        _ => (left.checked_mul(right), signed_left.checked_mul(signed_right)),
    };
    (!fits_unsigned(unsigned_result, width), !fits_signed(signed_result, width))
}

fn arithmetic(opcode: Opcode, flags: Flags, left: u128, right: u128, width: u32) -> Scalar {
    let (unsigned_wrap, signed_wrap) = wraps(opcode, left, right, width);
    if (flags.has(Flags::NUW) && unsigned_wrap) || (flags.has(Flags::NSW) && signed_wrap) {
        return Scalar::Poison;
    }
    let result = match opcode {
        Opcode::Add => left.wrapping_add(right),
        Opcode::Sub => left.wrapping_sub(right),
        _ => left.wrapping_mul(right),
    };
    Scalar::integer(width, result)
}

fn division(opcode: Opcode, flags: Flags, left: u128, right: u128, width: u32) -> Result<Scalar, Trap> {
    if right == 0 {
        return Err(Trap::DivisionByZero);
    }
    let is_signed = matches!(opcode, Opcode::SDiv | Opcode::SRem);
    let (quotient, rest) = if is_signed {
        let (left, right) = (signed(left, width), signed(right, width));
        let (quotient, rest) = (left.checked_div(right), left.checked_rem(right));
        let (Some(quotient), Some(rest)) = (quotient.filter(|&one| fits_signed(Some(one), width)), rest)
        else {
            return Err(Trap::DivisionOverflow);
        };
        (quotient as u128, rest as u128)
    } else {
        (left / right, left % right)
    };
    if flags.has(Flags::EXACT) && rest != 0 {
        return Ok(Scalar::Poison);
    }
    let is_quotient = matches!(opcode, Opcode::UDiv | Opcode::SDiv);
    Ok(Scalar::integer(width, if is_quotient { quotient } else { rest }))
}

fn shift(opcode: Opcode, flags: Flags, left: u128, amount: u128, width: u32) -> Scalar {
    if amount >= u128::from(width) {
        return Scalar::Poison;
    }
    let amount = amount as u32;
    if opcode == Opcode::Shl {
        let result = (left << amount) & mask(width);
        let loses_unsigned = result >> amount != left;
        let loses_signed = signed(result, width) >> amount != signed(left, width);
        let is_broken = (flags.has(Flags::NUW) && loses_unsigned) || (flags.has(Flags::NSW) && loses_signed);
        return if is_broken { Scalar::Poison } else { Scalar::integer(width, result) };
    }
    let lost = left & ((1 << amount) - 1);
    if flags.has(Flags::EXACT) && lost != 0 {
        return Scalar::Poison;
    }
    let result =
        if opcode == Opcode::LShr { left >> amount } else { (signed(left, width) >> amount) as u128 };
    Scalar::integer(width, result)
}

/// `trunc`, `zext`, `sext` from `from` to `to` bits.
pub(crate) fn resize(opcode: Opcode, flags: Flags, bits: u128, from: u32, to: u32) -> Option<Scalar> {
    let sign = bits >> (from - 1) & 1;
    match opcode {
        Opcode::Trunc => {
            let result = bits & mask(to);
            let loses_unsigned = result != bits;
            let loses_signed = signed(result, to) != signed(bits, from);
            let is_broken =
                (flags.has(Flags::NUW) && loses_unsigned) || (flags.has(Flags::NSW) && loses_signed);
            Some(if is_broken { Scalar::Poison } else { Scalar::integer(to, result) })
        }
        Opcode::ZExt if flags.has(Flags::NNEG) && sign != 0 => Some(Scalar::Poison),
        Opcode::ZExt => Some(Scalar::integer(to, bits)),
        Opcode::SExt => Some(Scalar::integer(to, signed(bits, from) as u128)),
        _ => None,
    }
}

/// `icmp`.
pub(crate) fn compare(
    predicate: Predicate,
    flags: Flags,
    left: u128,
    right: u128,
    width: u32,
) -> Option<Scalar> {
    let (signed_left, signed_right) = (signed(left, width), signed(right, width));
    if flags.has(Flags::SAMESIGN) && (signed_left < 0) != (signed_right < 0) {
        return Some(Scalar::Poison);
    }
    Some(Scalar::truth(match predicate {
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
    }))
}

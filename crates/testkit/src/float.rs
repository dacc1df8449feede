//! What do floating point operations give? IEEE 754 at the width of the type,
//! rounded to nearest, as Rust does it.
//!
//! A conversion to an integer that cannot hold the number is poison. Fast-math
//! flags are not part of the snapshot, so none is believed. Limit: `float` and
//! `double` only.

use opcost_ir::{Opcode, Predicate};

use crate::scalar::{Scalar, signed};

/// `fadd`, `fsub`, `fmul`, `fdiv`, `frem`; none for other opcodes and types.
pub(crate) fn binary(opcode: Opcode, left: &Scalar, right: &Scalar) -> Option<Scalar> {
    match (left, right) {
        (&Scalar::Single(left), &Scalar::Single(right)) => Some(Scalar::Single(match opcode {
            Opcode::FAdd => left + right,
            Opcode::FSub => left - right,
            Opcode::FMul => left * right,
            Opcode::FDiv => left / right,
            Opcode::FRem => left % right,
            _ => return None,
        })),
        (&Scalar::Double(left), &Scalar::Double(right)) => Some(Scalar::Double(match opcode {
            Opcode::FAdd => left + right,
            Opcode::FSub => left - right,
            Opcode::FMul => left * right,
            Opcode::FDiv => left / right,
            Opcode::FRem => left % right,
            _ => return None,
        })),
        _ => None,
    }
}

/// A float as a double, which holds every one exactly.
pub(crate) fn widened(value: &Scalar) -> Option<f64> {
    match *value {
        Scalar::Single(value) => Some(f64::from(value)),
        Scalar::Double(value) => Some(value),
        _ => None,
    }
}

/// `fcmp`.
pub(crate) fn compare(predicate: Predicate, left: &Scalar, right: &Scalar) -> Option<Scalar> {
    let (left, right) = (widened(left)?, widened(right)?);
    let is_unordered = left.is_nan() || right.is_nan();
    Some(Scalar::truth(match predicate {
        Predicate::False => false,
        Predicate::True => true,
        Predicate::Ord => !is_unordered,
        Predicate::Uno => is_unordered,
        Predicate::Oeq => left == right,
        Predicate::Ogt => left > right,
        Predicate::Oge => left >= right,
        Predicate::Olt => left < right,
        Predicate::Ole => left <= right,
        Predicate::One => !is_unordered && left != right,
        Predicate::Ueq => is_unordered || left == right,
        Predicate::FUgt => is_unordered || left > right,
        Predicate::FUge => is_unordered || left >= right,
        Predicate::FUlt => is_unordered || left < right,
        Predicate::FUle => is_unordered || left <= right,
        Predicate::Une => is_unordered || left != right,
        _ => return None,
    }))
}

/// `fptoui`, `fptosi`: cut towards zero; poison where the integer cannot be it.
pub(crate) fn to_integer(opcode: Opcode, value: &Scalar, width: u32) -> Option<Scalar> {
    let cut = widened(value)?.trunc();
    if cut.is_nan() {
        return Some(Scalar::Poison);
    }
    // 2^width and 2^(width - 1) are doubles; the least and the first too large.
    let (least, end) = match opcode {
        Opcode::FPToUI => (0.0, 2f64.powi(width as i32)),
        _ => (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1)),
    };
    if cut < least || cut >= end {
        return Some(Scalar::Poison);
    }
    let bits = if cut < 0.0 { cut as i128 as u128 } else { cut as u128 };
    Some(Scalar::integer(width, bits))
}

/// `uitofp`, `sitofp`.
pub(crate) fn of_integer(opcode: Opcode, bits: u128, width: u32, is_single: bool) -> Scalar {
    let number = signed(bits, width);
    match (opcode == Opcode::SIToFP, is_single) {
        (true, true) => Scalar::Single(number as f32),
        (true, false) => Scalar::Double(number as f64),
        (false, true) => Scalar::Single(bits as f32),
        (false, false) => Scalar::Double(bits as f64),
    }
}

//! What does one instruction make of numbers?
//!
//! Integers of 1 to 64 bits wrap, read with sign (truth values without);
//! numbers with a point are rounded as IEEE 754 says, which is what Rust's `f32`
//! and `f64` do. None where the language leaves the result open: division by
//! zero, shifts by the width or more, conversions that do not fit.

use opcost_ir::{GlobalId, Instruction, Opcode, Predicate, Type, Value};

use crate::expression::Domain;

/// A number of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// Read with sign; truth values and addresses without.
    Integer(i128),
    Single(f32),
    Double(f64),
    /// So many bytes after the start of something.
    Address(Base, i128),
}

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Data(GlobalId),
    /// A function.
    Code(Value),
}

/// The result of an instruction of so many operands, the first being of type
/// `from`.
pub(super) fn compute(
    instruction: &Instruction,
    count: usize,
    [a, b]: [Number; 2],
    from: &Type,
    to: &Type,
) -> Option<Number> {
    let opcode = instruction.opcode;
    match (count, a, b) {
        (1, Number::Integer(value), _) => from_integer(opcode, value, bits_of(from)?, to),
        (1, Number::Double(value), _) => from_float(opcode, value, to),
        (1, Number::Single(value), _) => match opcode {
            Opcode::FNeg => Some(Number::Single(-value)),
            _ => from_float(opcode, value.into(), to),
        },
        (2, Number::Integer(a), Number::Integer(b)) => {
            let domain = domain(bits_of(from)?);
            match opcode {
                Opcode::ICmp => {
                    let holds = instruction.predicate?.holds(a as u64, b as u64, domain.bits)?;
                    Some(Number::Integer(holds.into()))
                }
                _ => integer(opcode, domain, a, b).map(|value| Number::Integer(domain.reduce(value))),
            }
        }
        (2, Number::Double(a), Number::Double(b)) if opcode == Opcode::FCmp => {
            compare(instruction.predicate?, a, b)
        }
        (2, Number::Single(a), Number::Single(b)) if opcode == Opcode::FCmp => {
            compare(instruction.predicate?, a.into(), b.into())
        }
        (2, Number::Double(a), Number::Double(b)) => Some(Number::Double(match opcode {
            Opcode::FAdd => a + b,
            Opcode::FSub => a - b,
            Opcode::FMul => a * b,
            Opcode::FDiv => a / b,
            _ => return None,
        })),
        (2, Number::Single(a), Number::Single(b)) => Some(Number::Single(match opcode {
            Opcode::FAdd => a + b,
            Opcode::FSub => a - b,
            Opcode::FMul => a * b,
            Opcode::FDiv => a / b,
            _ => return None,
        })),
        _ => None,
    }
}

fn domain(bits: u32) -> Domain {
    Domain { bits, signed: bits > 1 }
}

fn bits_of(ty: &Type) -> Option<u32> {
    match ty {
        Type::Integer(bits @ 1..=64) => Some(*bits),
        _ => None,
    }
}

fn integer(opcode: Opcode, domain: Domain, a: i128, b: i128) -> Option<i128> {
    let unsigned = Domain { signed: false, ..domain };
    let (ua, ub) = (unsigned.reduce(a), unsigned.reduce(b));
    let shift = u32::try_from(ub).ok().filter(|shift| *shift < domain.bits);
    Some(match opcode {
        Opcode::Add => a + b,
        Opcode::Sub => a - b,
        Opcode::Mul => a * b,
        Opcode::UDiv => ua.checked_div(ub)?,
        Opcode::URem => ua.checked_rem(ub)?,
        Opcode::SDiv => {
            let quotient = a.checked_div(b)?;
            (domain.reduce(quotient) == quotient).then_some(quotient)?
        }
        Opcode::SRem => a.checked_rem(b)?,
        Opcode::Shl => a << shift?,
        Opcode::LShr => ua >> shift?,
        Opcode::AShr => a >> shift?,
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        _ => return None,
    })
}

fn from_integer(opcode: Opcode, value: i128, bits: u32, to: &Type) -> Option<Number> {
    let unsigned = Domain { bits, signed: false }.reduce(value);
    // A truth value is kept as 0 or 1, and is 0 or -1 as a number with sign.
    let signed = if bits == 1 { -value } else { value };
    let float = |value: i128| match to {
        Type::Float("double") => Some(Number::Double(value as f64)),
        Type::Float("float") => Some(Number::Single(value as f32)),
        _ => None,
    };
    let integer = |value: i128| bits_of(to).map(|bits| Number::Integer(domain(bits).reduce(value)));
    match opcode {
        Opcode::Trunc => integer(value),
        Opcode::ZExt => integer(unsigned),
        Opcode::SExt => integer(signed),
        Opcode::UIToFP => float(unsigned),
        Opcode::SIToFP => float(signed),
        Opcode::Freeze => Some(Number::Integer(value)),
        _ => None,
    }
}

fn from_float(opcode: Opcode, value: f64, to: &Type) -> Option<Number> {
    let whole = |signed: bool| {
        let bits = bits_of(to)?;
        let interval = Domain { bits, signed }.interval();
        let truncated = value.trunc();
        let fits = truncated >= interval.low as f64 && truncated <= interval.high as f64 && bits < 64;
        fits.then(|| Number::Integer(domain(bits).reduce(truncated as i128)))
    };
    match (opcode, to) {
        (Opcode::FNeg, _) => Some(Number::Double(-value)),
        (Opcode::FPExt, Type::Float("double")) => Some(Number::Double(value)),
        (Opcode::FPTrunc, Type::Float("float")) => Some(Number::Single(value as f32)),
        (Opcode::FPToSI, _) => whole(true),
        (Opcode::FPToUI, _) => whole(false),
        _ => None,
    }
}

fn compare(predicate: Predicate, a: f64, b: f64) -> Option<Number> {
    use Predicate::*;
    let is_unordered = a.is_nan() || b.is_nan();
    let holds = match predicate {
        False => false,
        True => true,
        Ord => !is_unordered,
        Uno => is_unordered,
        Oeq => a == b,
        Ogt => a > b,
        Oge => a >= b,
        Olt => a < b,
        Ole => a <= b,
        One => !is_unordered && a != b,
        Ueq => is_unordered || a == b,
        FUgt => is_unordered || a > b,
        FUge => is_unordered || a >= b,
        FUlt => is_unordered || a < b,
        FUle => is_unordered || a <= b,
        Une => a != b,
        _ => return None,
    };
    Some(Number::Integer(holds.into()))
}

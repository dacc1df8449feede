//! Which number does an operation give? Integers at their width, as LLVM's
//! language reference says; where a promise is broken (division by zero, a
//! shift too far), none.
//!
//! Over an answer: [`as_constant`](super::Resolution::as_constant) where every
//! link is certain, and the set of alternatives.

use opcost_ir::{Instruction, Module, Opcode, Predicate, Type};

/// An integer of so many bits, zero-extended; at most 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Number {
    pub(super) value: u128,
    pub(super) bits: u32,
}

impl Number {
    /// The low bits of a value.
    pub(super) fn of(value: u128, bits: u32) -> Option<Number> {
        let mask = match bits {
            1..=127 => (1u128 << bits) - 1,
            128 => u128::MAX,
            _ => return None,
        };
        Some(Number { value: value & mask, bits })
    }

    /// Taken as signed.
    pub(super) fn signed(self) -> i128 {
        let unused = 128 - self.bits;
        (self.value << unused) as i128 >> unused
    }

    /// The number that all other rooms have for it: a truth value is 0 or 1, all else is signed.
    pub(super) fn by_convention(self) -> i128 {
        match self.bits {
            1 => i128::from(self.value == 1),
            _ => self.signed(),
        }
    }
}

/// What an instruction makes of numbers.
pub(super) fn operate(module: &Module, instruction: &Instruction, operands: &[Number]) -> Option<Number> {
    let bits = match module.types[instruction.ty] {
        Type::Integer(bits @ 1..=128) => bits,
        _ => return None,
    };
    match (instruction.opcode, operands) {
        (Opcode::ICmp, &[left, right]) => {
            let holds = compare(instruction.predicate?, left, right)?;
            Number::of(u128::from(holds), bits)
        }
        (Opcode::Select, &[condition, yes, no]) => Some(if condition.value == 1 { yes } else { no }),
        (Opcode::Freeze | Opcode::BitCast, &[only]) if only.bits == bits => Some(only),
        (Opcode::Trunc | Opcode::ZExt, &[only]) => Number::of(only.value, bits),
        (Opcode::SExt, &[only]) => Number::of(only.signed() as u128, bits),
        (opcode, &[left, right]) => binary(opcode, left, right, bits),
        _ => None,
    }
}

fn binary(opcode: Opcode, left: Number, right: Number, bits: u32) -> Option<Number> {
    let (a, b) = (left.value, right.value);
    let (signed_a, signed_b) = (left.signed(), right.signed());
    let shift = || u32::try_from(b).ok().filter(|&by| by < bits);
    let value = match opcode {
        Opcode::Add => a.wrapping_add(b),
        Opcode::Sub => a.wrapping_sub(b),
        Opcode::Mul => a.wrapping_mul(b),
        Opcode::UDiv => a.checked_div(b)?,
        Opcode::URem => a.checked_rem(b)?,
        Opcode::SDiv => fits(signed_a.checked_div(signed_b)?, bits)? as u128,
        Opcode::SRem => {
            fits(signed_a.checked_div(signed_b)?, bits)?;
            (signed_a % signed_b) as u128
        }
        Opcode::Shl => a << shift()?,
        Opcode::LShr => a >> shift()?,
        Opcode::AShr => (signed_a >> shift()?) as u128,
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        _ => return None,
    };
    Number::of(value, bits)
}

/// The quotient, unless it is too large: the least by -1.
fn fits(value: i128, bits: u32) -> Option<i128> {
    (Number::of(value as u128, bits)?.signed() == value).then_some(value)
}

/// Whether a predicate holds.
pub(super) fn compare(predicate: Predicate, left: Number, right: Number) -> Option<bool> {
    let (a, b) = (left.value, right.value);
    let (signed_a, signed_b) = (left.signed(), right.signed());
    Some(match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => signed_a > signed_b,
        Predicate::Sge => signed_a >= signed_b,
        Predicate::Slt => signed_a < signed_b,
        Predicate::Sle => signed_a <= signed_b,
        _ => return None,
    })
}

/// What a library function or intrinsic makes of numbers.
pub(super) fn library(name: &str, operands: &[Number]) -> Option<Number> {
    let begins = |text: &str| name.starts_with(text);
    let pick = |takes_left: fn(Number, Number) -> bool| match operands {
        &[left, right] => Some(if takes_left(left, right) { left } else { right }),
        _ => None,
    };
    match *operands {
        _ if begins("llvm.smax.") => pick(|a, b| a.signed() >= b.signed()),
        _ if begins("llvm.smin.") => pick(|a, b| a.signed() <= b.signed()),
        _ if begins("llvm.umax.") => pick(|a, b| a.value >= b.value),
        _ if begins("llvm.umin.") => pick(|a, b| a.value <= b.value),
        [value, ..] if begins("llvm.expect.") => Some(value),
        [value, ..] if begins("llvm.abs.") || name == "abs" || name == "labs" => {
            Number::of(value.signed().unsigned_abs(), value.bits)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn eight(value: i8) -> Number {
        Number { value: u128::from(value as u8), bits: 8 }
    }

    proptest! {
        #[test]
        fn eight_bits_are_those_of_the_machine(a: i8, b: i8) {
            let of = |opcode| binary(opcode, eight(a), eight(b), 8).map(|found| found.signed() as i8);
            prop_assert_eq!(of(Opcode::Add), Some(a.wrapping_add(b)));
            prop_assert_eq!(of(Opcode::Sub), Some(a.wrapping_sub(b)));
            prop_assert_eq!(of(Opcode::Mul), Some(a.wrapping_mul(b)));
            prop_assert_eq!(of(Opcode::SDiv), a.checked_div(b));
            prop_assert_eq!(of(Opcode::SRem), a.checked_rem(b));
            prop_assert_eq!(of(Opcode::UDiv), (a as u8).checked_div(b as u8).map(|found| found as i8));
            let shift = b.rem_euclid(16) as u32;
            let by = Number { value: u128::from(shift), bits: 8 };
            prop_assert_eq!(binary(Opcode::AShr, eight(a), by, 8).map(|n| n.signed() as i8), a.checked_shr(shift));
            prop_assert_eq!(compare(Predicate::Slt, eight(a), eight(b)), Some(a < b));
            prop_assert_eq!(compare(Predicate::Uge, eight(a), eight(b)), Some(a as u8 >= b as u8));
        }
    }
}

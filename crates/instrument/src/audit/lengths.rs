//! Is what is charged for an instruction that works by its length that length?
//!
//! The charge was computed by instructions of the metering; here they are read backwards to the
//! operands of the instruction after them. Input: the value that is charged, and the instruction.
//! Limit: the size of an element of allocated memory is LLVM's to know and is taken as it is.

use opcost_ir::{LengthWork, Opcode, Predicate, Value};
use opcost_key::InstructionId;

use super::module::Before;

/// Whether `value` is the length of `next` in units, by how it is made.
pub(super) fn is_length_of(before: &Before<'_>, value: Value, next: InstructionId) -> bool {
    use opcost_ir::{BULK, BULK_TIMES, BYTES_SHIFT, LONGEST_BULK, Length};
    let function = before.function;
    let made = |value: Value, opcode: Opcode| match value {
        Value::Instruction(id) if before.is_metering(id) && function.instructions[id].opcode == opcode => {
            Some(function.operands_of(id))
        }
        _ => None,
    };
    let widened = |value: Value| {
        made(value, Opcode::ZExt).or_else(|| made(value, Opcode::Trunc)).map_or(value, |operands| operands[0])
    };
    if let Some(units) = before.number(value) {
        return known_length(before, next) == Some(units as u64);
    }
    let Some(&[bytes, shift]) = made(value, Opcode::LShr) else { return false };
    if before.number(shift) != Some(i64::from(BYTES_SHIFT)) {
        return false;
    }
    let given = function.operands_of(next);
    let is_number = |value: Value, number: u64| before.number(value) == Some(number as i64);
    // Which of two a comparison of a value with a number chooses.
    let chosen = |value: Value, predicate: Predicate, number: u64| {
        let &[test, first, second] = made(value, Opcode::Select)? else { return None };
        let &[compared, with] = made(test, Opcode::ICmp)? else { return None };
        let Value::Instruction(test) = test else { return None };
        let is_so = function.instructions[test].predicate == Some(predicate) && is_number(with, number);
        is_so.then_some((compared, first, second))
    };
    // Of what is moved: five times as much if it is much, and never more than what is longest.
    let moved = |value: Value| {
        let (compared, times, bytes) = chosen(value, Predicate::Uge, BULK)?;
        let &[bounded, five] = made(times, Opcode::Mul)? else { return None };
        let (below, short, longest) = chosen(bounded, Predicate::Ult, LONGEST_BULK)?;
        let is_so = [compared, below, short].iter().all(|value| *value == bytes)
            && is_number(longest, LONGEST_BULK)
            && is_number(five, BULK_TIMES);
        is_so.then_some(bytes)
    };
    match before.length(next) {
        Some(Length::Arguments(first, second, work)) => {
            let bytes = if work == LengthWork::Moved { moved(bytes) } else { Some(bytes) };
            bytes.is_some_and(|bytes| match second {
                None => widened(bytes) == given[first as usize],
                Some(second) => made(bytes, Opcode::Mul).is_some_and(|factors| {
                    widened(factors[0]) == given[first as usize]
                        && widened(factors[1]) == given[second as usize]
                }),
            })
        }
        // The size of an element is LLVM's to know; a byte has none to multiply.
        Some(Length::Allocated) => {
            let elements = made(bytes, Opcode::Mul).map_or(bytes, |factors| factors[0]);
            widened(elements) == given[0]
        }
        None => false,
    }
}

/// The units of a call whose length is constant.
fn known_length(before: &Before<'_>, next: InstructionId) -> Option<u64> {
    let Some(opcost_ir::Length::Arguments(first, second, work)) = before.length(next) else { return None };
    let given = before.function.operands_of(next);
    let number = |argument: u32| before.number(given[argument as usize]).map(|number| number as u64);
    let bytes = number(first)?.wrapping_mul(second.map_or(Some(1), number)?);
    Some(work.units(bytes))
}

//! How far from its base does a `getelementptr` lead?
//!
//! Constant indices give bytes, others a multiple of their element's stride; the greatest common
//! divisor of those is the step, times the power of two that divides an index which counts bytes or
//! elements itself. Where every index that is not known runs through an array of the source type,
//! the array is reported too. Cost: linear in the indices.

use opcost_ir::{ConstantValue, Function, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::InstructionId;

use super::offsets::{ArraySpan, Move, gcd};

/// An index of a `getelementptr`, and what one of it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointerMove {
    /// So many bytes.
    Bytes(i64),
    /// The index times a stride, through an array of so many (`None`: the
    /// pointer itself is taken for an array).
    Index {
        /// The index.
        index: Value,
        /// Bytes from one element to the next.
        stride: u64,
        /// Elements.
        length: Option<u64>,
    },
}

/// The steps of a `getelementptr`, one for each index; none if a size is not
/// known.
pub(crate) fn steps_of(
    module: &Module,
    layout: &Layout,
    function: &Function,
    at: InstructionId,
) -> Option<Vec<PointerMove>> {
    let indices = function.operands_of(at).get(1..)?;
    let mut ty = function.instructions[at].second_type?;
    let mut steps = Vec::with_capacity(indices.len());
    for (position, &index) in indices.iter().enumerate() {
        let number = number(module, index);
        if position == 0 {
            steps.push(step(index, number, layout.stride(ty)?, None)?);
            continue;
        }
        let (stride, length, element) = match &module.types[ty] {
            Type::Struct { fields, .. } => {
                let field = usize::try_from(number?).ok()?;
                steps.push(PointerMove::Bytes(i64::try_from(layout.field_offset(ty, field)?).ok()?));
                ty = *fields.get(field)?;
                continue;
            }
            Type::Array(length, element) => (layout.stride(*element)?, *length, *element),
            Type::Vector { length, element, scalable: false } => {
                (layout.size(*element)?, u64::from(*length), *element)
            }
            _ => return None,
        };
        steps.push(step(index, number, stride, Some(length))?);
        ty = element;
    }
    Some(steps)
}

/// How many bytes a `getelementptr` leads further; none if that is not one number.
pub fn constant_distance(
    module: &Module,
    layout: &Layout,
    function: &Function,
    at: InstructionId,
) -> Option<i64> {
    steps_of(module, layout, function, at)?.into_iter().try_fold(0_i64, |sum, step| match step {
        PointerMove::Bytes(bytes) => sum.checked_add(bytes),
        PointerMove::Index { .. } => None,
    })
}

fn step(index: Value, number: Option<i64>, stride: u64, length: Option<u64>) -> Option<PointerMove> {
    Some(match number {
        Some(number) => PointerMove::Bytes(number.checked_mul(i64::try_from(stride).ok()?)?),
        None => PointerMove::Index { index, stride, length },
    })
}

fn number(module: &Module, index: Value) -> Option<i64> {
    let Value::Constant(id) = index else { return None };
    let constant = &module.constants[id];
    match (constant.value, &module.types[constant.ty]) {
        (ConstantValue::Integer(value), Type::Integer(bits @ 1..=64)) => {
            let unused = 64 - bits;
            Some(((value as u64) << unused) as i64 >> unused)
        }
        _ => None,
    }
}

/// How deep is looked for what an index is a multiple of.
const DEEPEST: u32 = 6;
/// The greatest power of two that is looked for.
const MOST_ZEROS: u32 = 32;

/// How many low bits of an index are zero: optimised code scales indices itself
/// and counts bytes. Powers of two divide the words of any width, so a sum that
/// wraps keeps its zeros.
fn zeros_at_end(module: &Module, function: &Function, value: Value, depth: u32) -> u32 {
    let of = |value: Value| zeros_at_end(module, function, value, depth - 1);
    let Value::Instruction(at) = value else {
        return number(module, value).map_or(0, |number| number.trailing_zeros().min(MOST_ZEROS));
    };
    if depth == 0 {
        return 0;
    }
    let operands = function.operands_of(at);
    let zeros = match function.instructions[at].opcode {
        Opcode::Shl => {
            let by = number(module, operands[1]).and_then(|by| u32::try_from(by).ok()).unwrap_or(0);
            of(operands[0]).saturating_add(by)
        }
        Opcode::Mul => of(operands[0]) + of(operands[1]),
        Opcode::And => of(operands[0]).max(of(operands[1])),
        Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::Xor => of(operands[0]).min(of(operands[1])),
        Opcode::Select => of(operands[1]).min(of(operands[2])),
        Opcode::Phi => operands.iter().step_by(2).map(|&value| of(value)).min().unwrap_or(0),
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => of(operands[0]),
        _ => 0,
    };
    zeros.min(MOST_ZEROS)
}

/// The way of a `getelementptr` as a whole.
pub(super) fn move_of(module: &Module, layout: &Layout, function: &Function, at: InstructionId) -> Move {
    let is_vector = |ty: TypeId| matches!(module.types[ty], Type::Vector { .. });
    if is_vector(function.instructions[at].ty) {
        return Move::Anywhere;
    }
    let Some(steps) = steps_of(module, layout, function, at) else { return Move::Anywhere };
    let (mut by, mut step, mut reach) = (0i64, 0u64, 0u64);
    let mut array: Option<ArraySpan> = None;
    let mut is_inside = true;
    for one in steps {
        match one {
            PointerMove::Bytes(bytes) => by = by.wrapping_add(bytes),
            PointerMove::Index { index, stride, length } => {
                let zeros = if length.is_none() { zeros_at_end(module, function, index, DEEPEST) } else { 0 };
                step = gcd(step, stride.checked_mul(1 << zeros).unwrap_or(stride));
                match length {
                    Some(length) => {
                        reach = reach.saturating_add(length.saturating_sub(1).saturating_mul(stride));
                        array.get_or_insert(ArraySpan { at: by, length, stride, reach: 0 });
                    }
                    None => is_inside = false,
                }
            }
        }
    }
    match step {
        0 => Move::By(by),
        _ => {
            let array = array.filter(|_| is_inside).map(|span| ArraySpan { reach, ..span });
            Move::Stride { by, step, array }
        }
    }
}

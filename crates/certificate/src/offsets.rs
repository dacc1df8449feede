//! How far does a `getelementptr` move a pointer?

use opcost_ir::{Function, Layout, Module, Opcode, Type, Value};
use opcost_key::InstructionId;

use crate::range::signed;
use crate::shape::word;

/// How a `getelementptr` moves: constant bytes, and values with the bytes of each.
pub(crate) fn steps(
    module: &Module,
    layout: &Layout,
    function: &Function,
    at: InstructionId,
) -> Option<(i128, Vec<(Value, u64)>)> {
    let operands = function.operands_of(at);
    let mut ty = function.instructions[at].second_type?;
    let (mut constant, mut variable) = (0i128, Vec::new());
    for (position, &index) in operands[1..].iter().enumerate() {
        let scale = if position == 0 {
            layout.stride(ty)?
        } else {
            match &module.types[ty] {
                Type::Array(_, element) => {
                    ty = *element;
                    layout.stride(ty)?
                }
                Type::Struct { fields, .. } => {
                    let field = usize::try_from(word(module, index)?).ok()?;
                    constant += i128::from(layout.field_offset(ty, field)?);
                    ty = *fields.get(field)?;
                    continue;
                }
                _ => return None,
            }
        };
        match index {
            Value::Constant(id) => {
                let Type::Integer(width) = module.types[module.constants[id].ty] else { return None };
                // An index is taken modulo 2^64.
                let index = signed(word(module, index)?, width) as i64;
                constant += i128::from(index) * i128::from(scale);
            }
            _ => variable.push((index, scale)),
        }
    }
    Some((constant, variable))
}

/// The indices of a `getelementptr` that run through an array of known length,
/// and that length.
pub(crate) fn array_indices(module: &Module, function: &Function, at: InstructionId) -> Vec<(Value, u64)> {
    let mut found = Vec::new();
    let Some(mut ty) = function.instructions[at].second_type else { return found };
    // The first index runs through what the pointer points to.
    for &index in function.operands_of(at).iter().skip(2) {
        ty = match &module.types[ty] {
            &Type::Array(length, element) => {
                found.push((index, length));
                element
            }
            Type::Struct { fields, .. } => {
                let field = word(module, index).and_then(|field| usize::try_from(field).ok());
                let Some(&field) = field.and_then(|field| fields.get(field)) else { return found };
                field
            }
            _ => return found,
        };
    }
    found
}

/// How many low bits of an index are surely zero, at most 32. Looked at are `shl` and `mul` by
/// constants and sums of such, through so many operations.
pub(crate) fn even_bits(module: &Module, function: &Function, value: Value, depth: u32) -> u32 {
    let Value::Instruction(at) = value else {
        return word(module, value).map_or(0, |word| word.trailing_zeros().min(32));
    };
    let operands = function.operands_of(at);
    let of = |at: usize| match depth {
        0 => 0,
        _ => even_bits(module, function, operands[at], depth - 1),
    };
    let bits = match function.instructions[at].opcode {
        Opcode::Shl => {
            let by = word(module, operands[1]).and_then(|by| u32::try_from(by).ok());
            by.map_or(0, |by| of(0).saturating_add(by))
        }
        Opcode::Mul => of(0) + of(1),
        Opcode::And => of(0).max(of(1)),
        Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::Xor => of(0).min(of(1)),
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => of(0),
        Opcode::Phi => (0..operands.len()).step_by(2).map(of).min().unwrap_or(0),
        _ => 0,
    };
    bits.min(32)
}

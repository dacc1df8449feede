//! Of how many parts is what an instruction works on?
//!
//! A part is what every machine that opcost knows does at once: 64 bits of an
//! integer, 128 bits of a vector or aggregate. An operation on a wider integer
//! takes as many steps as it has words; a product every pair of words; a
//! quotient one step a bit, each over all words (so does the code that LLVM
//! makes of it). A vector of wide integers takes them one by one.
//!
//! Limit: sizes are those of the types, without padding.

use opcost_ir::{Function, Module, Opcode, Type, TypeId};
use opcost_key::InstructionId;

const WORD: u64 = 64;
const VECTOR: u64 = 128;

/// The parts of an instruction, at least one.
pub(super) fn parts(module: &Module, function: &Function, id: InstructionId) -> u32 {
    let instruction = &function.instructions[id];
    let opcode = instruction.opcode;
    if !has_size(opcode) {
        return 1;
    }
    let ty = instruction.second_type.filter(|_| takes_operand_type(opcode)).unwrap_or(instruction.ty);
    let parts = match module.types[ty] {
        Type::Integer(bits) => of_integer(opcode, u64::from(bits)),
        Type::Vector { length, element, .. } => match module.types[element] {
            Type::Integer(bits) if u64::from(bits) > WORD || is_quotient(opcode) => {
                u64::from(length).saturating_mul(of_integer(opcode, u64::from(bits)))
            }
            _ => bits(module, ty).div_ceil(VECTOR),
        },
        _ => bits(module, ty).div_ceil(VECTOR),
    };
    u32::try_from(parts.max(1)).unwrap_or(u32::MAX)
}

fn has_size(opcode: Opcode) -> bool {
    !opcode.is_terminator() && !matches!(opcode, Opcode::Alloca | Opcode::LandingPad | Opcode::Phi)
}

fn of_integer(opcode: Opcode, bits: u64) -> u64 {
    let words = bits.div_ceil(WORD);
    match opcode {
        _ if words <= 1 => 1,
        Opcode::Mul => words * words,
        _ if is_quotient(opcode) => bits * words,
        _ => words,
    }
}

fn is_quotient(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem)
}

fn bits(module: &Module, ty: TypeId) -> u64 {
    match &module.types[ty] {
        Type::Integer(bits) => u64::from(*bits),
        Type::Float("half" | "bfloat") => 16,
        Type::Float("float") => 32,
        Type::Float("double") => 64,
        Type::Float(_) => 128,
        Type::Pointer(_) => 64,
        Type::Array(length, element) => length.saturating_mul(bits(module, *element)),
        Type::Vector { length, element, .. } => u64::from(*length).saturating_mul(bits(module, *element)),
        Type::Struct { fields, .. } => {
            fields.iter().fold(0u64, |sum, &field| sum.saturating_add(bits(module, field)))
        }
        Type::Void | Type::Function(..) | Type::Other(_) => 0,
    }
}

/// Whether the type that a table names is that of the operand.
pub(super) fn takes_operand_type(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Store | Opcode::ICmp | Opcode::FCmp)
}

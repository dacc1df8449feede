//! What are the low bits of a result, computed of low bits alone?
//!
//! An optimizer computes a sum in more bits than are asked for, so that nothing
//! is lost in between, and truncates it: `trunc(zext x * zext y)`. There a
//! negative `x` is a large number, and the range of the product says nothing.
//! Sums, differences, products, bits of bits and shifts to the left commute with
//! truncation, so the same is computed in the bits that are left, without
//! promises, through at most [`DEEPEST`] operations; both hold.
//!
//! What is known of a source at the truncation was known where the result was
//! computed: a source is defined above the result, and that above the
//! truncation. Cost: for each truncation at most [`MOST_OPERATIONS`] operations.

use opcost_ir::{Opcode, Value};
use opcost_key::InstructionId;

use super::range::Kind;
use super::transfer::plain;
use super::variables::{Definition, VariableId};
use super::walker::Walker;
use crate::ranges::Operation;
use crate::ranges::word::mask;

/// How deep operations are nested.
const DEEPEST: u32 = 4;
/// How many are looked at for one truncation.
const MOST_OPERATIONS: u32 = 8;

impl Walker<'_, '_> {
    /// The low bits of what is truncated to this width, if it is computed so.
    pub(super) fn low(&mut self, value: Value, width: u32) -> Option<VariableId> {
        let mut left = MOST_OPERATIONS;
        let Value::Instruction(at) = value else { return None };
        // Bits of bits are as well known in all bits.
        let is_arithmetic = matches!(
            self.function.instructions[at].opcode,
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl
        );
        if is_arithmetic { self.low_bits(value, width, DEEPEST, &mut left) } else { None }
    }

    fn low_bits(&mut self, value: Value, width: u32, depth: u32, left: &mut u32) -> Option<VariableId> {
        let (whole, own) = self.integer(value)?;
        if own < width {
            return None;
        }
        if let Some(word) = self.word(value) {
            return Some(self.all.variables.word(width, word & mask(width)));
        }
        let truncated = |walker: &mut Self| {
            let definition = Definition::Step(plain(Operation::Trunc, width), [whole].into());
            if own == width { whole } else { walker.add(Kind::Integer(width), definition) }
        };
        let Value::Instruction(at) = value else { return Some(truncated(self)) };
        if depth == 0 || *left == 0 {
            return Some(truncated(self));
        }
        *left -= 1;
        let operands = self.function.operands_of(at);
        let opcode = self.function.instructions[at].opcode;
        let operation = match opcode {
            Opcode::Add => Operation::Add,
            Opcode::Sub => Operation::Sub,
            Opcode::Mul => Operation::Mul,
            Opcode::And => Operation::And,
            Opcode::Or => Operation::Or,
            Opcode::Xor => Operation::Xor,
            Opcode::ZExt | Opcode::SExt => return self.of_extended(at, width, depth, left),
            Opcode::Shl => return self.of_shifted(operands, width, depth, left),
            _ => return Some(truncated(self)),
        };
        let one = self.low_bits(operands[0], width, depth - 1, left)?;
        let two = match operands[0] == operands[1] {
            true => one,
            false => self.low_bits(operands[1], width, depth - 1, left)?,
        };
        let definition = self.of_operands(plain(operation, width), operands, &[one, two]);
        Some(self.add(Kind::Integer(width), definition))
    }

    fn of_extended(
        &mut self,
        at: InstructionId,
        width: u32,
        depth: u32,
        left: &mut u32,
    ) -> Option<VariableId> {
        let source = self.function.operands_of(at)[0];
        let (variable, own) = self.integer(source)?;
        if own >= width {
            return self.low_bits(source, width, depth - 1, left);
        }
        let operation = match self.function.instructions[at].opcode {
            Opcode::ZExt => Operation::ZExt,
            _ => Operation::SExt,
        };
        Some(self.add(Kind::Integer(width), Definition::Step(plain(operation, width), [variable].into())))
    }

    /// By a constant that leaves something.
    fn of_shifted(
        &mut self,
        operands: &[Value],
        width: u32,
        depth: u32,
        left: &mut u32,
    ) -> Option<VariableId> {
        let by = self.word(operands[1]).filter(|&by| by < width.into())?;
        let shifted = self.low_bits(operands[0], width, depth - 1, left)?;
        let by = self.all.variables.word(width, by);
        Some(
            self.add(
                Kind::Integer(width),
                Definition::Step(plain(Operation::Shl, width), [shifted, by].into()),
            ),
        )
    }
}

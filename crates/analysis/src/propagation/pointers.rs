//! What is the offset of a pointer from the start of its object?
//!
//! A `getelementptr` adds to the base's offset; what is loaded or comes from elsewhere
//! has the offsets that the analysis of addresses knows. Cost: linear in the indices.

use opcost_ir::{Flags, Opcode, Type, Value};
use opcost_key::InstructionId;

use super::range::Kind;
use super::transfer::plain;
use super::variables::{Definition, Limit, VariableId};
use super::walker::Walker;
use crate::memory::addresses::displacement::{self, steps_of};
use crate::ranges::word::mask;
use crate::ranges::{Operation, RangeStep, ValueRange};

impl Walker<'_, '_> {
    /// The offset of a pointer from the start of its object.
    pub(super) fn of_pointer(&mut self, at: InstructionId) -> Definition {
        let function = self.function;
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        let Type::Pointer(_) = self.all.module().types[instruction.ty] else {
            return Definition::Full(Limit::Part);
        };
        match instruction.opcode {
            Opcode::Alloca => match self.all.kind(instruction.ty) {
                Some(Kind::Integer(width)) => Definition::Join([self.all.variables.word(width, 0)].into()),
                _ => Definition::Full(Limit::Address),
            },
            Opcode::GetElementPtr => self.moved(at).unwrap_or(Definition::Full(Limit::Address)),
            Opcode::Select => {
                let arms = [self.now(operands[1]), self.now(operands[2])];
                match arms {
                    [Some(then), Some(otherwise)] => Definition::Join([then, otherwise].into()),
                    _ => Definition::Full(Limit::Address),
                }
            }
            Opcode::Freeze | Opcode::BitCast => match self.now(operands[0]) {
                Some(source) if instruction.opcode == Opcode::BitCast => Definition::Join([source].into()),
                _ => Definition::Full(Limit::Frozen),
            },
            Opcode::Load => self.pointed(at),
            _ => Definition::Full(Limit::Address),
        }
    }

    /// An offset that is loaded, or comes from elsewhere: where the pointer leads.
    pub(super) fn pointed(&mut self, at: InstructionId) -> Definition {
        let targets = self.all.program.addresses.targets(self.id, Value::Instruction(at));
        let unknown = Definition::Full(Limit::Memory);
        let Some(Kind::Integer(width)) = self.all.kind(self.function.instructions[at].ty) else {
            return unknown;
        };
        if targets.is_unknown || targets.known.is_empty() {
            return unknown;
        }
        let exact: Option<Vec<i64>> = targets.known.iter().map(|target| target.offsets.as_exact()).collect();
        let Some(exact) = exact else { return unknown };
        let words: Vec<u128> = exact.iter().map(|&offset| offset as i128 as u128 & mask(width)).collect();
        Definition::Join([self.fixed(ValueRange::of_values(width, &words))].into())
    }

    /// `getelementptr`: the base's offset and what the indices add.
    fn moved(&mut self, at: InstructionId) -> Option<Definition> {
        let (module, layout) = (self.all.module(), self.all.program.layout);
        let instruction = &self.function.instructions[at];
        let steps = steps_of(module, layout, self.function, at)?;
        let base = self.now(self.function.operands_of(at)[0])?;
        let Kind::Integer(width) = self.all.variables.get(base).kind else { return None };
        let flags = if instruction.flags.has(Flags::NSW) { Flags::NSW } else { Flags::NONE };
        let step = |operation| RangeStep { flags, ..plain(operation, width) };
        let mut sum = None;
        for one in steps {
            let part = match one {
                displacement::PointerMove::Bytes(bytes) => {
                    self.all.variables.word(width, bytes as i128 as u128 & mask(width))
                }
                displacement::PointerMove::Index { index, stride, .. } => {
                    let index = self.index(index, width)?;
                    let stride = self.all.variables.word(width, u128::from(stride));
                    self.add(
                        Kind::Integer(width),
                        Definition::Step(step(Operation::Mul), [index, stride].into()),
                    )
                }
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => {
                    self.add(Kind::Integer(width), Definition::Step(step(Operation::Add), [sum, part].into()))
                }
            });
        }
        let Some(sum) = sum else { return Some(Definition::Join([base].into())) };
        Some(Definition::Step(plain(Operation::Add, width), [base, sum].into()))
    }

    /// An index at the width of offsets.
    fn index(&mut self, index: Value, width: u32) -> Option<VariableId> {
        let (variable, own) = self.integer(index)?;
        let operation = match own.cmp(&width) {
            std::cmp::Ordering::Equal => return Some(variable),
            std::cmp::Ordering::Less => Operation::SExt,
            std::cmp::Ordering::Greater => Operation::Trunc,
        };
        Some(self.add(Kind::Integer(width), Definition::Step(plain(operation, width), [variable].into())))
    }
}

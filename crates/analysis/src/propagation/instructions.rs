//! The definition of each result, from its instruction.
//!
//! Operations on integers are steps of the domains as they are in the code, flags and all; of
//! floating point arithmetic nothing is reported, because a snapshot does not keep which flags let
//! another number be computed, but of conversions, comparisons, signs and extremes it is. Pointers
//! have the offset from the start of their object. What is not followed is everything, and why.

use opcost_ir::{Flags, Opcode, Type, Value};
use opcost_key::InstructionId;

use super::range::{Kind, kind_of};
use super::transfer::plain;
use super::variables::{Definition, Limit, VariableId};
use super::walker::Walker;
use crate::ranges::{FloatOperation, Operation, RangeStep, Sign};

/// How far a `freeze` looks for poison.
const DEEPEST: u32 = 6;

impl Walker<'_, '_> {
    /// Says what the result of an instruction is computed from.
    pub(super) fn define(&mut self, at: InstructionId) {
        let function = self.function;
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        match instruction.opcode {
            Opcode::Store => return self.note_store(at),
            Opcode::Ret => {
                if let Some(variable) = operands.first().and_then(|&value| self.handed_over(value)) {
                    self.returned.push(variable);
                }
                return;
            }
            opcode if opcode.is_call() => return self.call(at),
            // Its arms are known behind the blocks that they come from.
            Opcode::Phi => return,
            _ => {}
        }
        let Some(result) = self.all.values[self.id].results[opcost_index::Id::index(at)] else { return };
        let is_number = kind_of(self.all.module(), instruction.ty).is_some();
        let definition = match is_number {
            true => self.of_number(at, self.all.variables.get(result).kind),
            false => self.of_pointer(at),
        };
        self.all.variables.define(result, definition);
    }

    fn of_number(&mut self, at: InstructionId, kind: Kind) -> Definition {
        let instruction = &self.function.instructions[at];
        let operands = self.function.operands_of(at);
        match instruction.opcode {
            Opcode::Load => return self.load(at, kind),
            Opcode::Select => return self.select(operands, kind),
            Opcode::Freeze => {
                let source = self.number(operands[0]);
                let is_clean = self.is_never_poison(operands[0], DEEPEST);
                return match source.filter(|_| is_clean) {
                    Some(source) => Definition::Join([source].into()),
                    None => Definition::Full(Limit::Frozen),
                };
            }
            Opcode::PtrToInt | Opcode::PtrToAddr => return Definition::Full(Limit::Address),
            Opcode::ExtractValue => return self.part(operands, kind),
            Opcode::ExtractElement | Opcode::BitCast => return Definition::Full(Limit::Part),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => return Definition::Full(Limit::Volatile),
            _ => {}
        }
        match kind {
            Kind::Integer(width) => self.of_integer(at, width),
            Kind::Float(format) => {
                let numbers: Option<Vec<VariableId>> =
                    operands.iter().map(|&value| self.number(value)).collect();
                let Some(numbers) = numbers else { return Definition::Full(Limit::Operation) };
                match (instruction.opcode, &numbers[..]) {
                    (Opcode::SIToFP | Opcode::UIToFP | Opcode::FPTrunc | Opcode::FPExt, _)
                        if self.all.changes_rounding =>
                    {
                        Definition::Full(Limit::Operation)
                    }
                    (Opcode::SIToFP, &[from]) => Definition::ToFloat(Sign::Signed, from, false),
                    (Opcode::UIToFP, &[from]) => {
                        Definition::ToFloat(Sign::Unsigned, from, instruction.flags.has(Flags::NNEG))
                    }
                    (Opcode::FPExt | Opcode::FPTrunc, &[from]) => Definition::ToFormat(from),
                    (opcode, list) => match FloatOperation::of_opcode(opcode) {
                        Some(operation) => {
                            let step = self.float_step(operation, format, instruction.flags);
                            Definition::FloatStep(step, list.into())
                        }
                        None => Definition::Full(Limit::Operation),
                    },
                }
            }
        }
    }

    fn of_integer(&mut self, at: InstructionId, width: u32) -> Definition {
        let instruction = &self.function.instructions[at];
        let operands = self.function.operands_of(at);
        let numbers: Option<Vec<VariableId>> = operands.iter().map(|&value| self.number(value)).collect();
        let Some(numbers) = numbers else {
            // What else has no number is a float, a vector, or too wide.
            let ty = operands.first().and_then(|&value| self.all.type_of(self.function, value));
            let is_pointer = ty.is_some_and(|ty| matches!(self.all.module().types[ty], Type::Pointer(_)));
            let compares_addresses = is_pointer && instruction.opcode == Opcode::ICmp;
            return Definition::Full(if compares_addresses { Limit::Address } else { Limit::Operation });
        };
        match (instruction.opcode, &numbers[..]) {
            (Opcode::FCmp, &[left, right]) => match instruction.predicate {
                // Who changes the mode may make numbers next to zero 0, and then 1e-310 is equal to it.
                Some(predicate) if !self.all.changes_rounding => {
                    Definition::FloatCompare(predicate, left, right)
                }
                _ => Definition::Full(Limit::Operation),
            },
            (Opcode::FPToSI, &[from]) => Definition::ToInteger(Sign::Signed, from, false),
            (Opcode::FPToUI, &[from]) => Definition::ToInteger(Sign::Unsigned, from, false),
            (opcode, list) => {
                if let (Opcode::Add | Opcode::Sub | Opcode::Or, &[left, right]) = (opcode, list) {
                    self.operands.insert(at, [left, right]);
                }
                let flags = self.all.options.flags(opcode, instruction.flags);
                match RangeStep::of_opcode(opcode, instruction.predicate, flags, width) {
                    Some(step) if opcode == Opcode::Trunc => self.truncated(step, list[0], operands[0]),
                    Some(step) => self.of_operands(step, operands, list),
                    None => Definition::Full(Limit::Operation),
                }
            }
        }
    }

    /// A truncation, and what the low bits say of it alone.
    fn truncated(&mut self, step: RangeStep, from: VariableId, value: Value) -> Definition {
        let usual = Definition::Step(step, [from].into());
        match self.low(value, step.width) {
            Some(low) => {
                let usual = self.add(Kind::Integer(step.width), usual);
                Definition::Meet([usual, low].into())
            }
            None => usual,
        }
    }

    fn select(&mut self, operands: &[Value], kind: Kind) -> Definition {
        let &[condition, then, otherwise] = operands else { return Definition::Full(Limit::Operation) };
        let Some((test, 1)) = self.integer(condition) else { return Definition::Full(Limit::Part) };
        let arms = (self.arm(condition, true, then), self.arm(condition, false, otherwise));
        let (Some(then), Some(otherwise)) = arms else { return Definition::Full(Limit::Operation) };
        match kind {
            Kind::Integer(width) => {
                Definition::Step(plain(Operation::Select, width), [test, then, otherwise].into())
            }
            Kind::Float(_) => Definition::Join([then, otherwise].into()),
        }
    }

    /// A part of what an operation with overflow gives.
    fn part(&mut self, operands: &[Value], kind: Kind) -> Definition {
        let unknown = Definition::Full(Limit::Part);
        let (Some(&Value::Instruction(from)), Kind::Integer(width)) = (operands.first(), kind) else {
            return unknown;
        };
        let Some(call) = self.function.call(from) else { return unknown };
        let Some(name) = self.all.module().intrinsic_name(call.callee) else { return unknown };
        let Some(overflow) = Operation::of_intrinsic(name, false) else { return unknown };
        let Some(operation) = overflow.that_overflows() else { return unknown };
        let operands = self.function.operands_of(from);
        let sides = (self.integer(operands[0]), self.integer(operands[1]));
        let (Some((left, wide)), Some((right, _))) = sides else { return unknown };
        // Of words of one bit a snapshot does not tell the two parts apart.
        match (wide, width) {
            (1, _) => unknown,
            (_, 1) => Definition::Step(plain(overflow, 1), [left, right].into()),
            _ => self.of_operands(plain(operation, width), &operands[..2], &[left, right]),
        }
    }

    /// Whether a value is a number whatever was done before.
    fn is_never_poison(&self, value: Value, depth: u32) -> bool {
        match value {
            Value::Constant(_) => self.word(value).is_some(),
            Value::Argument(position) => {
                let facts = self.function.parameter_facts.get(position as usize);
                facts.is_some_and(|facts| facts.is_noundef)
            }
            Value::Instruction(at) => {
                let instruction = &self.function.instructions[at];
                use Opcode::*;
                let never = match instruction.opcode {
                    Freeze => return true,
                    Add | Sub | Mul | And | Or | Xor | ZExt | SExt | Trunc | ICmp | Select => true,
                    _ => false,
                };
                let operands = self.function.operands_of(at);
                never
                    && depth > 0
                    && instruction.flags == Flags::NONE
                    && operands.iter().all(|&operand| self.is_never_poison(operand, depth - 1))
            }
            _ => false,
        }
    }
}

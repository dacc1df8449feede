//! What do addresses and constant data do while a loop is simulated?
//!
//! An address is so many bytes after the start of data, or a function. It moves by `getelementptr`,
//! within its data; it is compared with addresses of the same data, and with null if the data or
//! function is this module's own (one that is only declared may be missing when the program is
//! linked). A load from constant data whose definition nobody replaces gives what it holds: so
//! `for (entry = table; entry->name; entry++)` goes round as often as there are names. Cost: a bisection
//! for each load.

use opcost_ir::{ConstantValue, Flags, GlobalId, GlobalKind, Linkage, Opcode, Predicate, ScalarValue};
use opcost_ir::{Type, TypeId, Value};
use opcost_key::InstructionId;

use super::compute::{Base, Number};
use super::solver::Solver;
use super::walk_numbers::Walk;
use crate::expression::Domain;

impl Solver<'_, '_> {
    /// The result of a `getelementptr` that does not leave its data.
    pub(super) fn moved(&mut self, at: InstructionId, walk: &Walk) -> Option<Number> {
        let function = self.source.function;
        let instruction = &function.instructions[at];
        let (&base, indices) = function.operands_of(at).split_first()?;
        let Number::Address(Base::Data(global), start) = self.number(base, walk)? else { return None };
        let mut numbers = Vec::with_capacity(indices.len());
        for &index in indices {
            let domain = self.type_of_operand(index).and_then(|ty| self.domain(ty))?;
            match self.number(index, walk)? {
                Number::Integer(number) if domain.bits == 1 => numbers.push(-number),
                Number::Integer(number) => numbers.push(number),
                _ => return None,
            }
        }
        let by = self.constant_offset(instruction.second_type?, &numbers)?;
        let offset = start.checked_add(by)?;
        let size = i128::from(self.size_of(global)?);
        (0..=size).contains(&offset).then_some(Number::Address(Base::Data(global), offset))
    }

    fn size_of(&self, global: GlobalId) -> Option<u64> {
        let data = &self.source.module.globals[global];
        let is_own = data.kind == GlobalKind::Variable && !data.is_declared && !data.is_thread_local;
        is_own.then(|| self.source.layout.size(data.ty)).flatten()
    }

    /// What a load from constant data reads.
    pub(super) fn read_constant(&mut self, at: InstructionId, walk: &Walk) -> Option<Number> {
        let function = self.source.function;
        let instruction = &function.instructions[at];
        let is_plain = !instruction.flags.has(Flags::VOLATILE) && !instruction.flags.has(Flags::ATOMIC);
        let &[address, ..] = function.operands_of(at) else { return None };
        let Number::Address(Base::Data(global), offset) = self.number(address, walk).filter(|_| is_plain)?
        else {
            return None;
        };
        let (offset, size) = (u64::try_from(offset).ok()?, self.source.layout.size(instruction.ty)?);
        if offset.checked_add(size)? > self.size_of(global)? {
            return None;
        }
        let data = &self.source.module.globals[global];
        let is_known = data.is_constant && matches!(data.linkage, Linkage::Local | Linkage::Exact);
        let contents = data.contents.as_ref().filter(|contents| is_known && contents.is_complete)?;
        match contents.at(offset) {
            Some((ty, value)) => (ty == instruction.ty).then(|| self.scalar(ty, value)).flatten(),
            None => {
                // Nothing that is listed lies there: zeros.
                let behind = contents.scalars.partition_point(|&(other, ..)| other < offset);
                let is_before = |&(start, ty, _): &(u64, TypeId, ScalarValue)| {
                    self.source.layout.size(ty).is_some_and(|size| start + size <= offset)
                };
                let is_free = contents.scalars[..behind].last().is_none_or(is_before)
                    && contents.scalars.get(behind).is_none_or(|&(next, ..)| next >= offset + size);
                is_free.then(|| self.zero(instruction.ty)).flatten()
            }
        }
    }

    fn scalar(&self, ty: TypeId, value: ScalarValue) -> Option<Number> {
        let constant = match value {
            ScalarValue::Function(function) => return self.constant_address(function),
            ScalarValue::Constant(constant) => constant,
        };
        match (constant, &self.source.module.types[ty]) {
            (ConstantValue::Integer(number), Type::Integer(bits @ 1..=64)) => {
                let domain = Domain { bits: *bits, signed: *bits > 1 };
                Some(Number::Integer(domain.reduce(number as i128)))
            }
            (ConstantValue::Float(bits), Type::Float("double")) => Some(Number::Double(f64::from_bits(bits))),
            (ConstantValue::Float(bits), Type::Float("float")) => {
                Some(Number::Single(f64::from_bits(bits) as f32))
            }
            (ConstantValue::Null, Type::Pointer(0)) => Some(Number::Integer(0)),
            (ConstantValue::Global { global, offset }, Type::Pointer(0)) => {
                Some(Number::Address(Base::Data(global), offset.into()))
            }
            _ => None,
        }
    }

    fn zero(&self, ty: TypeId) -> Option<Number> {
        match self.source.module.types[ty] {
            Type::Integer(1..=64) | Type::Pointer(0) => Some(Number::Integer(0)),
            Type::Float("double") => Some(Number::Double(0.0)),
            Type::Float("float") => Some(Number::Single(0.0)),
            _ => None,
        }
    }

    /// A comparison of addresses.
    pub(super) fn addresses_compared(&self, at: InstructionId, [a, b]: [Number; 2]) -> Option<Number> {
        let instruction = &self.source.function.instructions[at];
        let predicate = instruction.predicate.filter(|_| instruction.opcode == Opcode::ICmp)?;
        let (left, right) = match (a, b) {
            (Number::Integer(0), Number::Integer(0)) => (0, 0),
            (Number::Address(base, left), Number::Address(other, right)) if base == other => {
                (self.within(base, left)?, self.within(base, right)?)
            }
            (Number::Address(base, offset), Number::Integer(0)) if self.is_there(base, offset) => (1, 0),
            (Number::Integer(0), Number::Address(base, offset)) if self.is_there(base, offset) => (0, 1),
            _ => return None,
        };
        use Predicate::*;
        let is_told = matches!(predicate, Eq | Ne | Ult | Ule | Ugt | Uge);
        let holds = is_told.then(|| predicate.holds(left, right, 64)).flatten()?;
        Some(Number::Integer(holds.into()))
    }

    fn within(&self, base: Base, offset: i128) -> Option<u64> {
        let size = match base {
            Base::Data(global) => self.size_of(global)?,
            Base::Code(_) => 0,
        };
        u64::try_from(offset).ok().filter(|&offset| offset <= size)
    }

    /// Whether an address is not null: it is in data of the module, or is one of its functions.
    fn is_there(&self, base: Base, offset: i128) -> bool {
        match base {
            Base::Data(global) => self.size_of(global).is_some_and(|size| (0..size.into()).contains(&offset)),
            Base::Code(value) => matches!(value, Value::Function(_)) && offset == 0,
        }
    }
}

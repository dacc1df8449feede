//! What do `alloca`, `load`, `store` and `getelementptr` do?
//!
//! An address is computed without looking whether anything lies there; an access
//! looks. A promise of a `getelementptr` that is broken gives poison: `nusw` and
//! `nuw` if offsets, as signed or unsigned numbers, wrap at the width of an
//! index or leave the address space, `inbounds` also if a pointer leaves its
//! object by more than its end.

use opcost_ir::{Flags, Instruction, Type, TypeId, Value};

use crate::kinds;
use crate::machine::{InterpretedMachine, InterpreterStep};
use crate::outcome::{Ended, ObservedLoad, ObservedUse};
use crate::scalar::{Pointer, Scalar, mask, signed};

/// Offsets of a `getelementptr`, summed up.
#[derive(Default)]
struct Offset {
    /// Modulo 2^64.
    total: u64,
    /// As signed and as unsigned numbers; `None` once they left 128 bits.
    signed: Option<i128>,
    unsigned: Option<u128>,
    wraps_signed: bool,
    wraps_unsigned: bool,
}

impl Offset {
    fn add(&mut self, index: u128, width: u32, stride: u64, index_bits: u32) {
        let at_width = |number: i128| signed(number as u128 & mask(index_bits), index_bits);
        let index_here = at_width(signed(index, width));
        let part = index_here.checked_mul(i128::from(stride));
        self.signed = self.signed.zip(part).and_then(|(sum, part)| sum.checked_add(part));
        self.wraps_signed |= width > index_bits && index_here != signed(index, width);
        self.wraps_signed |= [part, self.signed].iter().any(|sum| sum.is_none_or(|sum| at_width(sum) != sum));
        let index_there = index_here as u128 & mask(index_bits);
        let part = index_there.checked_mul(u128::from(stride));
        self.unsigned = self.unsigned.zip(part).and_then(|(sum, part)| sum.checked_add(part));
        self.wraps_unsigned |= width > index_bits && index > mask(index_bits);
        self.wraps_unsigned |=
            [part, self.unsigned].iter().any(|sum| sum.is_none_or(|sum| sum & mask(index_bits) != sum));
        self.total = self.total.wrapping_add((index_here as u64).wrapping_mul(stride));
    }
}

impl InterpretedMachine<'_, '_> {
    pub(crate) fn alloca(
        &mut self,
        instruction: &Instruction,
        operands: &[Value],
    ) -> InterpreterStep<Scalar> {
        let stride = instruction.second_type.and_then(|ty| self.program.layout.stride(ty));
        let Some(stride) = stride else { return self.unsupported("an alloca of this type") };
        let count = match operands {
            [count] => self.decided(self.value(*count)?, ObservedUse::Length)?.bits().unwrap_or(1),
            _ => 1,
        };
        let size = u64::try_from(count).ok().and_then(|count| count.checked_mul(stride));
        let pointer = size.and_then(|size| self.memory.allocate(size)).ok_or(Ended::RoomUsedUp)?;
        self.frame_mut().allocas.push(pointer.object);
        Ok(Scalar::Pointer(pointer))
    }

    /// The pointer that an operand is, to be accessed.
    pub(crate) fn address(&self, operand: Scalar) -> InterpreterStep<Pointer> {
        match self.decided(operand, ObservedUse::Address)? {
            Scalar::Pointer(pointer) => Ok(pointer),
            _ => self.unsupported("an address that is no pointer"),
        }
    }

    pub(crate) fn load(&mut self, instruction: &Instruction, operands: &[Value]) -> InterpreterStep<Scalar> {
        let Some(&pointer) = operands.first() else { return self.unsupported("a load of this form") };
        let address = self.address(self.value(pointer)?)?;
        let (ty, layout) = (instruction.ty, &self.program.layout);
        let value = kinds::load(&self.memory, self.program.types(), address, ty);
        let Some(value) = value.map_err(|fault| self.fault(fault))? else {
            return self.unsupported("a load of this type");
        };
        if self.program.sees_loads {
            let bytes = self.memory.read(address, layout.size(ty).unwrap_or(0));
            let writers = bytes.unwrap_or_default().iter().map(|byte| byte.writer).collect();
            let (frame, at) = (self.frame().id, self.site());
            let value = value.clone();
            self.loads.push(ObservedLoad { frame, at, step: self.steps - 1, address, value, writers });
        }
        Ok(value)
    }

    pub(crate) fn store(&mut self, instruction: &Instruction, operands: &[Value]) -> InterpreterStep<()> {
        let (&[value, pointer], Some(ty)) = (operands, instruction.second_type) else {
            return self.unsupported("a store of this form");
        };
        let (value, address) = (self.value(value)?, self.address(self.value(pointer)?)?);
        self.write_as_now();
        let program = self.program;
        let done = kinds::store(&mut self.memory, program.types(), address, ty, &value);
        match done.map_err(|fault| self.fault(fault))? {
            true => Ok(()),
            false => self.unsupported("a store of this type"),
        }
    }

    pub(crate) fn element(
        &mut self,
        instruction: &Instruction,
        operands: &[Value],
    ) -> InterpreterStep<Scalar> {
        let (Some((&base, indices)), Some(source)) = (operands.split_first(), instruction.second_type) else {
            return self.unsupported("a getelementptr of this form");
        };
        let base = match self.value(base)? {
            Scalar::Pointer(pointer) => pointer,
            other @ (Scalar::Poison | Scalar::Undefined) => return Ok(other),
            _ => return self.unsupported("a getelementptr of what is no pointer"),
        };
        let index_bits = match self.program.module.types[instruction.ty] {
            Type::Pointer(space) => self.program.layout.index_bits(space),
            _ => return self.unsupported("a getelementptr of this type"),
        };
        let mut offset = Offset { signed: Some(0), unsigned: Some(0), ..Offset::default() };
        let mut here = None;
        for &index in indices {
            let (bits, width) = match self.value(index)? {
                Scalar::Integer { bits, width } => (bits, width),
                other @ (Scalar::Poison | Scalar::Undefined) => return Ok(other),
                _ => return self.unsupported("an index that is no integer"),
            };
            let Some((stride, times, inner)) = self.inside(source, here, bits) else {
                return self.unsupported("a getelementptr into this type");
            };
            here = Some(inner);
            match times {
                true => offset.add(bits, width, stride, index_bits),
                false => offset.add(1, 32, stride, index_bits),
            }
        }
        Ok(self.moved(base, &offset, instruction.flags, index_bits))
    }

    /// One index further: so many bytes, whether as often as the index says,
    /// and the type there.
    fn inside(&self, source: TypeId, here: Option<TypeId>, index: u128) -> Option<(u64, bool, TypeId)> {
        let layout = &self.program.layout;
        let Some(here) = here else { return Some((layout.stride(source)?, true, source)) };
        match &self.program.module.types[here] {
            Type::Array(_, element) | Type::Vector { element, scalable: false, .. } => {
                Some((layout.stride(*element)?, true, *element))
            }
            Type::Struct { fields, .. } => {
                let field = usize::try_from(index).ok()?;
                Some((layout.field_offset(here, field)?, false, *fields.get(field)?))
            }
            _ => None,
        }
    }

    fn moved(&self, base: Pointer, offset: &Offset, flags: Flags, index_bits: u32) -> Scalar {
        let distance = signed(u128::from(offset.total) & mask(index_bits), index_bits);
        let result = Pointer { offset: base.offset.wrapping_add(distance as i64), ..base };
        let start = i128::from(self.memory.address(base));
        let is_address = |address: i128| (0..=mask(index_bits) as i128).contains(&address);
        let leaves_signed = offset.wraps_signed || !is_address(start + distance);
        let up = offset.unsigned.and_then(|up| i128::try_from(up).ok());
        let leaves_unsigned =
            offset.wraps_unsigned || up.is_none_or(|up| !is_address(start.saturating_add(up)));
        let size = i128::from(self.memory.size(base.object));
        let is_inside = |pointer: Pointer| (0..=size).contains(&i128::from(pointer.offset));
        let is_broken = (flags.has(Flags::NSW) && leaves_signed)
            || (flags.has(Flags::NUW) && leaves_unsigned)
            || (flags.has(Flags::INBOUNDS) && distance != 0 && !(is_inside(base) && is_inside(result)));
        if is_broken { Scalar::Poison } else { Scalar::Pointer(result) }
    }
}

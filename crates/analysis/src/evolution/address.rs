//! Which address does a `getelementptr` compute?
//!
//! The sum of the base and of indices times the sizes of what they step over,
//! modulo the width of an address; without the modulus where `inbounds` (or
//! `nusw`) promises it. Source: LLVM's language reference. Cost: the indices.
//! Limits: scalar addresses whose index width is that of the address.

use opcost_ir::{Flags, Type, TypeId, Value};
use opcost_key::InstructionId;

use super::answer::FlagPromise;
use super::known::{Known, Mode, both};
use super::operands::Tried;
use super::solver::Solver;
use crate::expression::{Domain, FormulaId};

impl Solver<'_, '_> {
    pub(super) fn address(&mut self, id: InstructionId, mode: Mode) -> Tried {
        let function = self.source.function;
        let instruction = &function.instructions[id];
        let &Type::Pointer(space) = &self.source.module.types[instruction.ty] else { return Ok(None) };
        let (layout, Some(element)) = (self.source.layout, instruction.second_type) else { return Ok(None) };
        let bits = layout.pointer_bits(space);
        if layout.index_bits(space) != bits || bits > 64 {
            return Ok(None);
        }
        let Some((&base, indices)) = function.operands_of(id).split_first() else { return Ok(None) };
        let base = self.operand(base, mode)?;
        let Some(offset) = self.offset(element, indices, bits, mode)? else { return Ok(None) };
        let Some(relies) = both(&base.relies, &offset.relies) else { return Ok(None) };
        let from = Known { formula: base.formula, relies };
        let exact = self.table.add(base.formula, offset.formula);
        let wrapped = self.table.wrap(Domain { bits, signed: false }, exact);
        let trusts = mode == Mode::Trusting && instruction.flags.has(Flags::NSW) && wrapped != exact;
        if trusts {
            return Ok(self.promised(exact, &from, id, FlagPromise::InBounds));
        }
        Ok(Some(Known { formula: wrapped, ..from }))
    }

    /// Bytes that the indices lead on.
    fn offset(&mut self, element: TypeId, indices: &[Value], bits: u32, mode: Mode) -> Tried {
        let mut offset = Known::plain(self.table.constant(0));
        let mut at = element;
        for (position, &index) in indices.iter().enumerate() {
            let index_type = self.type_of_operand(index).and_then(|ty| self.domain(ty));
            let Some(index_domain) = index_type else { return Ok(None) };
            let index = self.operand(index, mode)?;
            let number = match index_domain.bits {
                // A truth value is kept as 0 or 1, and is 0 or -1 with sign.
                1 => self.table.negate(index.formula),
                // A wider index is cut to the width of an address.
                wide if wide > bits => self.table.wrap(Domain { bits, signed: true }, index.formula),
                _ => index.formula,
            };
            let Some((part, next)) = self.step_into(at, position == 0, number) else { return Ok(None) };
            at = next;
            let Some(relies) = both(&offset.relies, &index.relies) else { return Ok(None) };
            offset = Known { formula: self.table.add(offset.formula, part), relies };
        }
        Ok(Some(offset))
    }

    /// Bytes that constant indices lead on.
    pub(super) fn constant_offset(&mut self, element: TypeId, indices: &[i128]) -> Option<i128> {
        let (mut offset, mut at) = (0_i128, element);
        for (position, &index) in indices.iter().enumerate() {
            let index = self.table.constant(index);
            let (part, next) = self.step_into(at, position == 0, index)?;
            offset = offset.checked_add(self.table.as_constant(part)?)?;
            at = next;
        }
        Some(offset)
    }

    /// Bytes of one index, and the type that it leads to.
    fn step_into(&mut self, at: TypeId, is_first: bool, index: FormulaId) -> Option<(FormulaId, TypeId)> {
        let layout = self.source.layout;
        if is_first {
            let stride = i128::from(layout.stride(at)?);
            return Some((self.table.scale(index, stride), at));
        }
        match &self.source.module.types[at] {
            Type::Array(_, element) => {
                let stride = i128::from(layout.stride(*element)?);
                Some((self.table.scale(index, stride), *element))
            }
            Type::Struct { fields, .. } => {
                let field = usize::try_from(self.table.as_constant(index)?).ok()?;
                let offset = i128::from(layout.field_offset(at, field)?);
                Some((self.table.constant(offset), *fields.get(field)?))
            }
            _ => None,
        }
    }
}

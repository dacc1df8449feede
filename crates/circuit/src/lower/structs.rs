//! What is a struct in registers? One number, with its members side by side as in memory.
//!
//! The ABI passes a struct of at most 16 bytes as one or two words, and LLVM makes an aggregate of them
//! where they are returned. The aggregate is a number of at most 128 bits. To take a member out is to
//! move and cut it; to put one in is to clear its bits and join it. Bits between members are zero.
//!
//! Input: types, and which member an instruction is about, from LLVM. Output: nodes. Cost: three nodes
//! for each member. Limit: aggregates of more than 128 bits have no circuit.

use opcost_ir::{ConstantValue, Type, TypeId, Value};
use opcost_key::{BlockId, InstructionId};

use super::{Frame, Lowered, Lowering};
use crate::kernel::{Action, KernelLocation, KernelOperand, NodeId, all_bits};
use crate::refusal::CircuitRefusal;

/// A number in an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The lowest bit.
    pub(crate) offset: u32,
    pub(crate) bits: u32,
}

impl<'m> Lowering<'m> {
    /// The numbers of a type, at their places in memory; none if it has others, or too many.
    pub(crate) fn fields(&self, ty: TypeId) -> Option<Vec<Field>> {
        let mut all = Vec::new();
        self.add_fields(ty, 0, &mut all)?;
        Some(all)
    }

    fn add_fields(&self, ty: TypeId, offset: u64, all: &mut Vec<Field>) -> Option<()> {
        match &self.module.types[ty] {
            Type::Integer(bits) => {
                let offset = u32::try_from(offset).ok().filter(|&offset| offset + bits <= 128)?;
                all.push(Field { offset, bits: *bits });
            }
            Type::Struct { fields, .. } => {
                for (position, &field) in fields.iter().enumerate() {
                    self.add_fields(field, offset + 8 * self.layout.field_offset(ty, position)?, all)?;
                }
            }
            Type::Array(count, element) => {
                let stride = self.layout.stride(*element)?;
                for position in 0..*count {
                    self.add_fields(*element, offset.checked_add(8 * position.checked_mul(stride)?)?, all)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Bits of an aggregate as a number.
    pub(crate) fn aggregate_bits(
        &self,
        ty: TypeId,
        location: Option<&KernelLocation>,
    ) -> Result<u32, CircuitRefusal> {
        let fields = self.fields(ty).unwrap_or_default();
        fields.iter().map(|field| field.offset + field.bits).max().ok_or_else(|| {
            CircuitRefusal::new(
                location.cloned(),
                "a struct is a value that has more than 128 bits, or not only integers",
                "pass a pointer to it, or its members one by one",
            )
        })
    }

    /// An aggregate that is a constant.
    pub(crate) fn aggregate_constant(&self, ty: TypeId, value: ConstantValue, text: &str) -> Option<u128> {
        match value {
            ConstantValue::Undef | ConstantValue::Poison => return Some(0),
            _ if text.ends_with("zeroinitializer") => return Some(0),
            _ => {}
        }
        let fields = self.fields(ty)?;
        let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        let words: Vec<&str> = inner.split(',').map(str::trim).collect();
        let mut all = 0;
        for (field, word) in fields.iter().zip(&words) {
            let (kind, number) = word.split_once(' ')?;
            kind.strip_prefix('i').filter(|bits| *bits == field.bits.to_string())?;
            let number = match number {
                "undef" | "poison" | "false" | "zeroinitializer" => 0,
                "true" => 1,
                number if number.starts_with('-') => number.parse::<i128>().ok()? as u128,
                number => number.parse::<u128>().ok()?,
            };
            all |= (number & all_bits(field.bits)) << field.offset;
        }
        (fields.len() == words.len()).then_some(all)
    }

    /// The member that an instruction is about.
    fn member(&self, frame: &Frame<'m>, at: InstructionId) -> Option<Field> {
        let mut ty = self.module.type_of(frame.body, *frame.body.operands_of(at).first()?)?;
        let mut offset = 0;
        let indices = (self.indices)(frame.id, at);
        if indices.is_empty() {
            return None;
        }
        for index in indices {
            match &self.module.types[ty] {
                Type::Struct { fields, .. } => {
                    offset += self.layout.field_offset(ty, index as usize)?;
                    ty = *fields.get(index as usize)?;
                }
                Type::Array(_, element) => {
                    offset += u64::from(index) * self.layout.stride(*element)?;
                    ty = *element;
                }
                _ => return None,
            }
        }
        let bits = self.aggregate_bits(ty, None).ok()?;
        let offset = u32::try_from(8 * offset).ok().filter(|offset| offset + bits <= 128)?;
        Some(Field { offset, bits })
    }

    /// `extractvalue` of an aggregate that is a number.
    pub(crate) fn take(
        &mut self,
        frame: &Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        let Some(field) = self.member(frame, at) else { return Err(self.no_operation(frame, at)) };
        let whole = self.value(frame, frame.body.operands_of(at)[0], at)?.operand;
        let node = self.cut_out(block, whole, field);
        self.label(frame, at, node);
        Ok(Lowered { operand: node.into(), memory: None })
    }

    /// Bits of a number, as a number.
    pub(crate) fn cut_out(&mut self, block: BlockId, whole: KernelOperand, field: Field) -> NodeId {
        let bits = match whole {
            KernelOperand::Node(node) => self.nodes[node].bits,
            KernelOperand::Constant { bits, .. } => bits,
        };
        let by = KernelOperand::Constant { bits, value: field.offset.into() };
        let moved = self.node(block, Action::LShr, vec![whole, by], bits);
        let action = if field.bits == bits { Action::Copy } else { Action::Truncate };
        self.node(block, action, vec![moved.into()], field.bits)
    }

    /// `insertvalue` into an aggregate that is a number.
    pub(crate) fn put(
        &mut self,
        frame: &Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        let &[whole, part] = frame.body.operands_of(at) else { return Err(self.no_operation(frame, at)) };
        let Some(field) = self.member(frame, at) else { return Err(self.no_operation(frame, at)) };
        let ty = frame.body.instructions[at].ty;
        let bits = self.aggregate_bits(ty, self.location_of(frame, at).as_ref())?;
        let (whole, part) = (self.value(frame, whole, at)?.operand, self.value(frame, part, at)?.operand);
        let rest = all_bits(bits) & !(all_bits(field.bits) << field.offset);
        let rest = KernelOperand::Constant { bits, value: rest };
        let cleared = self.node(block, Action::And, vec![whole, rest], bits);
        let moved = self.moved_up(block, part, field, bits);
        let node = self.node(block, Action::Or, vec![cleared.into(), moved], bits);
        self.label(frame, at, node);
        Ok(Lowered { operand: node.into(), memory: None })
    }

    /// A number at its place in a wider one.
    pub(crate) fn moved_up(
        &mut self,
        block: BlockId,
        part: KernelOperand,
        field: Field,
        bits: u32,
    ) -> KernelOperand {
        let wide = match field.bits == bits {
            true => part,
            false => self.node(block, Action::Extend { signed: false }, vec![part], bits).into(),
        };
        let by = KernelOperand::Constant { bits, value: field.offset.into() };
        self.node(block, Action::Shl, vec![wide, by], bits).into()
    }

    /// Whether a value is an aggregate.
    pub(crate) fn is_aggregate(&self, frame: &Frame<'m>, value: Value) -> bool {
        let ty = self.module.type_of(frame.body, value);
        ty.is_some_and(|ty| matches!(self.module.types[ty], Type::Struct { .. } | Type::Array(..)))
    }
}

//! How far from its base does a `getelementptr` lead? Constant bytes, and
//! indices with what one of each is worth. Cost: linear in the indices.

use opcost_ir::{ConstantValue, Function, Layout, Module, Type, Value};
use opcost_key::InstructionId;

/// The way from the base: bytes, and unknown indices with their strides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) bytes: i64,
    pub(super) indices: Vec<(Value, u64)>,
}

/// The way of a `getelementptr`; none if a size is not known.
pub(super) fn way_of(
    module: &Module,
    layout: &Layout,
    function: &Function,
    at: InstructionId,
) -> Option<Way> {
    let mut way = Way::default();
    let mut ty = function.instructions[at].second_type?;
    let (_, indices) = function.operands_of(at).split_first()?;
    for (position, &index) in indices.iter().enumerate() {
        let number = signed(module, index);
        let stride = match &module.types[ty] {
            _ if position == 0 => layout.stride(ty)?,
            Type::Struct { fields, .. } => {
                let field = usize::try_from(number?).ok()?;
                way.bytes = way.bytes.checked_add(i64::try_from(layout.field_offset(ty, field)?).ok()?)?;
                ty = *fields.get(field)?;
                continue;
            }
            Type::Array(_, element) => {
                ty = *element;
                layout.stride(ty)?
            }
            Type::Vector { element, scalable: false, .. } => {
                ty = *element;
                layout.size(ty)?
            }
            _ => return None,
        };
        match number {
            Some(number) => {
                let bytes = number.checked_mul(i64::try_from(stride).ok()?)?;
                way.bytes = way.bytes.checked_add(bytes)?;
            }
            None => way.indices.push((index, stride)),
        }
    }
    Some(way)
}

/// A constant integer, taken as signed.
pub(super) fn signed(module: &Module, value: Value) -> Option<i64> {
    let Value::Constant(id) = value else { return None };
    let constant = &module.constants[id];
    match (constant.value, &module.types[constant.ty]) {
        (ConstantValue::Integer(value), Type::Integer(bits @ 1..=64)) => {
            let unused = 64 - bits;
            Some(((value as u64) << unused) as i64 >> unused)
        }
        _ => None,
    }
}

/// Bytes from the start of the data that a constant address is that of.
pub(super) fn offset_in_data(module: &opcost_ir::Module, address: Value) -> i64 {
    crate::memory::contents::address(module, address).map_or(0, |(_, offset)| offset)
}

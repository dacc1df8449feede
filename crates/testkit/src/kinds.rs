//! How does a value of a type lie in memory, and what is a constant while a
//! program runs?
//!
//! Computed once for a module: for each type whether a run can hold a value of
//! it, and how; for each constant the value. What a run cannot hold (vectors,
//! integers above 128 bits, other floats, constants that the snapshot does not
//! know) is told when it is used. Little-endian.

use opcost_index::{Id, IdMap};
use opcost_ir::{Constant, ConstantValue, Layout, Module, ScalarValue, Type, TypeId, Value};

use crate::memory::{Byte, Content, Fault, Memory, split_integer};
use crate::scalar::{ObjectId, Pointer, Scalar};

/// The most parts of an aggregate that is one value.
const MOST_PARTS: u64 = 1 << 12;

/// What values of a type are.
#[derive(Clone, Debug)]
pub(crate) enum ValueKind {
    Integer(u32),
    Single,
    Double,
    Pointer,
    /// Byte offsets and types of the parts.
    Aggregate(Vec<(u64, TypeId)>),
    /// Nothing that a run can hold.
    Other,
}

pub(crate) fn kinds(module: &Module, layout: &Layout) -> IdMap<TypeId, ValueKind> {
    let kind = |id: TypeId| match &module.types[id] {
        Type::Integer(bits @ 1..=128) => ValueKind::Integer(*bits),
        Type::Float("float") => ValueKind::Single,
        Type::Float("double") => ValueKind::Double,
        Type::Pointer(_) => ValueKind::Pointer,
        Type::Array(length, element) if *length <= MOST_PARTS => match layout.stride(*element) {
            Some(stride) => ValueKind::Aggregate((0..*length).map(|at| (at * stride, *element)).collect()),
            None => ValueKind::Other,
        },
        Type::Struct { fields, .. } => {
            let parts = fields.iter().enumerate();
            let parts = parts.map(|(at, &field)| Some((layout.field_offset(id, at)?, field)));
            parts.collect::<Option<_>>().map_or(ValueKind::Other, ValueKind::Aggregate)
        }
        _ => ValueKind::Other,
    };
    IdMap::from_vec(module.types.ids().map(kind).collect())
}

/// The object that a function is; those of data come before.
pub(crate) fn function_object(module: &Module, value: Value) -> Option<ObjectId> {
    let first = 1 + module.globals.len();
    match value {
        Value::Function(id) => Some(ObjectId::new(first + id.index())),
        Value::Declaration(id) => Some(ObjectId::new(first + module.functions.len() + id.index())),
        _ => None,
    }
}

/// The function that an object is.
pub(crate) fn function_of(module: &Module, object: ObjectId) -> Option<Value> {
    let position = object.index().checked_sub(1 + module.globals.len())?;
    match position.checked_sub(module.functions.len()) {
        None => Some(Value::Function(Id::new(position))),
        Some(position) if position < module.declarations.len() => Some(Value::Declaration(Id::new(position))),
        Some(_) => None,
    }
}

/// A constant as a value; none if a run cannot hold it.
pub(crate) fn constant(kinds: &IdMap<TypeId, ValueKind>, constant: &Constant) -> Option<Scalar> {
    value(kinds, constant.ty, constant.value)
}

fn value(kinds: &IdMap<TypeId, ValueKind>, ty: TypeId, value: ConstantValue) -> Option<Scalar> {
    Some(match (value, &kinds[ty]) {
        (ConstantValue::Integer(bits), ValueKind::Integer(width)) => Scalar::integer(*width, bits),
        (ConstantValue::Float(bits), ValueKind::Double) => Scalar::Double(f64::from_bits(bits)),
        (ConstantValue::Float(bits), ValueKind::Single) => Scalar::Single(f64::from_bits(bits) as f32),
        (ConstantValue::Null, _) => Scalar::Pointer(Pointer { object: ObjectId::new(0), offset: 0 }),
        (ConstantValue::Undef, _) => Scalar::Undefined,
        (ConstantValue::Poison, _) => Scalar::Poison,
        (ConstantValue::Global { global, offset }, _) => {
            Scalar::Pointer(Pointer { object: ObjectId::new(1 + global.index()), offset })
        }
        (ConstantValue::Zero, _) => zero(kinds, ty)?,
        _ => return None,
    })
}

/// Zero of a type. The depth of the recursion is that of the type.
fn zero(kinds: &IdMap<TypeId, ValueKind>, ty: TypeId) -> Option<Scalar> {
    Some(match &kinds[ty] {
        ValueKind::Integer(width) => Scalar::integer(*width, 0),
        ValueKind::Single => Scalar::Single(0.0),
        ValueKind::Double => Scalar::Double(0.0),
        ValueKind::Pointer => Scalar::Pointer(Pointer { object: ObjectId::new(0), offset: 0 }),
        ValueKind::Aggregate(parts) => {
            Scalar::Aggregate(parts.iter().map(|&(_, part)| zero(kinds, part)).collect::<Option<_>>()?)
        }
        ValueKind::Other => return None,
    })
}

/// Memory as a program finds it: data, and an address for each function. Data
/// that is declared, or of which the contents are not known, is undefined.
pub(crate) fn memory(module: &Module, layout: &Layout, kinds: &IdMap<TypeId, ValueKind>) -> Memory {
    let mut memory = Memory::new(layout.pointer_bits(0));
    for global in module.globals.values() {
        let filler = match &global.contents {
            Some(contents) if contents.is_complete => Content::Bits(0),
            _ => Content::Undefined,
        };
        memory.add(layout.stride(global.ty).unwrap_or(0), filler);
    }
    for _ in 0..module.functions.len() + module.declarations.len() {
        memory.add(0, Content::Undefined);
    }
    for (id, global) in module.globals.iter() {
        let start = memory.global(id);
        for &(offset, ty, scalar) in global.contents.iter().flat_map(|contents| &contents.scalars) {
            let value = match scalar {
                ScalarValue::Constant(constant) => value(kinds, ty, constant),
                ScalarValue::Function(function) => function_object(module, function)
                    .map(|object| Scalar::Pointer(Pointer { object, offset: 0 })),
            };
            let at = Pointer { offset: offset as i64, ..start };
            // What lies behind the end of its data is not part of it.
            let _ = store(&mut memory, Types { kinds, layout }, at, ty, &value.unwrap_or(Scalar::Undefined));
        }
        if global.is_constant {
            memory.make_constant(start.object);
        }
    }
    memory
}

/// What types are, and how much room they take.
#[derive(Clone, Copy)]
pub(crate) struct Types<'a> {
    pub(crate) kinds: &'a IdMap<TypeId, ValueKind>,
    pub(crate) layout: &'a Layout,
}

/// Reads a value of a type; none if a run cannot hold it. The depth of the
/// recursion is that of the type.
pub(crate) fn load(
    memory: &Memory,
    types: Types<'_>,
    at: Pointer,
    ty: TypeId,
) -> Result<Option<Scalar>, Fault> {
    let Some(size) = types.layout.size(ty) else { return Ok(None) };
    let bytes = || memory.read(at, size);
    let bits = |bytes: &[Byte], width| memory.join_integer(bytes, width);
    Ok(Some(match &types.kinds[ty] {
        ValueKind::Integer(width) => bits(&bytes()?, *width),
        ValueKind::Single => match bits(&bytes()?, 32) {
            Scalar::Integer { bits, .. } => Scalar::Single(f32::from_bits(bits as u32)),
            other => other,
        },
        ValueKind::Double => match bits(&bytes()?, 64) {
            Scalar::Integer { bits, .. } => Scalar::Double(f64::from_bits(bits as u64)),
            other => other,
        },
        ValueKind::Pointer => memory.join_pointer(&bytes()?),
        ValueKind::Aggregate(parts) => {
            let mut values = Vec::with_capacity(parts.len());
            for &(offset, part) in parts {
                match load(memory, types, moved(at, offset), part)? {
                    Some(value) => values.push(value),
                    None => return Ok(None),
                }
            }
            Scalar::Aggregate(values.into())
        }
        ValueKind::Other => return Ok(None),
    }))
}

/// Writes a value of a type; whether a run can hold it. The depth of the
/// recursion is that of the type.
pub(crate) fn store(
    memory: &mut Memory,
    types: Types<'_>,
    at: Pointer,
    ty: TypeId,
    value: &Scalar,
) -> Result<bool, Fault> {
    let Some(size) = types.layout.size(ty) else { return Ok(false) };
    let contents = match (value, &types.kinds[ty]) {
        (Scalar::Aggregate(values), ValueKind::Aggregate(parts)) if values.len() == parts.len() => {
            for (value, &(offset, part)) in values.iter().zip(parts) {
                if !store(memory, types, moved(at, offset), part, value)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        (_, ValueKind::Other) => return Ok(false),
        (Scalar::Poison, _) => vec![Content::Poison; size as usize],
        (Scalar::Undefined, _) => vec![Content::Undefined; size as usize],
        (Scalar::Integer { bits, .. }, ValueKind::Integer(_)) => split_integer(*bits, size as u32),
        (Scalar::Single(value), ValueKind::Single) => split_integer(u128::from(value.to_bits()), 4),
        (Scalar::Double(value), ValueKind::Double) => split_integer(u128::from(value.to_bits()), 8),
        (Scalar::Pointer(pointer), ValueKind::Pointer) => {
            (0..size as u8).map(|position| Content::Piece(*pointer, position)).collect()
        }
        _ => return Ok(false),
    };
    memory.write(at, contents.into_iter())?;
    Ok(true)
}

fn moved(at: Pointer, offset: u64) -> Pointer {
    Pointer { offset: at.offset.wrapping_add(offset as i64), ..at }
}

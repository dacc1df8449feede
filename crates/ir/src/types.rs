//! What kind of value is it? LLVM's types, interned per module.

use opcost_index::{IdMap, define_id};

define_id!(
    /// A type of a module.
    pub struct TypeId, "type"
);

/// A type. Parts are ids into the same module's table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// `i32`: so many bits.
    Integer(u32),
    /// `half`, `bfloat`, `float`, `double`, `x86_fp80`, `fp128`, `ppc_fp128`.
    Float(&'static str),
    /// `ptr addrspace(n)`
    Pointer(u32),
    /// `[n x T]`
    Array(u64, TypeId),
    /// `<n x T>` or, scalable, `<vscale x n x T>`
    Vector {
        /// Elements (times vscale).
        length: u32,
        /// Whether the length is a multiple of the machine's vscale.
        scalable: bool,
        /// Element type.
        element: TypeId,
    },
    /// `{ T, U }`, packed or not, with its name if it has one.
    Struct {
        /// `%struct.name`
        name: Option<Box<str>>,
        /// Fields in order.
        fields: Vec<TypeId>,
        /// Without padding.
        packed: bool,
    },
    /// A function type: result, parameters, variadic.
    Function(TypeId, Vec<TypeId>, bool),
    /// `label`, `token`, `metadata`, `x86_amx`, target extension types.
    Other(Box<str>),
}

/// How the name of a struct and an unknown type are written: bare, or quoted
/// where they must be.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) of_struct: fn(&str, &mut String),
    pub(crate) of_other: fn(&str, &mut String),
}

impl Names {
    /// As they are.
    pub(crate) const BARE: Names =
        Names { of_struct: |name, out| out.push_str(name), of_other: |text, out| out.push_str(text) };
}

/// Writes a type as LLVM's text does.
pub(crate) fn write_type(types: &IdMap<TypeId, Type>, id: TypeId, names: Names, out: &mut String) {
    use std::fmt::Write;
    match &types[id] {
        Type::Void => out.push_str("void"),
        Type::Integer(bits) => write!(out, "i{bits}").expect("writing to a string"),
        Type::Float(name) => out.push_str(name),
        Type::Pointer(0) => out.push_str("ptr"),
        Type::Pointer(space) => write!(out, "ptr addrspace({space})").expect("writing to a string"),
        Type::Array(length, element) => {
            write!(out, "[{length} x ").expect("writing to a string");
            write_type(types, *element, names, out);
            out.push(']');
        }
        Type::Vector { length, scalable, element } => {
            let scale = if *scalable { "vscale x " } else { "" };
            write!(out, "<{scale}{length} x ").expect("writing to a string");
            write_type(types, *element, names, out);
            out.push('>');
        }
        Type::Struct { name: Some(name), .. } => {
            out.push('%');
            (names.of_struct)(name, out);
        }
        Type::Struct { fields, packed, .. } => {
            out.push_str(if *packed { "<{ " } else { "{ " });
            write_list(types, fields, names, out);
            out.push_str(if *packed { " }>" } else { " }" });
        }
        Type::Function(result, parameters, variadic) => {
            write_type(types, *result, names, out);
            out.push_str(" (");
            write_list(types, parameters, names, out);
            if *variadic {
                out.push_str(if parameters.is_empty() { "..." } else { ", ..." });
            }
            out.push(')');
        }
        Type::Other(text) => (names.of_other)(text, out),
    }
}

fn write_list(types: &IdMap<TypeId, Type>, list: &[TypeId], names: Names, out: &mut String) {
    for (position, &id) in list.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        write_type(types, id, names, out);
    }
}

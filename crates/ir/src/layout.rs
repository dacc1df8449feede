//! How much room does a value take, and where does a field lie?
//!
//! LLVM's `DataLayout`, computed once for all types of a module from its data
//! layout string: bits of the value, bytes that a store writes, and the stride
//! from one element of an array to the next. Types of which no number of bytes
//! is known before the program runs (scalable vectors), types without a size
//! (`void`, functions, structs whose fields are elsewhere) and sizes beyond 64
//! bits have none. Types lie behind their parts, so one pass does. Cost: linear
//! in types and fields.

use opcost_index::IdMap;

use crate::layout_string::Specifications;
use crate::{Module, Type, TypeId};

/// Sizes and alignments of a module's types.
#[derive(Clone, Debug)]
pub struct Layout {
    specifications: Specifications,
    shapes: IdMap<TypeId, Option<Shape>>,
    /// Of structs with a size.
    field_offsets: IdMap<TypeId, Vec<u64>>,
}

/// Room that a type takes.
#[derive(Clone, Copy, Debug)]
struct Shape {
    bits: u64,
    /// In bytes; a power of two.
    alignment: u64,
}

impl Shape {
    fn size(self) -> u64 {
        self.bits.div_ceil(8)
    }

    fn stride(self) -> Option<u64> {
        self.size().checked_next_multiple_of(self.alignment)
    }
}

impl Layout {
    /// Measures every type of the module.
    pub fn of(module: &Module) -> Layout {
        let mut layout = Layout {
            specifications: Specifications::read(&module.data_layout),
            shapes: IdMap::new(),
            field_offsets: IdMap::new(),
        };
        for ty in module.types.values() {
            let mut offsets = Vec::new();
            let shape = layout.shape(ty, &module.types, &mut offsets);
            layout.shapes.push(shape);
            layout.field_offsets.push(if shape.is_some() { offsets } else { Vec::new() });
        }
        layout
    }

    fn shape(&self, ty: &Type, types: &IdMap<TypeId, Type>, offsets: &mut Vec<u64>) -> Option<Shape> {
        let known = &self.specifications;
        match ty {
            Type::Integer(bits) => {
                let bits = u64::from(*bits);
                Some(Shape { bits, alignment: known.integer_alignment(bits) })
            }
            Type::Float(name) => self.float(name),
            Type::Pointer(space) => {
                let pointer = known.pointer_to(*space);
                Some(Shape { bits: u64::from(pointer.bits), alignment: pointer.alignment })
            }
            Type::Array(length, element) => {
                let element = self.shape_of(*element)?;
                let bits = element.stride()?.checked_mul(8)?.checked_mul(*length)?;
                Some(Shape { bits, alignment: element.alignment })
            }
            Type::Vector { scalable: true, .. } => None,
            Type::Vector { length, element, .. } => {
                // Elements lie bit by bit; a pointer has the size of its type.
                let is_scalar =
                    matches!(types[*element], Type::Integer(_) | Type::Float(_) | Type::Pointer(_));
                let element = self.shape_of(*element).filter(|_| is_scalar)?;
                let bits = element.bits.checked_mul(u64::from(*length))?;
                let natural = || bits.div_ceil(8).checked_next_power_of_two();
                let alignment = known.vectors.get(&bits).copied().or_else(natural)?;
                Some(Shape { bits, alignment })
            }
            Type::Struct { fields, packed, .. } => self.structure(fields, *packed, offsets),
            Type::Void | Type::Function(..) | Type::Other(_) => None,
        }
    }

    fn float(&self, name: &str) -> Option<Shape> {
        let bits: u64 = match name {
            "half" | "bfloat" => 16,
            "float" => 32,
            "double" => 64,
            "x86_fp80" => 80,
            "fp128" | "ppc_fp128" => 128,
            _ => return None,
        };
        let natural = bits.div_ceil(8).next_power_of_two();
        Some(Shape { bits, alignment: self.specifications.floats.get(&bits).copied().unwrap_or(natural) })
    }

    fn structure(&self, fields: &[TypeId], packed: bool, offsets: &mut Vec<u64>) -> Option<Shape> {
        let (mut end, mut widest) = (0u64, 1);
        for &field in fields {
            let shape = self.shape_of(field)?;
            if !packed {
                end = end.checked_next_multiple_of(shape.alignment)?;
                widest = widest.max(shape.alignment);
            }
            offsets.push(end);
            end = end.checked_add(shape.stride()?)?;
        }
        let bits = end.checked_next_multiple_of(widest)?.checked_mul(8)?;
        let alignment = if packed { 1 } else { widest.max(self.specifications.aggregate) };
        Some(Shape { bits, alignment })
    }

    fn shape_of(&self, ty: TypeId) -> Option<Shape> {
        self.shapes.get(ty).copied().flatten()
    }

    /// Bytes that a store of the type writes; `None` if nobody knows.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        self.shape_of(ty).map(Shape::size)
    }

    /// Bytes from one element of an array to the next.
    pub fn stride(&self, ty: TypeId) -> Option<u64> {
        self.shape_of(ty)?.stride()
    }

    /// Bits of the value.
    pub fn bits(&self, ty: TypeId) -> Option<u64> {
        self.shape_of(ty).map(|shape| shape.bits)
    }

    /// Bytes that its address is a multiple of, unless the access says otherwise.
    pub fn alignment(&self, ty: TypeId) -> Option<u64> {
        self.shape_of(ty).map(|shape| shape.alignment)
    }

    /// Bytes from the start of a struct to one of its fields.
    pub fn field_offset(&self, ty: TypeId, field: usize) -> Option<u64> {
        self.field_offsets.get(ty)?.get(field).copied()
    }

    /// Bits of a pointer to this address space.
    pub fn pointer_bits(&self, space: u32) -> u32 {
        self.specifications.pointer_to(space).bits
    }

    /// Bits of an offset that is added to a pointer to this address space.
    pub fn index_bits(&self, space: u32) -> u32 {
        self.specifications.pointer_to(space).index_bits
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;

    use super::Layout;
    use crate::{TypeId, parse_module};

    /// Sizes that clang has on x86-64 for the same types.
    #[test]
    fn sizes_are_those_of_the_binary_interface() {
        let types = [
            ("i1", Some((1, 1, 1))),
            ("i32", Some((4, 4, 32))),
            ("i33", Some((5, 8, 33))),
            ("i128", Some((16, 16, 128))),
            ("ptr", Some((8, 8, 64))),
            ("x86_fp80", Some((10, 16, 80))),
            ("{ i8, i32, i8 }", Some((12, 12, 96))),
            ("<{ i8, i32, i8 }>", Some((6, 6, 48))),
            ("[3 x { i8, i32, i8 }]", Some((36, 36, 288))),
            ("<3 x i32>", Some((12, 16, 96))),
            ("<4 x i1>", Some((1, 1, 4))),
            ("<vscale x 4 x i32>", None),
            ("{ i8, <vscale x 4 x i32> }", None),
            ("void", None),
            ("[18446744073709551615 x i64]", None),
            ("{ }", Some((0, 0, 0))),
        ];
        let layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
        for (text, expected) in types {
            let module = parse_module(&format!("data_layout \"{layout}\"\ntype {text}\n")).expect(text);
            let ty = TypeId::new(module.types.len() - 1);
            let layout = Layout::of(&module);
            let found = layout.size(ty).zip(layout.stride(ty)).zip(layout.bits(ty));
            assert_eq!(found.map(|((size, stride), bits)| (size, stride, bits)), expected, "{text}");
        }
    }

    #[test]
    fn fields_lie_behind_one_another() {
        let module = parse_module("type { i8, { i8, i64 }, i16 }\n").expect("a type");
        let ty = TypeId::new(module.types.len() - 1);
        let layout = Layout::of(&module);
        let offsets: Vec<_> = (0..4).map(|field| layout.field_offset(ty, field)).collect();
        // By default an i64 needs four bytes only.
        assert_eq!(offsets, [Some(0), Some(4), Some(16), None]);
        assert_eq!((layout.size(ty), layout.pointer_bits(0), layout.index_bits(3)), (Some(20), 64, 64));
    }
}

//! Of what size are the values of each type, and is one too large to be one?

use opcost_index::IdMap;
use opcost_ir::{Module, Type, TypeId};

use super::rule::Rule;

/// Integers wider than this are worked on by loops that LLVM makes.
pub(super) const WIDEST_INTEGER: u32 = 128;
/// Bits of the widest vector: eight registers of the widest machine.
pub(super) const WIDEST_VECTOR: u64 = 4096;
/// Parts of a value that is loaded, stored or passed as one.
pub(super) const MOST_PARTS: u64 = 64;

/// Sizes of all types of a module, and what is wrong with them as values.
pub(super) struct Sizes {
    /// At least so many bytes in memory.
    pub(super) bytes: IdMap<TypeId, u64>,
    pub(super) wrong: IdMap<TypeId, Option<(Rule, String)>>,
}

impl Sizes {
    pub(super) fn new(module: &Module) -> Sizes {
        let mut sizes = Sizes { bytes: IdMap::new(), wrong: IdMap::new() };
        let mut parts: IdMap<TypeId, u64> = IdMap::new();
        for (id, ty) in module.types.iter() {
            let (bytes, count) = match ty {
                Type::Integer(bits) => (u64::from(bits.div_ceil(8)), 1),
                Type::Float("half" | "bfloat") => (2, 1),
                Type::Float("float") => (4, 1),
                Type::Float("double") => (8, 1),
                Type::Float(_) => (10, 1),
                Type::Pointer(_) => (8, 1),
                Type::Array(length, element) => {
                    (sizes.bytes[*element].saturating_mul(*length), parts[*element].saturating_mul(*length))
                }
                Type::Vector { length, element, .. } => {
                    (sizes.bytes[*element].saturating_mul(u64::from(*length)), 1)
                }
                Type::Struct { fields, .. } => {
                    let sum = |list: &IdMap<TypeId, u64>| {
                        fields.iter().fold(0u64, |sum, field| sum.saturating_add(list[*field]))
                    };
                    (sum(&sizes.bytes), sum(&parts))
                }
                Type::Void | Type::Function(..) | Type::Other(_) => (0, 1),
            };
            sizes.bytes.push(bytes);
            parts.push(count);
            let wrong = sizes.wrong(module, id, ty, count);
            sizes.wrong.push(wrong);
        }
        sizes
    }

    fn wrong(&self, module: &Module, id: TypeId, ty: &Type, parts: u64) -> Option<(Rule, String)> {
        let text = || module.type_text(id);
        match ty {
            Type::Integer(bits) if *bits > WIDEST_INTEGER => {
                Some((Rule::Size, format!("works on an integer of {bits} bits, more than {WIDEST_INTEGER}")))
            }
            Type::Pointer(space) if *space != 0 => {
                Some((Rule::AddressSpace, format!("works on memory of another kind ({})", text())))
            }
            Type::Vector { scalable: true, .. } => {
                Some((Rule::Size, format!("works on a vector without a fixed length ({})", text())))
            }
            Type::Vector { length, element, .. } => {
                let bits = (self.bytes[*element] * 8).max(1).saturating_mul(u64::from(*length));
                let is_mask = module.types[*element] == Type::Integer(1);
                let bits = if is_mask { u64::from(*length) } else { bits };
                (bits > WIDEST_VECTOR)
                    .then(|| (Rule::Size, format!("works on {}, more than {WIDEST_VECTOR} bits", text())))
                    .or_else(|| self.wrong[*element].clone())
            }
            Type::Array(_, element) if parts <= MOST_PARTS => self.wrong[*element].clone(),
            Type::Struct { fields, .. } if parts <= MOST_PARTS => {
                fields.iter().find_map(|field| self.wrong[*field].clone())
            }
            Type::Array(..) | Type::Struct { .. } => {
                Some((Rule::Size, format!("moves a value of {parts} parts as one, more than {MOST_PARTS}")))
            }
            Type::Other(text) if !matches!(&**text, "label" | "metadata" | "token") => {
                Some((Rule::Size, format!("works on values of the type {text}")))
            }
            _ => None,
        }
    }
}

//! What is a constant? Its type, its text and, where it is simple, its value.
//!
//! Constants that compute (an address and so many bytes) are folded by the
//! `llvm` room; what remains is [`ConstantValue::Other`] and has its text. The
//! value that a text has unless it is said otherwise is [`ConstantValue::of_text`]:
//! the text form and the tests rest on it, the `llvm` room asks LLVM.

use crate::ids::GlobalId;
use crate::types::{Type, TypeId};

/// A constant operand: its type, its text, its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: TypeId,
    /// As LLVM writes it, without the type.
    pub text: Box<str>,
    /// What it is, as far as a snapshot knows.
    pub value: ConstantValue,
}

/// The value of a constant. A function is no constant of a snapshot: it is
/// [`Value::Function`](crate::Value) or [`Value::Declaration`](crate::Value).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantValue {
    /// An integer of at most 128 bits, zero-extended from the width of its type.
    Integer(u128),
    /// `half`, `bfloat`, `float` or `double`: the bits of it as a `double`.
    Float(u64),
    /// The null pointer of its type.
    Null,
    /// Any value, another at each use.
    Undef,
    /// What broken promises give.
    Poison,
    /// Zeros in all parts of an aggregate or vector.
    Zero,
    /// The address of data and so many bytes. Of a second name only where another definition may
    /// take its place; else it is what it represents.
    Global {
        /// The data.
        global: GlobalId,
        /// Bytes after its start.
        offset: i64,
    },
    /// Anything else.
    Other,
}

impl ConstantValue {
    /// The value that this text has as a constant of type `ty`, where the text alone decides.
    /// `@name+8` is data that `global` knows and so many bytes.
    pub(crate) fn of_text(ty: &Type, text: &str, global: impl Fn(&str) -> Option<GlobalId>) -> Self {
        let found = match (text, ty) {
            ("undef", _) => Some(Self::Undef),
            ("poison", _) => Some(Self::Poison),
            ("null", Type::Pointer(_)) => Some(Self::Null),
            ("zeroinitializer", _) if is_composed(ty) => Some(Self::Zero),
            (_, Type::Integer(bits)) => integer(text, *bits).map(Self::Integer),
            (_, Type::Float(name)) => float(text, name).map(Self::Float),
            (_, Type::Pointer(_)) => address(text, global),
            _ => None,
        };
        found.unwrap_or(Self::Other)
    }

    /// Whether a constant of this type can have this value.
    pub(crate) fn fits(self, ty: &Type) -> bool {
        match self {
            Self::Integer(value) => matches!(ty, Type::Integer(bits) if mask(*bits) & value == value),
            Self::Float(_) => {
                matches!(ty, Type::Float(name) if ["half", "bfloat", "float", "double"].contains(name))
            }
            Self::Null | Self::Global { .. } => matches!(ty, Type::Pointer(_)),
            Self::Zero => is_composed(ty),
            Self::Undef | Self::Poison | Self::Other => true,
        }
    }
}

fn is_composed(ty: &Type) -> bool {
    matches!(ty, Type::Array(..) | Type::Vector { .. } | Type::Struct { .. })
}

/// All bits of an integer of so many; none of one that is too wide.
fn mask(bits: u32) -> u128 {
    match bits {
        1..=127 => (1 << bits) - 1,
        128 => u128::MAX,
        _ => 0,
    }
}

/// An integer as it is written, signed or not, if it fits into so many bits.
pub(crate) fn integer(text: &str, bits: u32) -> Option<u128> {
    let mask = mask(bits);
    match text {
        "true" if bits == 1 => return Some(1),
        "false" if bits == 1 => return Some(0),
        _ => {}
    }
    if let Ok(value) = text.parse::<u128>() {
        return (mask != 0 && value & mask == value).then_some(value);
    }
    let value = text.parse::<i128>().ok()?;
    let sign_and_more = value >> (bits.clamp(1, 128) - 1);
    (mask != 0 && sign_and_more == -1).then_some(value as u128 & mask)
}

/// A `float` or `double` as it is written: decimal, or the bits of a `double`.
pub(crate) fn float(text: &str, name: &str) -> Option<u64> {
    if name != "float" && name != "double" {
        return None;
    }
    if let Some(bits) = text.strip_prefix("0x") {
        let is_double = bits.len() == 16 && bits.bytes().all(|digit| digit.is_ascii_hexdigit());
        return if is_double { u64::from_str_radix(bits, 16).ok() } else { None };
    }
    // Rust reads words such as `inf` too.
    if !text.ends_with(|last: char| last.is_ascii_digit() || last == '.') {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    Some(if name == "float" { f64::from(value as f32) } else { value }.to_bits())
}

fn address(text: &str, global: impl Fn(&str) -> Option<GlobalId>) -> Option<ConstantValue> {
    let name = text.strip_prefix('@')?;
    if let Some(global) = global(name) {
        return Some(ConstantValue::Global { global, offset: 0 });
    }
    let (name, offset) = name.split_at(name.rfind(['+', '-'])?);
    Some(ConstantValue::Global { global: global(name)?, offset: offset.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;

    use super::ConstantValue;
    use crate::{GlobalId, Type};

    fn of(ty: Type, text: &str) -> ConstantValue {
        ConstantValue::of_text(&ty, text, |name| (name == "g").then(|| GlobalId::new(3)))
    }

    #[test]
    fn integers_are_zero_extended_from_their_width() {
        assert_eq!(of(Type::Integer(8), "-1"), ConstantValue::Integer(255));
        assert_eq!(of(Type::Integer(8), "-128"), ConstantValue::Integer(128));
        assert_eq!(of(Type::Integer(8), "-129"), ConstantValue::Other);
        assert_eq!(of(Type::Integer(8), "256"), ConstantValue::Other);
        assert_eq!(of(Type::Integer(1), "true"), ConstantValue::Integer(1));
        assert_eq!(of(Type::Integer(1), "-1"), ConstantValue::Integer(1));
        assert_eq!(of(Type::Integer(128), "-1"), ConstantValue::Integer(u128::MAX));
        assert_eq!(of(Type::Integer(129), "1"), ConstantValue::Other);
        assert_eq!(of(Type::Integer(32), "null"), ConstantValue::Other);
    }

    #[test]
    fn numbers_with_a_point_are_read_as_doubles() {
        assert_eq!(of(Type::Float("double"), "1.5e+00"), ConstantValue::Float(1.5f64.to_bits()));
        assert_eq!(of(Type::Float("float"), "0x3FF8000000000000"), ConstantValue::Float(1.5f64.to_bits()));
        assert_eq!(of(Type::Float("float"), "0.1"), ConstantValue::Float(f64::from(0.1f32).to_bits()));
        assert_eq!(of(Type::Float("double"), "inf"), ConstantValue::Other);
        assert_eq!(of(Type::Float("half"), "0xH3C00"), ConstantValue::Other);
        assert_eq!(of(Type::Float("x86_fp80"), "1.5"), ConstantValue::Other);
    }

    #[test]
    fn addresses_are_data_and_bytes() {
        let at = |offset| ConstantValue::Global { global: GlobalId::new(3), offset };
        assert_eq!(of(Type::Pointer(0), "@g"), at(0));
        assert_eq!(of(Type::Pointer(0), "@g+16"), at(16));
        assert_eq!(of(Type::Pointer(0), "@g-8"), at(-8));
        assert_eq!(of(Type::Pointer(0), "@h"), ConstantValue::Other);
        assert_eq!(of(Type::Integer(64), "@g"), ConstantValue::Other);
        assert_eq!(of(Type::Pointer(1), "null"), ConstantValue::Null);
    }
}

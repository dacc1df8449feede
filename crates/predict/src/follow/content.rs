//! What is a value, as far as evaluation says it?
//!
//! A number, the bits of a number with a point, or a pointer into an instance of an object. Anything
//! else is unknown, and unknown sticks. Cost: constant.

use opcost_index::Id;
use opcost_ir::{ConstantValue, GlobalKind, Module, Type, TypeId};
use opcost_key::FunctionId;

/// One piece of memory. Those of globals have the global's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct InstanceId(u32);

impl InstanceId {
    pub(super) fn new(number: usize) -> InstanceId {
        InstanceId(number as u32)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Unknown,
    /// An integer, zero-extended from the width of its type.
    Word(u128),
    /// The bits of a `double`.
    Double(u64),
    /// The bits of a `float`.
    Single(u32),
    Null,
    Byte(Byte),
    /// A pointer somewhere into it.
    Within(InstanceId),
    Code(FunctionId),
    /// A part of the text of a word of the command line.
    Text(CommandText),
    /// A statement of Fortran that reads the text that an instance begins with.
    Statement(InstanceId),
}

/// A word of the command line, padded with blanks, in Fortran's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommandText {
    /// Which word; 1 is the first after the program's name.
    pub(super) word: u32,
    /// Bytes in all.
    pub(super) length: u64,
}

/// A byte of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Byte {
    pub(super) instance: InstanceId,
    pub(super) offset: i64,
}

impl Content {
    /// What holds of both.
    pub(super) fn join(self, other: Content) -> Content {
        if self == other {
            return self;
        }
        match (self.instance(), other.instance()) {
            (Some(one), Some(two)) if one == two => Content::Within(one),
            _ => Content::Unknown,
        }
    }

    /// The instance that a pointer is made of.
    pub(super) fn instance(self) -> Option<InstanceId> {
        match self {
            Content::Byte(byte) => Some(byte.instance),
            Content::Within(instance) => Some(instance),
            _ => None,
        }
    }

    pub(super) fn word(self) -> Option<u128> {
        match self {
            Content::Word(word) => Some(word),
            _ => None,
        }
    }

    /// A constant of the module.
    pub(super) fn of_constant(module: &Module, value: ConstantValue, ty: TypeId) -> Content {
        match (value, &module.types[ty]) {
            (ConstantValue::Integer(word), Type::Integer(1..=128)) => Content::Word(word),
            (ConstantValue::Float(bits), Type::Float("double")) => Content::Double(bits),
            (ConstantValue::Float(bits), Type::Float("float")) => {
                Content::Single((f64::from_bits(bits) as f32).to_bits())
            }
            (ConstantValue::Null, Type::Pointer(0)) => Content::Null,
            // A second name that another definition may take is no place of its own.
            (ConstantValue::Global { global, offset }, Type::Pointer(0))
                if module.globals[global].kind == GlobalKind::Variable =>
            {
                Content::Byte(Byte { instance: InstanceId::new(global.index()), offset })
            }
            _ => Content::Unknown,
        }
    }

    /// Zeros of a type.
    pub(super) fn zero(ty: &Type) -> Content {
        match ty {
            Type::Integer(1..=128) => Content::Word(0),
            Type::Float("double") => Content::Double(0),
            Type::Float("float") => Content::Single(0),
            Type::Pointer(0) => Content::Null,
            _ => Content::Unknown,
        }
    }

    /// The number that a formula means by it, where its type has so many bits.
    pub(super) fn number(self, ty: &Type) -> Option<i128> {
        match (self, ty) {
            (Content::Word(word), &Type::Integer(bits @ 2..=128)) => {
                let free = 128 - bits;
                Some((word << free) as i128 >> free)
            }
            (Content::Word(word), Type::Integer(1)) => Some(word as i128),
            (Content::Null, _) => Some(0),
            _ => None,
        }
    }
}

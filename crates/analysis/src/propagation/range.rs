//! What is known of a variable, and what can it be? Ranges of all kinds.
//!
//! An integer, or the offset of a pointer, has a range of words; a floating point number
//! has one of numbers. Operations on two kinds give the first. Cost: that of the domains.

use opcost_ir::{Module, Type, TypeId};

use crate::ranges::{FloatRange, Format, ValueRange};

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Of an integer, or of the offset of a pointer.
    Integer(ValueRange),
    /// Of a floating point number.
    Float(FloatRange),
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An integer of so many bits.
    Integer(u32),
    /// A floating point number.
    Float(Format),
}

impl Range {
    /// Anything of this kind.
    pub fn full(kind: Kind) -> Range {
        match kind {
            Kind::Integer(width) => Range::Integer(ValueRange::full(width)),
            Kind::Float(format) => Range::Float(FloatRange::full(format)),
        }
    }

    /// Nothing.
    pub fn empty(kind: Kind) -> Range {
        match kind {
            Kind::Integer(width) => Range::Integer(ValueRange::empty(width)),
            Kind::Float(format) => Range::Float(FloatRange::empty(format)),
        }
    }

    /// The integers; none of a floating point number.
    pub fn integer(&self) -> Option<&ValueRange> {
        match self {
            Range::Integer(range) => Some(range),
            Range::Float(_) => None,
        }
    }

    /// The numbers; none of an integer.
    pub fn float(&self) -> Option<&FloatRange> {
        match self {
            Range::Float(range) => Some(range),
            Range::Integer(_) => None,
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        match self {
            Range::Integer(range) => range.is_empty(),
            Range::Float(range) => range.is_empty(),
        }
    }

    /// What is in either; the first if they are of two kinds.
    #[must_use]
    pub fn join(&self, other: &Range) -> Range {
        match (self, other) {
            (Range::Integer(one), Range::Integer(two)) => Range::Integer(one.join(two)),
            (Range::Float(one), Range::Float(two)) => Range::Float(one.join(*two)),
            _ => self.clone(),
        }
    }

    /// What is in both.
    #[must_use]
    pub fn meet(&self, other: &Range) -> Range {
        match (self, other) {
            (Range::Integer(one), Range::Integer(two)) => Range::Integer(one.meet(two)),
            (Range::Float(one), Range::Float(two)) => Range::Float(one.meet(*two)),
            _ => self.clone(),
        }
    }

    /// Whether part for part all of `other` is in it.
    pub fn contains_all(&self, other: &Range) -> bool {
        match (self, other) {
            (Range::Integer(one), Range::Integer(two)) => one.contains_all(two),
            (Range::Float(one), Range::Float(two)) => one.join(*two) == *one,
            _ => false,
        }
    }
}

/// The kind of a type; none of what is no number that is followed.
pub(super) fn kind_of(module: &Module, ty: TypeId) -> Option<Kind> {
    match &module.types[ty] {
        Type::Integer(bits @ 1..=128) => Some(Kind::Integer(*bits)),
        Type::Float(name) => Format::of_name(name).map(Kind::Float),
        _ => None,
    }
}

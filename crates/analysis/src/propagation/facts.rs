//! What do ranges rest on, and what is reported with them? Data only.
//!
//! A fact is what no step of a program says. A distance and a content are what a checker needs in
//! addition to the steps; a finding is what can never be.

use opcost_ir::{DeclarationId, TypeId};
use opcost_key::{FunctionId, InstructionId};

use super::variables::VariableId;
use crate::memory::ObjectId;
use crate::memory::addresses::Offsets;

/// What ranges rest on besides the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeFact {
    /// All writes to the object are seen.
    ObjectContained(ObjectId),
    /// All calls of the function are seen.
    ArgumentsComplete(FunctionId),
    /// The closed form of a result in a loop.
    Recurrence(FunctionId, InstructionId),
    /// A library function gives what the table of effects says.
    LibraryResult(DeclarationId),
    /// What is known of memory, in words.
    Memory(&'static str),
    /// Floating point numbers are computed as IEEE 754 says.
    Ieee,
    /// No part of the local or allocated object is read before it is written
    /// ([`memory_is_written_first`](super::RangeOptions::memory_is_written_first)).
    WrittenFirst(ObjectId),
    /// In the function certain accesses are in their objects, because all else is undefined
    /// ([`backwards`](super::RangeOptions::backwards)).
    CertainAccess(FunctionId),
    /// Indices are in the arrays that they run through
    /// ([`WithinArrays`](super::Backwards::WithinArrays)).
    InBounds,
    /// Sums, differences and products do not overflow
    /// ([`assume_no_overflow`](super::RangeOptions::assume_no_overflow)).
    NoOverflow,
    /// Each caller gives to this parameter what a [`Contract`](super::Contract) promises.
    Contract(FunctionId, u32),
}

/// How far a phi is from another, at the head of a loop around it, in one iteration of that loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// Where.
    pub function: FunctionId,
    /// The phi.
    pub phi: InstructionId,
    /// The one at the head.
    pub from: InstructionId,
    /// The variable of the difference.
    pub variable: VariableId,
}

/// What is at some offsets of an object, always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offsets: Offsets,
    /// What it is read as.
    pub ty: TypeId,
    /// The variable of the contents.
    pub variable: VariableId,
}

/// Something that can never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The access is never in an object.
    NeverInBounds(FunctionId, InstructionId),
    /// The instruction is never executed, or its result is always poison.
    NeverReached(FunctionId, InstructionId),
}

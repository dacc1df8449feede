//! What is asked of memory, where, and what comes back? Data only.
//!
//! A cell at a point in time under the calls that led there, and the writes that it may
//! hold then.

use opcost_ir::{Flags, TagId, TypeId};
use opcost_key::{FunctionId, InstructionId};

use super::contexts::ContextId;
use super::memory::Cell;

/// The most links of one node.
pub(super) const MOST_LINKS: usize = 64;

/// A value of a function, under a context.
#[derive(Clone, Copy)]
pub(super) struct ContextInstruction {
    pub(super) function: FunctionId,
    pub(super) id: InstructionId,
    pub(super) context: ContextId,
}

impl ContextInstruction {
    /// Right before it.
    pub(super) fn point(self) -> Point {
        Point { function: self.function, before: Some(self.id), context: self.context }
    }
}

/// A place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Point {
    pub(super) function: FunctionId,
    /// Right before this instruction; `None`: at the function's returns.
    pub(super) before: Option<InstructionId>,
    pub(super) context: ContextId,
}

/// What is asked for at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) cell: Cell,
    /// It is in a local variable of that very activation.
    pub(super) is_own: bool,
    /// The type that it is read under, of the source language.
    pub(super) tag: Option<TagId>,
}

impl Asked {
    /// A cell of whatever activation, read as anything.
    pub(super) fn any(cell: Cell) -> Self {
        Asked { cell, is_own: false, tag: None }
    }
}

/// All that a cell may hold at a point.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) list: Vec<Definition>,
    /// Writes under other types were left out.
    pub(super) trusts_types: bool,
}

/// What a cell may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Definition {
    pub(super) origin: Origin,
    pub(super) context: ContextId,
    pub(super) is_possible: bool,
}

/// Where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// A store, or a call of a function that is elsewhere.
    Write(FunctionId, InstructionId),
    /// What data holds at the start.
    Initial,
    /// What a new object holds.
    Birth(FunctionId, InstructionId),
    /// What is in the caller's memory that is copied for this call.
    Passed(FunctionId, InstructionId),
    /// Written by code that is not seen.
    Unseen,
    /// The function is called by nobody who is known.
    Callers(FunctionId),
    /// The traversal became too long.
    Lost,
}

/// What an instruction put into a cell, under the calls that led there, read as a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing {
    pub(super) function: FunctionId,
    pub(super) at: InstructionId,
    pub(super) context: ContextId,
    pub(super) cell: Cell,
    pub(super) ty: TypeId,
}

impl Writing {
    /// Right before it.
    pub(super) fn point(self) -> Point {
        Point { function: self.function, before: Some(self.at), context: self.context }
    }
}

/// Whether an access may not be looked through.
pub(super) fn is_opaque(flags: Flags) -> bool {
    flags.has(Flags::VOLATILE) || flags.has(Flags::ATOMIC)
}

//! What is known of a call beside its operands?

use opcost_key::FunctionId;

use crate::effects::MemoryEffects;
use crate::ids::DeclarationId;

/// What is known of a call in addition to its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Whom it calls.
    pub callee: CalleeRef,
    /// No exception comes out of it (call or callee marked `nounwind`).
    pub is_nounwind: bool,
    /// Marked `willreturn`.
    pub is_willreturn: bool,
    /// Marked `noreturn`.
    pub is_noreturn: bool,
    /// Like `setjmp`.
    pub returns_twice: bool,
    /// Its tail marker.
    pub tail: TailKind,
    /// Inline assembly without a word in it, whose operands name no register:
    /// a barrier for the optimiser.
    pub is_empty_assembly: bool,
    /// Inline assembly that may go elsewhere or move the stack
    /// ([`inline_assembly_may_leave`](crate::inline_assembly_may_leave)).
    pub assembly_may_leave: bool,
    /// Inline assembly that may change how numbers are rounded
    /// ([`assembly_may_round`](crate::assembly_may_round)).
    pub assembly_may_round: bool,
    /// Marked `nobuiltin`: not known to be the library's function of that name.
    pub is_nobuiltin: bool,
    /// Bytes of arguments that are copied on the way (`byval`).
    pub copied_bytes: u64,
    /// What it may do to memory: what call and callee say together.
    pub memory: MemoryEffects,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalleeRef {
    /// A function of this module.
    Function(FunctionId),
    /// A declared function or intrinsic.
    Declaration(DeclarationId),
    /// Through a pointer.
    Indirect,
    /// Inline assembly.
    Assembly,
}

/// The tail marker of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailKind {
    /// None.
    None,
    /// `tail`: may become a jump.
    Tail,
    /// `musttail`: must become a jump.
    MustTail,
    /// `notail`: must not.
    NoTail,
}

//! What costs nothing? Phis, and intrinsics that become no code.

use opcost_ir::{CalleeRef, Function, Module, Opcode};
use opcost_key::InstructionId;

/// Intrinsics that LLVM's `isAssumeLikeIntrinsic` names, by name without suffix.
pub(super) const ASSUME_LIKE: &[&str] = &[
    "llvm.assume",
    "llvm.sideeffect",
    "llvm.pseudoprobe",
    "llvm.dbg.assign",
    "llvm.dbg.declare",
    "llvm.dbg.value",
    "llvm.dbg.label",
    "llvm.invariant.start",
    "llvm.invariant.end",
    "llvm.lifetime.start",
    "llvm.lifetime.end",
    "llvm.experimental.noalias.scope.decl",
    "llvm.objectsize",
    "llvm.ptr.annotation",
    "llvm.var.annotation",
];

/// Phis, and intrinsics that become no code.
pub(super) fn is_free(module: &Module, function: &Function, id: InstructionId) -> bool {
    let opcode = function.instructions[id].opcode;
    opcode == Opcode::Phi
        || (opcode == Opcode::Call
            && function.call(id).is_some_and(|call| is_assume_like(module, call.callee)))
}

/// Whether a call is one of the intrinsics that become no code.
pub(crate) fn is_assume_like(module: &Module, callee: CalleeRef) -> bool {
    module.intrinsic_name(callee).is_some_and(|name| {
        ASSUME_LIKE.iter().any(|free| {
            name.strip_prefix(free).is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('.'))
        })
    })
}

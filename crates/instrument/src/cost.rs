//! What does an instruction weigh?
//!
//! `unit/1`: every instruction 1; phis and the intrinsics that LLVM calls
//! assume-like 0, since they become no code and come and go with debug
//! information and optimiser hints. `block-size/1`: as in "Der Fluch des
//! Nichtdeterminismus" (Code Character): every instruction of the block, phis
//! too, charged when the block is entered. Debug records are not instructions
//! since LLVM 19 and are not in the snapshot.
//!
//! Weights are fixed at the anchor, before any helper transform.

use opcost_ir::{CalleeRef, Function, Module, Opcode};
use opcost_key::{Charge, CostFacts, Hasher128, InstructionId};

/// A named set of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CostModel {
    /// `unit/1`
    Unit,
    /// `block-size/1`
    BlockSize,
}

/// Intrinsics that LLVM's `isAssumeLikeIntrinsic` names, by name without suffix.
const ASSUME_LIKE: &[&str] = &[
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

impl CostModel {
    /// The model of this name.
    pub fn from_name(name: &str) -> Option<CostModel> {
        match name {
            "unit/1" | "unit" => Some(CostModel::Unit),
            "block-size/1" | "block-size" => Some(CostModel::BlockSize),
            _ => None,
        }
    }

    /// Name, hash and manner of charging, for maps and ledgers.
    pub fn facts(&self) -> CostFacts {
        let (name, charge) = match self {
            CostModel::Unit => ("unit/1", Charge::Instruction),
            CostModel::BlockSize => ("block-size/1", Charge::Block),
        };
        let mut hasher = Hasher128::new();
        hasher.text(name);
        for free in ASSUME_LIKE {
            hasher.text(free);
        }
        CostFacts { name: name.to_owned(), hash: hasher.finish(), charge }
    }

    /// The weight of one instruction.
    pub fn weight(&self, module: &Module, function: &Function, id: InstructionId) -> u32 {
        match self {
            CostModel::BlockSize => 1,
            CostModel::Unit => {
                let instruction = &function.instructions[id];
                let free = instruction.opcode == Opcode::Phi
                    || (instruction.opcode == Opcode::Call
                        && function.call(id).is_some_and(|call| is_assume_like(module, call.callee)));
                u32::from(!free)
            }
        }
    }
}

/// Whether a call is one of the intrinsics that become no code.
pub(crate) fn is_assume_like(module: &Module, callee: CalleeRef) -> bool {
    module.intrinsic_name(callee).is_some_and(|name| {
        ASSUME_LIKE.iter().any(|free| {
            name.strip_prefix(free).is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('.'))
        })
    })
}

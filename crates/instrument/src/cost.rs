//! What does an instruction weigh?
//!
//! `unit/1`: every instruction 1; phis and the intrinsics that LLVM calls
//! assume-like 0, since they become no code and come and go with debug
//! information and optimiser hints. `block-size/1`: as in "Der Fluch des
//! Nichtdeterminismus" (Code Character): every instruction of the block, phis
//! too, charged when the block is entered. Debug records are not instructions
//! since LLVM 19 and are not in the snapshot.
//!
//! A [`CostTable`] is a user's own set: weights by opcode (`fdiv`), by opcode
//! and type (`mul.i64`; the type of the result, of a `store` or comparison that
//! of its operand), by intrinsic (`llvm.memcpy`, any suffix). The narrowest
//! entry holds; phis and assume-like intrinsics are free unless named.
//!
//! Weights are fixed at the anchor, before any helper transform.

use std::collections::BTreeMap;

use opcost_ir::{CalleeRef, Function, Module, Opcode};
use opcost_key::{Charge, CostFacts, Hash128, Hasher128, InstructionId};
use serde::{Deserialize, Serialize};

/// A named set of weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostModel {
    /// `unit/1`
    Unit,
    /// `block-size/1`
    BlockSize,
    /// A user's own.
    Table(CostTable),
}

/// Weights that a user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostTable {
    /// Name and version: `my/1`.
    pub name: String,
    /// Weight of what is not named.
    pub default: u32,
    /// By opcode, or opcode, dot and type.
    pub opcodes: BTreeMap<String, u32>,
    /// By intrinsic, with or without its suffix.
    pub intrinsics: BTreeMap<String, u32>,
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

    /// Name, hash and manner of charging, for maps and ledgers. The name of a
    /// table carries the head of its hash, so that two tables are never taken
    /// for one.
    pub fn facts(&self) -> CostFacts {
        let mut hasher = Hasher128::new();
        let (name, charge) = match self {
            CostModel::Unit => ("unit/1".to_owned(), Charge::Instruction),
            CostModel::BlockSize => ("block-size/1".to_owned(), Charge::Block),
            CostModel::Table(table) => {
                let hash = table.hash();
                hasher.text(&hash.to_string());
                (format!("{}#{}", table.name, &hash.to_string()[..8]), Charge::Instruction)
            }
        };
        hasher.text(&name);
        for free in ASSUME_LIKE {
            hasher.text(free);
        }
        CostFacts { name, hash: hasher.finish(), charge }
    }

    /// The weight of one instruction.
    pub fn weight(&self, module: &Module, function: &Function, id: InstructionId) -> u32 {
        match self {
            CostModel::BlockSize => 1,
            CostModel::Unit => u32::from(!is_free(module, function, id)),
            CostModel::Table(table) => table.weight(module, function, id),
        }
    }
}

impl CostTable {
    /// Over every weight, and what they apply to.
    pub fn hash(&self) -> Hash128 {
        let mut hasher = Hasher128::new();
        hasher.text(&self.name).number(u64::from(self.default));
        for list in [&self.opcodes, &self.intrinsics] {
            hasher.number(list.len() as u64);
            for (name, weight) in list {
                hasher.text(name).number(u64::from(*weight));
            }
        }
        hasher.finish()
    }

    fn weight(&self, module: &Module, function: &Function, id: InstructionId) -> u32 {
        let instruction = &function.instructions[id];
        let callee = (instruction.opcode.is_call()).then(|| function.call(id)).flatten();
        let intrinsic = callee.and_then(|call| module.intrinsic_name(call.callee));
        if let Some(weight) = intrinsic.and_then(|name| self.of_intrinsic(name)) {
            return weight;
        }
        let opcode = instruction.opcode.name();
        // Most tables name few types: text is made only where it can matter.
        if self.opcodes.range(format!("{opcode}.")..format!("{opcode}/")).next().is_some() {
            let ty = instruction.second_type.filter(|_| takes_operand_type(instruction.opcode));
            let ty = module.type_text(ty.unwrap_or(instruction.ty));
            if let Some(&weight) = self.opcodes.get(&format!("{opcode}.{ty}")) {
                return weight;
            }
        }
        match self.opcodes.get(opcode) {
            Some(&weight) if instruction.opcode == Opcode::Phi || !is_free(module, function, id) => weight,
            None if !is_free(module, function, id) => self.default,
            _ => 0,
        }
    }

    /// `llvm.memcpy.p0.p0.i64`, then `llvm.memcpy.p0.p0`, … `llvm.memcpy`.
    fn of_intrinsic(&self, name: &str) -> Option<u32> {
        let mut name = name;
        loop {
            if let Some(&weight) = self.intrinsics.get(name) {
                return Some(weight);
            }
            name = name.rsplit_once('.')?.0;
        }
    }
}

/// Whether the type that a table names is that of the operand.
fn takes_operand_type(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Store | Opcode::ICmp | Opcode::FCmp)
}

/// Phis, and intrinsics that become no code.
fn is_free(module: &Module, function: &Function, id: InstructionId) -> bool {
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

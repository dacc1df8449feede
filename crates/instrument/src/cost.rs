//! What does an instruction weigh?
//!
//! `unit/1`: every instruction 1; phis and the intrinsics that LLVM calls
//! assume-like 0, since they become no code and come and go with debug
//! information and optimiser hints. `block-size/1`: as in "Der Fluch des
//! Nichtdeterminismus" (Code Character): every instruction of the block, phis
//! too, charged when the block is entered. Debug records are not instructions
//! since LLVM 19 and are not in the snapshot.
//!
//! `fuel/1` and a user's own sets are tables (`table`). Where one instruction
//! does more than another of its kind, a table can charge for it: wide integers
//! and vectors by their type (`sizes`), memory functions by their length, which
//! may be known only when the program runs (`lengths`), other library functions
//! by a measured weight (`calls`).
//!
//! Weights are fixed at the anchor, before any helper transform.

mod calls;
mod free;
mod lengths;
mod sizes;
mod table;

use opcost_ir::{Function, Length, Module};
use opcost_key::{Charge, CostFacts, Hasher128, InstructionId};
use serde::{Deserialize, Serialize};

use free::{ASSUME_LIKE, is_free};

pub(crate) use free::is_assume_like;
pub use table::CostTable;

/// A named set of weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostModel {
    /// `unit/1`
    Unit,
    /// `block-size/1`
    BlockSize,
    /// `fuel/1`, or a user's own.
    Table(CostTable),
}

impl CostModel {
    /// The model of this name.
    pub fn from_name(name: &str) -> Option<CostModel> {
        match name {
            "unit/1" | "unit" => Some(CostModel::Unit),
            "block-size/1" | "block-size" => Some(CostModel::BlockSize),
            "fuel/1" | "fuel" => Some(CostModel::Table(CostTable::fuel())),
            _ => None,
        }
    }

    /// Name, hash and manner of charging, for maps and ledgers. The name of a
    /// user's table carries the head of its hash, so that two tables are never
    /// taken for one.
    pub fn facts(&self) -> CostFacts {
        let mut hasher = Hasher128::new();
        let (name, charge) = match self {
            CostModel::Unit => ("unit/1".to_owned(), Charge::Instruction),
            CostModel::BlockSize => ("block-size/1".to_owned(), Charge::Block),
            CostModel::Table(table) => {
                let hash = table.hash();
                hasher.text(&hash.to_string());
                (table.shown_name(&hash), Charge::Instruction)
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

    /// What is charged in addition to the weight, by a length that only the running program knows.
    pub fn length(&self, module: &Module, function: &Function, id: InstructionId) -> Option<Length> {
        match self {
            CostModel::Unit | CostModel::BlockSize => None,
            CostModel::Table(table) => table.length(module, function, id),
        }
    }
}

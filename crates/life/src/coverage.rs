//! Is every machine instruction explained?
//!
//! One that carries a number comes from that IR instruction. The others have a
//! reason instead, by the pass that made them: frame code, copies of arguments
//! and between blocks, constants, spills, branches of the layout. Cost: linear.

use std::collections::BTreeMap;

use opcost_llvm::LifeEvent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of the machine code is explained.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Machine instructions of the module that have bytes.
    pub instructions: u64,
    /// Those that lead to an IR instruction.
    pub keyed: u64,
    /// Those that do, or have a reason.
    pub explained: u64,
    /// How many have each reason.
    pub reasons: BTreeMap<String, u64>,
}

impl Coverage {
    /// Of all machine instructions that were written.
    pub fn of(events: &[LifeEvent]) -> Coverage {
        let mut coverage = Coverage::default();
        for event in events {
            let LifeEvent::Bytes { item, from, to, creator, .. } = event else { continue };
            if from == to {
                continue;
            }
            coverage.instructions += 1;
            if item.number > 0 {
                coverage.keyed += 1;
                coverage.explained += 1;
            } else if let Some(reason) = reason(creator, &item.operation) {
                coverage.explained += 1;
                *coverage.reasons.entry(reason).or_default() += 1;
            }
        }
        coverage
    }
}

/// Why an instruction is there that comes from none, by the pass that made it.
fn reason(creator: &str, operation: &str) -> Option<String> {
    let name = creator.to_lowercase();
    let known = [
        ("(frame", "frame code"),
        ("prologue", "frame code"),
        ("branch", "branch of the layout"),
        ("placement", "branch of the layout"),
        ("control flow", "branch of the layout"),
        ("tail dup", "branch of the layout"),
        ("phi", "copy for a phi"),
        ("register allocator", "spill or reload"),
        ("virtual register", "register assignment"),
        ("two-address", "copy for two addresses"),
        ("nop", "padding"),
    ];
    if let Some((_, reason)) = known.iter().find(|(part, _)| name.contains(part)) {
        return Some((*reason).to_owned());
    }
    if name.contains("selection") || name.contains("isel") {
        let is_move = operation.contains("COPY") || operation.contains("MOV") || operation.contains("LI");
        return Some(if is_move { "argument copy or constant" } else { "made by selection" }.to_owned());
    }
    (!name.is_empty()).then(|| format!("made by {creator}"))
}

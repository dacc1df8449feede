//! Is every machine instruction explained?
//!
//! One that carries a number comes from that IR instruction; of others it was
//! argued from what they serve, carry or replace, and they are marked as
//! inferred. The rest has a reason: what it is, and the pass that made it, such
//! as `frame set-up: Prologue/Epilogue Insertion`. What a pass made in IR and
//! nothing else claims is named by that pass: `phi: sroa`. Cost: linear.

use std::collections::BTreeMap;

use opcost_llvm::{Certainty, LifeEvent, LifeItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of the machine code is explained.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Machine instructions of the module that have bytes.
    pub instructions: u64,
    /// Those that lead to an IR instruction.
    pub keyed: u64,
    /// Those of them that LLVM made of several, and said so.
    #[serde(default)]
    pub merged: u64,
    /// Those of them of which that was argued.
    #[serde(default)]
    pub inferred: u64,
    /// Those that do, or have a reason.
    pub explained: u64,
    /// How many have each reason.
    pub reasons: BTreeMap<String, u64>,
    /// How inference answers where the truth is known.
    #[serde(default)]
    pub referee: Referee,
    /// What watching took.
    #[serde(default)]
    pub work: Work,
}

/// Copies and constants that LLVM gave a location, asked for without it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Referee {
    /// Inferred as LLVM has it.
    pub right: u64,
    /// Inferred otherwise.
    pub wrong: u64,
    /// Nothing was inferred.
    pub silent: u64,
}

/// What watching took, in instructions and nodes behind all passes together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Compared with the state before.
    pub compared: u64,
    /// Of these printed, since they were another.
    pub printed: u64,
    /// CPU time of optimiser and code generation, watched; what is read, chosen
    /// and told is not in it.
    pub milliseconds: u64,
}

impl Coverage {
    /// Of all machine instructions that were written.
    pub fn of(events: &[LifeEvent]) -> Coverage {
        let mut coverage = Coverage::default();
        for event in events {
            match event {
                LifeEvent::Bytes { item, from, to, creator, kind, .. } if from < to => {
                    coverage.count(item, creator, kind);
                }
                LifeEvent::Work { looked, printed, referee } => {
                    coverage.work = Work { compared: *looked, printed: *printed, milliseconds: 0 };
                    let opcost_llvm::Referee { right, wrong, silent } = *referee;
                    coverage.referee = Referee { right, wrong, silent };
                }
                _ => {}
            }
        }
        coverage
    }

    fn count(&mut self, item: &LifeItem, creator: &str, kind: &str) {
        self.instructions += 1;
        if item.number > 0 {
            self.keyed += 1;
            self.explained += 1;
            self.merged += u64::from(item.certainty == Certainty::Merged);
            self.inferred += u64::from(item.certainty == Certainty::Inferred);
        } else if !creator.is_empty() && !kind.is_empty() {
            self.explained += 1;
            *self.reasons.entry(format!("{kind}: {creator}")).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: u32, certainty: Certainty, creator: &str, length: u64) -> LifeEvent {
        let item = LifeItem {
            node: 0,
            number,
            is_chosen: false,
            certainty,
            operation: "MOV".into(),
            text: String::new(),
            block: String::new(),
            inputs: Vec::new(),
        };
        LifeEvent::Bytes {
            operations: Vec::new(),
            function: "f".into(),
            item,
            from: 4,
            to: 4 + length,
            encoded: String::new(),
            creator: creator.into(),
            kind: "copy".into(),
        }
    }

    #[test]
    fn what_has_neither_number_nor_maker_is_unexplained() {
        let events = [
            bytes(3, Certainty::Exact, "isel", 2),
            bytes(4, Certainty::Inferred, "greedy", 2),
            bytes(0, Certainty::Exact, "greedy", 2),
            bytes(0, Certainty::Exact, "", 2),
            bytes(0, Certainty::Exact, "greedy", 0),
        ];
        let coverage = Coverage::of(&events);
        assert_eq!((coverage.instructions, coverage.keyed, coverage.inferred), (4, 2, 1));
        assert_eq!(coverage.explained, 3);
        assert_eq!(coverage.reasons, BTreeMap::from([("copy: greedy".to_owned(), 1)]));
    }
}

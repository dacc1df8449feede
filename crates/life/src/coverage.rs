//! Is every machine instruction explained?
//!
//! One that carries a number comes from that IR instruction; of others it was
//! argued from what they serve, carry or replace, and they are marked as
//! inferred. The rest has a reason: what it is, and the pass that made it, such
//! as `frame set-up: Prologue/Epilogue Insertion`. What a pass made in IR and
//! nothing else claims is named by that pass: `phi: sroa`. Cost: linear.

use opcost_answer::life::{Coverage, Referee, Work};
use opcost_llvm::{LifeEvent, LifeItem, RecordedCertainty};

/// Of all machine instructions that were written.
pub fn coverage_of(events: &[LifeEvent]) -> Coverage {
    let mut coverage = Coverage::default();
    for event in events {
        match event {
            LifeEvent::Bytes { item, from, to, creator, kind, .. } if from < to => {
                count(&mut coverage, item, creator, kind);
            }
            LifeEvent::Work { compared: looked, printed, referee } => {
                coverage.work = Work { compared: *looked, printed: *printed, milliseconds: 0 };
                let opcost_llvm::RecordedReferee { right, wrong, silent } = *referee;
                coverage.referee = Referee { right, wrong, silent };
            }
            _ => {}
        }
    }
    coverage
}

fn count(coverage: &mut Coverage, item: &LifeItem, creator: &str, kind: &str) {
    coverage.instructions += 1;
    if item.number > 0 {
        coverage.keyed += 1;
        coverage.explained += 1;
        coverage.merged += u64::from(item.certainty == RecordedCertainty::Merged);
        coverage.inferred += u64::from(item.certainty == RecordedCertainty::Inferred);
    } else if !creator.is_empty() && !kind.is_empty() {
        coverage.explained += 1;
        *coverage.reasons.entry(format!("{kind}: {creator}")).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn bytes(number: u32, certainty: RecordedCertainty, creator: &str, length: u64) -> LifeEvent {
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
            bytes(3, RecordedCertainty::Exact, "isel", 2),
            bytes(4, RecordedCertainty::Inferred, "greedy", 2),
            bytes(0, RecordedCertainty::Exact, "greedy", 2),
            bytes(0, RecordedCertainty::Exact, "", 2),
            bytes(0, RecordedCertainty::Exact, "greedy", 0),
        ];
        let coverage = coverage_of(&events);
        assert_eq!((coverage.instructions, coverage.keyed, coverage.inferred), (4, 2, 1));
        assert_eq!(coverage.explained, 3);
        assert_eq!(coverage.reasons, BTreeMap::from([("copy: greedy".to_owned(), 1)]));
    }
}

//! What is left of a ledger that keeps blocks and drops edges and paths?
//!
//! Edges imply blocks: a block runs as often as its function is called (if it
//! is the first) and branches to it are taken; returns of calls (`fall`,
//! `again`) lead on inside a block and do not start it. Blocks are computed so
//! wherever a ledger has the edges of a function, and where the ledger also
//! has them itself, exactly, the two must agree: a ledger that contradicts
//! itself is refused. Where the ledger only bounds or estimates, its own
//! block counts stay. Functions, lines and totals stay.
//!
//! Cost: facts * log facts. Limit: a block that no edge names and no fact
//! tells of is not known to exist.

use std::collections::BTreeMap;
use std::sync::Arc;

use opcost_key::{Key, Part};
use thiserror::Error;

use crate::{AnswerRow, Column, Fact, FunctionFacts, Ledger, LedgerError, Quality, Subject, Way};

/// Why a ledger cannot be reduced.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReduceError {
    /// Its edges and blocks do not agree.
    #[error(
        "{subject} ran {block} times, but the edges to it were taken {edges} times: the ledger is damaged"
    )]
    Contradiction {
        /// The block.
        subject: String,
        /// What the ledger says of it.
        block: u64,
        /// What its edges say.
        edges: u128,
    },
    /// A sum that does not fit.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// The ledger without edges and paths; blocks follow from them where it has none.
///
/// # Errors
/// Edges and blocks contradict each other, or a sum does not fit.
pub fn reduce_to_blocks(ledger: &Ledger) -> Result<Ledger, ReduceError> {
    let mut into = taken_into(ledger);
    let mut facts = Vec::new();
    for fact in ledger.facts() {
        match &fact.subject {
            Subject::Edge { .. } | Subject::Path { .. } => continue,
            Subject::Block { function, block, .. } => {
                if let Some(edges) = into.remove(&(function, *block)) {
                    agree(fact, &edges)?;
                }
            }
            Subject::Program
            | Subject::Line(_)
            | Subject::Function { .. }
            | Subject::Pointers { .. }
            | Subject::FunctionLine { .. }
            | Subject::Called(_)
            | Subject::Doubt(..)
            | Subject::Ending(_) => {}
        }
        facts.push(fact.clone());
    }
    for ((function, block), edges) in into {
        let subject = Subject::Block { function: function.clone(), block, place: None };
        facts.extend(edges.into_iter().map(|edge| Fact { subject: subject.clone(), ..edge.clone() }));
    }
    let mut reduced = Ledger::new(ledger.about.clone(), facts)?;
    let is_kept = |row: &&AnswerRow| !matches!(row.key, Key::Part(_, Part::Edge(_) | Part::Path(_)));
    reduced.answers = ledger.answers.iter().filter(is_kept).cloned().collect();
    Ok(reduced)
}

/// The edges that start each block.
fn taken_into(ledger: &Ledger) -> BTreeMap<(&Arc<FunctionFacts>, u32), Vec<&Fact>> {
    let mut into: BTreeMap<_, Vec<&Fact>> = BTreeMap::new();
    for fact in ledger.facts().iter().filter(|fact| fact.column == Column::Count) {
        if let Subject::Edge { function, edge_kind: Way::Enter | Way::Branch, to: Some(to), .. } =
            &fact.subject
        {
            into.entry((function, *to)).or_default().push(fact);
        }
    }
    into
}

fn agree(block: &Fact, edges: &[&Fact]) -> Result<(), ReduceError> {
    let is_exact = |fact: &Fact| fact.quality == Quality::Exact;
    let taken: Option<u128> = edges.iter().map(|edge| edge.value.map(u128::from)).sum();
    match (block.value, taken) {
        (Some(value), Some(taken))
            if u128::from(value) != taken && is_exact(block) && edges.iter().all(|edge| is_exact(edge)) =>
        {
            let subject = block.subject.to_string();
            Err(ReduceError::Contradiction { subject, block: value, edges: taken })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{ReduceError, reduce_to_blocks};
    use crate::example::{fact, function, ledger, program};
    use crate::{Column, Fact, Subject, Way};

    /// A loop of two blocks: entered 2 times, 14 times round.
    fn edges() -> Vec<Fact> {
        let main = function("main", 1, 2);
        let edge = |edge, way, from, to, count| {
            let subject =
                Subject::Edge { function: main.clone(), edge, edge_kind: way, from, to, slot: None };
            fact(subject, Column::Count, count)
        };
        vec![
            edge(0, Way::Enter, None, Some(0), 2),
            edge(1, Way::Branch, Some(0), Some(1), 2),
            edge(2, Way::Branch, Some(1), Some(1), 14),
            edge(3, Way::Fall, Some(1), Some(1), 16),
            edge(4, Way::Return, Some(1), None, 2),
        ]
    }

    fn block(number: u32, count: u64) -> Fact {
        let function = function("main", 1, 2);
        fact(Subject::Block { function, block: number, place: None }, Column::Count, count)
    }

    #[test]
    fn blocks_follow_from_edges() {
        let given = ledger([vec![program(50)], edges()].concat());
        let reduced = reduce_to_blocks(&given).unwrap();
        assert_eq!(reduced, ledger(vec![program(50), block(0, 2), block(1, 16)]));
        assert_eq!(reduce_to_blocks(&reduced).unwrap(), reduced);
    }

    #[test]
    fn what_the_ledger_says_itself_must_agree() {
        let with = |count| ledger([vec![block(1, count)], edges()].concat());
        assert_eq!(reduce_to_blocks(&with(16)).unwrap(), ledger(vec![block(0, 2), block(1, 16)]));
        let error = reduce_to_blocks(&with(15)).unwrap_err();
        assert!(matches!(error, ReduceError::Contradiction { block: 15, edges: 16, .. }), "{error}");
    }
}

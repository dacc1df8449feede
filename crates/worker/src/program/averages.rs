//! How often did loops iterate in a run, on average?
//!
//! The ledger of a run has how often each edge was taken. A loop goes back as often as the edges from
//! inside lead to its header, and is entered as often as the others do. A loop that was never entered
//! has no average.
//!
//! Input: the module and a ledger of the same build. Output: back edges for each entry, by header.
//! Cost: the edges. Limit: a ledger without edges gives none.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::{Function, Module};
use opcost_key::{BlockId, FunctionKey};
use opcost_predict::Averages;
use opcost_predict::fraction::{Fraction, whole};
use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Column, Ledger, Subject};

use crate::error::WorkError;

/// Traversals of the edges between two blocks, by their positions.
type Traversals = BTreeMap<[u32; 2], u64>;

/// Averages of the loops of a module.
///
/// # Errors
/// The ledger cannot be read.
pub(crate) fn of_run(module: &Module, path: &Path) -> Result<Averages, WorkError> {
    let ledger = load_ledger(path).map_err(|error| WorkError::Refused(error.to_string()))?;
    let counted = counted(&ledger);
    let mut averages = Averages::default();
    for (id, function) in module.functions.iter().filter(|(_, one)| !one.blocks.is_empty()) {
        let Some(traversals) = of_function(&counted, &module.key(id)) else { continue };
        for (header, average) in of_loops(function, traversals) {
            averages.insert(id, header, average);
        }
    }
    Ok(averages)
}

fn counted(ledger: &Ledger) -> BTreeMap<FunctionKey, Traversals> {
    let mut all: BTreeMap<FunctionKey, Traversals> = BTreeMap::new();
    for fact in ledger.facts() {
        if let (Subject::Edge { function, from: Some(from), to: Some(to), .. }, Column::Count) =
            (&fact.subject, fact.column)
        {
            let own = all.entry(function.key()).or_default();
            *own.entry([*from, *to]).or_default() += fact.value.unwrap_or(0);
        }
    }
    all
}

/// The module of a local function may be written with more folders in one of both.
fn of_function<'a>(
    counted: &'a BTreeMap<FunctionKey, Traversals>,
    key: &FunctionKey,
) -> Option<&'a Traversals> {
    let ends_alike = |one: &str, two: &str| Path::new(one).ends_with(two) || Path::new(two).ends_with(one);
    let is_same = |other: &FunctionKey| match (&key.module, &other.module) {
        (Some(module), Some(other_module)) => other.name == key.name && ends_alike(module, other_module),
        _ => false,
    };
    counted.get(key).or_else(|| {
        let mut alike = counted.iter().filter(|(other, _)| is_same(other));
        let (_, first) = alike.next()?;
        alike.next().is_none().then_some(first)
    })
}

fn of_loops(function: &Function, traversals: &Traversals) -> Vec<(BlockId, Fraction)> {
    let forest = LoopForest::compute(function, &Dominators::compute(function, BlockId::new(0)));
    let mut averages = Vec::new();
    for (id, one) in forest.loops.iter() {
        let into = traversals.iter().filter(|([_, to], _)| *to as usize == one.header.index());
        let (mut entries, mut back) = (0_u64, 0_u64);
        for (&[from, _], &times) in into {
            let is_inside = forest.contains(id, BlockId::new(from as usize));
            let sum = if is_inside { &mut back } else { &mut entries };
            *sum = sum.saturating_add(times);
        }
        if entries > 0 {
            averages.push((one.header, whole(back) / whole(entries)));
        }
    }
    averages
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_ir::parse_module;
    use opcost_key::FunctionId;

    use super::*;

    #[test]
    fn entries_are_those_of_the_edges_that_lead_in() {
        let text = "define void @f(i1 %c) {\na:\n  br i1 %c, label %b, label %d\nb:\n  br i1 %c, label %b, label \
                    %d\nd:\n  ret void\n}\n";
        let module = parse_module(text).expect("a module");
        let function = &module.functions[FunctionId::new(0)];
        let counts: Traversals = [([0, 1], 4), ([0, 2], 6), ([1, 1], 8), ([1, 2], 4)].into_iter().collect();
        assert_eq!(of_loops(function, &counts), [(BlockId::new(1), whole(2))]);
        // Never entered: it has no average.
        let never: Traversals = [([0, 2], 10)].into_iter().collect();
        assert!(of_loops(function, &never).is_empty());
    }
}

//! How often did loops iterate in a run, on average?
//!
//! The ledger of a run has how often each block ran. A loop goes back as often as its header runs
//! beyond its entries. An edge runs as often as its source, if that has no other; as often as its
//! target, if nothing else leads there; else as its source without the other edges, if those are of
//! one of both kinds. Where neither the entries nor the back edges of a loop are such, it has no average.
//!
//! Input: the module and a ledger of the same build. Output: back edges for each entry, by header.
//! Cost: the blocks.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_graph::dominators::Dominators;
use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, IdMap, reachable_from};
use opcost_ir::{Function, Module};
use opcost_key::{BlockId, FunctionKey};
use opcost_predict::Averages;
use opcost_predict::fraction::{Fraction, whole};
use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Column, Ledger, Subject};

use crate::error::WorkError;

/// Executions of the blocks of one function.
type Executions = BTreeMap<u32, u64>;

/// Averages of the loops of a module.
///
/// # Errors
/// The ledger cannot be read.
pub(crate) fn of_run(module: &Module, path: &Path) -> Result<Averages, WorkError> {
    let ledger = load_ledger(path).map_err(|error| WorkError::Refused(error.to_string()))?;
    let counted = counted(&ledger);
    let mut averages = Averages::default();
    for (id, function) in module.functions.iter().filter(|(_, one)| !one.blocks.is_empty()) {
        let Some(executions) = of_function(&counted, &module.key(id)) else { continue };
        let counts: IdMap<BlockId, u64> = function
            .blocks
            .ids()
            .map(|block| executions.get(&(block.index() as u32)).copied().unwrap_or(0))
            .collect();
        for (header, average) in of_loops(function, &counts) {
            averages.insert(id, header, average);
        }
    }
    Ok(averages)
}

fn counted(ledger: &Ledger) -> BTreeMap<FunctionKey, Executions> {
    let mut all: BTreeMap<FunctionKey, Executions> = BTreeMap::new();
    for fact in ledger.facts() {
        if let (Subject::Block { function, block, .. }, Column::Count) = (&fact.subject, fact.column) {
            *all.entry(function.key()).or_default().entry(*block).or_default() += fact.value.unwrap_or(0);
        }
    }
    all
}

/// The module of a local function may be written with more folders in one of both.
fn of_function<'a>(
    counted: &'a BTreeMap<FunctionKey, Executions>,
    key: &FunctionKey,
) -> Option<&'a Executions> {
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

fn of_loops(function: &Function, counts: &IdMap<BlockId, u64>) -> Vec<(BlockId, Fraction)> {
    let start = BlockId::new(0);
    let forest = LoopForest::compute(function, &Dominators::compute(function, start));
    let reached = reachable_from(function, start);
    let all: Vec<Edge<BlockId>> =
        reached.iter().flat_map(|block| edges_from(function, block).collect::<Vec<_>>()).collect();
    let mut into: IdMap<BlockId, u32> = IdMap::filled(function.blocks.len(), 0);
    all.iter().for_each(|edge| into[edge.to] += 1);
    let traversals = |edge: &Edge<BlockId>| {
        let simple = |edge: &Edge<BlockId>| match function.blocks[edge.from].successors.len() {
            1 => Some(counts[edge.from]),
            _ => (into[edge.to] == 1 && edge.to != start).then(|| counts[edge.to]),
        };
        simple(edge).or_else(|| {
            let others = edges_from(function, edge.from).filter(|other| other.slot != edge.slot);
            let others: u64 = others.map(|other| simple(&other)).sum::<Option<u64>>()?;
            counts[edge.from].checked_sub(others)
        })
    };
    let mut averages = Vec::new();
    for one in forest.loops.values() {
        let executions = counts[one.header];
        let entering = all.iter().filter(|edge| edge.to == one.header && !one.back_edges.contains(edge));
        let entries = entering.map(traversals).sum::<Option<u64>>().or_else(|| {
            let back = one.back_edges.iter().map(traversals).sum::<Option<u64>>()?;
            executions.checked_sub(back)
        });
        if let Some((entries @ 1.., back)) = entries.and_then(|own| Some((own, executions.checked_sub(own)?)))
        {
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
                    %e\ne:\n  br label %d\nd:\n  ret void\n}\n";
        let module = parse_module(text).expect("a module");
        let function = &module.functions[FunctionId::new(0)];
        // a runs 10 times and enters b 4 times, which runs 12 times in all.
        let counts: IdMap<BlockId, u64> = [10, 12, 4, 10].into_iter().collect();
        assert_eq!(of_loops(function, &counts), [(BlockId::new(1), whole(2))]);
        // Never entered: it has no average.
        let never: IdMap<BlockId, u64> = [10, 0, 0, 10].into_iter().collect();
        assert!(of_loops(function, &never).is_empty());
    }
}

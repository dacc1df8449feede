//! Which way did branches go? What a run says to those who place counters in the next build.
//!
//! Input: a ledger, or maps and counts. Output: branches by function, of functions that ran. Cost: linear.
//! Limit: a ledger of lines, or of a placement without edges, says nothing.

use opcost_index::Id;
use opcost_key::{BlockId, BranchCounts};
use opcost_profile::{Column, Ledger, Subject, Way};

use crate::counted::CountedModule;
use crate::matched::branches;

/// The branches of a ledger.
pub fn branches_of_ledger(ledger: &Ledger) -> BranchCounts {
    let mut counts = BranchCounts::default();
    for fact in ledger.facts() {
        let (
            Subject::Edge { function, edge_kind: Way::Branch, from: Some(block), slot: Some(slot), .. },
            Column::Count,
        ) = (&fact.subject, fact.column)
        else {
            continue;
        };
        let branch = (BlockId::new(*block as usize), *slot);
        counts.add(&function.name, function.shape, fact.value.map(|value| (branch, value)));
    }
    counts
}

/// The branches of a run.
pub fn branches_of_run(modules: &[CountedModule<'_>]) -> BranchCounts {
    let mut counts = BranchCounts::default();
    for CountedModule { map, counts: module } in modules {
        for (id, function) in module.functions.iter().filter(|(_, function)| function.entries > 0) {
            let map = &map.functions[id];
            counts.add(&map.name, map.shape, branches(map, function).into_iter().flatten());
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{BlockId, FunctionId};

    use super::{branches_of_ledger, branches_of_run};
    use crate::CountedModule;
    use crate::example::{diamond, ledger_of, recovered, single_loop};

    #[test]
    fn a_run_and_its_ledger_say_the_same() {
        for (map, counters) in
            [(diamond(), vec![10, 3]), (single_loop(), vec![2, 14]), (diamond(), vec![0, 0])]
        {
            let counts = recovered(&map, &counters, &[]);
            let module = CountedModule { map: &map, counts: &counts };
            let of_run = branches_of_run(&[CountedModule { map: &map, counts: &counts }]);
            assert_eq!(branches_of_ledger(&ledger_of(module)), of_run);
            let function = &map.functions[FunctionId::new(0)];
            let known = of_run.of(&function.name, function.shape);
            assert_eq!(known.is_some(), counters[0] > 0, "{counters:?}");
            if let Some(known) = known {
                assert!(
                    known.values().sum::<u64>() > 0
                        && known.keys().any(|(block, _)| *block == BlockId::new(0))
                );
            }
        }
    }
}

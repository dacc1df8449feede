//! Do runs of one program agree, and if not, where do they part first?
//!
//! Programs with equal input run equally unless something else comes in: a
//! clock, an address, another thread. The first function (in module order)
//! that differs is usually near the cause. Cost: one pass over the counts of
//! each run.

use opcost_index::{Id, IdMap};
use opcost_key::ModuleMap;

use crate::{FunctionCounts, ModuleCounts};

/// What the comparison of runs says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// All runs have the same counts everywhere.
    Equal,
    /// Some run differs from the first.
    Parts {
        /// Path of the module.
        module: String,
        /// Linkage name of the first function that differs in any run.
        function: String,
        /// The first run that differs there, from 0.
        run: usize,
        /// What differs first: `calls`, or `segment 3`, or `edge 5`.
        what: String,
        /// Its count in run 0; `None` when this run did not have it.
        first: Option<i128>,
        /// Its count in the run that differs.
        other: Option<i128>,
    },
    /// The runs have different modules or functions: not runs of one program.
    NotOneProgram {
        /// The first run that does not fit the maps, from 0.
        run: usize,
    },
}

/// Compares runs, each with one [`ModuleCounts`] per map, in the maps' order.
pub fn compare_runs(maps: &[&ModuleMap], runs: &[Vec<ModuleCounts>]) -> Repetition {
    if let Some(run) = runs.iter().position(|run| !fits(maps, run)) {
        return Repetition::NotOneProgram { run };
    }
    let Some((first, others)) = runs.split_first() else { return Repetition::Equal };
    for (position, map) in maps.iter().enumerate() {
        for (id, function) in map.functions.iter() {
            let ours = &first[position].functions[id];
            let parted = others.iter().position(|run| run[position].functions[id] != *ours);
            if let Some(other) = parted {
                let theirs = &others[other][position].functions[id];
                let (what, first, other_count) = first_difference(ours, theirs);
                let (module, function) = (map.module.clone(), function.name.clone());
                return Repetition::Parts {
                    module,
                    function,
                    run: other + 1,
                    what,
                    first,
                    other: other_count,
                };
            }
        }
    }
    Repetition::Equal
}

fn fits(maps: &[&ModuleMap], run: &[ModuleCounts]) -> bool {
    run.len() == maps.len()
        && maps.iter().zip(run).all(|(map, counts)| map.functions.len() == counts.functions.len())
}

type Difference = (String, Option<i128>, Option<i128>);

fn first_difference(ours: &FunctionCounts, theirs: &FunctionCounts) -> Difference {
    if ours.entries != theirs.entries {
        return ("calls".into(), Some(ours.entries.into()), Some(theirs.entries.into()));
    }
    if let Some(difference) = first_in(&ours.segments, &theirs.segments) {
        return difference;
    }
    if let (Some(ours), Some(theirs)) = (&ours.edges, &theirs.edges)
        && let Some(difference) = first_in(ours, theirs)
    {
        return difference;
    }
    ("what is known of it".into(), None, None)
}

fn first_in<I: Id, C: Copy + PartialEq + Into<i128>>(
    ours: &IdMap<I, C>,
    theirs: &IdMap<I, C>,
) -> Option<Difference> {
    let longest = ours.len().max(theirs.len());
    let differs = (0..longest).map(I::new).find(|&id| ours.get(id) != theirs.get(id))?;
    let count = |counts: &IdMap<I, C>| counts.get(differs).map(|&count| count.into());
    Some((differs.to_string(), count(ours), count(theirs)))
}

#[cfg(test)]
mod tests {
    use super::{Repetition, compare_runs};
    use crate::example::{call_left, recovered};

    #[test]
    fn equal_runs_are_equal_and_the_first_parting_is_named() {
        let map = call_left();
        let calm = recovered(&map, &[5, 4], &[(0, 1)]);
        let maps = [&map];
        assert_eq!(compare_runs(&maps, &[]), Repetition::Equal);
        assert_eq!(compare_runs(&maps, &[vec![calm.clone()], vec![calm.clone()]]), Repetition::Equal);

        let wild = recovered(&map, &[5, 3], &[(0, 2)]);
        let parts = compare_runs(&maps, &[vec![calm.clone()], vec![calm.clone()], vec![wild]]);
        let expected = Repetition::Parts {
            module: "left.c".into(),
            function: "risky".into(),
            run: 2,
            what: "segment1".into(),
            first: Some(4),
            other: Some(3),
        };
        assert_eq!(parts, expected);
        assert_eq!(compare_runs(&maps, &[vec![calm], vec![]]), Repetition::NotOneProgram { run: 1 });
    }
}

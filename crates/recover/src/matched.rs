//! What does a ledger tell of the functions of this very module?
//!
//! A module that was built again need not be the one that was counted as a whole to be
//! of use: a function whose flow graph is the same (its shape, and every edge of
//! it) has the same blocks, whatever became of others. So it is decided
//! function by function, and of each that does not fit it is said why.
//!
//! Functions are the same that have one key: a local one is that of its home module,
//! whatever else was linked to that and in which order. A function of this module that
//! became local, or is no more, is found by its name.
//!
//! Of a function that stands in several modules (an inline function, a template)
//! the linker keeps one body, and only that one counts. Who weighs one module by
//! itself wants what all bodies did that have the name and the flow
//! ([`Copies::All`]); who adds modules up wants each count once.
//!
//! Input: the module's map, made now; a ledger that holds the module under the same
//! name. Output: counts as [`crate::recover_module`] gives them. Cost: one pass over
//! the ledger's facts. Limit: lengths that `fuel/1` charges are not in a ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use opcost_index::IdMap;
use opcost_key::{BlockId, EdgeId, EdgeKind, FunctionId, FunctionKey, FunctionMap, ModuleMap, SegmentId};
use opcost_profile::{Column, FunctionFacts, Ledger, Subject, Way};
use thiserror::Error;

use crate::FunctionCounts;
use crate::ledger::{kind_of, number};

/// Why a ledger says nothing of a function.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unmatched {
    /// It was not there.
    #[error("the ledger does not have it")]
    Absent,
    /// Only the optimiser saw its body, and what ran in its place was not counted.
    #[error("its body runs in an image that was not counted")]
    Elsewhere,
    /// It has other blocks now.
    #[error("its flow is another now than when it was counted")]
    OtherShape,
    /// A count of it is missing.
    #[error("the ledger has no count of its {0}")]
    Incomplete(String),
}

/// The counts of one module, as far as a ledger has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// Of each function its counts, or why there are none.
    pub functions: IdMap<FunctionId, Result<FunctionCounts, Unmatched>>,
    /// Functions that were counted, and are no more.
    pub removed: Vec<String>,
}

/// Whose counts a function gets that is in several modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Those of the module's own body.
    Own,
    /// The sum over all bodies of the name that have its flow.
    All,
}

/// What is in a ledger of one function of one module.
#[derive(Clone)]
struct FunctionEntry<'a> {
    facts: &'a Arc<FunctionFacts>,
    calls: Option<u64>,
    blocks: BTreeMap<u32, u64>,
    edges: BTreeMap<u32, EdgeEntry>,
}

#[derive(Clone)]
struct EdgeEntry {
    kind: Way,
    from: Option<u32>,
    to: Option<u32>,
    slot: Option<u32>,
    count: i64,
}

/// The counts that `ledger` has of the functions of `map`.
pub fn match_counts(map: &ModuleMap, ledger: &Ledger, copies: Copies) -> Matched {
    let locals: BTreeSet<FunctionKey> =
        map.functions.values().map(|function| function.key(&map.module)).collect();
    let found = by_function(ledger, |facts| {
        let is_own = facts.module == map.module;
        is_own || if facts.is_local { locals.contains(&facts.key()) } else { copies == Copies::All }
    });
    let is_own = |found: &FunctionEntry<'_>| found.facts.module == map.module;
    let mut meant = BTreeSet::new();
    let functions = map.functions.values().map(|function| {
        let key = function.key(&map.module);
        let of = |key| found.get(key).map_or(&[][..], Vec::as_slice);
        // The ledger knows no homes, or the name was not local when it was counted, or was.
        let by_name = [None, Some(map.module.as_str().into())]
            .map(|module| FunctionKey { module, name: function.name.as_str().into() });
        let others = by_name.iter().filter(|other| **other != key).flat_map(of).filter(|found| is_own(found));
        let counts = counts_of(function, of(&key).iter().chain(others));
        meant.extend(by_name);
        meant.insert(key);
        counts
    });
    let functions = functions.collect();
    let gone = found.iter().filter(|(key, bodies)| !meant.contains(*key) && bodies.iter().any(is_own));
    Matched { functions, removed: gone.map(|(key, _)| key.name.to_string()).collect() }
}

/// By key, then in the order of modules.
fn by_function<'a>(
    ledger: &'a Ledger,
    is_wanted: impl Fn(&FunctionFacts) -> bool,
) -> BTreeMap<FunctionKey, Vec<FunctionEntry<'a>>> {
    let mut all: BTreeMap<(&str, &str), FunctionEntry<'a>> = BTreeMap::new();
    for fact in ledger.facts() {
        let Some(facts) = fact.subject.function().filter(|facts| is_wanted(facts)) else { continue };
        let Some(value) = fact.value else { continue };
        let found = all.entry((&facts.name, &facts.module)).or_insert_with(|| FunctionEntry {
            facts,
            calls: None,
            blocks: BTreeMap::new(),
            edges: BTreeMap::new(),
        });
        match (&fact.subject, fact.column) {
            (Subject::Function { .. }, Column::Calls) => found.calls = Some(value),
            (Subject::Block { block, .. }, Column::Count) => drop(found.blocks.insert(*block, value)),
            (
                Subject::Edge { edge, edge_kind: way, from, to, slot, .. },
                column @ (Column::Count | Column::Inherited),
            ) => {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                // Frames that a child inherited stand below zero.
                let value = if column == Column::Inherited { -value } else { value };
                let (way, from, to, slot) = (*way, *from, *to, *slot);
                let edge =
                    found.edges.entry(*edge).or_insert(EdgeEntry { kind: way, from, to, slot, count: 0 });
                edge.count = edge.count.saturating_add(value);
            }
            _ => {}
        }
    }
    let mut by_key: BTreeMap<FunctionKey, Vec<FunctionEntry<'a>>> = BTreeMap::new();
    for (_, found) in all {
        by_key.entry(found.facts.key()).or_default().push(found);
    }
    by_key
}

impl FunctionEntry<'_> {
    /// Adds another body of the same flow; one that says nothing of a place (it is no code there)
    /// adds nothing to it.
    fn add(&mut self, other: &Self) {
        self.calls = match (self.calls, other.calls) {
            (Some(ours), Some(theirs)) => Some(ours.saturating_add(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        for (&block, &count) in &other.blocks {
            let sum = self.blocks.entry(block).or_default();
            *sum = sum.saturating_add(count);
        }
        for (&edge, theirs) in &other.edges {
            match self.edges.get_mut(&edge) {
                Some(ours) => ours.count = ours.count.saturating_add(theirs.count),
                None => _ = self.edges.insert(edge, theirs.clone()),
            }
        }
    }
}

fn counts_of<'f, 'l: 'f>(
    function: &FunctionMap,
    bodies: impl Iterator<Item = &'f FunctionEntry<'l>> + Clone,
) -> Result<FunctionCounts, Unmatched> {
    let mut fitting = bodies.clone().filter(|found| found.facts.shape == function.shape);
    let Some(first) = fitting.next() else {
        let mut told = bodies.clone().filter(|found| !found.blocks.is_empty());
        return Err(match (bodies.clone().next(), told.next()) {
            (None, _) => Unmatched::Absent,
            (Some(_), None) => Unmatched::Elsewhere,
            (Some(_), Some(_)) => Unmatched::OtherShape,
        });
    };
    let mut found = first.clone();
    fitting.for_each(|other| found.add(other));
    let found = &found;
    let edges = edges_of(function, found)?;
    let segment_count = |(id, segment): (SegmentId, &opcost_key::SegmentMap)| {
        let block = number(segment.block);
        if function.blocks[segment.block].first_segment == id {
            let missing = || Unmatched::Incomplete(format!("block {block}"));
            return found.blocks.get(&block).copied().ok_or_else(missing);
        }
        let into = function.edges.iter().filter(|(_, edge)| edge.to == Some(id));
        let taken: Option<i64> = edges.as_ref().map(|edges| into.map(|(edge, _)| edges[edge]).sum());
        let missing = || Unmatched::Incomplete(format!("way on after a call in block {block}"));
        taken.and_then(|taken| u64::try_from(taken).ok()).ok_or_else(missing)
    };
    let segments = function.segments.iter().map(segment_count).collect::<Result<IdMap<_, _>, _>>()?;
    let entries = found.calls.ok_or_else(|| Unmatched::Incomplete("calls".to_owned()))?;
    Ok(FunctionCounts {
        segments,
        edges,
        entries,
        returns: None,
        left: None,
        lengths: BTreeMap::new(),
        paths: Vec::new(),
    })
}

/// `None` where the placement has no edges.
fn edges_of(
    function: &FunctionMap,
    found: &FunctionEntry<'_>,
) -> Result<Option<IdMap<EdgeId, i64>>, Unmatched> {
    if found.edges.is_empty() {
        // A body that the linker takes from elsewhere has none to tell.
        return Ok(function.edges.is_empty().then(IdMap::new));
    }
    if found.edges.len() != function.edges.len() {
        return Err(Unmatched::OtherShape);
    }
    let block = |segment: SegmentId| number(function.segments[segment].block);
    let same = |id: EdgeId, there: &EdgeEntry| {
        let edge = &function.edges[id];
        let (way, slot) = kind_of(edge.kind);
        let here = (way, slot, edge.from.map(block), edge.to.map(block));
        here == (there.kind, there.slot, there.from, there.to)
    };
    let of_edge = |id: EdgeId| match found.edges.get(&number(id)) {
        Some(there) if same(id, there) => Ok(there.count),
        _ => Err(Unmatched::OtherShape),
    };
    function.edges.ids().map(of_edge).collect::<Result<_, _>>().map(Some)
}

/// How often each successor of each block was taken, by the block and the successor's position;
/// `None` where the placement has no edges.
pub fn branches(function: &FunctionMap, counts: &FunctionCounts) -> Option<BTreeMap<(BlockId, u32), u64>> {
    let edges = counts.edges.as_ref()?;
    let taken = function.edges.iter().filter_map(|(id, edge)| match edge.kind {
        EdgeKind::Branch { block, slot } => Some(((block, slot), u64::try_from(edges[id]).unwrap_or(0))),
        _ => None,
    });
    Some(taken.collect())
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{BlockId, FunctionId, Hash128, ModuleMap};

    use super::{Copies, Unmatched, branches, match_counts};
    use crate::CountedModule;
    use crate::example::{call_left, diamond, ledger_of, recovered, single_loop};

    #[test]
    fn a_ledger_gives_back_the_counts_it_was_made_of() {
        let cases = [
            (diamond(), vec![10, 3], vec![]),
            (single_loop(), vec![2, 14], vec![]),
            (call_left(), vec![5, 3], vec![(0, 2)]),
            (call_left(), vec![0, 1], vec![(0, -1)]),
        ];
        for (map, counters, left) in cases {
            let counts = recovered(&map, &counters, &left);
            let ledger = ledger_of(CountedModule { map: &map, counts: &counts });
            let matched = match_counts(&map, &ledger, Copies::Own);
            assert!(matched.removed.is_empty());
            for (id, made) in counts.functions.iter() {
                let found = matched.functions[id].as_ref().expect("it fits");
                assert_eq!((&found.segments, &found.edges), (&made.segments, &made.edges));
                assert_eq!(found.entries, made.entries);
            }
        }
    }

    #[test]
    fn branches_are_told_by_block_and_slot() {
        let map = diamond();
        let counts = recovered(&map, &[10, 3], &[]);
        let ledger = ledger_of(CountedModule { map: &map, counts: &counts });
        let function = FunctionId::new(0);
        let found = match_counts(&map, &ledger, Copies::Own).functions[function].clone().expect("it fits");
        let taken = branches(&map.functions[function], &found).expect("edges");
        let of = |slot| taken[&(BlockId::new(0), slot)];
        assert_eq!(of(0) + of(1), 10, "{taken:?}");
        assert!(of(0) == 3 || of(1) == 3, "{taken:?}");
    }

    /// The linker kept the body of one module; the optimiser sees that of the other.
    #[test]
    fn a_body_that_was_left_out_has_the_counts_of_the_one_that_ran() {
        let (mut ran, mut left_out) = (diamond(), diamond());
        (ran.module, left_out.module) = ("ran.cpp".into(), "out.cpp".into());
        let counts = [recovered(&ran, &[10, 3], &[]), recovered(&left_out, &[0, 0], &[])];
        let modules = [
            CountedModule { map: &ran, counts: &counts[0] },
            CountedModule { map: &left_out, counts: &counts[1] },
        ];
        let ledger = crate::example::ledger_of_all(&modules);
        let function = FunctionId::new(0);
        let entries = |map: &ModuleMap, copies| {
            match_counts(map, &ledger, copies).functions[function].clone().map(|counts| counts.entries)
        };
        assert_eq!(entries(&left_out, Copies::Own), Ok(0));
        assert_eq!((entries(&left_out, Copies::All), entries(&ran, Copies::All)), (Ok(10), Ok(10)));
        // Nor is it another's if it is local, or of another flow.
        let mut other = left_out.clone();
        other.functions[function].is_local = true;
        assert_eq!(entries(&other, Copies::All), Ok(0));
        let mut other = left_out.clone();
        other.functions[function].shape = Hash128(99);
        assert_eq!(entries(&other, Copies::All), Err(Unmatched::OtherShape));
        // A module that the ledger does not have at all: a body from elsewhere.
        let mut other = left_out.clone();
        other.module = "third.cpp".into();
        assert_eq!(entries(&other, Copies::Own), Err(Unmatched::Absent));
        assert_eq!(entries(&other, Copies::All), Ok(10));
        assert!(match_counts(&other, &ledger, Copies::All).removed.is_empty());
    }

    /// A local `diamond`, called so in its module, or renamed by the linker of others.
    fn local(module: &str, name: &str, home: Option<&str>) -> ModuleMap {
        let mut map = diamond();
        map.module = module.into();
        let function = &mut map.functions[FunctionId::new(0)];
        (function.name, function.is_local) = (name.into(), true);
        function.home = home.map(|home| home.parse().expect("a key"));
        map
    }

    #[test]
    fn local_functions_of_one_name_get_their_own_counts() {
        let maps = [local("a.c", "step", None), local("b.c", "step", None)];
        let counts = [recovered(&maps[0], &[10, 3], &[]), recovered(&maps[1], &[20, 3], &[])];
        let of = |at: usize| CountedModule { map: &maps[at], counts: &counts[at] };
        let entries = |map: &ModuleMap, ledger: &opcost_profile::Ledger, copies| {
            let found = match_counts(map, ledger, copies);
            assert!(found.removed.is_empty(), "{:?}", found.removed);
            found.functions[FunctionId::new(0)].clone().map(|counts| counts.entries)
        };
        for order in [[0, 1], [1, 0]] {
            let ledger = crate::example::ledger_of_all(&order.map(of));
            for copies in [Copies::Own, Copies::All] {
                assert_eq!(entries(&maps[0], &ledger, copies), Ok(10));
                assert_eq!(entries(&maps[1], &ledger, copies), Ok(20));
                // Linked, the second is called otherwise: it is what it was at home.
                assert_eq!(entries(&local("w.bc", "step", Some("b.c@step")), &ledger, copies), Ok(20));
                assert_eq!(entries(&local("w.bc", "step.1", Some("a.c@step")), &ledger, copies), Ok(10));
            }
        }
        let alone = ledger_of(of(1));
        assert_eq!(
            entries(&maps[0], &alone, Copies::All),
            Err(Unmatched::Absent),
            "the other's are not its own"
        );
    }

    #[test]
    fn ledgers_without_homes_name_functions_by_the_module_at_hand() {
        let linked = local("w.bc", "step.1", Some("b.c@step"));
        let old = local("w.bc", "step.1", None);
        let counts = recovered(&old, &[10, 3], &[]);
        let ledger = ledger_of(CountedModule { map: &old, counts: &counts });
        let matched = match_counts(&linked, &ledger, Copies::Own);
        assert!(matched.functions[FunctionId::new(0)].is_ok() && matched.removed.is_empty());
        // With homes, a name that another function has now says nothing.
        let other = local("w.bc", "step.1", Some("a.c@step"));
        let ledger = ledger_of(CountedModule { map: &other, counts: &counts });
        let matched = match_counts(&linked, &ledger, Copies::Own);
        assert_eq!(matched.functions[FunctionId::new(0)], Err(Unmatched::Absent));
        assert_eq!(matched.removed, ["step"]);
    }

    #[test]
    fn what_changed_is_refused_and_the_rest_is_told() {
        let map = diamond();
        let counts = recovered(&map, &[10, 3], &[]);
        let ledger = ledger_of(CountedModule { map: &map, counts: &counts });
        let function = FunctionId::new(0);
        let mut other = map.clone();
        other.functions[function].shape = Hash128(99);
        assert_eq!(
            match_counts(&other, &ledger, Copies::Own).functions[function],
            Err(Unmatched::OtherShape)
        );
        let mut other = map.clone();
        let edges = &mut other.functions[function].edges;
        *edges = edges.values().skip(1).cloned().collect();
        assert_eq!(
            match_counts(&other, &ledger, Copies::Own).functions[function],
            Err(Unmatched::OtherShape)
        );
        let mut other = map.clone();
        other.functions[function].name = "new".into();
        let matched = match_counts(&other, &ledger, Copies::Own);
        assert_eq!(matched.functions[function], Err(Unmatched::Absent));
        assert_eq!(matched.removed, [map.functions[function].name.clone()]);
    }
}

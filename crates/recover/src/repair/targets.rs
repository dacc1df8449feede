//! Whom did calls through pointers call, and how often?
//!
//! Nobody counted that, but much follows from what was: a function was entered as often as
//! its known call sites ran, and what is left of its entries came through pointers, from
//! calls of its type (Lu and Hu, "Where does it go?", 2019, whose first layer this is). Where
//! only one function of a type is called so, that is the answer; where several are, each
//! call is taken to call them as often as all calls of the type do together. Calls of the type
//! that these entries do not explain went elsewhere: into a library, or into a module that was
//! not given. So each call has how often it ran, too, and its targets may be fewer.
//!
//! Input: maps that tell of pointers, with the counts of a ledger. Output: of each call
//! through a pointer its likely targets, most called first. Cost: linear in calls, times
//! the functions of a type. Limit: calls that code of others makes through pointers that it
//! was given (a comparator of `qsort`) look like calls of the type that are seen here.

use std::collections::BTreeMap;

use opcost_index::{Id, IdMap};
use opcost_key::{FunctionId, Hash128, ModuleMap};

use super::options::SampledModule;
use super::program::{Program, ProgramFunctionId};
use crate::matched::Matched;
use crate::sampled::ModuleObservations;

/// A function that a call through a pointer calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairTarget {
    /// The position of its module.
    pub module: usize,
    /// Which.
    pub function: FunctionId,
    /// How often it is called from there.
    pub calls: u64,
}

/// A call through a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerCall {
    /// How often it ran.
    pub ran: u64,
    /// Whom it called, the most often first; together at most as often as it ran.
    pub targets: Vec<RepairTarget>,
}

/// The targets of calls through pointers, for each function of each module, in program order. None
/// of a function that the ledger does not have.
pub fn targets(modules: &[(&ModuleMap, &Matched)]) -> Vec<IdMap<FunctionId, Vec<PointerCall>>> {
    let unseen: Vec<ModuleObservations> =
        modules.iter().map(|(map, _)| ModuleObservations::none(map)).collect();
    let sampled: Vec<SampledModule<'_>> =
        modules.iter().zip(&unseen).map(|(&(map, _), observed)| SampledModule { map, observed }).collect();
    let program = Program::of(&sampled);
    let places: Vec<(usize, FunctionId)> = modules
        .iter()
        .enumerate()
        .flat_map(|(module, (map, _))| map.functions.ids().map(move |function| (module, function)))
        .collect();
    let counts = |id: ProgramFunctionId| {
        let (module, function) = places[id.index()];
        modules[module].1.functions[function].as_ref().ok()
    };
    // Entries that no known call site accounts for.
    let through = |id: ProgramFunctionId| -> u64 {
        let sites = program.functions[id].sites.iter();
        let known = sites.filter_map(|&(caller, at)| Some(u128::from(counts(caller)?.segments[at])));
        let entries = counts(id).map_or(0, |counts| u128::from(counts.entries));
        u64::try_from(entries.saturating_sub(known.sum())).unwrap_or(u64::MAX)
    };
    let classes: BTreeMap<Hash128, Vec<(ProgramFunctionId, u64)>> = program
        .classes
        .iter()
        .map(|(&signature, class)| {
            let called = class.functions.iter().map(|&id| (id, through(id)));
            let mut called: Vec<_> = called.filter(|&(_, calls)| calls > 0).collect();
            called.sort_by_key(|&(id, calls)| (std::cmp::Reverse(calls), id));
            (signature, called)
        })
        .collect();
    let made = made_calls(modules);
    let of_call = |(ran, signature): (u64, Hash128)| -> PointerCall {
        let called = classes.get(&signature).map(Vec::as_slice).unwrap_or_default();
        let entered: u128 = called.iter().map(|&(_, calls)| u128::from(calls)).sum();
        let all = entered.max(made.get(&signature).copied().unwrap_or(0));
        let shares = called.iter().map(|&(id, calls)| {
            let calls = u128::from(ran) * u128::from(calls) / all;
            let (module, function) = places[id.index()];
            RepairTarget { module, function, calls: u64::try_from(calls).expect("a share of a count") }
        });
        PointerCall { ran, targets: shares.filter(|target| target.calls > 0).collect() }
    };
    let of_function = |one: &(&ModuleMap, &Matched), id| calls_of(one.0, one.1, id).map(of_call).collect();
    modules.iter().map(|one| one.0.functions.ids().map(|id| of_function(one, id)).collect()).collect()
}

/// How often the calls through pointers of a function ran, and the types of what they call.
fn calls_of(map: &ModuleMap, matched: &Matched, id: FunctionId) -> impl Iterator<Item = (u64, Hash128)> {
    let function = &map.functions[id];
    let known = matched.functions[id].as_ref().ok().zip(function.expected.pointers.as_ref());
    known.into_iter().flat_map(move |(counts, pointers)| {
        let calls = pointers.calls.iter();
        calls.map(move |&(at, signature)| (counts.segments[function.segment_of(at)], signature))
    })
}

/// How often all calls through pointers ran, by the type of what they call.
fn made_calls(modules: &[(&ModuleMap, &Matched)]) -> BTreeMap<Hash128, u128> {
    let mut made: BTreeMap<Hash128, u128> = BTreeMap::new();
    for one in modules {
        for (ran, signature) in one.0.functions.ids().flat_map(|id| calls_of(one.0, one.1, id)) {
            *made.entry(signature).or_default() += u128::from(ran);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use opcost_key::{AddressHeld, Callee, EdgeKind, FunctionMap, Meter, Pointers};

    use super::*;
    use crate::FunctionCounts;
    use crate::example::{edge, function, module, segment, with_call};

    const INTEGER: Hash128 = Hash128(1);
    const OTHER: Hash128 = Hash128(2);

    /// A function of one block, of this type, to which pointers lead, and what it calls.
    fn one(name: &str, signature: Hash128, callees: &[Callee]) -> FunctionMap {
        let edges = vec![
            edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
            edge(segment(0), None, EdgeKind::Return, Meter::Derived),
        ];
        let weights = vec![1; callees.len() + 1];
        let made = function(name, &[&[&weights]], edges);
        let mut made =
            callees.iter().enumerate().fold(made, |made, (at, callee)| with_call(made, at, callee.clone()));
        let indirect = made.calls.iter().filter(|call| call.callee == Callee::Indirect);
        let calls = indirect.map(|call| (call.instruction, INTEGER)).collect();
        made.expected.pointers =
            Some(Pointers { address: AddressHeld::InCode, signature, calls, threads: vec![] });
        made
    }

    fn ran(times: u64) -> FunctionCounts {
        FunctionCounts {
            segments: IdMap::from_vec(vec![times]),
            edges: None,
            entries: times,
            returns: None,
            left: None,
            lengths: BTreeMap::new(),
            paths: Vec::new(),
        }
    }

    fn of(counts: &[u64]) -> Vec<Vec<(usize, u64)>> {
        // main calls twice through pointers of one type, and `often` by its name.
        let calls = [Callee::Indirect, Callee::Indirect, Callee::Defined(FunctionId::new(1))];
        let functions = vec![
            one("main", OTHER, &calls),
            one("often", INTEGER, &[]),
            one("seldom", INTEGER, &[]),
            one("other", OTHER, &[]),
        ];
        let map = module("a.c", functions, 0);
        let functions = counts.iter().map(|&times| Ok(ran(times))).collect();
        let matched = Matched { functions, removed: Vec::new() };
        let found = targets(&[(&map, &matched)]);
        assert!(found[0].values().skip(1).all(Vec::is_empty), "nobody else calls");
        let calls = found[0][FunctionId::new(0)].iter();
        calls.map(|call| call.targets.iter().map(|one| (one.function.index(), one.calls)).collect()).collect()
    }

    #[test]
    fn what_no_call_by_name_explains_came_through_pointers() {
        // 100 of the entries of `often` are calls by name, 150 and 50 are left.
        assert_eq!(of(&[100, 250, 50, 7]), [[(1, 75), (2, 25)], [(1, 75), (2, 25)]]);
        // The only one.
        assert_eq!(of(&[100, 100, 200, 0]), [[(2, 100)], [(2, 100)]]);
        // Nobody is known to be called.
        assert_eq!(of(&[100, 100, 0, 9]), [vec![], vec![]]);
        // 170 of 200 calls went where nobody looked.
        assert_eq!(of(&[100, 120, 10, 0]), [[(1, 10), (2, 5)], [(1, 10), (2, 5)]]);
    }
}

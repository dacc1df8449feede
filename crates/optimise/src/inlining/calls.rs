//! Which calls are replaced by what they call?
//!
//! A call that is carried out often costs its own instructions each time, and what the caller knows of arguments is
//! lost in the function that it calls. Its code in place of the call costs space. Calls are taken in the order of
//! what they save for what they add, as long as the module does not grow too much. How often a call is carried out is
//! counted, so this is the frequency of the calling block and no guess (Avetisyan, Dolgorukova and Kurmangaleev, "Dynamic
//! profiling for LLVM", section 4.3).
//!
//! One pass goes one level deep: a function whose code was inlined stays as it is, and a function that got code is
//! inlined nowhere. So each chosen call is there once, and carried out as often as was counted. The entries of a called
//! function are divided in integers: its own ones, and the executions of each replaced call.
//!
//! Input: functions with sizes and entries, calls with executions. Output: calls in the order in which they are
//! replaced. Cost: calls × logarithm. Limits: what a call saves is taken as fixed, with one more for each argument.

use std::cmp::Reverse;

use opcost_index::{IdMap, define_id};
use thiserror::Error;

define_id!(
    /// A function that calls or is called.
    pub struct CalledId, "function"
);

define_id!(
    /// A call by name.
    pub struct CallId, "call"
);

/// A function that calls or is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalledFunction {
    /// Instructions.
    pub size: u32,
    /// How often it is entered.
    pub entries: u64,
}

/// A call by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedSite {
    /// Who calls.
    pub caller: CalledId,
    /// Who is called.
    pub callee: CalledId,
    /// How often.
    pub executions: u64,
    /// Arguments.
    pub arguments: u32,
    /// Whether it may be replaced.
    pub can_inline: bool,
}

/// What is worth its code twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineLimits {
    /// A call saves at least one in so many of all instructions that are carried out.
    pub share: u64,
    /// A called function has at most so many instructions.
    pub size: u32,
    /// The module grows by at most so many hundredths.
    pub growth: u64,
    /// A small module may grow by so many instructions.
    pub floor: u64,
}

impl Default for InlineLimits {
    fn default() -> InlineLimits {
        InlineLimits { share: 20_000, size: 300, growth: 10, floor: 500 }
    }
}

/// What a call costs in addition to its arguments: itself, the return, and registers that are saved and restored.
const CALL: u64 = 4;

/// A replaced call is carried out more often than its function is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{callee} is entered {entries} times, and by the calls that are replaced {executions} times")]
pub struct MoreThanEntered {
    /// The function.
    pub callee: CalledId,
    /// Its entries.
    pub entries: u64,
    /// Executions of the calls.
    pub executions: u64,
}

/// Chooses calls. `executed` is how many instructions the program carries out.
pub fn choose_calls(
    functions: &IdMap<CalledId, CalledFunction>,
    calls: &IdMap<CallId, CountedSite>,
    executed: u64,
    limits: InlineLimits,
) -> Vec<CallId> {
    let saved = |call: &CountedSite| call.executions.saturating_mul(CALL + u64::from(call.arguments));
    let size = |call: &CountedSite| u64::from(functions[call.callee].size.max(1));
    let is_worth = |call: &CountedSite| {
        call.can_inline
            && call.caller != call.callee
            && functions[call.callee].size <= limits.size
            && saved(call).saturating_mul(limits.share) >= executed.max(1)
    };
    let mut order: Vec<CallId> = calls.iter().filter(|(_, call)| is_worth(call)).map(|(id, _)| id).collect();
    // What is saved for each instruction that is added, as a fraction without rounding.
    let value = |id: &CallId| Reverse((u128::from(saved(&calls[*id])) << 32) / u128::from(size(&calls[*id])));
    order.sort_by_key(|id| (value(id), *id));
    let whole: u64 = functions.values().map(|one| u64::from(one.size)).sum();
    let mut left = (whole.saturating_mul(limits.growth) / 100).max(limits.floor);
    let mut grows: IdMap<CalledId, bool> = IdMap::filled(functions.len(), false);
    let mut is_copied: IdMap<CalledId, bool> = IdMap::filled(functions.len(), false);
    let mut chosen = Vec::new();
    for id in order {
        let call = &calls[id];
        if is_copied[call.caller] || grows[call.callee] || size(call) > left {
            continue;
        }
        left -= size(call);
        grows[call.caller] = true;
        is_copied[call.callee] = true;
        chosen.push(id);
    }
    chosen
}

/// The entries that each function keeps after calls are replaced.
///
/// # Errors
/// A function was entered less often than it was called.
pub fn entries_left(
    functions: &IdMap<CalledId, CalledFunction>,
    calls: &IdMap<CallId, CountedSite>,
    chosen: &[CallId],
) -> Result<IdMap<CalledId, u64>, MoreThanEntered> {
    let mut replaced: IdMap<CalledId, u64> = IdMap::filled(functions.len(), 0);
    for &id in chosen {
        replaced[calls[id].callee] += calls[id].executions;
    }
    let left = |(callee, one): (CalledId, &CalledFunction)| {
        let executions = replaced[callee];
        let entries = one.entries;
        entries.checked_sub(executions).ok_or(MoreThanEntered { callee, entries, executions })
    };
    functions.iter().map(left).collect()
}

#[cfg(test)]
mod tests {
    use opcost_index::Id as _;
    use proptest::prelude::*;

    use super::*;

    fn called(size: u32, entries: u64) -> CalledFunction {
        CalledFunction { size, entries }
    }

    fn call(caller: usize, callee: usize, executions: u64) -> CountedSite {
        let [caller, callee] = [caller, callee].map(CalledId::new);
        CountedSite { caller, callee, executions, arguments: 2, can_inline: true }
    }

    #[test]
    fn the_hot_call_is_replaced_and_the_cold_one_is_not() {
        let functions = IdMap::from_iter([called(1000, 1), called(20, 1_000_010), called(20, 10)]);
        let calls = IdMap::from_iter([call(0, 1, 1_000_000), call(0, 1, 10), call(0, 2, 10)]);
        let chosen = choose_calls(&functions, &calls, 30_000_000, InlineLimits::default());
        assert_eq!(chosen, [CallId::new(0)]);
        let left = entries_left(&functions, &calls, &chosen).expect("calls are entries");
        assert_eq!(left[CalledId::new(1)], 10);
    }

    #[test]
    fn recursion_growth_and_size_are_limits() {
        let functions = IdMap::from_iter([called(100, 1), called(90, 5_000), called(301, 5_000)]);
        let calls = IdMap::from_iter([call(0, 0, 5_000), call(0, 1, 5_000), call(0, 2, 5_000)]);
        let limits = InlineLimits { floor: 0, ..InlineLimits::default() };
        assert_eq!(choose_calls(&functions, &calls, 1, limits), []);
        let roomy = InlineLimits { growth: 100, ..limits };
        assert_eq!(choose_calls(&functions, &calls, 1, roomy), [CallId::new(1)]);
    }

    #[test]
    fn one_pass_goes_one_level_deep() {
        let functions = IdMap::from_iter([called(500, 1), called(10, 100), called(10, 1_000)]);
        let calls = IdMap::from_iter([call(0, 1, 100), call(1, 2, 1_000)]);
        assert_eq!(choose_calls(&functions, &calls, 1, InlineLimits::default()), [CallId::new(1)]);
    }

    proptest! {
        #[test]
        fn what_is_chosen_keeps_every_limit(
            sizes in proptest::collection::vec(1u32..400, 2..12),
            edges in proptest::collection::vec((0usize..12, 0usize..12, 0u64..1_000_000, any::<bool>()), 0..40),
            executed in 0u64..1_000_000_000,
        ) {
            let count = sizes.len();
            let one = |&(caller, callee, executions, can_inline): &(usize, usize, u64, bool)| CountedSite {
                can_inline, ..call(caller % count, callee % count, executions)
            };
            let calls: IdMap<CallId, CountedSite> = edges.iter().map(one).collect();
            let entries = |id: usize| calls.values().filter(|call| call.callee.index() == id).map(|call| call.executions).sum();
            let functions: IdMap<CalledId, CalledFunction> =
                sizes.iter().enumerate().map(|(id, &size)| called(size, entries(id))).collect();
            let limits = InlineLimits { growth: 40, floor: 0, ..InlineLimits::default() };
            let chosen = choose_calls(&functions, &calls, executed, limits);
            let left = entries_left(&functions, &calls, &chosen);
            // What is left and what was replaced are all entries.
            prop_assert!(left.is_ok());
            let left = left.unwrap();
            for (id, function) in functions.iter() {
                let replaced: u64 = chosen.iter().map(|&one| &calls[one]).filter(|call| call.callee == id).map(|call| call.executions).sum();
                prop_assert_eq!(left[id] + replaced, function.entries);
            }
            let added: u64 = chosen.iter().map(|&one| u64::from(functions[calls[one].callee].size)).sum();
            let whole: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
            prop_assert!(added * 100 <= whole * 40);
            for &one in &chosen {
                let call = &calls[one];
                prop_assert!(call.can_inline && call.caller != call.callee);
                prop_assert!(chosen.iter().all(|&other| calls[other].caller != call.callee));
            }
        }
    }
}

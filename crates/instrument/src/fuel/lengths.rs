//! How long are the ways of functions without a check, as far as is known?
//!
//! Each function whose checks are placed is summed up for its callers by three
//! lengths:
//!
//! ```text
//! head     the longest way from the entry to a check or to an end
//! through  the longest way from the entry to a return without a check
//! tail     the longest way from a check to a return
//! ```
//!
//! A call out of the module, or through a pointer, is taken to lead to a
//! function whose lengths keep to the smaller allowance that holds here for
//! every function which the outside can reach.

use opcost_index::{IdMap, IdSet};
use opcost_ir::{Call, CalleeRef, Function, Linkage, Module};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::fuel_access::{FuelAccess, fuel_access};
use crate::fuel::recursion::Recursion;
use crate::fuel::rounds::Ways;
use crate::fuel::stretch::{End, Stretch, StretchId, Stretches};

/// How much shorter than what is wanted between two checks a way must be. There may be one such
/// length before it and one after it.
const SHARES: u64 = 4;
/// How much shorter ways must be that the outside sees.
pub(super) const OUTSIDE: u64 = 4;

/// The most work on a way that the outside sees.
pub(crate) fn outside_overshoot(overshoot: u64) -> u64 {
    overshoot / SHARES / OUTSIDE
}

/// How a function looks from its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    pub(super) head: u64,
    pub(super) through: Option<u64>,
    pub(super) tail: Option<u64>,
}

/// Checks of a whole module, callees first.
pub(crate) struct Checks<'a> {
    pub(super) module: &'a Module,
    pub(super) recursion: &'a Recursion,
    /// The most work on a way, before the stretch that goes beyond it.
    pub(super) allowance: u64,
    pub(super) lengths: IdMap<FunctionId, Option<Lengths>>,
    pub(super) longest: u64,
    /// The most work that is asked about where ways end that are in no graph
    /// or were not known: landing pads, second returns, entries.
    pub(super) longest_asked: u64,
}

/// Where the checks of a function are.
#[derive(Default)]
pub(crate) struct Checked {
    /// Where these stretches begin.
    pub(crate) stretches: IdSet<StretchId>,
    /// Those of them that are paid for before they are asked about.
    pub(crate) ahead: IdSet<StretchId>,
    /// Before the branch at the end of these blocks.
    pub(crate) ends: IdSet<BlockId>,
}

impl<'a> Checks<'a> {
    /// `overshoot` is the most work that should pass between two checks.
    pub(crate) fn new(module: &'a Module, recursion: &'a Recursion, overshoot: u64) -> Checks<'a> {
        Checks {
            module,
            recursion,
            allowance: overshoot / SHARES,
            lengths: IdMap::filled(module.functions.len(), None),
            longest: 0,
            longest_asked: 0,
        }
    }

    /// The longest way without a check in all functions placed so far. It may
    /// end in an exception, or in a call that goes back, whose check asks about
    /// work too.
    pub(crate) fn overshoot(&self) -> u64 {
        self.longest.saturating_add(self.longest_asked)
    }

    /// What a check at the start of a stretch asks about in addition to what was done. That is all
    /// of the stretch if it is paid for ahead, and what comes before any spot otherwise. Foreign
    /// callers rely on the limit.
    pub(super) fn asked_about(&self, stretch: &Stretch) -> u64 {
        if stretch.work <= self.allowance / OUTSIDE { stretch.work } else { stretch.head }
    }

    /// Notes a function whose work is that of its calls.
    pub(crate) fn fold(&mut self, id: FunctionId) {
        self.lengths[id] = Some(Lengths { head: 0, through: Some(0), tail: None });
    }

    /// Notes what is asked about where a way ends that is in no graph.
    pub(super) fn comes_from_elsewhere(&mut self, stretches: &Stretches, at: StretchId) {
        self.longest_asked = self.longest_asked.max(self.asked_about(&stretches.list[at]));
    }

    /// The lengths of what a stretch calls by its end.
    pub(super) fn callee_of(&self, function: &Function, end: End) -> Option<Lengths> {
        let call = match end {
            End::Call(call) | End::NoReturn(call) | End::Jump(call) | End::Invoke(call) => {
                function.call(call)
            }
            _ => None,
        };
        call.map(|call| self.lengths_of(call))
    }

    /// The ways after the work of a stretch, checked where it begins or not.
    pub(super) fn worked(&self, stretch: &Stretch, arriving: Ways, is_checked: bool) -> Ways {
        if is_checked {
            Ways { from_entry: None, from_check: Some(stretch.work - self.asked_about(stretch)) }
        } else {
            arriving.map(|work| work.saturating_add(stretch.work))
        }
    }

    fn lengths_of(&self, call: &Call) -> Lengths {
        let length = self.allowance / OUTSIDE;
        let foreign = Lengths { head: length, through: Some(length), tail: Some(length) };
        match call.callee {
            // Its assembly may lead to where code of another object would.
            CalleeRef::Function(callee) if self.module.functions[callee].is_naked => foreign,
            CalleeRef::Function(callee) => {
                // A call that goes back is checked behind it, and its callee
                // at its entry.
                let known = self.lengths[callee].unwrap_or(Lengths { head: 0, through: None, tail: Some(0) });
                match self.module.functions[callee].linkage {
                    Linkage::Local | Linkage::Exact => known,
                    // Another definition may run in its place.
                    Linkage::Replaceable | Linkage::Elsewhere => known.max(foreign),
                }
            }
            _ if fuel_access(self.module, call, self.recursion.own_in_calls) == FuelAccess::Freely => foreign,
            _ => Lengths { head: 0, through: Some(0), tail: None },
        }
    }
}

impl Lengths {
    /// The longer of each.
    fn max(self, other: Lengths) -> Lengths {
        Lengths {
            head: self.head.max(other.head),
            through: self.through.max(other.through),
            tail: self.tail.max(other.tail),
        }
    }
}

/// The ways after a call, if one was made.
pub(super) fn called(ways: Ways, callee: Option<Lengths>) -> Ways {
    let Some(callee) = callee else { return ways };
    let passed = |way: Option<u64>| Some(way?.saturating_add(callee.through?));
    Ways { from_entry: passed(ways.from_entry), from_check: passed(ways.from_check).max(callee.tail) }
}

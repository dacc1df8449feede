//! Where is it asked whether the fuel is used up, and how much work can pass
//! before it is asked again?
//!
//! Checks stand where cycles of blocks and of calls need them (`required`). What
//! is left has no cycles but loops whose work is known where they are entered
//! (`rounds`): the work of the longest way without a check is found in one pass,
//! callees first, and where it would pass the allowance one more check is put.
//! Each function is summed up for its callers by three lengths:
//!
//! ```text
//! head     the longest way from the entry to a check or to an end
//! through  the longest way from the entry to a return without a check
//! tail     the longest way from a check to a return
//! ```
//!
//! A call out of the module, or through a pointer, is taken to lead to a
//! function whose lengths keep to the smaller allowance that holds here for
//! every function which the outside can reach. Cost: linear.

use opcost_index::{Id, IdMap, IdSet, reverse_postorder};
use opcost_ir::{Call, CalleeRef, Function, Linkage, Module};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::looks::{Looks, looks};
use crate::fuel::recursion::Recursion;
use crate::fuel::required::Required;
use crate::fuel::rounds::{Rounds, Ways};
use crate::fuel::stretches::{End, Stretch, StretchId, Stretches};

/// How much shorter than what is wanted between two checks a way must be: it
/// may have one such length behind it and one ahead.
const SHARES: u64 = 4;
/// How much shorter ways must be that the outside sees.
pub(super) const OUTSIDE: u64 = 4;

/// The most work on a way that the outside sees.
pub(crate) fn seen_outside(overshoot: u64) -> u64 {
    overshoot / SHARES / OUTSIDE
}

/// How a function looks from its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    head: u64,
    through: Option<u64>,
    tail: Option<u64>,
}

/// Checks of a whole module, callees first.
pub(crate) struct Checks<'a> {
    pub(super) module: &'a Module,
    pub(super) recursion: &'a Recursion,
    /// The most work on a way, before the stretch that goes beyond it.
    pub(super) allowance: u64,
    lengths: IdMap<FunctionId, Option<Lengths>>,
    longest: u64,
    /// The most work that is asked about where ways end that are in no graph
    /// or were not known: landing pads, second returns, entries.
    longest_asked: u64,
}

/// Where the checks of a function stand.
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

    /// What a check at the start of a stretch asks about beside what was done:
    /// all of the stretch if it is paid for ahead, and what comes before any
    /// spot otherwise. Foreign callers rely on the limit.
    fn asked_about(&self, stretch: &Stretch) -> u64 {
        if stretch.work <= self.allowance / OUTSIDE { stretch.work } else { stretch.head }
    }

    /// Notes a function whose work is that of its calls.
    pub(crate) fn fold(&mut self, id: FunctionId) {
        self.lengths[id] = Some(Lengths { head: 0, through: Some(0), tail: None });
    }

    /// Places the checks of one function whose callees are placed.
    pub(crate) fn place(&mut self, id: FunctionId, stretches: &Stretches) -> Checked {
        let function = &self.module.functions[id];
        let order = reverse_postorder(function, BlockId::new(0));
        let Required { mut checked, ends, gotos, rounds } = self.required(id, stretches, &order);
        let mut arriving: IdMap<StretchId, Ways> = IdMap::filled(stretches.list.len(), Ways::default());
        arriving[StretchId::new(0)].from_entry = Some(0);
        for target in ends.iter().flat_map(|block| function.blocks[block].successors.iter()) {
            arriving[stretches.first[*target]].from_check = Some(0);
        }
        let mut lengths = Lengths { head: 0, through: None, tail: None };
        for &block in &order {
            let mut stretch = stretches.first[block];
            arriving[stretch] = rounds.enter(block, arriving[stretch]);
            loop {
                let ways = arriving[stretch];
                let ways = self.pass(id, (stretches, &rounds), stretch, ways, &mut checked, &mut lengths);
                let is_end = stretches.list[stretch].last == function.terminator_of(block);
                for (_, next) in stretches.ways_on(function, stretch) {
                    if is_end && ends.contains(block) {
                        continue;
                    }
                    // What goes back was passed before it was known what comes.
                    let asked = if gotos.contains(stretches.list[next].block) {
                        self.work_through(function, stretches, next)
                    } else if checked.contains(next) {
                        self.asked_about(&stretches.list[next])
                    } else {
                        0
                    };
                    self.end_of_way(ways.map(|way| way.saturating_add(asked)), &mut lengths);
                    arriving[next] = arriving[next].or(ways);
                }
                if is_end {
                    break;
                }
                stretch = stretches.behind(stretch);
            }
        }
        self.lengths[id] = Some(lengths);
        let is_ahead = |id: &StretchId| stretches.list[*id].work <= self.allowance / OUTSIDE;
        let ahead = checked.iter().filter(is_ahead).collect();
        Checked { stretches: checked, ahead, ends }
    }

    /// The work of a computed goto and of what is asked about behind it.
    fn work_through(&self, function: &Function, stretches: &Stretches, at: StretchId) -> u64 {
        let stretch = &stretches.list[at];
        let successors = function.blocks[stretch.block].successors.iter();
        let asked = successors.map(|&next| self.asked_about(&stretches.list[stretches.first[next]]));
        stretch.work.saturating_add(asked.max().unwrap_or(0))
    }

    pub(super) fn comes_from_elsewhere(&mut self, stretches: &Stretches, at: StretchId) {
        self.longest_asked = self.longest_asked.max(self.asked_about(&stretches.list[at]));
    }

    /// Walks over one stretch; returns the ways behind it.
    fn pass(
        &mut self,
        id: FunctionId,
        (stretches, rounds): (&Stretches, &Rounds),
        at: StretchId,
        arriving: Ways,
        checked: &mut IdSet<StretchId>,
        lengths: &mut Lengths,
    ) -> Ways {
        let function = &self.module.functions[id];
        let stretch = &stretches.list[at];
        let callee = self.callee_of(function, stretch.end);
        let is_jump = matches!(stretch.end, End::Jump(_));
        let ahead = callee.map_or(0, |callee| {
            if is_jump { callee.head.max(callee.through.unwrap_or(0)) } else { callee.head }
        });
        let is_end = stretch.last == function.terminator_of(stretch.block);
        let entered = if is_end { rounds.ahead_of(function, stretch.block) } else { 0 };
        let all = stretch.work.saturating_add(ahead).saturating_add(entered);
        let arrived = arriving.from_entry.max(arriving.from_check).unwrap_or(0);
        if arrived.saturating_add(all) > self.allowance_at(id, arriving, stretch.end)
            && !rounds.is_bounded(stretch.block)
        {
            checked.insert(at);
        }
        if checked.contains(at) {
            let asked_about = self.asked_about(stretch);
            self.end_of_way(arriving.map(|work| work.saturating_add(asked_about)), lengths);
        }
        let ways = self.worked(stretch, arriving, checked.contains(at));
        self.end_of_way(ways.map(|work| work.saturating_add(ahead)), lengths);
        let is_return = matches!(stretch.end, End::Return(_));
        let ways = called(ways, callee);
        if callee.is_some() {
            self.end_of_way(ways, lengths);
        }
        if is_jump || is_return {
            lengths.through = lengths.through.max(ways.from_entry);
            lengths.tail = lengths.tail.max(ways.from_check);
        }
        ways
    }

    /// The lengths of what a stretch calls by its end.
    pub(super) fn callee_of(&self, function: &Function, end: End) -> Option<Lengths> {
        let call = match end {
            End::Call(call) | End::Gone(call) | End::Jump(call) | End::Invoke(call) => function.call(call),
            _ => None,
        };
        call.map(|call| self.lengths_of(call))
    }

    /// The ways behind the work of a stretch, checked where it begins or not.
    pub(super) fn worked(&self, stretch: &Stretch, arriving: Ways, is_checked: bool) -> Ways {
        if is_checked {
            Ways { from_entry: None, from_check: Some(stretch.work - self.asked_about(stretch)) }
        } else {
            arriving.map(|work| work.saturating_add(stretch.work))
        }
    }

    /// What the ways to a stretch and through it may come to. What a caller
    /// outside the module sees (ways from the entry, ways to a return) is held
    /// to less.
    fn allowance_at(&self, id: FunctionId, arriving: Ways, end: End) -> u64 {
        let is_seen = arriving.from_entry.is_some() || matches!(end, End::Return(_) | End::Jump(_));
        if is_seen && self.recursion.reachable_from_outside().contains(id) {
            self.allowance / OUTSIDE
        } else {
            self.allowance
        }
    }

    /// A check or an end is reached.
    fn end_of_way(&mut self, ways: Ways, lengths: &mut Lengths) {
        lengths.head = lengths.head.max(ways.from_entry.unwrap_or(0));
        self.longest = self.longest.max(ways.from_check.max(ways.from_entry).unwrap_or(0));
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
            _ if looks(self.module, call) == Looks::Freely => foreign,
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

/// The ways behind a call, if one was made.
pub(super) fn called(ways: Ways, callee: Option<Lengths>) -> Ways {
    let Some(callee) = callee else { return ways };
    let passed = |way: Option<u64>| Some(way?.saturating_add(callee.through?));
    Ways { from_entry: passed(ways.from_entry), from_check: passed(ways.from_check).max(callee.tail) }
}

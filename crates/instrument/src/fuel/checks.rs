//! Where is it asked whether the fuel is used up, and how much work can pass
//! before it is asked again?
//!
//! A check stands where a cycle of blocks closes (at the target of every
//! retreating edge of a depth-first walk, so that irreducible cycles have one
//! too), at the entry of every recursive function, and behind every call that
//! can come back to its caller. What is left has no cycles: the work of the
//! longest way without a check is found in one pass, callees first, and where
//! it would pass the allowance one more check is put. Each function is
//! summed up for its callers by three lengths:
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
use opcost_ir::{Call, CalleeRef, Module};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::looks::{Looks, looks};
use crate::fuel::recursion::Recursion;
use crate::fuel::stretches::{End, StretchId, Stretches};

/// How much shorter ways must be that the outside sees.
const OUTSIDE: u64 = 4;

/// How a function looks from its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths {
    head: u64,
    through: Option<u64>,
    tail: Option<u64>,
}

/// Checks of a whole module, callees first.
pub(crate) struct Checks<'a> {
    module: &'a Module,
    recursion: &'a Recursion,
    /// The most work on a way, before the stretch that goes beyond it.
    allowance: u64,
    lengths: IdMap<FunctionId, Option<Lengths>>,
    longest: u64,
}

/// Longest ways that end where the walk stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ways {
    from_entry: Option<u64>,
    from_check: Option<u64>,
}

impl<'a> Checks<'a> {
    /// `overshoot` is the most work that should pass between two checks.
    pub(crate) fn new(module: &'a Module, recursion: &'a Recursion, overshoot: u64) -> Checks<'a> {
        Checks {
            module,
            recursion,
            // A way may have one such length behind it and one ahead.
            allowance: overshoot / 4,
            lengths: IdMap::filled(module.functions.len(), None),
            longest: 0,
        }
    }

    /// The longest way without a check in all functions placed so far.
    pub(crate) fn overshoot(&self) -> u64 {
        self.longest
    }

    /// Places the checks of one function whose callees are placed; returns the
    /// stretches before which they stand, in order.
    pub(crate) fn place(&mut self, id: FunctionId, stretches: &Stretches) -> Vec<StretchId> {
        let function = &self.module.functions[id];
        let order = reverse_postorder(function, BlockId::new(0));
        let mut checked = self.required(id, stretches, &order);
        let mut arriving: IdMap<StretchId, Ways> = IdMap::filled(stretches.list.len(), Ways::default());
        arriving[StretchId::new(0)].from_entry = Some(0);
        let mut lengths = Lengths { head: 0, through: None, tail: None };
        for &block in &order {
            let mut stretch = stretches.first[block];
            loop {
                let ways = self.pass(id, stretches, stretch, arriving[stretch], &mut checked, &mut lengths);
                for (_, next) in stretches.ways_on(function, stretch) {
                    let ways_there = &mut arriving[next];
                    ways_there.from_entry = ways_there.from_entry.max(ways.from_entry);
                    ways_there.from_check = ways_there.from_check.max(ways.from_check);
                }
                if stretches.list[stretch].last == function.terminator_of(block) {
                    break;
                }
                stretch = stretches.behind(stretch);
            }
        }
        self.lengths[id] = Some(lengths);
        checked.iter().collect()
    }

    /// Checks that every cycle needs.
    fn required(&self, id: FunctionId, stretches: &Stretches, order: &[BlockId]) -> IdSet<StretchId> {
        let function = &self.module.functions[id];
        let mut checked = IdSet::new();
        if self.recursion.is_recursive(id) {
            checked.insert(StretchId::new(0));
        }
        let mut position = IdMap::filled(function.blocks.len(), None);
        for (at, &block) in order.iter().enumerate() {
            position[block] = Some(at);
        }
        for &block in order {
            for &successor in &function.blocks[block].successors {
                // In reverse postorder exactly the retreating edges go back.
                if position[successor] <= position[block] {
                    checked.insert(stretches.first[successor]);
                }
            }
        }
        for stretch in stretches.list.ids() {
            let comes_back = |call| {
                function.call(call).is_some_and(|call| self.recursion.comes_back(self.module, id, call))
            };
            match stretches.list[stretch].end {
                End::Call(call) if comes_back(call) => {
                    checked.insert(stretches.behind(stretch));
                }
                End::Invoke(call) if comes_back(call) => {
                    for (_, next) in stretches.ways_on(function, stretch) {
                        checked.insert(next);
                    }
                }
                _ => {}
            }
        }
        checked
    }

    /// Walks over one stretch; returns the ways behind it.
    fn pass(
        &mut self,
        id: FunctionId,
        stretches: &Stretches,
        at: StretchId,
        arriving: Ways,
        checked: &mut IdSet<StretchId>,
        lengths: &mut Lengths,
    ) -> Ways {
        let function = &self.module.functions[id];
        let stretch = &stretches.list[at];
        let call = match stretch.end {
            End::Call(call) | End::Gone(call) | End::Jump(call) | End::Invoke(call) => function.call(call),
            _ => None,
        };
        let callee = call.map(|call| self.lengths_of(call));
        let is_jump = matches!(stretch.end, End::Jump(_));
        let ahead = callee.map_or(0, |callee| {
            if is_jump { callee.head.max(callee.through.unwrap_or(0)) } else { callee.head }
        });
        let ahead = stretch.work.saturating_add(ahead);
        let arrived = arriving.from_entry.max(arriving.from_check).unwrap_or(0);
        if arrived.saturating_add(ahead) > self.allowance_at(id, arriving, stretch.end) {
            checked.insert(at);
        }
        let mut ways = arriving;
        if checked.contains(at) {
            self.end_of_way(arriving, lengths);
            ways = Ways { from_entry: None, from_check: Some(0) };
        }
        self.end_of_way(ways.map(|work| work.saturating_add(ahead)), lengths);
        let mut ways = ways.map(|work| work.saturating_add(stretch.work));
        let Some(callee) = callee else {
            if matches!(stretch.end, End::Return(_)) {
                lengths.through = lengths.through.max(ways.from_entry);
                lengths.tail = lengths.tail.max(ways.from_check);
            }
            return ways;
        };
        let passed = |way: Option<u64>| Some(way?.saturating_add(callee.through?));
        ways = Ways {
            from_entry: passed(ways.from_entry),
            from_check: passed(ways.from_check).max(callee.tail),
        };
        self.end_of_way(ways, lengths);
        if is_jump {
            lengths.through = lengths.through.max(ways.from_entry);
            lengths.tail = lengths.tail.max(ways.from_check);
        }
        ways
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
        let nothing = Lengths { head: 0, through: Some(0), tail: None };
        match call.callee {
            // A callee on a common cycle is checked at its entry, and the call
            // is checked behind it.
            CalleeRef::Function(callee) => {
                self.lengths[callee].unwrap_or(Lengths { head: 0, through: None, tail: Some(0) })
            }
            _ if looks(self.module, call) == Looks::Freely => {
                let length = self.allowance / OUTSIDE;
                Lengths { head: length, through: Some(length), tail: Some(length) }
            }
            _ => nothing,
        }
    }
}

impl Ways {
    fn map(self, change: impl Fn(u64) -> u64) -> Ways {
        Ways { from_entry: self.from_entry.map(&change), from_check: self.from_check.map(&change) }
    }
}

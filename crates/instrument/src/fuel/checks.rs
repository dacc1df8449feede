//! Where is it asked whether the fuel is used up, and how much work can pass
//! before it is asked again?
//!
//! A check stands where a cycle of blocks closes (before the branch of every
//! retreating edge of a depth-first walk, so that irreducible cycles have one
//! too; at its target, if nothing can stand before the branch), and where
//! chains of calls could go on unasked (`recursion`). Two ways are in no graph:
//! a `longjmp` leads behind any `setjmp`, an exception to any landing pad, so
//! one stands there too. A loop that is paid for ahead needs none: it was asked
//! for whole.
//!
//! What is left has no cycles: the work of the longest way without a check is
//! found in one pass, callees first, and where it would pass the allowance one
//! more check is put. Each function is summed up for its callers by three
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
//! every function which the outside can reach. Cost: linear.

use opcost_index::{Id, IdMap, IdSet, reverse_postorder};
use opcost_ir::{Call, CalleeRef, Flow, Function, Linkage, Module, Opcode};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::looks::{Looks, looks};
use crate::fuel::recursion::Recursion;
use crate::fuel::stretches::{End, Stretch, StretchId, Stretches};

/// How much shorter than what is wanted between two checks a way must be: it
/// may have one such length behind it and one ahead.
const SHARES: u64 = 4;
/// How much shorter ways must be that the outside sees.
const OUTSIDE: u64 = 4;

/// The most work on a way that the outside sees.
pub(crate) fn seen_outside(overshoot: u64) -> u64 {
    overshoot / SHARES / OUTSIDE
}

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

/// Checks that cycles need.
struct Required {
    checked: IdSet<StretchId>,
    ends: IdSet<BlockId>,
    /// Blocks on cycles all of whose successors are checked in their place.
    gotos: IdSet<BlockId>,
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
        let Required { mut checked, ends, gotos } = self.required(id, stretches, &order);
        let mut arriving: IdMap<StretchId, Ways> = IdMap::filled(stretches.list.len(), Ways::default());
        arriving[StretchId::new(0)].from_entry = Some(0);
        for target in ends.iter().flat_map(|block| function.blocks[block].successors.iter()) {
            arriving[stretches.first[*target]].from_check = Some(0);
        }
        let mut lengths = Lengths { head: 0, through: None, tail: None };
        for &block in &order {
            let mut stretch = stretches.first[block];
            loop {
                let ways = self.pass(id, stretches, stretch, arriving[stretch], &mut checked, &mut lengths);
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
                    let ways_there = &mut arriving[next];
                    ways_there.from_entry = ways_there.from_entry.max(ways.from_entry);
                    ways_there.from_check = ways_there.from_check.max(ways.from_check);
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

    /// Checks that every cycle needs.
    fn required(&mut self, id: FunctionId, stretches: &Stretches, order: &[BlockId]) -> Required {
        let function = &self.module.functions[id];
        let (mut ends, mut checked, mut gotos) = (IdSet::new(), IdSet::new(), IdSet::new());
        if self.recursion.is_asked_at_entry(id) {
            checked.insert(StretchId::new(0));
            self.comes_from_elsewhere(stretches, StretchId::new(0));
        }
        let mut position = IdMap::filled(function.blocks.len(), None);
        for (at, &block) in order.iter().enumerate() {
            position[block] = Some(at);
        }
        for &block in order {
            // In reverse postorder exactly the retreating edges go back.
            let goes_back = |target: &&BlockId| position[**target] <= position[block];
            // A loop that is paid for ahead was asked for with that.
            let is_asked = |target: &&BlockId| stretches.prepaid.goes_on_inside(block, **target);
            let targets = function.blocks[block].successors.iter().filter(goes_back);
            for &target in targets.filter(|target| !is_asked(target)) {
                if self.is_computed_goto(function, stretches, target) {
                    gotos.insert(target);
                    for &next in &function.blocks[target].successors {
                        checked.insert(stretches.first[next]);
                    }
                } else if function.blocks[block].flow == Flow::Splittable {
                    ends.insert(block);
                } else {
                    checked.insert(stretches.first[target]);
                }
            }
        }
        for stretch in stretches.list.ids() {
            let call = |call| function.call(call).expect("the stretch ends at a call");
            let is_asked = |at| self.recursion.is_asked_behind(self.module, id, call(at));
            // Nobody knows yet how much work comes now.
            if stretches.list[stretch].measured.is_some() {
                checked.insert(stretch);
            }
            match stretches.list[stretch].end {
                End::Call(at) if call(at).returns_twice || is_asked(at) => {
                    checked.insert(stretches.behind(stretch));
                    self.comes_from_elsewhere(stretches, stretches.behind(stretch));
                }
                End::Invoke(at) => {
                    let ways = stretches.ways_on(function, stretch);
                    let is_checked = |slot: Option<u32>| slot == Some(1) || is_asked(at);
                    for (_, next) in ways.into_iter().filter(|(slot, _)| is_checked(*slot)) {
                        checked.insert(next);
                        self.comes_from_elsewhere(stretches, next);
                    }
                }
                _ => {}
            }
        }
        Required { checked, ends, gotos }
    }

    /// The work of a computed goto and of what is asked about behind it.
    fn work_through(&self, function: &Function, stretches: &Stretches, at: StretchId) -> u64 {
        let stretch = &stretches.list[at];
        let successors = function.blocks[stretch.block].successors.iter();
        let asked = successors.map(|&next| self.asked_about(&stretches.list[stretches.first[next]]));
        stretch.work.saturating_add(asked.max().unwrap_or(0))
    }

    /// A block that jumps to where a pointer says and does little else is best
    /// left alone: code generation copies it to where it is come from.
    fn is_computed_goto(&self, function: &Function, stretches: &Stretches, block: BlockId) -> bool {
        let stretch = &stretches.list[stretches.first[block]];
        stretch.last == function.terminator_of(block)
            && function.instructions[stretch.last].opcode == Opcode::IndirectBr
            && stretch.work <= self.allowance / OUTSIDE
    }

    fn comes_from_elsewhere(&mut self, stretches: &Stretches, at: StretchId) {
        self.longest_asked = self.longest_asked.max(self.asked_about(&stretches.list[at]));
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
        let all = stretch.work.saturating_add(ahead);
        let arrived = arriving.from_entry.max(arriving.from_check).unwrap_or(0);
        if arrived.saturating_add(all) > self.allowance_at(id, arriving, stretch.end) {
            checked.insert(at);
        }
        let mut ways = arriving;
        if checked.contains(at) {
            let asked_about = self.asked_about(stretch);
            self.end_of_way(arriving.map(|work| work.saturating_add(asked_about)), lengths);
            let left = stretch.work - asked_about;
            ways = Ways { from_entry: None, from_check: Some(left) };
        } else {
            ways = ways.map(|work| work.saturating_add(stretch.work));
        }
        self.end_of_way(ways.map(|work| work.saturating_add(ahead)), lengths);
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
        let length = self.allowance / OUTSIDE;
        let foreign = Lengths { head: length, through: Some(length), tail: Some(length) };
        match call.callee {
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

impl Ways {
    fn map(self, change: impl Fn(u64) -> u64) -> Ways {
        Ways { from_entry: self.from_entry.map(&change), from_check: self.from_check.map(&change) }
    }
}

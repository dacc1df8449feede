//! Where is it asked whether the fuel is used up, and how much work can pass
//! before it is asked again?
//!
//! Checks are where cycles of blocks and of calls need them (`required`). What is left has no
//! cycles but loops whose work is known where they are entered (`rounds`): the work of the longest
//! way without a check is found in one pass, callees first, and where it would pass the allowance
//! one more check is put. Each function is summed up for its callers (`lengths`). Cost: linear.

use opcost_index::{Id, IdMap, IdSet, reverse_postorder};
use opcost_ir::Function;
use opcost_key::{BlockId, FunctionId};

use crate::fuel::lengths::{Checked, Checks, Lengths, OUTSIDE, called};
use crate::fuel::required::Required;
use crate::fuel::rounds::{Rounds, Ways};
use crate::fuel::stretch::{End, StretchId, Stretches};

/// A function whose checks are being placed.
struct Placing<'a> {
    id: FunctionId,
    stretches: &'a Stretches,
    rounds: &'a Rounds,
    /// Stretches that are checked, so far.
    checked: IdSet<StretchId>,
    /// How it looks from its callers, so far.
    lengths: Lengths,
}

impl Checks<'_> {
    /// Places the checks of one function whose callees are placed.
    pub(crate) fn insert_checks(&mut self, id: FunctionId, stretches: &Stretches) -> Checked {
        let function = &self.module.functions[id];
        let order = reverse_postorder(function, BlockId::new(0));
        let Required { checked, ends, gotos, rounds } = self.required(id, stretches, &order);
        let mut arriving: IdMap<StretchId, Ways> = IdMap::filled(stretches.list.len(), Ways::default());
        arriving[StretchId::new(0)].from_entry = Some(0);
        for target in ends.iter().flat_map(|block| function.blocks[block].successors.iter()) {
            arriving[stretches.first[*target]].from_check = Some(0);
        }
        let lengths = Lengths { head: 0, through: None, tail: None };
        let mut placing = Placing { id, stretches, rounds: &rounds, checked, lengths };
        for &block in &order {
            let mut stretch = stretches.first[block];
            arriving[stretch] = rounds.enter(block, arriving[stretch]);
            loop {
                let ways = arriving[stretch];
                let ways = self.pass(&mut placing, stretch, ways);
                let is_end = stretches.list[stretch].last == function.terminator_of(block);
                for (_, next) in stretches.ways_on(function, stretch) {
                    if is_end && ends.contains(block) {
                        continue;
                    }
                    // What goes back was passed before it was known what comes.
                    let asked = if gotos.contains(stretches.list[next].block) {
                        self.work_through(function, stretches, next)
                    } else if placing.checked.contains(next) {
                        self.asked_about(&stretches.list[next])
                    } else {
                        0
                    };
                    self.end_of_way(ways.map(|way| way.saturating_add(asked)), &mut placing.lengths);
                    arriving[next] = arriving[next].or(ways);
                }
                if is_end {
                    break;
                }
                stretch = stretches.behind(stretch);
            }
        }
        let Placing { checked, lengths, .. } = placing;
        self.lengths[id] = Some(lengths);
        let is_ahead = |id: &StretchId| stretches.list[*id].work <= self.allowance / OUTSIDE;
        let ahead = checked.iter().filter(is_ahead).collect();
        Checked { stretches: checked, ahead, ends }
    }

    /// The work of a computed goto and of what is asked about after it.
    fn work_through(&self, function: &Function, stretches: &Stretches, at: StretchId) -> u64 {
        let stretch = &stretches.list[at];
        let successors = function.blocks[stretch.block].successors.iter();
        let asked = successors.map(|&next| self.asked_about(&stretches.list[stretches.first[next]]));
        stretch.work.saturating_add(asked.max().unwrap_or(0))
    }

    /// Goes over one stretch; returns the ways after it.
    fn pass(&mut self, placing: &mut Placing<'_>, at: StretchId, arriving: Ways) -> Ways {
        let Placing { id, stretches, rounds, ref mut checked, ref mut lengths } = *placing;
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
}

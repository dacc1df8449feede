//! How often does a loop go back, and what does it add up?
//!
//! **Turns.** Whenever the loop goes back, a counter at the head is no poison and
//! lies on an arc of so many words. If going back takes it further along the arc
//! by at least `step`, never around (or makes it poison: then it does not go back
//! again), then there are at most `span / step + 1` edges back each time that the
//! loop is entered. Of a counter that is shifted, multiplied or divided in each
//! turn the highest bit that is set is what goes one way.
//!
//! **Sums.** If every edge back changes a value at the head by `least` to
//! `greatest`, and there are at most `turns` of them, then it is off from what it
//! was at the beginning by `turns` times that at most, as words.
//! (Bits that are shifted in are no sum: `growth`.)
//! The value must have been no poison in the turn before if it is none now, or
//! its changes could not be added up. Of one that may be undefined each word that
//! it may be comes from some word of the turn before, so the sum holds of it, too.
//!
//! Both are inductions over the turns, whose steps the solver is asked for.

use std::collections::BTreeSet;

use opcost_index::Id;
use opcost_ir::{Opcode, Value};
use opcost_key::{BlockId, FunctionId};

use crate::checker::Checker;
use crate::claims::{SumClaim, TurnsClaim};
use crate::goals::goal_of_value;
use crate::growth::Back;
use crate::question::ALWAYS;
use crate::range::{RangeClaim, bits, mask};
use crate::relation::{Goal, Relation};
use crate::verdict::{ClaimId, SolverVerdict, fails};

/// A phi at the head of a loop.
struct AtHead {
    head: BlockId,
    /// Edges into the loop with the value that comes along them.
    entries: Vec<(BlockId, Value)>,
    /// Edges back.
    latches: Vec<(BlockId, Value)>,
}

impl SumClaim {
    /// What it says of the value, or its distance from the base.
    pub fn result(&self) -> RangeClaim {
        let width = self.start.width;
        if self.turns == u64::MAX {
            return RangeClaim::anything(width);
        }
        if self.places > 0 {
            return self.grown();
        }
        let ends = i128::from(self.turns)
            .checked_mul(self.least.min(0).into())
            .zip(i128::from(self.turns).checked_mul(self.greatest.max(0).into()));
        let Some((low, high)) = ends else { return RangeClaim::anything(width) };
        // From one end of the numbers to the other is more than a number with sign.
        let span = self.start.span.0.checked_add(high.abs_diff(low));
        match span.filter(|&span| span <= mask(width)) {
            Some(span) => RangeClaim::arc(width, self.start.first.0.wrapping_add(low as u128), span),
            None => RangeClaim::anything(width),
        }
    }
}

impl Checker<'_> {
    fn at_head(&self, id: FunctionId, value: Value) -> Option<AtHead> {
        let Value::Instruction(phi) = value else { return None };
        let function = &self.module.functions[id];
        let shape = &self.shapes[id];
        let head = shape.block_of[phi];
        if function.instructions[phi].opcode != Opcode::Phi || self.comes_again(id) {
            return None;
        }
        let latches = shape.latches(head);
        let mut found = AtHead { head, entries: Vec::new(), latches: Vec::new() };
        for pair in function.operands_of(phi).chunks_exact(2) {
            let Value::Block(from) = pair[1] else { return None };
            match (shape.is_reached(from), latches.contains(&from)) {
                (false, _) => {}
                (_, true) => found.latches.push((from, pair[0])),
                (_, false) => found.entries.push((from, pair[0])),
            }
        }
        Some(found).filter(|found| !found.latches.is_empty())
    }

    pub(crate) fn check_turns(&self, place: usize, at: usize, used: &mut BTreeSet<ClaimId>) -> SolverVerdict {
        let claim = &self.claims(place).turns[at];
        if claim.most == u64::MAX {
            return SolverVerdict::Holds;
        }
        let (id, counter) = (self.functions[place], claim.counter.value());
        let Some(found) = self.at_head(id, counter) else { return fails("it is no counter at a head") };
        if found.head.index() != claim.head as usize {
            return fails("the counter is at another head");
        }
        if claim.room().is_none_or(|room| room >= u128::from(claim.most)) {
            return fails("the counter has room for more");
        }
        for (from, next) in &found.latches {
            let what = format!("that the counter goes on when it comes from {from}");
            let verdict = self.follows(id, &what, used, |question| {
                question.on_edge(*from, found.head);
                // Before anything is taken to be no poison.
                let now = question.word(counter)?;
                let was_word = question.guard_of(counter);
                question.value(counter, ALWAYS)?;
                let next = question.value(*next, ALWAYS)?;
                if now.base != next.base || now.base.is_some_and(|base| !base.is_start) {
                    return None;
                }
                let goes_on = goes_on(claim, &now.term, &next.term);
                // Where it goes off the arc it does not go back again.
                let (is_on, is_off) = (claim.range.conditions(&now.term), claim.range.conditions(&next.term));
                Some(format!("(and {was_word} {is_on} (or {goes_on} (not {is_off})))"))
            });
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        SolverVerdict::Holds
    }

    pub(crate) fn check_sum(&self, place: usize, at: usize, used: &mut BTreeSet<ClaimId>) -> SolverVerdict {
        let claim = &self.claims(place).sums[at];
        if claim.turns == u64::MAX {
            return SolverVerdict::Holds;
        }
        let (id, value) = (self.functions[place], claim.value.value());
        let Some(found) = self.at_head(id, value) else { return fails("it is no phi at a head") };
        if let Some(verdict) = self.turns_allow(place, claim, found.head, used) {
            return verdict;
        }
        let base = claim.base.map(|base| base.value());
        if let Some(base) = base
            && !self.stands_still(id, base, found.head)
        {
            return fails("the base changes within the loop");
        }
        let start = match base {
            Some(base) => Goal::From(Relation { base, range: &claim.start, if_both: false, times: -1 }),
            None => Goal::Range(&claim.start),
        };
        for (from, first) in &found.entries {
            let verdict = self.follows(id, &format!("the start from {from}"), used, |question| {
                question.on_edge(*from, found.head);
                goal_of_value(question, *first, start)
            });
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        for (from, next) in &found.latches {
            let back = Back { from: *from, head: found.head, value, next: *next };
            let verdict = match claim.places {
                0 => self.step_follows(id, claim, back, used),
                _ => self.shift_follows(id, claim, back, used),
            };
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        SolverVerdict::Holds
    }

    /// What is claimed of the iterations of the loop; a verdict if that is too little.
    fn turns_allow(
        &self,
        place: usize,
        claim: &SumClaim,
        head: BlockId,
        used: &mut BTreeSet<ClaimId>,
    ) -> Option<SolverVerdict> {
        let turns = &self.claims(place).turns;
        let of_head = turns.iter().enumerate().filter(|(_, turns)| turns.head as usize == head.index());
        match of_head.min_by_key(|(_, turns)| turns.most) {
            Some((at, turns)) if turns.most <= claim.turns => {
                used.insert(ClaimId::Turns(place, at));
                None
            }
            _ if claim.least == 0 && claim.greatest == 0 && claim.places == 0 => None,
            _ => Some(fails("the loop is not claimed to iterate so seldom")),
        }
    }

    /// Whether a value is computed outside of the loop of a head, before it.
    fn stands_still(&self, id: FunctionId, base: Value, head: BlockId) -> bool {
        match base {
            Value::Argument(_) => true,
            Value::Instruction(at) => {
                let block = self.shapes[id].block_of[at];
                let is_before = block != head && self.shapes[id].dominates(block, head);
                is_before && !self.shapes[id].members(head).contains_key(&block)
            }
            _ => false,
        }
    }

    fn step_follows(
        &self,
        id: FunctionId,
        claim: &SumClaim,
        back: Back,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Back { from, head, value, next } = back;
        let width = claim.start.width;
        let Ok(span) = u64::try_from(i128::from(claim.greatest) - i128::from(claim.least)) else {
            return fails("what an iteration adds is no range");
        };
        if u128::from(span) > mask(width) {
            return fails("what an iteration adds is wider than the type");
        }
        let by = RangeClaim::arc(width, i128::from(claim.least) as u128, span.into());
        self.follows(id, &format!("what the iteration adds that comes from {from}"), used, |question| {
            question.on_edge(from, head);
            let before = question.word(value)?;
            let after = question.value(next, ALWAYS)?;
            if before.base != after.base {
                return None;
            }
            let change = by.conditions(&format!("(bvsub {} {})", after.term, before.term));
            // It was no poison in the turn before.
            Some(format!("(and {change} {})", question.guard_of(value)))
        })
    }
}

/// That a counter is moved as claimed, from one word on the arc to another.
fn goes_on(claim: &TurnsClaim, now: &str, next: &str) -> String {
    let (arc, by) = (&claim.range, bits(claim.range.width, claim.step.into()));
    if claim.scales {
        return match claim.falls {
            false => format!("(bvule {now} (bvlshr {next} {by}))"),
            true => format!("(bvule {next} (bvlshr {now} {by}))"),
        };
    }
    let ahead = |term: &str| format!("(bvsub {term} {})", bits(arc.width, arc.first.0));
    let (before, after) = match claim.falls {
        false => (ahead(now), ahead(next)),
        true => (ahead(next), ahead(now)),
    };
    format!("(and (bvule {before} {after}) (bvuge (bvsub {after} {before}) {by}))")
}

#[cfg(test)]
mod tests {
    use crate::claims::{SumClaim, TurnsClaim};
    use crate::names::ValueName;
    use crate::range::RangeClaim;

    #[test]
    fn steps_that_the_counter_does_not_have_leave_no_room() {
        let turns = |step, scales| {
            let (counter, range) = (ValueName::Result(0), RangeClaim::arc(8, 1, 98));
            TurnsClaim { head: 0, most: 1, counter, range, falls: false, step, scales }
        };
        assert_eq!(
            [turns(1, false).room(), turns(3, false).room(), turns(255, false).room()],
            [Some(98), Some(32), Some(0)]
        );
        // Words of eight bits: 256 is 0, and 257 is 1.
        for step in [0, 256, 257, u64::MAX] {
            assert_eq!((turns(step, false).room(), turns(step, true).room()), (None, None), "{step}");
        }
    }

    #[test]
    fn sums_of_the_greatest_numbers_say_nothing() {
        let (value, start) = (ValueName::Result(0), RangeClaim::arc(64, 0, 0));
        let mut sum = SumClaim { value, base: None, start, least: -2, greatest: 3, places: 0, turns: 10 };
        assert_eq!(sum.result(), RangeClaim::arc(64, 20u128.wrapping_neg(), 50));
        (sum.least, sum.greatest, sum.turns) = (i64::MIN, i64::MAX, u64::MAX - 1);
        assert!(sum.result().is_anything());
    }
}

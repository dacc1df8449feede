//! How large does a value become into which bits are shifted in each turn?
//!
//! If no turn makes one more than the value more than `2^k` times as much, then
//! after `n` turns one more than the value is at most `2^(k·n)` times what it was in
//! the beginning: an induction over the turns, of which the solver is asked for the
//! step. Such are codes that are read bit by bit and words that are put together
//! from bytes. What is shifted out above only makes it less.
//!
//! The value must have been no poison in the turn before if it is none now, as for
//! sums. Cost: a question for each edge.

use std::collections::BTreeSet;

use opcost_ir::Value;
use opcost_key::{BlockId, FunctionId};

use crate::checker::Checker;
use crate::claims::SumClaim;
use crate::question::ALWAYS;
use crate::range::{RangeClaim, mask};
use crate::verdict::{ClaimId, SolverVerdict, fails};

impl SumClaim {
    /// What a value is into which bits are shifted.
    pub(crate) fn grown(&self) -> RangeClaim {
        let width = self.start.width;
        let last = self.start.first.0.checked_add(self.start.span.0).filter(|&last| last <= mask(width));
        let shifted = u64::from(self.places).checked_mul(self.turns).and_then(|by| u32::try_from(by).ok());
        let (Some(last), Some(by)) = (last, shifted) else { return RangeClaim::anything(width) };
        // One more than the greatest that there is, but for types of 128 bits, fits.
        let most = last.checked_add(1).filter(|&most| by < most.leading_zeros()).map(|most| (most << by) - 1);
        match most.filter(|&most| most < mask(width)) {
            Some(most) => RangeClaim::arc(width, 0, most),
            None => RangeClaim::anything(width),
        }
    }
}

/// An edge back to a loop's head, and a value of the head with what it is next.
#[derive(Clone, Copy)]
pub(crate) struct Back {
    pub(crate) from: BlockId,
    pub(crate) head: BlockId,
    pub(crate) value: Value,
    pub(crate) next: Value,
}

impl Checker<'_> {
    /// Whether so many bits at most are shifted in along an edge back.
    pub(crate) fn shift_follows(
        &self,
        id: FunctionId,
        claim: &SumClaim,
        back: Back,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Back { from, head, value, next } = back;
        if claim.base.is_some() || claim.places >= claim.start.width || self.is_pointer(id, value) {
            return fails("it is no number that bits are shifted into");
        }
        // Room for one more, and for the places.
        let more = claim.places + 1;
        self.follows(id, &format!("what is shifted in when it comes from {from}"), used, |question| {
            question.on_edge(from, head);
            let before = question.word(value)?;
            let after = question.value(next, ALWAYS)?;
            let one_more = |term: &str| {
                let wide = format!("((_ zero_extend {more}) {term})");
                format!("(bvadd {wide} (_ bv1 {}))", claim.start.width + more)
            };
            let by = format!("(_ bv{} {})", claim.places, claim.start.width + more);
            let (now, then) = (one_more(&before.term), one_more(&after.term));
            // It was no poison in the turn before.
            let was_word = question.guard_of(value);
            Some(format!("(and (bvule {then} (bvshl {now} {by})) {was_word})"))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::claims::SumClaim;
    use crate::names::ValueName;
    use crate::range::RangeClaim;

    #[test]
    fn bits_that_are_shifted_in_are_counted() {
        let of = |width, last, places, turns| {
            let (value, start) = (ValueName::Result(0), RangeClaim::arc(width, 0, last));
            let claim = SumClaim { value, base: None, start, least: 0, greatest: 0, places, turns };
            claim.result()
        };
        assert_eq!(of(32, 0, 1, 7), RangeClaim::arc(32, 0, 127));
        assert_eq!(of(32, 2, 8, 2), RangeClaim::arc(32, 0, 3 * 65536 - 1));
        assert_eq!(of(8, 0, 1, 7), RangeClaim::arc(8, 0, 127));
        // Of eight bits all words; and numbers that are too great for any type.
        assert!(of(8, 0, 1, 8).is_anything() && of(8, 1, 1, 7).is_anything());
        assert!(of(64, 0, 1, 64).is_anything() && of(128, 0, 1, 128).is_anything());
        assert_eq!(of(128, 0, 1, 126), RangeClaim::arc(128, 0, (1 << 126) - 1));
        assert!(of(64, 0, u32::MAX, u64::MAX - 1).is_anything());
        let around = SumClaim {
            start: RangeClaim::arc(8, 250, 10),
            ..SumClaim {
                value: ValueName::Result(0),
                base: None,
                start: RangeClaim::arc(8, 0, 0),
                least: 0,
                greatest: 0,
                places: 1,
                turns: 1,
            }
        };
        assert!(around.result().is_anything());
    }
}

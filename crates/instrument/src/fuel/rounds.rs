//! Which loops need no check where they close, and how much work do they do
//! unasked?
//!
//! Two kinds. In one every way round passes a check already (after a call that goes back, before a
//! length that is charged, at the end of a loop inside): the next iteration is asked about by that.
//! In the other some way round is unasked, but the code says how often the loop goes back at most
//! (`opcost_analysis::bounds`), and that often the most expensive way round is no more than may
//! pass between two checks. Then the loop is like straight code, and is asked for before it is
//! entered if what came before leaves no room. Loops are looked at from the inside out, so the
//! iterations of nests multiply, and the first loop for which there is too much is the one that
//! asks.
//!
//! Of a loop that no check closes three numbers are known where it is entered:
//!
//! ```text
//! around        what all its back edges may come to: turns times dearest turn
//! turn          the dearest way round without a check
//! behind_check  the longest way from a check inside to the end of a turn
//! ```
//!
//! What arrives at the header from anywhere is then at most what came from outside, or
//! `behind_check`, and `around`. Charges are none of this: each iteration pays for itself. Cost:
//! the blocks of each loop, once for each loop around.

use std::collections::{BTreeMap, BTreeSet};

use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::{IdMap, IdSet};
use opcost_ir::Function;
use opcost_key::BlockId;

use crate::fuel::stretch::{StretchId, Stretches};

/// The most back edges of a loop that nobody asks: who checks this goes round
/// with its counter.
pub(crate) const MOST_TURNS: u64 = 1 << 20;

/// Longest ways that end where the traversal is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways {
    pub(crate) from_entry: Option<u64>,
    pub(crate) from_check: Option<u64>,
}

impl Ways {
    pub(crate) fn map(self, change: impl Fn(u64) -> u64) -> Ways {
        Ways { from_entry: self.from_entry.map(&change), from_check: self.from_check.map(&change) }
    }

    /// The longer of each.
    pub(crate) fn or(self, other: Ways) -> Ways {
        Ways {
            from_entry: self.from_entry.max(other.from_entry),
            from_check: self.from_check.max(other.from_check),
        }
    }
}

/// A loop that no check closes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Round {
    pub(crate) around: u64,
    pub(crate) turn: u64,
    pub(crate) behind_check: Option<u64>,
}

/// The loops of a function that no check closes.
pub(crate) struct Rounds {
    by_header: IdMap<BlockId, Option<Round>>,
    /// Blocks of those whose iterations are bounded.
    bounded: IdSet<BlockId>,
}

impl Rounds {
    pub(crate) fn none(function: &Function) -> Rounds {
        Rounds { by_header: IdMap::filled(function.blocks.len(), None), bounded: IdSet::new() }
    }

    /// Notes a loop in which every way round is asked.
    pub(crate) fn add_asked(&mut self, header: BlockId, behind_check: Option<u64>) {
        self.by_header[header] = Some(Round { behind_check, ..Round::default() });
    }

    /// Notes a loop whose iterations are bounded.
    pub(crate) fn add_bounded(&mut self, header: BlockId, members: &[BlockId], round: Round) {
        self.by_header[header] = Some(round);
        members.iter().for_each(|&member| {
            self.bounded.insert(member);
        });
    }

    /// Whether no check is wanted in the block: the loop around it is asked for
    /// before it is entered.
    pub(crate) fn is_bounded(&self, block: BlockId) -> bool {
        self.bounded.contains(block)
    }

    /// What the ways to a block may come to with all iterations of its loop, if it is the header of
    /// one.
    pub(crate) fn enter(&self, block: BlockId, ways: Ways) -> Ways {
        let Some(round) = self.by_header[block] else { return ways };
        let all = Ways { from_check: ways.from_check.max(round.behind_check), ..ways };
        all.map(|way| way.saturating_add(round.around))
    }

    /// The work of a bounded loop that the block leads into.
    pub(crate) fn ahead_of(&self, function: &Function, block: BlockId) -> u64 {
        let entered = function.blocks[block].successors.iter().filter_map(|&next| self.by_header[next]);
        entered.map(|round| round.around.saturating_add(round.turn)).max().unwrap_or(0)
    }
}

/// A loop whose iterations are looked at; the loops inside are known.
pub(crate) struct Turn<'a> {
    pub(crate) function: &'a Function,
    pub(crate) stretches: &'a Stretches,
    pub(crate) forest: &'a LoopForest<BlockId>,
    pub(crate) id: LoopId,
    /// The blocks of the loop in reverse postorder.
    pub(crate) members: &'a [BlockId],
    pub(crate) rounds: &'a Rounds,
    /// Checks, as far as it is known that they are needed.
    pub(crate) checked: &'a IdSet<StretchId>,
    pub(crate) ends: &'a IdSet<BlockId>,
}

/// The ways round a loop.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walked {
    /// From the header, or from checks inside, to the end of an iteration.
    pub(crate) ways: Ways,
    /// Whether a way round has no check on it.
    pub(crate) is_unasked: bool,
}

/// Where a traversal round a loop has come to.
#[derive(Default)]
struct Reached {
    ways: BTreeMap<StretchId, Ways>,
    unasked: BTreeSet<StretchId>,
}

impl Turn<'_> {
    /// `behind` returns the ways after a stretch from those before it.
    pub(crate) fn walk(&self, behind: impl Fn(StretchId, Ways) -> Ways) -> Walked {
        let header = self.forest.loops[self.id].header;
        let start = self.stretches.first[header];
        let mut walked = Walked::default();
        let mut reached = Reached::default();
        reached.ways.insert(start, Ways { from_entry: Some(0), from_check: None });
        reached.unasked.insert(start);
        for &block in self.members.iter().filter(|block| self.ends.contains(**block)) {
            for &next in &self.function.blocks[block].successors {
                let ways = if next == header {
                    &mut walked.ways
                } else {
                    reached.ways.entry(self.stretches.first[next]).or_default()
                };
                ways.from_check = ways.from_check.max(Some(0));
            }
        }
        for &block in self.members {
            self.pass(block, &mut reached, &mut walked, &behind);
        }
        walked
    }

    fn pass(
        &self,
        block: BlockId,
        reached: &mut Reached,
        walked: &mut Walked,
        behind: &impl Fn(StretchId, Ways) -> Ways,
    ) {
        let header = self.forest.loops[self.id].header;
        let mut at = self.stretches.first[block];
        loop {
            let arriving = reached.ways.get(&at).copied().unwrap_or_default();
            let is_inner = block != header && self.stretches.starts_block(at);
            let arriving = if is_inner { self.rounds.enter(block, arriving) } else { arriving };
            let ways = behind(at, arriving);
            let is_unasked = reached.unasked.contains(&at) && !self.checked.contains(at);
            let is_end = self.stretches.list[at].last == self.function.terminator_of(block);
            let is_asked_behind = is_end && self.ends.contains(block);
            let ways_on = self.stretches.ways_on(self.function, at).into_iter();
            for (_, next) in ways_on.filter(|_| !is_asked_behind) {
                if next == self.stretches.first[header] {
                    walked.ways = walked.ways.or(ways);
                    walked.is_unasked |= is_unasked;
                    continue;
                }
                let there = reached.ways.entry(next).or_default();
                *there = there.or(ways);
                if is_unasked {
                    reached.unasked.insert(next);
                }
            }
            if is_end {
                return;
            }
            at = self.stretches.behind(at);
        }
    }
}

//! Where does a version of one place begin, above a point?
//!
//! The events of one place (writes, renewals of what names it, its entry) are in the order of
//! blocks and positions. For each block it is known which of them are its own, and whether versions
//! meet at its head. The version at a point is the last event above it in its block, or that merge, or else
//! what holds in the immediate dominator. Versions get numbers when they are asked for: most events
//! of a place are above none of its loads.
//!
//! Input: events, frontiers, dominators. Output: [`Begin`]. Cost: linear in the
//! events and their merges; to look up, the steps up to the next dominator with
//! an event. The room of one place is used again for the next: what a block
//! holds is of the place at hand only where it bears its stamp.

use opcost_index::IdMap;
use opcost_key::BlockId;

use super::forms::Point;
use super::version::Definition;
use crate::cells::CellVersion;
use opcost_graph::dominators::Dominators;
use opcost_graph::frontiers::Frontiers;

/// Something that begins a version, at this place in the function; a position is one more than the
/// instruction after which the version holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) block: BlockId,
    pub(super) position: u32,
    pub(super) point: Point,
    pub(super) is: Definition,
}

/// Where a version begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// At the event of this number.
    Event(u32),
    /// At the head of a block where versions meet.
    Merge(BlockId),
}

/// What a block has of the place with this stamp.
#[derive(Clone, Copy, Default)]
struct InBlock {
    stamp: u32,
    /// Its events.
    first: u32,
    end: u32,
    meets: bool,
    /// The number of its merge.
    merge: Option<CellVersion>,
}

/// The events of one place.
pub(super) struct Web {
    events: Vec<Event>,
    /// The numbers of their versions.
    numbers: Vec<Option<CellVersion>>,
    blocks: IdMap<BlockId, InBlock>,
    stamp: u32,
    work: Vec<BlockId>,
}

impl Web {
    /// For places of a function with so many blocks.
    pub(super) fn new(blocks: usize) -> Web {
        let blocks = IdMap::filled(blocks, InBlock::default());
        Web { events: Vec::new(), numbers: Vec::new(), blocks, stamp: 0, work: Vec::new() }
    }

    /// Forgets the place before.
    pub(super) fn begin(&mut self) {
        self.events.clear();
        self.stamp += 1;
    }

    /// One event more, after those that are there.
    pub(super) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Puts events where they belong that do not come in order.
    pub(super) fn sort(&mut self) {
        self.events.sort_by_key(|event| (event.block, event.position));
    }

    /// When all events are there: how many versions meet where. The steps it took.
    pub(super) fn close(&mut self, frontiers: &Frontiers<BlockId>) -> u64 {
        self.numbers.clear();
        self.numbers.resize(self.events.len(), None);
        self.work.clear();
        for (position, event) in (0..).zip(&self.events) {
            let here = &mut self.blocks[event.block];
            if here.stamp != self.stamp {
                *here = InBlock { stamp: self.stamp, first: position, end: position, ..InBlock::default() };
                self.work.push(event.block);
            }
            here.end = position + 1;
        }
        let mut steps = 0;
        while let Some(block) = self.work.pop() {
            for &join in frontiers.of(block) {
                let here = &mut self.blocks[join];
                if here.stamp != self.stamp {
                    *here = InBlock { stamp: self.stamp, ..InBlock::default() };
                }
                if !here.meets {
                    here.meets = true;
                    steps += 1;
                    self.work.push(join);
                }
            }
        }
        steps
    }

    /// What holds in a block up to a position, and the steps to it.
    pub(super) fn above(
        &self,
        dominators: &Dominators<BlockId>,
        block: BlockId,
        position: u32,
    ) -> (Option<Begin>, u64) {
        let (mut block, mut position, mut steps) = (block, position, 1);
        loop {
            let here = self.blocks[block];
            if here.stamp == self.stamp {
                let own = &self.events[here.first as usize..here.end as usize];
                let before = own.partition_point(|event| event.position <= position) as u32;
                if before > 0 {
                    return (Some(Begin::Event(here.first + before - 1)), steps);
                }
                if here.meets {
                    return (Some(Begin::Merge(block)), steps);
                }
            }
            let Some(next) = dominators.immediate(block) else { return (None, steps) };
            (block, position, steps) = (next, u32::MAX, steps + 1);
        }
    }

    /// The event of a number.
    pub(super) fn event(&self, number: u32) -> &Event {
        &self.events[number as usize]
    }

    /// The number of the version that begins there, if it has one.
    pub(super) fn number(&mut self, begin: Begin) -> &mut Option<CellVersion> {
        match begin {
            Begin::Event(number) => &mut self.numbers[number as usize],
            Begin::Merge(block) => &mut self.blocks[block].merge,
        }
    }
}

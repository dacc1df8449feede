//! Since when does a cell hold what it holds here? The earliest point that
//! certainly sees the same version.
//!
//! Back through the block up to what may change the cell, and on from a block's beginning to the
//! end of its immediate dominator if nothing in between may: so all reads of one version are one
//! question, inside and outside of loops that leave the cell alone. A dominator tree replaces the
//! memory phis of a memory-SSA form. Cost: the blocks in between, bounded.

use rustc_hash::FxHashSet as HashSet;
use std::rc::Rc;

use opcost_index::{Graph, Id};
use opcost_key::{BlockId, InstructionId};

use super::asked::{Asked, Point};
use super::memory::MemoryQueries;
use super::reaching::Hit;
use super::search::{Ask, Event, History, Search};

/// The most blocks between a block and its dominator that are looked at.
const MOST_BLOCKS: usize = 256;

/// What is asked for, and what happens to it in the function.
struct Version<'h> {
    history: &'h History,
    events: Rc<Vec<(InstructionId, Event)>>,
    asked: Asked,
}

impl<M: MemoryQueries> Search<'_, '_, M>
where
    Self: Ask,
{
    /// The earliest point with the same version of a cell.
    pub(super) fn earliest(&mut self, point: Point, asked: Asked) -> Point {
        let history = self.shared.history(asked.cell);
        self.earliest_by(&history, point, asked)
    }

    /// The same with another history.
    pub(super) fn earliest_by(&mut self, history: &History, point: Point, asked: Asked) -> Point {
        let Some(at) = point.before else { return point };
        if history.is_too_many || history.is_shared || self.shared.calls.by_itself.contains(point.function) {
            return point;
        }
        let code = self.shared.function(point.function);
        let version =
            Version { history, events: self.shared.events(history, asked.cell, point.function), asked };
        let dominators = self.shared.dominators(point.function);
        let (mut block, mut below) = (code.block_of(at), at);
        loop {
            let start = InstructionId::new(code.blocks[block].instructions.start as usize);
            let is_inside = |&&(at, _): &&(InstructionId, Event)| at >= start && at < below;
            for &(at, event) in
                version.events.iter().rev().skip_while(|(at, _)| *at >= below).take_while(|e| is_inside(e))
            {
                if self.matters(&version, point, at, event) {
                    return Point { before: Some(InstructionId::new(at.index() + 1)), ..point };
                }
            }
            let here = Point { before: Some(start), ..point };
            let Some(above) = dominators.immediate(block) else { return here };
            if !self.is_quiet(&version, here, above, block) {
                return here;
            }
            let last = code.terminator_of(above);
            let ends = version.events.iter().find(|&&(at, event)| at == last && event != Event::Birth);
            if ends.is_some_and(|&(at, event)| self.matters(&version, point, at, event)) {
                return here;
            }
            (block, below) = (above, last);
        }
    }

    /// Whether nothing on the ways from the end of one block to the beginning
    /// of another that it dominates changes the cell.
    fn is_quiet(&mut self, version: &Version<'_>, point: Point, above: BlockId, block: BlockId) -> bool {
        let events = &version.events;
        let code = self.shared.function(point.function);
        let predecessors = self.shared.predecessors(point.function);
        let dominators = self.shared.dominators(point.function);
        let mut seen: HashSet<BlockId> = HashSet::default();
        let mut work: Vec<BlockId> = predecessors.successors(block).collect();
        while let Some(next) = work.pop() {
            if next == above || !dominators.is_reachable(next) || !seen.insert(next) {
                continue;
            }
            if seen.len() > MOST_BLOCKS {
                return false;
            }
            let range = &code.blocks[next].instructions;
            let first = events.partition_point(|&(at, _)| at.index() < range.start as usize);
            let inside = events[first..].iter().take_while(|(at, _)| at.index() < range.end as usize);
            for &(at, event) in inside {
                if self.matters(version, point, at, event) {
                    return false;
                }
            }
            work.extend(predecessors.successors(next));
        }
        true
    }

    fn matters(&mut self, version: &Version<'_>, point: Point, at: InstructionId, event: Event) -> bool {
        let Version { history, asked, .. } = *version;
        match event {
            Event::Write(coverage) => self.hit(asked, point, at, coverage) != Hit::No,
            Event::Call | Event::CallBack => !(asked.is_own && self.is_private(history, point.function)),
            Event::Twice | Event::Birth => true,
        }
    }
}

//! Which counters live in registers while a loop runs?
//!
//! A counter in memory costs a load, an add and a store that wait for each
//! other; in a loop of few instructions this chain is longer than the loop.
//! Inside a loop that no call can leave for good, nobody can look at the
//! counter before the loop is left by one of its exits, so the loop counts in
//! a register, which starts at zero on its entry edges and is added to the
//! counter on its exit edges. (LLVM does the same for its own counters, one
//! loop level at a time, in its counter promotion.)
//!
//! Taken are the outermost loops that qualify: no call inside may leave, all
//! entry and exit edges can be cut, and counters and exits are few enough
//! that registers last and the code does not grow much. Price: when a signal
//! kills the program inside such a loop, what the register held is lost.
//!
//! Input: the function, its loops, and the counted edges that have spots.
//! Output: edits. Cost: loops × counted edges.

use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::{Loop, LoopForest, LoopId};
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{Edit, EditPoint, Flow, Function, RegisterId};
use opcost_key::{BlockId, CounterId};

use crate::spots::{Counting, Spots};

/// Counters that one loop may hold in registers.
const MOST_COUNTERS: usize = 6;
/// Additions on all exits of one loop.
const MOST_FLUSHES: usize = 24;

/// A counted edge with a spot of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCounter {
    pub(crate) spot: EditPoint,
    pub(crate) counter: CounterId,
}

/// Decides for one function.
pub(crate) struct Registers<'a> {
    pub(crate) spots: &'a Spots<'a>,
    pub(crate) loops: &'a LoopForest<BlockId>,
    /// Blocks with a call that may leave.
    pub(crate) leaving: &'a IdSet<BlockId>,
}

impl Registers<'_> {
    /// Edits for all counters: into a register where that pays, into memory
    /// otherwise.
    pub(crate) fn placement_edits(&self, counters: &[PlacedCounter]) -> Vec<Edit> {
        let mut home: Vec<Option<LoopId>> = vec![None; counters.len()];
        let mut refused: IdMap<LoopId, bool> = IdMap::filled(self.loops.loops.len(), false);
        // Parents come before their children, so the outermost wins.
        for (id, found) in self.loops.loops.iter() {
            let parent_took = found.parent.is_some_and(|parent| !refused[parent]);
            if parent_took {
                continue;
            }
            let inside: Vec<usize> =
                (0..counters.len()).filter(|&at| self.is_inside(id, counters[at].spot)).collect();
            refused[id] = !self.qualifies(id, found, inside.len());
            if !refused[id] {
                for at in inside {
                    home[at] = Some(id);
                }
            }
        }
        self.edits(counters, &home)
    }

    fn qualifies(&self, id: LoopId, found: &Loop<BlockId>, inside: usize) -> bool {
        inside > 0
            && inside <= MOST_COUNTERS
            && inside * found.exits.len() <= MOST_FLUSHES
            && self.is_closed(found)
            && self.entry_edges(id, found).iter().all(|edge| self.spot_of(edge).is_some())
    }

    /// Whether nobody can look at counters while the loop runs, and each exit has a spot.
    pub(crate) fn is_closed(&self, found: &Loop<BlockId>) -> bool {
        !found.members.iter().any(|&block| self.leaving.contains(block))
            // Its edges count in memory: beside registers that a signal loses,
            // what is left would not even be a lower bound.
            && !found.members.iter().any(|&block| self.spots.function.blocks[block].flow == Flow::Unsplittable)
            && found.exits.iter().all(|edge| self.spot_of(edge).is_some())
    }

    fn edits(&self, counters: &[PlacedCounter], home: &[Option<LoopId>]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (at, placed) in counters.iter().enumerate() {
            let Some(id) = home[at] else {
                edits.push(Edit::Count { spot: placed.spot, counter: placed.counter });
                continue;
            };
            let register = RegisterId::new(at);
            let found = &self.loops.loops[id];
            for edge in self.entry_edges(id, found) {
                let spot = self.spot_of(&edge).expect("the loop qualified");
                edits.push(Edit::Clear { spot, register });
            }
            edits.push(Edit::CountInRegister { spot: placed.spot, register });
            for edge in &found.exits {
                let spot = self.spot_of(edge).expect("the loop qualified");
                edits.push(Edit::Flush { spot, register, counter: placed.counter });
            }
        }
        edits
    }

    /// The edges that enter the loop: to its header, from outside.
    fn entry_edges(&self, id: LoopId, found: &Loop<BlockId>) -> Vec<Edge<BlockId>> {
        let function: &Function = self.spots.function;
        let outside =
            self.spots.predecessors_of(found.header).filter(|&block| !self.loops.contains(id, block));
        outside
            .flat_map(|block| {
                edges_from(function, block).filter(|edge| edge.to == found.header).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Where an edge is counted, if it can be cut.
    pub(crate) fn spot_of(&self, edge: &Edge<BlockId>) -> Option<EditPoint> {
        match self.spots.of_branch(edge.from, edge.slot) {
            Counting::At(spot) => Some(spot),
            _ => None,
        }
    }

    fn is_inside(&self, id: LoopId, spot: EditPoint) -> bool {
        let function: &Function = self.spots.function;
        match spot {
            EditPoint::Start(block) => self.loops.contains(id, block),
            EditPoint::Before(instruction) => self.loops.contains(id, function.block_of(instruction)),
            EditPoint::Edge(block, slot) => {
                let target = function.blocks[block].successors[slot as usize];
                self.loops.contains(id, block) && self.loops.contains(id, target)
            }
        }
    }
}

//! Where is the increment for an edge?
//!
//! On the edge itself only when it must: an edge that is the only way out of
//! its source is counted there, one that is the only way into its target is
//! counted there, any other gets a block of its own. An edge that cannot be
//! cut (into a landing pad, out of an `indirectbr` or `callbr`) is counted at
//! its target, by which predecessor control came from.

use opcost_index::{AdjacencyGraph, Graph, reverse};
use opcost_ir::{EditPoint, Flow, Function, Opcode};
use opcost_key::{BlockId, InstructionId};

use crate::leaving::Leaving;
use crate::skeleton::{PlacedEdge, Skeleton, Way};

/// How much more expensive an edge is that needs a new block, or a phi of constants.
pub(crate) const SPLIT_FACTOR: u64 = 2;

/// How an edge is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// At a spot that only this edge passes.
    At(EditPoint),
    /// At the target, when control comes from `source`.
    ByPredecessor { target: BlockId, source: BlockId },
    /// After a `returns_twice` call.
    Again(InstructionId),
    /// By the runtime, which notes left frames.
    LeftFrames,
}

/// Finds spots in one function.
pub(crate) struct Spots<'a> {
    pub(crate) function: &'a Function,
    pub(crate) skeleton: &'a Skeleton,
    branches: BranchSpots<'a>,
}

/// Finds spots on the edges between blocks.
pub(crate) struct BranchSpots<'a> {
    function: &'a Function,
    predecessors: AdjacencyGraph<BlockId>,
}

impl<'a> Spots<'a> {
    pub(crate) fn new(function: &'a Function, skeleton: &'a Skeleton) -> Self {
        Self { function, skeleton, branches: BranchSpots::new(function) }
    }

    /// How this edge is counted.
    pub(crate) fn of_edge(
        &self,
        edge: &PlacedEdge,
        leaving: &Leaving,
        id: opcost_key::FunctionId,
    ) -> Counting {
        match edge.kind {
            Way::Enter => Counting::At(EditPoint::Start(BlockId::new_entry())),
            Way::Branch { block, slot } => match leaving.jump_to_return(id, self.function, block) {
                Some((call, _)) => Counting::At(EditPoint::Before(call)),
                None => self.of_branch(block, slot),
            },
            Way::Fall => {
                let target = edge.to.expect("a fall leads to a segment");
                Counting::At(EditPoint::Before(self.skeleton.segments[target].first))
            }
            Way::Return => {
                let segment = &self.skeleton.segments[edge.from.expect("a return comes from a segment")];
                Counting::At(EditPoint::Before(self.before_return(segment.block, segment.last, leaving, id)))
            }
            Way::NoReturn(call) => Counting::At(EditPoint::Before(call)),
            Way::Left(_) => Counting::LeftFrames,
            Way::Again(call) => Counting::Again(call),
        }
    }

    /// As [`BranchSpots::predecessors_of`].
    pub(crate) fn predecessors_of(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.branches.predecessors_of(block)
    }

    /// As [`BranchSpots::of_branch`].
    pub(crate) fn of_branch(&self, block: BlockId, slot: u32) -> Counting {
        self.branches.of_branch(block, slot)
    }

    /// A `ret` after a call that stays a jump is counted before the call: nothing may be between
    /// the two.
    fn before_return(
        &self,
        block: BlockId,
        terminator: InstructionId,
        leaving: &Leaving,
        id: opcost_key::FunctionId,
    ) -> InstructionId {
        let previous = self.function.instructions_of(block).rev().nth(1);
        match previous {
            Some(call)
                if self.function.instructions[call].opcode == Opcode::Call
                    && leaving.is_jump(id, self.function, block, call) =>
            {
                call
            }
            // musttail may have one bitcast between call and ret.
            Some(cast) if self.function.instructions[cast].opcode == Opcode::BitCast => {
                let before = self.function.instructions_of(block).rev().nth(2);
                match before {
                    Some(call) if leaving.is_jump(id, self.function, block, call) => call,
                    _ => terminator,
                }
            }
            _ => terminator,
        }
    }
}

impl<'a> BranchSpots<'a> {
    pub(crate) fn new(function: &'a Function) -> Self {
        Self { function, predecessors: reverse(function) }
    }

    /// The blocks that branch to a block, one for each edge they have to it
    /// but the repeated ones.
    pub(crate) fn predecessors_of(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let mut last = None;
        self.predecessors.successors(block).filter(move |&source| last.replace(source) != Some(source))
    }

    /// How the edge in successor `slot` of `block` is counted.
    pub(crate) fn of_branch(&self, block: BlockId, slot: u32) -> Counting {
        let source = &self.function.blocks[block];
        let target = source.successors[slot as usize];
        let only_way_out = source.successors.len() == 1 && source.flow == Flow::Splittable;
        let only_way_in = self.predecessors.successors(target).nth(1).is_none();
        if only_way_out {
            Counting::At(EditPoint::Before(self.function.terminator_of(block)))
        } else if only_way_in {
            Counting::At(EditPoint::Start(target))
        } else if source.flow == Flow::Splittable || (source.flow == Flow::Invoke && slot == 0) {
            Counting::At(EditPoint::Edge(block, slot))
        } else {
            Counting::ByPredecessor { target, source: block }
        }
    }
}

/// The entry block, by name.
trait Entry {
    fn new_entry() -> Self;
}

impl Entry for BlockId {
    fn new_entry() -> Self {
        opcost_index::Id::new(0)
    }
}

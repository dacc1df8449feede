//! Where does a run tell that a loop is entered, and that it iterates?
//!
//! Each natural loop has two events: one on every edge that enters it, and one
//! at the start of its header. Their sequence over all loops is the *stream* of
//! a run. The spots are those of the whole program. A slice has them at the same spots, since
//! whatever decides them stays.
//!
//! Input: a function. Output: its loops with their spots. Limit: an edge on which no
//! block can be put (to a handler of exceptions that heads a loop) is a refusal.

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, define_id};
use opcost_ir::{EditPoint, Flow, Function};
use opcost_key::{BlockId, FunctionId, PlaceId};

define_id!(
    /// A natural loop of the program.
    pub struct LoopNumber, "loop"
);

/// A loop of the program, and where its events are.
#[derive(Clone, Debug)]
pub struct MarkedLoop {
    /// Its function.
    pub function: FunctionId,
    /// Its header.
    pub header: BlockId,
    /// Its blocks.
    pub members: Vec<BlockId>,
    /// Edges that enter it: block and successor.
    pub entries: Vec<(BlockId, u32)>,
    /// How many loops are around it in its function, and itself.
    pub depth: u32,
    /// The loop around it.
    pub parent: Option<LoopNumber>,
    /// Where it is written.
    pub location: Option<PlaceId>,
}

/// The loops of a function, and its cycles that are none.
pub(crate) struct FunctionLoops {
    pub(crate) loops: Vec<MarkedLoop>,
    /// Blocks on cycles with several entries.
    pub(crate) irreducible: Vec<BlockId>,
    /// A block on whose edge into a loop no event can be put.
    pub(crate) unmarkable: Option<BlockId>,
    /// What the entry reaches.
    pub(crate) reached: Vec<BlockId>,
}

/// Looks for the loops of a function; `first` is the number of the first.
pub(crate) fn loops_of(id: FunctionId, function: &Function, first: usize) -> FunctionLoops {
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let reached: Vec<BlockId> =
        function.blocks.ids().filter(|&block| dominators.is_reachable(block)).collect();
    let mut unmarkable = None;
    let mut loops = Vec::new();
    for (number, one) in forest.loops.iter() {
        let mut entries = Vec::new();
        for &block in reached.iter().filter(|&&block| !forest.contains(number, block)) {
            for (slot, &target) in (0u32..).zip(&function.blocks[block].successors) {
                if target != one.header {
                    continue;
                }
                let can_be_cut = match function.blocks[block].flow {
                    Flow::Splittable => true,
                    Flow::Invoke => slot == 0,
                    Flow::Unsplittable | Flow::None => false,
                };
                if !can_be_cut {
                    unmarkable = Some(block);
                }
                entries.push((block, slot));
            }
        }
        // As loops are placed elsewhere: a branch back, else the header's branch, else the first place.
        let candidates = one.back_edges.iter().map(|edge| function.terminator_of(edge.from));
        let location = candidates
            .chain([function.terminator_of(one.header)])
            .chain(function.instructions_of(one.header))
            .find_map(|at| function.instructions[at].place);
        loops.push(MarkedLoop {
            function: id,
            header: one.header,
            members: one.members.clone(),
            entries,
            depth: one.depth,
            parent: one.parent.map(|parent| LoopNumber::new(first + parent.index())),
            location,
        });
    }
    FunctionLoops { loops, irreducible: forest.irreducible.concat(), unmarkable, reached }
}

impl MarkedLoop {
    /// The spots of its events: those of entering are even, those of its header odd.
    pub(crate) fn events(
        &self,
        number: LoopNumber,
    ) -> impl Iterator<Item = (FunctionId, EditPoint, u32)> + '_ {
        let first = 2 * number.index() as u32;
        let function = self.function;
        let entries =
            self.entries.iter().map(move |&(block, slot)| (function, EditPoint::Edge(block, slot), first));
        entries.chain([(function, EditPoint::Start(self.header), first + 1)])
    }
}

//! How often is each edge taken, roughly, without running the program?
//!
//! A static branch prediction (Wu and Larus 1994, by way of
//! `opcost_graph::frequency`): branch weights of the module where it has
//! them, unwind edges and blocks that end in `unreachable` are cold. Only the
//! choice of counters hangs on it, never a count.

use opcost_graph::frequency::{ENTRY, Frequencies, Hint};
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, IdMap};
use opcost_ir::{Flow, Function, Opcode};
use opcost_key::{BlockId, EdgeId};

use crate::skeleton::{Skeleton, Way};

/// Estimated frequency of each edge of the flow graph; the entry has
/// [`ENTRY`].
pub(crate) fn estimate(
    function: &Function,
    skeleton: &Skeleton,
    loops: &LoopForest<BlockId>,
) -> IdMap<EdgeId, u64> {
    let frequencies = frequencies(function, loops);
    let of_segment = |segment: Option<opcost_key::SegmentId>| {
        segment.map_or(ENTRY, |segment| frequencies.nodes[skeleton.segments[segment].block])
    };
    skeleton
        .edges
        .values()
        .map(|edge| match edge.kind {
            Way::Enter => ENTRY,
            // A block that nothing leads to has no estimates.
            Way::Branch { block, slot } => frequencies.edges[block].get(slot as usize).copied().unwrap_or(0),
            Way::Fall | Way::Return | Way::NoReturn(_) => of_segment(edge.from),
            // Known without a counter; their weight is never looked at.
            Way::Left(_) | Way::Again(_) => 0,
        })
        .collect()
}

/// Estimated frequency of blocks and of the edges between them.
pub(crate) fn frequencies(function: &Function, loops: &LoopForest<BlockId>) -> Frequencies<BlockId> {
    Frequencies::estimate(function, BlockId::new(0), loops, |edge| hint(function, edge.from, edge.slot))
}

fn hint(function: &Function, from: BlockId, slot: u32) -> Hint {
    let source = &function.blocks[from];
    if source.flow == Flow::Invoke && slot == 1 {
        return Hint::Cold;
    }
    if let Some(weights) = &source.weights {
        return Hint::Weight(weights[slot as usize]);
    }
    let target = source.successors[slot as usize];
    match function.instructions[function.terminator_of(target)].opcode {
        Opcode::Unreachable | Opcode::Resume => Hint::Cold,
        _ => Hint::None,
    }
}

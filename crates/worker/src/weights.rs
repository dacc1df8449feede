//! What does each block of a function cost each time that it runs?
//!
//! The sum of its segments under the map's cost model. What stands behind a call that never comes back does not
//! run. Cost: the segments.

use opcost_index::IdMap;
use opcost_key::{BlockId, FunctionMap, InstructionId, SegmentMap};

/// By block the first instruction that never runs.
pub(crate) type CutOffs = IdMap<BlockId, Option<InstructionId>>;

/// Of each block.
pub(crate) fn weights(function: &FunctionMap, cut_offs: &CutOffs) -> IdMap<BlockId, u64> {
    let mut weights = IdMap::filled(cut_offs.len(), 0);
    for segment in function.segments.values().filter(|segment| runs(segment, cut_offs)) {
        weights[segment.block] += segment.weight;
    }
    weights
}

/// Whether a segment runs when its block does.
pub(crate) fn runs(segment: &SegmentMap, cut_offs: &CutOffs) -> bool {
    cut_offs[segment.block].is_none_or(|from| segment.first_instruction < from)
}

//! Did frames vanish that nobody saw leave?
//!
//! Every frame that was entered returned or was noted as left, when a program has come to its
//! end. Code that is not counted can break that: it switches to another stack and never
//! comes back, or jumps past frames in a way of its own. What follows from conservation of
//! flow is then wrong without any sign. So where a function calls such code, each way into it
//! and out of it is metered by itself, and `entries = returns + left` is a check.
//!
//! Input: a map, its counters, its left frames. Output: the functions where frames are
//! missing. Cost: linear in the edges. Limit: a function whose ways in and out are not all
//! metered says nothing; its frames stand outside one that does.

use opcost_key::{EdgeMap, FunctionMap, Meter, ModuleMap};

use crate::RecoverError;
use crate::counts::{LeftFrames, Raw, check_counters, check_sites};

/// Frames of one function that neither returned nor were noted as left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vanished {
    /// Linkage name.
    pub function: String,
    /// How many.
    pub frames: u128,
}

/// The functions of a module of which frames vanished.
///
/// # Errors
/// The counters or the frames do not belong to this map.
pub fn vanished_frames(
    map: &ModuleMap,
    counters: &[u64],
    left: &LeftFrames,
) -> Result<Vec<Vanished>, RecoverError> {
    check_counters(map, counters)?;
    check_sites(map, left)?;
    let raw = Raw { map, counters, left };
    let missing = |function: &FunctionMap| {
        let frames = u128::try_from(open_frames(&raw, function)?).ok().filter(|&frames| frames > 0)?;
        Some(Vanished { function: function.name.clone(), frames })
    };
    Ok(map.functions.values().filter_map(missing).collect())
}

/// How many more frames were entered than came to an end, if that is metered.
fn open_frames(raw: &Raw<'_>, function: &FunctionMap) -> Option<i128> {
    if function.segment_counters.is_some() {
        return None;
    }
    let is_outside = |edge: &&EdgeMap| edge.from.is_none() || edge.to.is_none();
    function.edges.values().filter(is_outside).try_fold(0i128, |open, edge| {
        if edge.meter == Meter::Derived {
            return None;
        }
        let count = raw.direct_count(edge.meter, edge.kind)?;
        Some(if edge.from.is_none() { open + count } else { open - count })
    })
}

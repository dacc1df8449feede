//! Which functions cost the same whichever way they go, so that their callers
//! can pay for them?
//!
//! A function that never lets anyone look (no call that looks, no check) and whose ways from the
//! entry to any return all cost one number needs no edits of its own: the number belongs to its
//! calls. Ways cost the same exactly if a depth-first traversal comes to every stretch with one
//! sum; a loop does not. Such functions are found callees first, so that whole trees of calls fold.
//!
//! Only functions all of whose calls we write are asked about. Cost: linear.

use opcost_index::{IdMap, IdSet};
use opcost_ir::Function;

use crate::fuel::stretch::{End, StretchId, Stretches};

/// The cost of the function whichever way it goes, if it is one number up to
/// `most`.
pub(crate) fn cost_of_any_way(function: &Function, stretches: &Stretches, most: u64) -> Option<u64> {
    let mut before: IdMap<StretchId, Option<u64>> = IdMap::filled(stretches.list.len(), None);
    let mut walked = IdSet::new();
    let mut total = None;
    let entry = opcost_index::Id::new(0);
    before[entry] = Some(0);
    let mut stack = vec![entry];
    while let Some(id) = stack.pop() {
        if !walked.insert(id) {
            continue;
        }
        let stretch = &stretches.list[id];
        let behind = before[id]?.checked_add(stretch.work).filter(|&behind| behind <= most)?;
        // Where all costs something no cycle has one sum.
        if stretch.measured.is_some() || stretch.work == 0 {
            return None;
        }
        match stretch.end {
            End::Return(_) if *total.get_or_insert(behind) != behind => return None,
            End::Return(_) | End::Nowhere | End::Branch | End::Unsplittable => {}
            End::Call(_) | End::NoReturn(_) | End::Jump(_) | End::Invoke(_) | End::Measured => return None,
        }
        for (_, next) in stretches.ways_on(function, id) {
            if *before[next].get_or_insert(behind) != behind {
                return None;
            }
            stack.push(next);
        }
    }
    total
}

//! What is known of the loops of a function, while its phis are defined?
//!
//! How often each loop goes back, as a variable, and what comes from outside into the
//! phis at its head. Cost: the arms of a phi.

use opcost_graph::loops::{LoopForest, LoopId};
use opcost_key::{BlockId, InstructionId};
use rustc_hash::FxHashMap;

use super::range::Kind;
use super::variables::{Definition, VariableId};
use super::walker::Walker;

/// What is known of the loops of a function.
pub(super) struct Turns<'t> {
    pub(super) forest: &'t LoopForest<BlockId>,
    /// Control may come back into an iteration from anywhere (`setjmp`): nothing counts.
    pub(super) comes_again: bool,
    /// How often each loop goes back.
    pub(super) trips: FxHashMap<LoopId, VariableId>,
    /// Of phis at heads: what comes from outside, as one variable.
    pub(super) joins: FxHashMap<InstructionId, VariableId>,
}

impl<'t> Turns<'t> {
    pub(super) fn new(forest: &'t LoopForest<BlockId>, comes_again: bool) -> Turns<'t> {
        Turns { forest, comes_again, trips: FxHashMap::default(), joins: FxHashMap::default() }
    }
}

impl Walker<'_, '_> {
    /// What comes into a phi from outside of its loop.
    pub(super) fn start(
        &mut self,
        turns: &Turns<'_>,
        phi: InstructionId,
        id: LoopId,
        kind: Kind,
    ) -> VariableId {
        let arms = self.arms.get(&phi).map_or(&[][..], Vec::as_slice);
        let outside = arms.iter().filter(|&&(from, _)| !turns.forest.contains(id, from));
        let starts: Box<[VariableId]> = outside.map(|&(_, source)| source).collect();
        self.add(kind, Definition::Join(starts))
    }
}

//! Of which blocks does a run of the slice count executions as a run of the program would?
//!
//! A block whose deciding branches all stay is never passed by: a branch that goes leads to its
//! postdominator, and what lies before that depends on the branch. So such a block runs in the slice as often as in the
//! program, if its function is entered as often. It is, if all calls of it stay; calls from code
//! outside of the program always do.
//!
//! The entries of most functions of which nothing stays follow from the blocks that call them. Two kinds do
//! not: what may be running already when it is called, and what is called through pointers. Calls of
//! these are needed.
//!
//! Input: the closure. Output: blocks. Cost: control dependences.

use opcost_index::{Id, reachable_from};
use opcost_ir::CalleeRef;
use opcost_key::{BlockId, FunctionId};

use crate::closure::Closure;
use crate::reason::{Because, How};
use crate::site::SliceSite;

/// A block of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountedBlock {
    /// Its function.
    pub function: FunctionId,
    /// Which.
    pub block: BlockId,
}

impl Closure<'_> {
    /// Calls of functions whose entries do not follow from blocks that call them.
    pub(crate) fn need_entries(&mut self) {
        let calls = &self.memory.calls;
        let module = self.memory.module;
        let functions: Vec<FunctionId> = module
            .functions
            .ids()
            .filter(|&id| calls.is_reachable(id) && self.is_entered_oddly(id))
            .collect();
        for id in functions {
            for call in calls.callers(id).to_vec() {
                self.need(call.into(), Because::root(How::Counted));
            }
        }
    }

    fn is_entered_oddly(&self, id: FunctionId) -> bool {
        let module = self.memory.module;
        let is_direct = |site: SliceSite| {
            let call = module.functions[site.function].call(site.instruction);
            call.is_some_and(|call| call.callee == CalleeRef::Function(id))
        };
        let calls = &self.memory.calls;
        let mut callers = calls.callers(id).iter().map(|&call| SliceSite::from(call));
        calls.is_recursive(id) || calls.is_called_by_others(id) || !callers.all(is_direct)
    }

    /// The blocks that run as often as in the program.
    pub(crate) fn counted_blocks(&self) -> Vec<CountedBlock> {
        let mut counted = Vec::new();
        for (function, body) in self.memory.module.functions.iter() {
            let Some(control) = &self.functions[function].control else { continue };
            if !self.is_entered_as_before(function) {
                continue;
            }
            let stays = |&decider: &BlockId| {
                self.stays(SliceSite { function, instruction: body.terminator_of(decider) })
            };
            let reached = reachable_from(body, BlockId::new(0));
            let own = body.blocks.ids().filter(|&block| reached.contains(block));
            let decided = own.filter(|&block| control.deciders(block).iter().all(stays));
            counted.extend(decided.map(|block| CountedBlock { function, block }));
        }
        counted
    }

    fn is_entered_as_before(&self, id: FunctionId) -> bool {
        let callers =
            self.memory.calls.callers(id).iter().filter(|call| self.memory.calls.is_reachable(call.function));
        let is_begun = self.memory.roots.is_root(id) || self.memory.calls.is_called_by_others(id);
        let mut callers = callers.map(|&call| SliceSite::from(call)).peekable();
        (is_begun || callers.peek().is_some()) && callers.all(|site| self.stays(site))
    }
}

//! Which functions can take what is left from hand to hand?
//!
//! Settling with the cell makes every call wait for memory twice. A function
//! all of whose calls we write needs no cell between them: what is left goes
//! into the call and comes back from it in a register. That takes a function
//! that nobody else can call (local, its address not taken), that has room for
//! one more parameter, and whose calls return to where they were made: a jump
//! has nobody to give back to, and what returns twice does so the second time
//! out of nowhere. Functions that jump themselves cannot give back either.
//!
//! Cost: linear in calls.

use opcost_index::IdSet;
use opcost_ir::{CalleeRef, Function, Linkage, Module};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::bodies::is_counted;
use crate::leaving::Leaving;

/// The functions of a module that are handed what is left.
pub(crate) fn handed(module: &Module, leaving: &Leaving) -> IdSet<FunctionId> {
    let can_be = |function: &Function| {
        function.linkage == Linkage::Local
            && !function.is_address_taken
            && !function.is_called_oddly
            && is_counted(function)
            && !function.blocks.is_empty()
    };
    let mut handed: IdSet<FunctionId> =
        module.functions.iter().filter(|(_, function)| can_be(function)).map(|(id, _)| id).collect();
    for (id, function) in module.functions.iter() {
        for &(at, ref call) in &function.calls {
            let is_jump = is_jump(leaving, id, function, at);
            if is_jump {
                handed.remove(id);
            }
            if let CalleeRef::Function(callee) = call.callee
                && (is_jump || call.returns_twice || !is_counted(function))
            {
                handed.remove(callee);
            }
        }
    }
    handed
}

fn is_jump(leaving: &Leaving, id: FunctionId, function: &Function, at: InstructionId) -> bool {
    let block: BlockId = function.block_of(at);
    leaving.is_jump(id, function, block, at)
}

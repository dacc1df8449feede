//! What can never be? Accesses out of bounds, code that no execution reaches.
//!
//! An empty range says that no execution gets there without something undefined or poison. It is
//! reported once: of the first such result in a block that can be reached from one without.
//! Functions that nothing calls are left out. Cost: linear in the instructions.

use opcost_index::{Graph, Id, IdMap, reverse, reverse_postorder};
use opcost_ir::{Function, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::facts::Finding;
use super::found::Propagation;
use super::range::Range;
use crate::memory::MemoryModel;

/// Code that is never reached.
pub(super) fn unreached(program: &MemoryModel<'_>, ranges: &Propagation) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, function) in program.module.functions.iter() {
        if !function.blocks.is_empty() && program.calls.is_reachable(id) {
            let is_empty = |at: InstructionId| {
                let ty = function.instructions[at].ty;
                matches!(program.module.types[ty], Type::Integer(_))
                    && ranges.range(id, Value::Instruction(at)).is_some_and(Range::is_empty)
            };
            let first = first_unreached(function, is_empty);
            findings.extend(first.into_iter().map(|at| Finding::NeverReached(id, at)));
        }
    }
    findings
}

/// The first instruction with an empty range of each part of a function that has any.
fn first_unreached(function: &Function, is_empty: impl Fn(InstructionId) -> bool) -> Vec<InstructionId> {
    let entry = BlockId::new(0);
    let before = reverse(function);
    let mut first = Vec::new();
    let mut is_dead = IdMap::filled(function.blocks.len(), false);
    for block in reverse_postorder(function, entry) {
        // A block that is not looked at yet goes back here.
        let is_behind_dead =
            before.successors(block).next().is_some() && before.successors(block).all(|from| is_dead[from]);
        let found = function.instructions_of(block).find(|&at| is_empty(at));
        is_dead[block] = found.is_some() || is_behind_dead;
        first.extend(found.filter(|_| !is_behind_dead));
    }
    first
}

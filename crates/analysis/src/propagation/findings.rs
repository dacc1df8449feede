//! What can never be? Accesses out of bounds, code that no execution reaches.
//!
//! An empty range says that no execution gets there without something undefined
//! or poison. It is told once: of the first such result in a block that can be
//! reached from one without. Functions that nothing calls are left out.
//! Cost: linear in the instructions.

use opcost_index::{Graph, Id, IdMap, reverse, reverse_postorder};
use opcost_ir::{Function, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::{Propagation, Range};
use crate::memory::Memory;

/// Something that can never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The access never lies in an object.
    NeverInBounds(FunctionId, InstructionId),
    /// The instruction is never executed, or its result is always poison.
    NeverReached(FunctionId, InstructionId),
}

impl Propagation {
    /// Adds code that is never reached.
    pub(super) fn find_unreached(&mut self, program: &Memory<'_>) {
        for (id, function) in program.module.functions.iter() {
            if !function.blocks.is_empty() && program.calls.is_reachable(id) {
                self.unreached_in(program, id, function);
            }
        }
    }

    fn unreached_in(&mut self, program: &Memory<'_>, id: FunctionId, function: &Function) {
        let entry = BlockId::new(0);
        let before = reverse(function);
        let mut is_dead = IdMap::filled(function.blocks.len(), false);
        for block in reverse_postorder(function, entry) {
            // A block that is not looked at yet goes back here.
            let is_behind_dead = before.successors(block).next().is_some()
                && before.successors(block).all(|from| is_dead[from]);
            let found = function.instructions_of(block).find(|&at| {
                let ty = function.instructions[at].ty;
                matches!(program.module.types[ty], Type::Integer(_))
                    && self.range(id, Value::Instruction(at)).is_some_and(Range::is_empty)
            });
            is_dead[block] = found.is_some() || is_behind_dead;
            if let Some(at) = found.filter(|_| !is_behind_dead) {
                self.findings.push(Finding::NeverReached(id, at));
            }
        }
    }
}

//! What is to be changed, so that only what stays is left?
//!
//! A branch that does not stay decides nothing that stays. So it may go at once to where
//! all of its ways meet, its immediate postdominator; where there is none, it
//! returns: whatever would come until the function returns does not stay
//! either. No phi that stays can be where ways of such a branch meet, for it
//! would need the branch. An argument, and a returned value, that nobody looks
//! at becomes zero.
//!
//! Input: the closure. Output: [`Removal`]. Cost: linear.

use opcost_index::{Id, reachable_from};
use opcost_ir::{Opcode, Removal, RemovalEdit, Value};
use opcost_key::{BlockId, FunctionId};

use crate::closure::Closure;
use crate::site::SliceSite;

/// The edits of the functions that are reached.
pub(crate) fn removal(closure: &Closure<'_>) -> Removal {
    let mut removal = Removal::default();
    for id in closure.memory.module.functions.ids().filter(|&id| closure.memory.calls.is_reachable(id)) {
        let mut edits = Vec::new();
        of_function(closure, id, &mut edits);
        removal.edits.extend(edits.into_iter().map(|edit| (id, edit)));
    }
    removal
}

fn of_function(closure: &Closure<'_>, id: FunctionId, edits: &mut Vec<RemovalEdit>) {
    let body = &closure.memory.module.functions[id];
    let control = closure.functions[id].control.as_ref().expect("a function that is reached");
    let reached = reachable_from(body, BlockId::new(0));
    for (block, shape) in body.blocks.iter().filter(|&(block, _)| reached.contains(block)) {
        for instruction in body.instructions_of(block) {
            let site = SliceSite { function: id, instruction };
            let opcode = body.instructions[instruction].opcode;
            match (closure.stays(site), opcode.is_terminator()) {
                (false, false) => edits.push(RemovalEdit::Delete { instruction }),
                (false, true) if shape.successors.len() > 1 => {
                    edits.push(match control.postdominator(block) {
                        Some(target) => RemovalEdit::Retarget { block, target },
                        None => RemovalEdit::ReturnNothing { block },
                    })
                }
                (_, true) if opcode == Opcode::Ret => zero_returned(closure, site, edits),
                (true, _) if opcode.is_call() => zero_arguments(closure, site, edits),
                _ => {}
            }
        }
    }
}

fn is_local(value: Value) -> bool {
    matches!(value, Value::Instruction(_) | Value::Argument(_))
}

fn zero_returned(closure: &Closure<'_>, site: SliceSite, edits: &mut Vec<RemovalEdit>) {
    let operands = closure.memory.module.functions[site.function].operands_of(site.instruction);
    let is_needed = closure.functions[site.function].returned;
    if !is_needed && operands.first().is_some_and(|&value| is_local(value)) {
        edits.push(RemovalEdit::Zero { instruction: site.instruction, operand: 0 });
    }
}

fn zero_arguments(closure: &Closure<'_>, site: SliceSite, edits: &mut Vec<RemovalEdit>) {
    let body = &closure.memory.module.functions[site.function];
    for (position, &value) in body.arguments_of(site.instruction).iter().enumerate() {
        if is_local(value) && !closure.needs_argument(site, position) {
            let operand = position as u32;
            edits.push(RemovalEdit::Zero { instruction: site.instruction, operand });
        }
    }
}

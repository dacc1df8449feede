//! What can a module not do while it lives on one counter of fuel?
//!
//! Start threads or processes, which would count the same cell down at once;
//! handle signals, which come between a function's register and the cell; go
//! on as another program, which has no limit. Such calls are refused by name
//! (`fuel.txt`) with their place. Libraries that do it by themselves are not
//! seen. An operation that becomes a call of the program's own function is refused, too: no call stands there that
//! would look at the cell.

use opcost_ir::{CalleeRef, Function, Module};

use crate::refusal::{PlanError, RefusalReason};
use opcost_library::{FuelClass, fuel_class, is_generated};

/// The first call or operation that is refused.
pub(crate) fn refuse(module: &Module) -> Result<(), PlanError> {
    for function in module.functions.values() {
        for (instruction, call) in &function.calls {
            let CalleeRef::Declaration(callee) = call.callee else { continue };
            let name = &module.declarations[callee].name;
            if let Some(FuelClass::Refused(why)) = fuel_class(name) {
                let reason = RefusalReason::Unmeterable { callee: name.clone(), why };
                return Err(PlanError::new(module, function, Some(*instruction), reason));
            }
        }
    }
    refuse_own_operations(module)
}

/// A module may have a division of 128 bits, and a `__udivti3` that it becomes a call of.
fn refuse_own_operations(module: &Module) -> Result<(), PlanError> {
    let is_own = |function: &&Function| {
        let name = function.name.as_str();
        // Others of that kind are called for intrinsics, which are seen.
        let is_arithmetic = name.starts_with("__") || name.starts_with("fmod");
        !function.blocks.is_empty() && is_arithmetic && is_generated(name)
    };
    let Some(own) = module.functions.values().find(is_own) else { return Ok(()) };
    for function in module.functions.values().filter(|function| !function.blocks.is_empty()) {
        let opcode = |id| function.instructions[id].opcode;
        let becomes_call = |id: &_| !opcode(*id).is_call() && module.may_become_call(function, *id);
        if let Some(id) = function.instructions.ids().find(becomes_call) {
            let reason =
                RefusalReason::OwnOperation { callee: own.name.clone(), operation: opcode(id).name() };
            return Err(PlanError::new(module, function, Some(id), reason));
        }
    }
    Ok(())
}

//! What can a module not do while it lives on one counter of fuel?
//!
//! Start threads or processes, which would count the same cell down at once;
//! handle signals, which come between a function's register and the cell; go
//! on as another program, which has no limit. Such calls are refused by name
//! (`library.txt`) with their place. Libraries that do it by themselves are not
//! seen.

use opcost_ir::{CalleeRef, Module};

use crate::refusal::{PlanError, RefusalReason};
use opcost_library::{FuelClass, fuel_class};

/// The first call that is refused.
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
    Ok(())
}

//! Does code in plain sight change how floating point numbers are rounded?
//!
//! LLVM's arithmetic and all that is said of it here round to the nearest number. A program that
//! sets another mode (`fesetround`, `fesetenv`, the control word of the machine) computes other
//! numbers in code that does not say so. Then nothing is said of results that are rounded, and the
//! call is reported as a finding. Assembly counts as such code if a word in it says so, or if it is
//! encoded by hand: inline at its place, outside of the functions at every call of what it may
//! define. A function of another module that does so in secret breaks what every compiler takes for
//! granted without `FENV_ACCESS`; that is listed as an assumption.
//!
//! Input: a module. Output: the calls. Cost: linear in its calls.

use opcost_ir::{CalleeRef, Module};
use opcost_key::{FunctionId, InstructionId};
use opcost_library::{SystemEffect, is_name_of_libraries, system_effects};

/// Calls that may change the rounding mode, in the order of the module.
pub fn rounding_changes(module: &Module) -> Vec<(FunctionId, InstructionId)> {
    let mut found = Vec::new();
    for (id, function) in module.functions.iter() {
        for &(at, call) in &function.calls {
            let changes = match call.callee {
                CalleeRef::Declaration(declared) => {
                    let declared = &module.declarations[declared];
                    sets_rounding(&declared.name)
                        || (module.module_assembly_may_round
                            && !declared.is_intrinsic
                            && !is_name_of_libraries(&declared.name))
                }
                CalleeRef::Function(callee) => sets_rounding(&module.functions[callee].name),
                CalleeRef::Assembly => call.assembly_may_round,
                CalleeRef::Indirect => module.module_assembly_may_round,
            };
            if changes {
                found.push((id, at));
            }
        }
    }
    found
}

/// Whether any code of the module may change the rounding mode. Assembly outside of the functions
/// may run without a call that is seen.
pub fn changes_rounding(module: &Module) -> bool {
    module.module_assembly_may_round || !rounding_changes(module).is_empty()
}

fn sets_rounding(name: &str) -> bool {
    system_effects(name).contains(&SystemEffect::ChangesRounding)
}

#[cfg(test)]
mod tests {
    use super::sets_rounding;

    #[test]
    fn setting_the_mode_is_seen_and_asking_for_it_is_not() {
        let all =
            ["fesetround", "fesetenv", "llvm.set.rounding", "llvm.x86.sse.ldmxcsr", "llvm.set.fpenv.i256"];
        assert!(all.into_iter().all(sets_rounding));
        let none = [
            "fegetround",
            "fegetenv",
            "llvm.get.rounding",
            "llvm.x86.sse.stmxcsr",
            "fesetexceptflag",
            "round",
        ];
        assert!(!none.into_iter().any(sets_rounding));
    }
}

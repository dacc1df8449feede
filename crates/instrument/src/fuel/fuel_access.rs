//! Which calls may look at the fuel that is left?
//!
//! Metered code does, and whatever may lead to it or end the program: then the cell must be true before the
//! call and is read again after it. Intrinsics, inline assembly that surely comes out at its end and some C
//! library functions do neither. Others must find the cell true, since they may end the program or unwind the
//! stack, but never call back into a program's code. Which is which is in `library.txt`.

use opcost_ir::{Call, CalleeRef, Module};

use opcost_library::{FuelClass, fuel_class};

/// What a call does with the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FuelAccess {
    /// Neither looks nor ends anything.
    Never,
    /// May end the program or the frame; calls no code of the program.
    WithoutCallback,
    /// May run any code of the program.
    Freely,
}

/// What this call may do.
pub(crate) fn fuel_access(module: &Module, call: &Call) -> FuelAccess {
    match call.callee {
        CalleeRef::Assembly if call.assembly_may_leave => FuelAccess::Freely,
        CalleeRef::Assembly => FuelAccess::Never,
        CalleeRef::Declaration(id) if module.declarations[id].is_intrinsic => {
            if call.is_noreturn || !call.is_nounwind {
                FuelAccess::WithoutCallback
            } else {
                FuelAccess::Never
            }
        }
        CalleeRef::Declaration(id) => {
            let name = module.declarations[id].name.as_str();
            match fuel_class(name) {
                Some(FuelClass::Computes | FuelClass::World | FuelClass::Differs)
                    if !call.returns_twice && !call.is_noreturn =>
                {
                    FuelAccess::Never
                }
                Some(FuelClass::Ends) => FuelAccess::WithoutCallback,
                _ => FuelAccess::Freely,
            }
        }
        CalleeRef::Function(_) | CalleeRef::Indirect => FuelAccess::Freely,
    }
}

/// Whether libraries may call a function of this name: the start of the
/// program, and what replaces functions of the C and C++ library.
pub(crate) fn is_known_to_libraries(name: &str) -> bool {
    let reserved = ["_Zn", "_Zd", "__cxa_", "__gxx_", "_Unwind_"];
    // Names of `main` in WebAssembly, by its parameters.
    let mains = ["__main_argc_argv", "__main_void", "__original_main"];
    matches!(name, "main" | "opc_portable_start" | "_start" | "memalign" | "valloc" | "pvalloc" | "exit")
        || mains.contains(&name)
        || reserved.iter().any(|start| name.starts_with(start))
        || matches!(
            fuel_class(name),
            Some(FuelClass::Computes | FuelClass::World | FuelClass::Differs | FuelClass::Ends)
        )
}

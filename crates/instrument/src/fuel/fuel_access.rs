//! Which calls may look at the fuel that is left?
//!
//! A program may have a `malloc` or a `memset` of its own. Then any function of a library may run it, and so may an
//! operation that becomes a call.
//!
//! Metered code does, and whatever may lead to it or end the program: then the cell must be true before the
//! call and is read again after it. Intrinsics, inline assembly that surely comes out at its end and some C
//! library functions do neither. A stream may have functions of the program, if that may have set some: then what
//! reads or writes one looks, too. Others must find the cell true, since they may end the program or unwind the stack,
//! but never call back into a program's code. Which is which is in the room `library`, in `fuel.txt`.

use opcost_ir::{Call, CalleeRef, Module};
use opcost_library::{FuelClass, fuel_class, is_name_of_libraries, is_uncalled};

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

/// Which functions of the program may run in calls of library functions?
#[derive(Clone, Copy, Debug)]
pub struct OwnInCalls {
    /// Those that libraries or code generation know by name: they run in any such call.
    by_name: bool,
    /// Those that it may have set for a stream or a format.
    by_stream: bool,
}

impl OwnInCalls {
    /// Of a module, which may be the whole program but for libraries. Where all that it calls is known and is no
    /// `fopencookie` or the like, no stream has functions of it.
    pub fn of(module: &Module, is_whole: bool) -> OwnInCalls {
        let sets = |name: &str| matches!(fuel_class(name), None | Some(FuelClass::Outside(_)));
        let mut declared = module.declarations.values().filter(|declared| !declared.is_intrinsic);
        let by_stream = !is_whole || declared.any(|declared| sets(&declared.name));
        OwnInCalls { by_name: module.replaces_library(), by_stream }
    }
}

/// What this call may do.
pub(crate) fn fuel_access(module: &Module, call: &Call, own: OwnInCalls) -> FuelAccess {
    let access = access_by_callee(module, call, own.by_stream);
    let may_run_own = match call.callee {
        CalleeRef::Declaration(id) => module.declarations[id].may_be_called(),
        _ => false,
    };
    if own.by_name && may_run_own { FuelAccess::Freely } else { access }
}

fn access_by_callee(module: &Module, call: &Call, streams_run_own: bool) -> FuelAccess {
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
            let returns = !call.returns_twice && !call.is_noreturn;
            match fuel_class(name) {
                Some(FuelClass::Computes | FuelClass::World | FuelClass::Differs) if returns => {
                    FuelAccess::Never
                }
                Some(FuelClass::Streams) if returns && !streams_run_own => FuelAccess::Never,
                Some(FuelClass::Ends) => FuelAccess::WithoutCallback,
                _ => FuelAccess::Freely,
            }
        }
        CalleeRef::Function(_) | CalleeRef::Indirect => FuelAccess::Freely,
    }
}

/// Whether libraries may call a function of this name. Such are the start of the program and what replaces functions of
/// the C and C++ library. Instances of templates that the C++ library has are such, too.
pub(crate) fn is_known_to_libraries(name: &str) -> bool {
    is_name_of_libraries(name) || is_uncalled(name)
}

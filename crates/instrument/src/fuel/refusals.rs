//! What can a module not do while it lives on one counter of fuel?
//!
//! Start threads or processes, which would count the same cell down at once;
//! handle signals, which come between a function's register and the cell; go
//! on as another program, which has no limit. Such calls are refused by name
//! with their place. Libraries that do it by themselves are not seen.

use opcost_ir::{CalleeRef, Module};

use crate::plan::{PlanError, Reason};

/// Names, and why they are refused; a mangled name may go on.
const REFUSED: &[(&str, &str)] = &[
    (
        "pthread_create thrd_create _ZNSt6thread15_M_start_thread __kmpc_fork_call __kmpc_omp_task_alloc",
        "starts threads",
    ),
    ("fork vfork _Fork clone clone3 posix_spawn posix_spawnp", "starts processes"),
    ("signal sigaction bsd_signal sysv_signal sigset", "handles signals"),
    ("execv execve execvp execvpe execl execlp execle fexecve", "goes on as another program"),
];

/// The first call that is refused.
pub(crate) fn refuse(module: &Module) -> Result<(), PlanError> {
    for function in module.functions.values() {
        for (instruction, call) in &function.calls {
            let CalleeRef::Declaration(callee) = call.callee else { continue };
            let name = &module.declarations[callee].name;
            if let Some(why) = reason(name) {
                let reason = Reason::Unmeterable { callee: name.clone(), why };
                return Err(PlanError::new(module, function, Some(*instruction), reason));
            }
        }
    }
    Ok(())
}

fn reason(name: &str) -> Option<&'static str> {
    let is_meant = |start: &str| name == start || (start.starts_with("_Z") && name.starts_with(start));
    REFUSED.iter().find(|(names, _)| names.split(' ').any(is_meant)).map(|(_, why)| *why)
}

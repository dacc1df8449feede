//! What cannot be counted, and where is it?
//!
//! Some code leaves frames in ways that no counter can follow. A module that has such code is
//! refused with the function, the place and what to do instead, rather than counted wrong.
//!
//! Input: a module and one of its functions. Output: a [`PlanError`] or nothing. Cost: a
//! passage over the function's instructions.

use opcost_ir::{Call, Function, Module, Opcode};
use opcost_key::InstructionId;

/// Why and where a module cannot be counted or metered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("function {function}{location} {reason}")]
pub struct PlanError {
    /// Linkage name of the function.
    pub function: String,
    /// ` at file:line`, or nothing without debug information.
    pub location: String,
    /// What is there.
    pub reason: RefusalReason,
}

/// What cannot be counted or metered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// Coroutines must be split first.
    #[error(
        "is a coroutine that is not split yet, and its frames cannot be followed; count it at a later anchor \
         (--anchor optimized)"
    )]
    Coroutine,
    /// `__builtin_setjmp`, or a call that returns twice and may throw.
    #[error(
        "jumps by __builtin_setjmp or __builtin_longjmp (or calls a function that returns twice and may throw), and \
         what such a jump leaves cannot be followed; use setjmp and longjmp"
    )]
    BuiltinJump,
    /// Exception handling by funclets (Windows): the instruction met.
    #[error(
        "handles exceptions by funclets ({0}), which opcost does not count; build for a target with Itanium \
         exception handling"
    )]
    Funclet(&'static str),
    /// An operation that code generation makes a call of a function that the program has.
    #[error(
        "has a {operation} that becomes a call of its own {callee}, which fuel cannot follow; rename that, or use \
         opcost count --cost fuel/1"
    )]
    OwnOperation {
        /// The function of the program.
        callee: String,
        /// The operation, as IR has it.
        operation: &'static str,
    },
    /// Something that one counter of fuel cannot serve.
    #[error("{why} ({callee}), and one counter of fuel cannot serve that; {}", remedy(callee, why))]
    Unmeterable {
        /// What it calls.
        callee: String,
        /// What that does.
        why: &'static str,
    },
}

/// What to do about a call that fuel refuses. A handler can be taken out by the compiler's flags alone, since
/// the header then declares the other name.
fn remedy(callee: &str, why: &str) -> String {
    if why != "handles signals" {
        return "meter it without".to_owned();
    }
    format!(
        "compile with -D{callee}=no_{callee} and a file that defines no_{callee} to do nothing. \
         Or count it with its handlers and without a limit: opcost count --cost fuel/1"
    )
}

impl PlanError {
    /// At an instruction, or at the function as a whole.
    pub(crate) fn new(
        module: &Module,
        function: &Function,
        instruction: Option<InstructionId>,
        reason: RefusalReason,
    ) -> PlanError {
        let place = instruction.and_then(|id| function.instructions[id].place).or(function.place);
        let place = place.map(|place| &module.places[place]);
        PlanError {
            function: function.name.clone(),
            location: place.map_or(String::new(), |at| format!(" at {}:{}", module.files[at.file], at.line)),
            reason,
        }
    }
}

/// Refuses a function that cannot be counted.
pub(crate) fn refuse_uncountable(module: &Module, function: &Function) -> Result<(), PlanError> {
    let refusal = |at, reason| Err(PlanError::new(module, function, at, reason));
    if function.is_coroutine {
        return refusal(None, RefusalReason::Coroutine);
    }
    let jumps = |call: &Call| {
        module.intrinsic_name(call.callee).is_some_and(|name| name.starts_with("llvm.eh.sjlj."))
    };
    let throws = |id: InstructionId, call: &Call| {
        call.returns_twice && function.instructions[id].opcode == Opcode::Invoke
    };
    if let Some((at, _)) = function.calls.iter().find(|(id, call)| jumps(call) || throws(*id, call)) {
        return refusal(Some(*at), RefusalReason::BuiltinJump);
    }
    let is_funclet = |opcode| {
        matches!(
            opcode,
            Opcode::CatchSwitch
                | Opcode::CatchPad
                | Opcode::CleanupPad
                | Opcode::CatchRet
                | Opcode::CleanupRet
        )
    };
    match function.instructions.iter().find(|(_, instruction)| is_funclet(instruction.opcode)) {
        Some((at, instruction)) => refusal(Some(at), RefusalReason::Funclet(instruction.opcode.name())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_refused_with_what_would_admit_it() {
        let said =
            |callee: &str, why| RefusalReason::Unmeterable { callee: callee.to_owned(), why }.to_string();
        let handler = said("sigaction", "handles signals");
        assert!(
            handler.contains("-Dsigaction=no_sigaction") && handler.contains("count --cost fuel/1"),
            "{handler}"
        );
        assert!(said("fork", "starts processes").ends_with("meter it without"));
    }
}

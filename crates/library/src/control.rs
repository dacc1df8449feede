//! What does a function do to control, besides what a call and a return do?
//!
//! Whether it starts a thread, forks, jumps, or has something called later (`control.txt`).

use std::sync::LazyLock;

use crate::table::{NameTable, clauses};

/// What a function does to control, besides what a call and a return do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlEffect {
    /// Starts a thread, or work that a thread does.
    StartsThread {
        /// Which argument is the function where it begins, if one is.
        begins: Option<usize>,
    },
    /// Has a function called at any time, in this thread by a signal or in another one.
    Notifies,
    /// Returns in two processes.
    Forks,
    /// Starts another process, and returns once.
    StartsProcess,
    /// Another program takes the place of this one.
    BecomesProgram,
    /// Returns, and may do so again later.
    ReturnsTwice,
    /// Leaves frames that are still in a call.
    Jumps,
    /// Goes on on another stack, now or later.
    SwitchesStacks,
    /// Ends the process, after what was to be called at its end or at once.
    EndsProcess,
    /// May end the process, as its arguments say.
    MayEndProcess,
    /// From then on the process may be ended anywhere: by a limit, or by a number that arithmetic gives.
    LimitsProcess,
    /// Ends this thread.
    EndsThread,
    /// Leaves frames for one that handles an exception.
    Throws,
    /// Says what is called when a signal comes.
    HandlesSignals,
    /// Has a signal sent after a time.
    TimesSignal,
    /// Sends a signal, also to this very thread.
    SendsSignal,
    /// Brings code that no module has, or gives addresses by name.
    LoadsCode,
    /// Describes what is loaded, and so where names are.
    FindsNames,
    /// Says what is called at the end of the process or thread.
    CallsAtEnd,
    /// Whatever the number says.
    SystemCall,
}

static TABLE: LazyLock<NameTable<ControlEffect>> = LazyLock::new(|| {
    let rows = clauses("control.txt", include_str!("control.txt"), read_effect);
    NameTable::of_rows("control.txt", rows)
});

/// What a function of the libraries does to control; none if it is called and returns, or is not known.
pub fn control_effect(name: &str) -> Option<ControlEffect> {
    TABLE.of(name).copied()
}

/// Whether a function of the libraries may have code of the program run in another thread.
pub fn starts_threads(name: &str) -> bool {
    matches!(control_effect(name), Some(ControlEffect::StartsThread { .. } | ControlEffect::Notifies))
}

fn read_effect(clause: &str) -> Option<ControlEffect> {
    if let Some(rest) = clause.strip_prefix("starts a thread") {
        let begins = match rest.strip_prefix(" at ") {
            Some(number) => Some(number.parse().ok()?),
            None => None,
        };
        return Some(ControlEffect::StartsThread { begins });
    }
    Some(match clause {
        "notifies" => ControlEffect::Notifies,
        "forks" => ControlEffect::Forks,
        "starts a process" => ControlEffect::StartsProcess,
        "becomes another program" => ControlEffect::BecomesProgram,
        "returns twice" => ControlEffect::ReturnsTwice,
        "jumps" => ControlEffect::Jumps,
        "switches stacks" => ControlEffect::SwitchesStacks,
        "ends the process" => ControlEffect::EndsProcess,
        "may end the process" => ControlEffect::MayEndProcess,
        "limits the process" => ControlEffect::LimitsProcess,
        "ends the thread" => ControlEffect::EndsThread,
        "throws" => ControlEffect::Throws,
        "finds names" => ControlEffect::FindsNames,
        "handles signals" => ControlEffect::HandlesSignals,
        "has a signal sent later" => ControlEffect::TimesSignal,
        "sends a signal" => ControlEffect::SendsSignal,
        "loads code" => ControlEffect::LoadsCode,
        "calls at the end" => ControlEffect::CallsAtEnd,
        "does what a system call does" => ControlEffect::SystemCall,
        _ => return None,
    })
}

/// Whole names of the table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_beginnings_are_found() {
        let thread = |begins| Some(ControlEffect::StartsThread { begins });
        assert_eq!(control_effect("pthread_create"), thread(Some(2)));
        assert_eq!(control_effect("thrd_create"), thread(Some(1)));
        // What flang makes of `parallel if(…)`, and clang of `teams`.
        assert_eq!(control_effect("__kmpc_fork_call_if"), thread(None));
        assert_eq!(control_effect("__kmpc_fork_teams"), thread(None));
        assert_eq!(control_effect("GOMP_parallel_loop_dynamic"), thread(None));
        assert_eq!(control_effect("vfork"), Some(ControlEffect::Forks));
        assert_eq!(control_effect("pthread_self"), None);
        assert_eq!(control_effect(""), None);
    }
}

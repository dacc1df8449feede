//! Which bodies are ours to count?
//!
//! Code that reads the tables of frames, for exceptions, is left as it is: counters make other tables,
//! so its work would be that of the counted program and no other's. Such are the personality functions
//! of languages and the unwinder, where they are part of what is built. They are known by name. Limit:
//! what they call and share with others is counted.

use opcost_ir::{Function, Linkage};

/// Which bodies a survey is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// Those that become code, as [`plan`](crate::plan()) has them.
    Own,
    /// Those that only the optimiser sees too (`available_externally`); they
    /// run in another module.
    All,
}

impl Bodies {
    /// Whether a function is one of them.
    pub fn has(self, function: &Function) -> bool {
        match self {
            Bodies::Own => is_counted(function),
            Bodies::All => !function.is_naked,
        }
    }
}

/// Whether the body is ours to change: it becomes code, and may be touched.
pub(crate) fn is_counted(function: &Function) -> bool {
    function.linkage != Linkage::Elsewhere && !function.is_naked
}

/// Whether its executions are counted in a run.
pub(crate) fn is_counted_in_runs(function: &Function) -> bool {
    is_counted(function) && !reads_unwind_tables(&function.name)
}

/// Whether a function of this name is a personality function, a part of one, or of the unwinder.
pub fn reads_unwind_tables(name: &str) -> bool {
    let is_personality = name.ends_with("_personality")
        || name.ends_with("_personality_v0")
        || name.contains("rust_eh_personality")
        || name.contains("3std3sys11personality");
    let starts = ["_Unwind_", "__unw_", "unw_", "_ZN9libunwind", "_ZNK9libunwind"];
    let is_unwinder = starts.iter().any(|start| name.starts_with(start));
    is_personality || is_unwinder
}

#[cfg(test)]
mod tests {
    use super::reads_unwind_tables;

    #[test]
    fn personalities_and_unwinders_are_known_by_name() {
        let known = [
            "rust_eh_personality",
            "_RNvCs8Gr32CtLA2_7___rustc19rust_eh_personality",
            "_ZN3std3sys11personality5dwarf2eh14find_eh_action17h0123456789abcdefE",
            "__gxx_personality_v0",
            "__gcc_personality_v0",
            "_Unwind_RaiseException",
            "_ZN9libunwind17LocalAddressSpace9sThisAddressE",
        ];
        assert!(known.into_iter().all(reads_unwind_tables));
        let others = [
            "main",
            "personality_test",
            "unwind",
            "_ZN3std9panicking11begin_panic17h0E",
            "_RNvNvNtNtNtCsjrHSEGnQ3l9_3std12backtrace_rs9backtrace9libunwind5trace8trace_fn",
        ];
        assert!(!others.into_iter().any(reads_unwind_tables));
    }
}

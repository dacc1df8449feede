//! Which bodies are ours to count?

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

/// Whether the body is ours to count: it becomes code, and may be touched.
pub(crate) fn is_counted(function: &Function) -> bool {
    function.linkage != Linkage::Elsewhere && !function.is_naked
}

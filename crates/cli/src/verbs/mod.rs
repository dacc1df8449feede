//! One file per verb.
pub(crate) mod count;
pub(crate) mod module;

//! One file per verb.
pub(crate) mod cc;
pub(crate) mod count;
pub(crate) mod module;

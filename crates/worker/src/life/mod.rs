//! What becomes of instructions: a module is watched, and code is read.

pub(crate) mod code;
pub(crate) mod machine;
pub(crate) mod record;
mod selected;

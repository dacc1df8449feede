//! Where in a program is an instruction?

use opcost_key::{FunctionId, InstructionId};

/// An instruction of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceSite {
    /// Its function.
    pub function: FunctionId,
    /// Which one.
    pub instruction: InstructionId,
}

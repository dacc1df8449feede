//! What does a caller promise of a parameter, and what does it give? Data only.

use opcost_key::{FunctionId, InstructionId};

use super::range::Range;
use super::variables::VariableId;

/// What is promised of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Whose.
    pub function: FunctionId,
    /// Which, from 0.
    pub position: u32,
    /// What it is, of the parameter's type, at each call.
    pub range: Range,
}

/// What a call that is seen gives to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handed {
    /// The number of the contract.
    pub contract: usize,
    /// The function that calls,
    pub caller: FunctionId,
    /// and where.
    pub at: InstructionId,
    /// What it gives, as far as the code says.
    pub variable: VariableId,
}

//! What is wrong with a module, and where?

use std::fmt;

use opcost_index::Id;
use opcost_key::{FunctionId, InstructionId};

use crate::effects::ParameterFacts;
use crate::module::Module;

/// What is wrong with a module, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The function, unless it is in the module's tables.
    pub function: Option<FunctionId>,
    /// The instruction, where one is to blame.
    pub instruction: Option<InstructionId>,
    /// What should be.
    pub expected: String,
    /// What is.
    pub actual: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.function, self.instruction) {
            (Some(function), Some(instruction)) => write!(f, "{function}, {instruction}: ")?,
            (Some(function), None) => write!(f, "{function}: ")?,
            _ => {}
        }
        write!(f, "expected {}, found {}", self.expected, self.actual)
    }
}

impl std::error::Error for Malformed {}

/// Nothing, or the first thing that is wrong.
pub(crate) type WellFormed = Result<(), Malformed>;

/// One thing that must be right; of what is wrong only the place is not said.
pub(crate) fn demand(is_right: bool, expected: &str, found: impl FnOnce() -> String) -> WellFormed {
    if is_right {
        return Ok(());
    }
    Err(Malformed { function: None, instruction: None, expected: expected.to_owned(), actual: found() })
}

/// Types of what is copied.
pub(crate) fn parameter_facts(module: &Module, facts: &[ParameterFacts]) -> WellFormed {
    let mut copied = facts.iter().filter_map(|facts| facts.byval);
    demand(copied.all(|ty| ty.index() < module.types.len()), "a type of the table", || "another".into())
}

//! What is to be audited, and what can be wrong?

use opcost_index::IdMap;
use opcost_ir::{Linkage, Module};
use opcost_key::{FunctionId, InstructionId};

use crate::cost::CostModel;
use crate::fuel::fuel_access::{OwnInCalls, is_known_to_libraries};

/// For each function and instruction of the metered module the instructions
/// that it was before: none for metering, several where some became one.
pub type InstructionOrigins = IdMap<FunctionId, IdMap<InstructionId, Vec<InstructionId>>>;

/// What is to be audited.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    /// The module as it was.
    pub before: &'a Module,
    /// The module with its metering.
    pub metered: &'a Module,
    /// What was what.
    pub origins: &'a InstructionOrigins,
    /// The weights.
    pub cost: &'a CostModel,
    /// The module is all of the program.
    pub is_whole: bool,
    /// Which functions of it may run in calls of library functions.
    pub own_in_calls: OwnInCalls,
    /// The most work that may be done between two questions; none without
    /// questions.
    pub promised: Option<u64>,
    /// The most work without a question in code of other modules.
    pub outside: u64,
    /// A program that is stopped is at its end.
    pub ends_at_limit: bool,
}

impl Audit<'_> {
    /// Whether code outside the module can call this function.
    pub(super) fn is_reachable_from_outside(&self, id: FunctionId) -> bool {
        let function = &self.before.functions[id];
        let is_seen = match function.linkage {
            // Whatever its name: a name that nobody else sees is no library's.
            Linkage::Local => false,
            Linkage::Elsewhere => true,
            Linkage::Exact | Linkage::Replaceable => !self.is_whole || is_known_to_libraries(&function.name),
        };
        is_seen || function.is_address_taken
    }
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{function}, {at}: {what}")]
pub struct Fault {
    /// Linkage name.
    pub function: String,
    /// The instruction of the metered module, as text.
    pub at: String,
    /// What is wrong there.
    pub what: String,
}

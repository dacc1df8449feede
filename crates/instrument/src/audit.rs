//! Does a metered module pay for exactly what it does, and is it asked often
//! enough?
//!
//! An auditor that knows nothing of how the charges were placed. It reads the
//! metered module as LLVM holds it, beside the module as it was, and two
//! things from outside: which instruction was which before, and the weights.
//! What is not from before is metering and has to look like it: reads, writes
//! and sums of the cell, questions, and branches between them.
//!
//! Functions and loops whose cost is part of what leads to them carry none; which
//! they are is found first (`folded`, `prepaid`). Two proofs per function: wherever other code may look, the cell says what
//! was done (`values`); and no way through the program, calls and all, does
//! more than was promised without a question (`ways`); a loop may go round unasked
//! only if its counter, walked here step by step, says how often (`rounds`).
//!
//! Limits: library functions that are listed as looking at nothing are
//! believed (`fuel::looks`); a way out by an exception or `longjmp` is taken
//! to lead to any landing pad or second return, which must ask at once.

mod folded;
mod lengths;
mod module;
mod prepaid;
mod rounds;
mod values;
mod ways;

use opcost_index::IdMap;
use opcost_ir::{Linkage, Module};
use opcost_key::{FunctionId, InstructionId};

use crate::cost::CostModel;
use crate::fuel::looks::is_known_to_libraries;
use module::Before;
use prepaid::Prepaid;
use values::Found;

/// For each function and instruction of the metered module the instructions
/// that it was before: none for metering, several where some became one.
pub type Origins = IdMap<FunctionId, IdMap<InstructionId, Vec<InstructionId>>>;

/// What is to be audited.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    /// The module as it was.
    pub before: &'a Module,
    /// The module with its metering.
    pub metered: &'a Module,
    /// What was what.
    pub origins: &'a Origins,
    /// The weights.
    pub cost: &'a CostModel,
    /// The module is all of the program.
    pub is_whole: bool,
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
    fn is_reachable_from_outside(&self, id: FunctionId) -> bool {
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

/// All objections; none means that both proofs hold. Cost: a few passes over
/// the module, and one more over a function for each callee that it waits for.
pub fn audit(audit: &Audit<'_>) -> Vec<Fault> {
    let mut objections = Vec::new();
    let mut found = IdMap::new();
    let folded = folded::find(audit);
    let no_loops = Prepaid::default();
    let ids = audit.metered.functions.ids();
    let prepaid: IdMap<FunctionId, Prepaid> =
        ids.map(|id| prepaid::find(&Before::new(audit, &folded, &no_loops, id))).collect();
    for id in audit.metered.functions.ids() {
        let before = Before::new(audit, &folded, &prepaid[id], id);
        let is_folded = folded[id].is_some();
        found.push(if is_folded { Found::default() } else { values::check(&before, &mut objections) });
    }
    if let Some(promised) = audit.promised {
        ways::check(audit, promised, (&folded, &prepaid), &found, &mut objections);
    }
    objections
}

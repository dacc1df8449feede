//! Does a metered module pay for exactly what it does, and is it asked often
//! enough?
//!
//! An auditor that knows nothing of how the charges were placed. It reads the metered module as
//! LLVM holds it, next to the module as it was, and two things from outside: which instruction was
//! which before, and the weights. What is not from before is metering and has to look like it:
//! reads, writes and sums of the cell, questions, and branches between them.
//!
//! Functions and loops whose cost is part of what leads to them carry none; which they are is found first (`folded`,
//! `prepaid`). Two proofs per function: wherever other code may look, the cell says what was done (`values`); and no way
//! through the program, calls and all, does more than was promised without a question (`paths`); a loop may go round unasked
//! only if its counter, followed here step by step, says how often (`rounds`).
//!
//! Limits: library functions that are listed as looking at nothing are
//! believed (`fuel::fuel_access`); a way out by an exception or `longjmp` is taken
//! to lead to any landing pad or second return, which must ask at once.

mod folded;
mod input;
mod lengths;
mod module;
mod paid;
mod paths;
mod prepaid;
mod rounds;
mod values;

use opcost_index::IdMap;
use opcost_key::FunctionId;

use module::Before;
use paid::{PaidElsewhere, Prepaid};
use values::AuditFacts;

pub use input::{Audit, Fault, InstructionOrigins};

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
        found.push(if is_folded { AuditFacts::default() } else { values::check(&before, &mut objections) });
    }
    if let Some(promised) = audit.promised {
        let paid = PaidElsewhere { folded: &folded, prepaid: &prepaid };
        paths::check(audit, promised, paid, &found, &mut objections);
    }
    objections
}

//! From a module to an object file whose code is arranged by the counts of a ledger.
//!
//! The ledger's counts are laid on the module function by function. Branches get their weights, so that code
//! generation knows what is hot. If the optimiser had a profile it left weights, and these stay: with exact ones in
//! their place SQLite executes 0.9 % more instructions. Then the machine blocks of each function that ran are put in an order
//! of their own ([`opcost_optimise::order_blocks`]), and what never ran goes to a section of its own.
//!
//! Without a ledger the module's own weights are what is known, and without an order code is generated as it would
//! be.
//!
//! Input: a module at the anchor of the ledger. Output: an object file, what was done to each function, and how often
//! functions call each other. Cost: a code generation.
//! Limits: a function that the ledger does not fit is left as it is, and named.

use std::collections::HashSet;

use opcost_answer::tune::{ArrangedFunction, ArrangedModule, LeftFunction, Transform};
use opcost_index::Id;
use opcost_job::profile::ArrangeJob;
use opcost_llvm::{Emission, MachineFlow, Ordering, Session};
use opcost_optimise::{
    CodeBlock, CodeBlockId, CodeGraph, Jump, arranged_function, calls_by_name, straight_functions,
};
use opcost_profile::formats::opc::load_ledger;

use super::export::program_counts;
use super::laid::{Laying, lay};
use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;
use crate::read::maker_at;

/// Writes the object file.
///
/// # Errors
/// The module or the ledger cannot be read, or LLVM says no.
pub(crate) fn arrange(job: &ArrangeJob, modules: &mut Modules) -> Result<ArrangedModule, WorkError> {
    let how = sectioned(job);
    let mut arranged = ArrangedModule::default();
    let Some(ledger) = &job.ledger else {
        let session = modules.module(&job.module.bitcode, maker_at(job.module.anchor))?;
        if job.orders {
            emit_ordered(session, job, &[], &mut arranged)?;
        } else {
            session.emit(&job.output, how)?;
        }
        return Ok(arranged);
    };
    let ledger = load_ledger(ledger)?;
    let laying = Laying { root: &job.root, cost: &job.cost, is_alone: true };
    let mut laid = lay(&laying, &job.module, &ledger, modules)?;
    if job.weighs {
        laid.weigh(&program_counts(&ledger))?;
    }
    let module = laid.session.snapshot();
    arranged.calls = calls_by_name(laid.of(&module));
    let executed = straight_functions(laid.of(&module));
    let mut counts: Vec<u64> = Vec::new();
    for (id, function) in module.functions.iter() {
        let map = &laid.map.functions[id];
        match &laid.matched.functions[id] {
            Ok(known) => {
                arranged.fitting += 1;
                // One of assembly only has no counters, and so no blocks in its map.
                let block = |block| map.blocks.get(block).map_or(0, |_| known.block(map, block));
                counts.extend(function.blocks.ids().map(block));
            }
            Err(why) => {
                counts.extend(function.blocks.ids().map(|_| 0));
                let transform = Transform::Placement;
                arranged.left.push(LeftFunction { transform, name: map.name.clone(), why: why.to_string() });
            }
        }
    }
    if job.orders {
        emit_ordered(laid.session, job, &counts, &mut arranged)?;
        let ordered: HashSet<&str> = arranged.functions.iter().map(|one| one.name.as_str()).collect();
        arranged.straight = executed.into_iter().filter(|one| !ordered.contains(&*one.name)).collect();
    } else {
        laid.session.emit(&job.output, how)?;
    }
    Ok(arranged)
}

/// How machine code is generated. The linker orders functions, so each has a section of its own.
fn sectioned(job: &ArrangeJob) -> Emission {
    Emission { function_sections: true, ..emission(&job.code) }
}

/// Writes the object with its machine blocks in order, and notes what was done.
fn emit_ordered(
    session: Session,
    job: &ArrangeJob,
    counts: &[u64],
    arranged: &mut ArrangedModule,
) -> Result<(), WorkError> {
    let functions = &mut arranged.functions;
    let mut order = |flow: MachineFlow<'_>| {
        let (function, order) = ordered(flow)?;
        functions.push(function);
        Some(order)
    };
    let ordering = Ordering { counts, splits: true, order: &mut order };
    Ok(session.emit_ordered(&job.output, sectioned(job), ordering)?)
}

/// A good order of a function's machine blocks; none of a function that did not run.
fn ordered(flow: MachineFlow<'_>) -> Option<(ArrangedFunction, Vec<u32>)> {
    let block = |at: u32| CodeBlockId::new(at as usize);
    let blocks = flow.blocks.iter().map(|one| CodeBlock { bytes: one.bytes, executions: one.executions });
    let jumps =
        flow.jumps.iter().map(|jump| Jump { from: block(jump.from), to: block(jump.to), taken: jump.taken });
    let graph = CodeGraph { blocks: blocks.collect(), jumps: jumps.collect() };
    arranged_function(flow.name, &graph)
}

//! From a module to an object file whose code is arranged by the counts of a ledger.
//!
//! The ledger's counts are laid on the module function by function. Branches get their weights, so that code
//! generation knows what is hot. If the optimiser had a profile it left weights, and these stay: with exact ones in
//! their place SQLite executes 0.9 % more instructions. Then the machine blocks of each function that ran are put in an order
//! of their own ([`opcost_layout`]), and what never ran goes to a section of its own.
//!
//! Without a ledger the module's own weights are what is known, and without an order code is generated as it would
//! be.
//!
//! Input: a module at the anchor of the ledger. Output: an object file, what was done to each function, and how often
//! functions call each other. Cost: a code generation.
//! Limits: a function that the ledger does not fit is left as it is, and named.

use std::collections::HashSet;

use opcost_answer::tune::{
    ArrangedFunction, ArrangedModule, Change, CountedCall, LeftFunction, StraightFunction, Transform,
};
use opcost_index::Id;
use opcost_ir::{CalleeRef, Module};
use opcost_job::profile::ArrangeJob;
use opcost_key::FunctionId;
use opcost_layout::{CodeBlock, CodeBlockId, CodeGraph, Jump, Score, order_blocks, taken_jumps};
use opcost_llvm::{Emission, MachineFlow, Ordering, Session};
use opcost_profile::formats::opc::load_ledger;
use opcost_recover::FunctionCounts;

use super::export::program_counts;
use super::laid::{Laid, Laying, lay};
use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;
use crate::read::maker_at;

/// About what an instruction takes of machine code.
const BYTES_PER_INSTRUCTION: u64 = 4;

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
    arranged.calls = calls(&laid, &module);
    let executed = executed(&laid, &module);
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
    let executed_blocks = flow.blocks.iter().filter(|block| block.executions > 0).count();
    if executed_blocks == 0 {
        return None;
    }
    let block = |at: u32| CodeBlockId::new(at as usize);
    let graph = CodeGraph {
        blocks: flow
            .blocks
            .iter()
            .map(|block| CodeBlock { bytes: block.bytes, executions: block.executions })
            .collect(),
        jumps: flow
            .jumps
            .iter()
            .map(|jump| Jump { from: block(jump.from), to: block(jump.to), taken: jump.taken })
            .collect(),
    };
    let before: Vec<CodeBlockId> = graph.blocks.ids().collect();
    let after = order_blocks(&graph);
    let both = |measure: &dyn Fn(&[CodeBlockId]) -> f64| Change {
        before: measure(&before),
        after: measure(after.blocks()),
    };
    let function = ArrangedFunction {
        name: flow.name,
        blocks: before.len(),
        executed_blocks,
        is_moved: after.blocks() != before,
        bytes: graph.blocks.values().map(|block| block.bytes).sum(),
        executions: graph.blocks.values().fold(0, |sum: u64, block| sum.saturating_add(block.executions)),
        score: both(&|order| Score::of(&graph, order).fall_throughs()),
        taken: Change { before: taken_jumps(&graph, &before), after: taken_jumps(&graph, after.blocks()) },
    };
    Some((function, after.blocks().iter().map(|block| block.index() as u32).collect()))
}

/// Functions that ran, as they are if each has one machine block.
fn executed(laid: &Laid, module: &Module) -> Vec<StraightFunction> {
    let of_function = |(id, counts): (FunctionId, &FunctionCounts)| {
        let (map, function) = (&laid.map.functions[id], &module.functions[id]);
        let blocks = map.blocks.ids().map(|block| counts.block(map, block));
        let bytes = function.instructions.len() as u64 * BYTES_PER_INSTRUCTION;
        StraightFunction {
            name: function.name.clone(),
            bytes,
            executions: blocks.fold(0, u64::saturating_add),
        }
    };
    laid.counted().map(of_function).filter(|one| one.executions > 0).collect()
}

/// How often functions of the module call others by name.
fn calls(laid: &Laid, module: &Module) -> Vec<CountedCall> {
    let mut all = Vec::new();
    for (id, counts) in laid.counted() {
        let map = &laid.map.functions[id];
        let function = &module.functions[id];
        for (at, call) in &function.calls {
            let to = match call.callee {
                CalleeRef::Function(callee) => module.functions[callee].name.clone(),
                CalleeRef::Declaration(callee) => module.declarations[callee].name.clone(),
                CalleeRef::Indirect | CalleeRef::Assembly => continue,
            };
            let calls = counts.instruction(map, *at);
            if calls > 0 && !to.starts_with("llvm.") {
                all.push(CountedCall { from: function.name.clone(), to, calls });
            }
        }
    }
    all
}

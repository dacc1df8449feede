//! What do the counts of a module say of the order of its code?
//!
//! Functions with one machine block and calls between functions are read from the snapshot. Of a function with several
//! machine blocks the caller has their sizes and jumps, and gets an order and how good it is.
//!
//! Cost: linear, and that of [`order_blocks`].

use opcost_answer::tune::{ArrangedFunction, Change, CountedCall, StraightFunction};
use opcost_index::Id as _;
use opcost_ir::CalleeRef;
use opcost_key::FunctionId;
use opcost_recover::FunctionCounts;

use super::{CodeBlockId, CodeGraph, Score, order_blocks, taken_jumps};
use crate::counted::ProfiledModule;

/// About what an instruction takes of machine code.
const BYTES_PER_INSTRUCTION: u64 = 4;

/// A good order of a function's machine blocks, by their positions, and what it changes; none of a function that did
/// not run.
pub fn arranged_function(name: String, graph: &CodeGraph) -> Option<(ArrangedFunction, Vec<u32>)> {
    let executed_blocks = graph.blocks.values().filter(|block| block.executions > 0).count();
    if executed_blocks == 0 {
        return None;
    }
    let before: Vec<CodeBlockId> = graph.blocks.ids().collect();
    let after = order_blocks(graph);
    let both = |measure: &dyn Fn(&[CodeBlockId]) -> f64| Change {
        before: measure(&before),
        after: measure(after.blocks()),
    };
    let function = ArrangedFunction {
        name,
        blocks: before.len(),
        executed_blocks,
        is_moved: after.blocks() != before,
        bytes: graph.blocks.values().map(|block| block.bytes).sum(),
        executions: graph.blocks.values().fold(0, |sum: u64, block| sum.saturating_add(block.executions)),
        score: both(&|order| Score::of(graph, order).fall_throughs()),
        taken: Change { before: taken_jumps(graph, &before), after: taken_jumps(graph, after.blocks()) },
    };
    Some((function, after.blocks().iter().map(|block| block.index() as u32).collect()))
}

/// Functions that ran, as they are if each has one machine block.
pub fn straight_functions(counted: ProfiledModule<'_>) -> Vec<StraightFunction> {
    let of_function = |(id, counts): (FunctionId, &FunctionCounts)| {
        let (map, function) = (&counted.map.functions[id], &counted.module.functions[id]);
        let blocks = map.blocks.ids().map(|block| counts.block(map, block));
        let bytes = function.instructions.len() as u64 * BYTES_PER_INSTRUCTION;
        StraightFunction {
            name: function.name.clone(),
            bytes,
            executions: blocks.fold(0, u64::saturating_add),
        }
    };
    counted.functions().map(of_function).filter(|one| one.executions > 0).collect()
}

/// How often functions of the module call others by name.
pub fn calls_by_name(counted: ProfiledModule<'_>) -> Vec<CountedCall> {
    let module = counted.module;
    let mut all = Vec::new();
    for (id, counts) in counted.functions() {
        let map = &counted.map.functions[id];
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

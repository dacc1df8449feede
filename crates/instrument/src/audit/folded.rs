//! Which functions carry no metering because every way through them costs the
//! same, so that it can be part of their calls?
//!
//! Nobody but direct calls of the module may come to such a function, and it
//! may call nothing that looks. Its cost is one number if every block is come
//! to with one sum; a cycle that costs something is not. Callees may be found
//! after their callers, so the question is asked until no more are found.
//!
//! Cost: the module, once for each level of calls between such functions.

use opcost_index::{Id, IdMap};
use opcost_ir::Opcode;
use opcost_key::{BlockId, FunctionId};

use super::input::Audit;
use super::module::Before;
use super::paid::{Folded, Prepaid};

pub(super) fn find(audit: &Audit<'_>) -> Folded {
    // A function with a loop that costs something costs no one number.
    let no_loops = Prepaid::default();
    let mut folded: Folded = IdMap::filled(audit.metered.functions.len(), None);
    loop {
        let missing = audit.metered.functions.ids().filter(|&id| folded[id].is_none());
        let found: Vec<(FunctionId, i64)> = missing
            .filter_map(|id| Some((id, one_cost(&Before::new(audit, &folded, &no_loops, id))?)))
            .collect();
        if found.is_empty() {
            return folded;
        }
        for (id, cost) in found {
            folded[id] = Some(cost);
        }
    }
}

fn one_cost(before: &Before<'_>) -> Option<i64> {
    let function = before.function;
    let is_called_elsewhere = before.audit.is_reachable_from_outside(before.id);
    let is_metered = function.instructions.ids().any(|at| before.is_metering(at));
    if is_called_elsewhere || is_metered || function.blocks.is_empty() || before.is_handed(before.id) {
        return None;
    }
    let mut sums: IdMap<BlockId, Option<i64>> = IdMap::filled(function.blocks.len(), None);
    let mut total = None;
    sums[BlockId::new(0)] = Some(0);
    let mut stack = vec![BlockId::new(0)];
    while let Some(block) = stack.pop() {
        let arrived = sums[block].expect("it was come to");
        let mut sum = arrived;
        for at in function.instructions_of(block) {
            if before.looking_call(at).is_some() || before.length(at).is_some() {
                return None;
            }
            sum += before.weight(at);
        }
        if sum == arrived {
            return None;
        }
        let end = function.terminator_of(block);
        if function.instructions[end].opcode == Opcode::Ret && *total.get_or_insert(sum) != sum {
            return None;
        }
        for &next in &function.blocks[block].successors {
            match sums[next] {
                None => {
                    sums[next] = Some(sum);
                    stack.push(next);
                }
                Some(known) if known != sum => return None,
                Some(_) => {}
            }
        }
    }
    total
}

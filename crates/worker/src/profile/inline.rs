//! Hot calls of a module are replaced by what they call.
//!
//! Which calls pay is [`opcost_copies::choose_calls`], by executions that the ledger has of the very module; whether LLVM can
//! replace one is asked of LLVM. A call is passed over if it is not carried out as often as its block, since what is
//! held against a run afterwards is the block.
//!
//! Input: a module with its counts. Output: the module, changed, and each call with its count. Cost: linear.

use opcost_answer::tune::{CopiedModule, InlinedCall, InlinedFunction};
use opcost_copies::{
    CallId, CalledFunction, CalledId, CountedSite, InlineLimits, choose_calls, entries_left,
};
use opcost_index::{Id as _, IdMap};
use opcost_ir::{CalleeRef, Function, Opcode};
use opcost_key::{FunctionId, InstructionId, ModuleMap};
use opcost_llvm::{CallAt, Emission, ReplacedCall};

use super::laid::Laid;
use crate::error::WorkError;

/// Calls that are to be replaced.
pub(super) struct ChosenCalls {
    calls: Vec<ReplacedCall>,
    answers: Vec<InlinedCall>,
    called: Vec<InlinedFunction>,
}

/// Chooses calls. `executed` is how many instructions the program carried out.
pub(super) fn choose(laid: &mut Laid, how: Emission, executed: u64) -> Result<ChosenCalls, WorkError> {
    let module = laid.session.snapshot();
    let mut functions: IdMap<CalledId, CalledFunction> =
        module.functions.values().map(|one| CalledFunction { size: size_of(one), entries: 0 }).collect();
    let mut sites = Vec::new();
    let mut counted: Vec<CountedSite> = Vec::new();
    for (id, counts) in laid.counted() {
        let (function, map) = (&module.functions[id], &laid.map.functions[id]);
        functions[called(id)].entries = counts.entries;
        for (instruction, call) in &function.calls {
            let CalleeRef::Function(callee) = call.callee else { continue };
            let executions = counts.instruction(map, *instruction);
            let block = map.segments[map.segment_of(*instruction)].block;
            sites.push(CallAt { function: id, instruction: *instruction });
            counted.push(CountedSite {
                caller: called(id),
                callee: called(callee),
                executions,
                arguments: arguments_of(function, *instruction),
                can_inline: executions > 0 && executions == counts.block(map, block),
            });
        }
    }
    // Functions of which nothing is known keep what they have.
    let is_known: Vec<bool> = module.functions.ids().map(|id| laid.matched.functions[id].is_ok()).collect();
    for (one, can) in counted.iter_mut().zip(laid.session.can_inline(how, &sites)?) {
        one.can_inline &= can && is_known[one.callee.index()];
    }
    let calls: IdMap<CallId, CountedSite> = counted.into_iter().collect();
    let chosen = choose_calls(&functions, &calls, executed, InlineLimits::default());
    let left = entries_left(&functions, &calls, &chosen).map_err(|why| {
        WorkError::Refused(format!("the ledger's counts do not fit together: {why}; count again"))
    })?;
    let mut all = ChosenCalls { calls: Vec::new(), answers: Vec::new(), called: Vec::new() };
    for id in chosen {
        let (site, call) = (sites[id.index()], &calls[id]);
        let name = |function: CalledId| module.functions[FunctionId::new(function.index())].name.clone();
        all.calls.push(ReplacedCall { site, executions: call.executions });
        all.answers.push(InlinedCall {
            caller: name(call.caller),
            callee: name(call.callee),
            location: location(&laid.map, site),
            executions: call.executions,
            block: 0,
        });
        let callee = InlinedFunction {
            name: name(call.callee),
            entries: functions[call.callee].entries,
            left: left[call.callee],
        };
        if !all.called.contains(&callee) {
            all.called.push(callee);
        }
    }
    Ok(all)
}

/// Replaces them.
pub(super) fn replace(
    laid: &mut Laid,
    how: Emission,
    chosen: &ChosenCalls,
    answers: &mut CopiedModule,
) -> Result<(), WorkError> {
    let heads = laid.session.inline_calls(how, &chosen.calls)?;
    answers.called.clone_from(&chosen.called);
    for (call, head) in chosen.answers.iter().zip(heads) {
        match head {
            Some(block) => answers.calls.push(InlinedCall { block, ..call.clone() }),
            // LLVM says no to a call that it could replace; its function keeps these entries.
            None => {
                let of = answers.called.iter_mut().filter(|one| one.name == call.callee);
                of.for_each(|one| one.left += call.executions);
            }
        }
    }
    Ok(())
}

fn called(id: FunctionId) -> CalledId {
    CalledId::new(id.index())
}

fn size_of(function: &Function) -> u32 {
    function.instructions.values().filter(|one| one.opcode != Opcode::Phi).count() as u32
}

fn arguments_of(function: &Function, call: InstructionId) -> u32 {
    let operands = &function.instructions[call].operands;
    // The callee is an operand, too.
    (operands.end - operands.start).saturating_sub(1)
}

fn location(module: &ModuleMap, site: CallAt) -> Option<String> {
    let place = module.functions[site.function].instructions[site.instruction].place?;
    let place = &module.places[place];
    (place.line > 0).then(|| format!("{}:{}", module.files[place.file], place.line))
}

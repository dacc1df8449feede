//! Which calls of a counted module are replaced by what they call?
//!
//! Which calls pay is [`choose_calls`], by executions of the very module. Whether LLVM can replace a call is asked in
//! between. A call is passed over if it is not carried out as often as its block, since what is held against a run
//! afterwards is the block. Functions of which nothing is known stay as they are.
//!
//! Input: a counted module. Output: the calls, each with its count, and the entries that their functions keep.
//! Cost: calls × logarithm.

use opcost_answer::tune::{InlinedCall, InlinedFunction};
use opcost_index::{Id as _, IdMap};
use opcost_ir::{CallAt, CalleeRef, Function, Opcode, ReplacedCall};
use opcost_key::{FunctionId, InstructionId, ModuleMap};

use super::calls::{
    CallId, CalledFunction, CalledId, CountedSite, InlineLimits, MoreThanEntered, choose_calls, entries_left,
};
use crate::counted::ProfiledModule;

/// Calls by name of a module.
pub struct CallCandidates<'a> {
    counted: ProfiledModule<'a>,
    functions: IdMap<CalledId, CalledFunction>,
    sites: Vec<CallAt>,
    calls: IdMap<CallId, CountedSite>,
}

/// Calls that are replaced.
#[derive(Clone, Debug, Default)]
pub struct InlinePlan {
    /// As it is done.
    pub edits: Vec<ReplacedCall>,
    /// As it is reported, in the same order.
    calls: Vec<InlinedCall>,
    called: Vec<InlinedFunction>,
}

impl<'a> CallCandidates<'a> {
    /// All calls by name in functions whose counts are known.
    pub fn of(counted: ProfiledModule<'a>) -> CallCandidates<'a> {
        let functions = counted.module.functions.values();
        let mut functions: IdMap<CalledId, CalledFunction> =
            functions.map(|one| CalledFunction { size: size_of(one), entries: 0 }).collect();
        let (mut sites, mut calls) = (Vec::new(), IdMap::new());
        for (id, counts) in counted.functions() {
            let (function, map) = (&counted.module.functions[id], &counted.map.functions[id]);
            functions[called(id)].entries = counts.entries;
            for (instruction, call) in &function.calls {
                let CalleeRef::Function(callee) = call.callee else { continue };
                let executions = counts.instruction(map, *instruction);
                let block = map.segments[map.segment_of(*instruction)].block;
                sites.push(CallAt { function: id, instruction: *instruction });
                calls.push(CountedSite {
                    caller: called(id),
                    callee: called(callee),
                    executions,
                    arguments: arguments_of(function, *instruction),
                    can_inline: executions > 0 && executions == counts.block(map, block),
                });
            }
        }
        CallCandidates { counted, functions, sites, calls }
    }

    /// Where they are.
    pub fn sites(&self) -> &[CallAt] {
        &self.sites
    }

    /// Chooses. `can` says of each of [`CallCandidates::sites`] whether it can be replaced, and `executed` is how many
    /// instructions the program carried out.
    ///
    /// # Errors
    /// A function is called more often than it is entered.
    pub fn choose(mut self, can: &[bool], executed: u64) -> Result<InlinePlan, MoreThanEntered> {
        let (counted, functions) = (self.counted, &self.functions);
        let is_known: Vec<bool> = counted.counts.functions.values().map(Result::is_ok).collect();
        for (call, can) in self.calls.values_mut().zip(can) {
            call.can_inline &= can & is_known[call.callee.index()];
        }
        let chosen = choose_calls(functions, &self.calls, executed, InlineLimits::default());
        let left = entries_left(functions, &self.calls, &chosen)?;
        let name =
            |function: CalledId| counted.module.functions[FunctionId::new(function.index())].name.clone();
        let mut plan = InlinePlan::default();
        for id in chosen {
            let (site, call) = (self.sites[id.index()], &self.calls[id]);
            plan.edits.push(ReplacedCall { site, executions: call.executions });
            plan.calls.push(InlinedCall {
                caller: name(call.caller),
                callee: name(call.callee),
                location: location(counted.map, site),
                executions: call.executions,
                block: 0,
            });
            let callee = InlinedFunction {
                name: name(call.callee),
                entries: functions[call.callee].entries,
                left: left[call.callee],
            };
            if !plan.called.contains(&callee) {
                plan.called.push(callee);
            }
        }
        Ok(plan)
    }
}

impl InlinePlan {
    /// What was done. `heads` has of each call the block before the inlined code, and none if LLVM refused it: its
    /// function then keeps these entries.
    pub fn done(self, heads: &[Option<u32>]) -> (Vec<InlinedCall>, Vec<InlinedFunction>) {
        let (mut calls, mut called) = (Vec::new(), self.called);
        for (call, head) in self.calls.into_iter().zip(heads) {
            match *head {
                Some(block) => calls.push(InlinedCall { block, ..call }),
                None => {
                    let of = called.iter_mut().filter(|one| one.name == call.callee);
                    of.for_each(|one| one.left += call.executions);
                }
            }
        }
        (calls, called)
    }
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

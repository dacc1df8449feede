//! Which calls end the program just as a return would?
//!
//! `if (wrong) stop 1` as the last thing of a program decides its exit status alone. Where that does not
//! matter, and nothing that stays follows the branch on its other ways, the call and its branch may go.
//! So a call of this kind stays if, and only if, a branch that decides about it stays; what follows on the
//! other ways and stays makes that branch stay. A call that every way reaches stays as it is.
//!
//! Only functions are looked at that nothing follows: `main`, and the program of Fortran that a `main` calls
//! last. There the statement that ends a program of Fortran goes, too: `main` returns behind it. `_exit` and `abort` are no such calls: they leave out what is registered for the end.
//!
//! Input: the closure. Output: calls. Cost: linear.

use opcost_analysis::memory::MemoryModel;
use opcost_ir::CalleeRef;
use opcost_key::FunctionId;

use crate::closure::Closure;
use crate::library::Fate;
use crate::site::SliceSite;

/// Calls that end the program and run what is registered for that.
const ENDING: &[&str] = &["exit", "_FortranAStopStatement", "_FortranAStopStatementText"];
/// What the `main` of Fortran calls after the program.
const LAST: &str = "_FortranAProgramEndStatement";

impl Closure<'_> {
    /// From now on calls that only decide about the exit status may go.
    pub(crate) fn forget_status(&mut self) {
        let module = self.memory.module;
        for id in module.functions.ids().filter(|&id| is_outermost(self.memory, id)) {
            for &(at, ref call) in &module.functions[id].calls {
                let CalleeRef::Declaration(declared) = call.callee else { continue };
                let site = SliceSite { function: id, instruction: at };
                let fate = match &*module.declarations[declared].name {
                    LAST => Fate::Value,
                    name if ENDING.contains(&name) => Fate::Ends,
                    _ => continue,
                };
                if let Some(old) = self.fates.get_mut(&site) {
                    *old = fate;
                }
            }
        }
    }

    /// Calls that end the program, that do not stay yet, and that a branch that stays decides about.
    pub(crate) fn needed_ends(&self) -> Vec<SliceSite> {
        let ends = self.outside.iter().copied().filter(|site| self.fates[site] == Fate::Ends);
        ends.filter(|&site| !self.stays(site) && self.is_decided_by_what_stays(site)).collect()
    }

    fn is_decided_by_what_stays(&self, site: SliceSite) -> bool {
        let stays = &self.functions[site.function];
        let Some(control) = &stays.control else { return true };
        let body = &self.memory.module.functions[site.function];
        let deciders = control.deciders(stays.block_of[site.instruction]);
        let decides = |&block: &_| {
            self.stays(SliceSite { function: site.function, instruction: body.terminator_of(block) })
        };
        deciders.is_empty() || deciders.iter().any(decides)
    }
}

/// Whether nothing of the program runs after a function returned but what is registered for the end.
fn is_outermost(memory: &MemoryModel<'_>, id: FunctionId) -> bool {
    if memory.roots.main == Some(id) {
        return !memory.calls.callers(id).iter().any(|call| memory.calls.is_reachable(call.function));
    }
    let &[call] = memory.calls.callers(id) else { return false };
    if memory.roots.main != Some(call.function) || memory.calls.is_called_by_others(id) {
        return false;
    }
    let main = &memory.module.functions[call.function];
    let block = main.block_of(call.call);
    let is_last = |declared| memory.module.declarations[declared].name == LAST;
    main.blocks[block].successors.is_empty()
        && !memory.calls.callers(call.function).iter().any(|outer| memory.calls.is_reachable(outer.function))
        && main.instructions_of(block).skip_while(|&at| at != call.call).skip(1).all(|at| {
            main.call(at).is_none_or(|after| match after.callee {
                CalleeRef::Declaration(declared) => is_last(declared),
                _ => false,
            })
        })
}

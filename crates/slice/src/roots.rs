//! What must stay in any case?
//!
//! What a slice must do as the program does: events of loops, in their order;
//! calls of functions of the program; what the outside sees and may answer
//! (input, unknown code, the end of the program); volatile and atomic accesses;
//! handlers of exceptions; the exit status. Cycles that are no natural loops
//! have no event, so all that decides their ways stays: a slice must not end
//! where the program goes round for ever, nor the other way round.
//!
//! Input: the closure, options, loops. Output: roots, added to the closure.

use opcost_ir::{CalleeRef, Flags, Opcode};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::closure::Closure;
use crate::constants::ConstantLoop;
use crate::library::Fate;
use crate::marks::{LoopNumber, MarkedLoop};
use crate::options::{Criterion, Level};
use crate::reason::{Because, How};
use crate::site::SliceSite;

/// What a function has that roots are made of.
pub(crate) struct FunctionRoots<'f> {
    pub(crate) function: FunctionId,
    pub(crate) reached: &'f [BlockId],
    pub(crate) irreducible: &'f [BlockId],
}

impl Closure<'_> {
    /// Roots of one function that is reached.
    pub(crate) fn add_roots(&mut self, of: &FunctionRoots<'_>, level: Level) {
        let body = &self.memory.module.functions[of.function];
        for &block in of.reached {
            for at in body.instructions_of(block) {
                if let Some(how) = self.root_of(SliceSite { function: of.function, instruction: at }, level) {
                    self.need(SliceSite { function: of.function, instruction: at }, Because::root(how));
                }
            }
        }
        for &block in of.irreducible {
            let last = body.terminator_of(block);
            self.need(SliceSite { function: of.function, instruction: last }, Because::root(How::Cycle));
        }
    }

    fn root_of(&self, site: SliceSite, level: Level) -> Option<How> {
        let body = &self.memory.module.functions[site.function];
        let instruction = &body.instructions[site.instruction];
        match instruction.opcode {
            Opcode::Load | Opcode::Store
                if instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC) =>
            {
                Some(How::Observed)
            }
            Opcode::Fence | Opcode::AtomicCmpXchg | Opcode::AtomicRMW | Opcode::VAArg => Some(How::Observed),
            Opcode::LandingPad | Opcode::Resume => Some(How::Exception),
            opcode if opcode.is_call() => self.root_of_call(site, site.instruction, level),
            // A division of 128 bits, where the program has the function for it.
            _ if self.library.may_run_own(body, site.instruction) => Some(How::Library),
            opcode if opcode.is_terminator() && level == Level::Flow => Some(How::Level),
            _ => None,
        }
    }

    fn root_of_call(&self, site: SliceSite, at: InstructionId, level: Level) -> Option<How> {
        let body = &self.memory.module.functions[site.function];
        let call = body.call(at)?;
        let may_throw = body.instructions[at].opcode == Opcode::Invoke;
        match call.callee {
            CalleeRef::Function(_) if level <= Level::Calls => Some(How::Call),
            CalleeRef::Function(_) => may_throw.then_some(How::Exception),
            // It stays where anything of its callees does, as other calls do.
            CalleeRef::Indirect if level == Level::Needed && self.calls_known(site) => {
                may_throw.then_some(How::Exception)
            }
            CalleeRef::Indirect => Some(How::Call),
            CalleeRef::Assembly => Some(How::Library),
            CalleeRef::Declaration(declared) => match self.fates.get(&site) {
                Some(Fate::Stays) | None => {
                    let effect = self.memory.externals.effect(body, at, declared);
                    let is_unknown = effect.does_anything || !self.memory.externals.is_known(declared);
                    let is_intrinsic = self.memory.module.declarations[declared].is_intrinsic;
                    Some(if is_unknown && !is_intrinsic { How::Unknown } else { How::Library })
                }
                Some(_) => may_throw.then_some(How::Exception),
            },
        }
    }

    /// Whether all functions that a call may call are functions of the program, and are known.
    fn calls_known(&self, site: SliceSite) -> bool {
        let callees = self.memory.addresses.callees(site.function, site.instruction);
        callees.is_some_and(|callees| {
            !callees.is_open && callees.callbacks.is_empty() && !callees.functions.is_empty()
        })
    }

    /// The events of a loop stay where they are; those of a constant loop need not all be there.
    pub(crate) fn add_loop(&mut self, number: LoopNumber, one: &MarkedLoop, constant: Option<ConstantLoop>) {
        let because = Because::root(How::Loop(number));
        let body = &self.memory.module.functions[one.function];
        if constant.is_none() {
            self.need_block(one.function, one.header, because);
        }
        if constant.is_some_and(|constant| constant.entries.is_some()) {
            return;
        }
        for &(block, _) in &one.entries {
            self.need_block(one.function, block, because);
            if body.blocks[block].successors.len() > 1 {
                self.need(
                    SliceSite { function: one.function, instruction: body.terminator_of(block) },
                    because,
                );
            }
        }
        if self.calls_follow {
            for call in self.memory.calls.callers(one.function).to_vec() {
                self.need(call.into(), because);
            }
        }
    }

    /// What was asked for stays.
    pub(crate) fn add_criterion(&mut self, criterion: &Criterion) {
        for &site in &criterion.sites {
            let because = Because::root(How::Line);
            self.need(site, because);
            self.need_value(site.function, opcost_ir::Value::Instruction(site.instruction), because);
        }
    }
}

//! What was each instruction of a metered function before?

use opcost_index::Id;
use opcost_ir::{Call, CalleeRef, Function, FunctionText, Length, Module, Opcode, Type, Value};
use opcost_key::{FunctionId, InstructionId};

use super::input::{Audit, Fault};
use super::paid::{Folded, Prepaid};
use crate::fuel::fuel_access::{FuelAccess, fuel_access};

/// The cell of fuel, as constants name it.
const CELL: &str = "@opc_fuel";
/// The address space whose start is the cell of a module that nobody trusts.
const HIDDEN: u32 = 256;
/// What a question calls.
const USED_UP: &str = "opc_fuel_used_up";

/// One metered function, with what it was before.
pub(super) struct Before<'a> {
    pub(super) audit: &'a Audit<'a>,
    pub(super) folded: &'a Folded,
    pub(super) prepaid: &'a Prepaid,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
}

impl<'a> Before<'a> {
    pub(super) fn new(
        audit: &'a Audit<'a>,
        folded: &'a Folded,
        prepaid: &'a Prepaid,
        id: FunctionId,
    ) -> Before<'a> {
        Before { audit, folded, prepaid, id, function: &audit.metered.functions[id] }
    }

    pub(super) fn module(&self) -> &'a Module {
        self.audit.metered
    }

    /// The instructions that it was; none for metering.
    pub(super) fn origins(&self, at: InstructionId) -> &'a [InstructionId] {
        &self.audit.origins[self.id][at]
    }

    /// Whether it belongs to the metering.
    pub(super) fn is_metering(&self, at: InstructionId) -> bool {
        self.origins(at).is_empty()
    }

    /// What it costs, with a callee that is paid for with its call and a loop that
    /// is paid for where it is entered.
    pub(super) fn weight(&self, at: InstructionId) -> i64 {
        if self.prepaid.contains(self.function.block_of(at)) {
            return 0;
        }
        let function = &self.audit.before.functions[self.id];
        let weight = |&origin| i64::from(self.audit.cost.weight(self.audit.before, function, origin));
        let called = self.function.call(at).and_then(|call| self.folded_into(call.callee));
        self.origins(at).iter().map(weight).sum::<i64>() + called.unwrap_or(0) + self.prepaid.at_entry(at)
    }

    /// Whether something is charged in addition to that, when it runs.
    pub(super) fn is_measured(&self, at: InstructionId) -> bool {
        self.length(at).is_some() || self.prepaid.is_computed(at)
    }

    /// What is charged in addition to that, when it runs.
    pub(super) fn length(&self, at: InstructionId) -> Option<Length> {
        let function = &self.audit.before.functions[self.id];
        self.origins(at)
            .iter()
            .find_map(|&origin| self.audit.cost.length(self.audit.before, function, origin))
    }

    /// A call of the program's own that may look at the cell, or does not
    /// come back.
    pub(super) fn looking_call(&self, at: InstructionId) -> Option<&'a Call> {
        let call = self.function.call(at).filter(|_| !self.is_metering(at))?;
        if self.folded_into(call.callee).is_some() {
            return None;
        }
        let is_looking = fuel_access(self.module(), call, self.audit.own_in_calls) != FuelAccess::Never
            || call.is_noreturn
            || call.returns_twice;
        is_looking.then_some(call)
    }

    /// Whether the operand is the cell of fuel.
    pub(super) fn is_cell(&self, value: Value) -> bool {
        let Value::Constant(id) = value else { return false };
        let constant = &self.module().constants[id];
        let is_hidden = self.module().types[constant.ty] == Type::Pointer(HIDDEN);
        &*constant.text == CELL || (is_hidden && &*constant.text == "null")
    }

    /// Whether this function is handed what is left, and gives it back.
    pub(super) fn is_handed(&self, id: FunctionId) -> bool {
        self.audit.metered.functions[id].parameters > self.audit.before.functions[id].parameters
    }

    /// Whether the operand is the hand: the parameter that the function did not
    /// have before, or a cell of the frame that only metering uses.
    pub(super) fn is_hand(&self, value: Value) -> bool {
        match value {
            Value::Argument(position) => self.is_handed(self.id) && position + 1 == self.function.parameters,
            Value::Instruction(at) => {
                self.is_metering(at) && self.function.instructions[at].opcode == Opcode::Alloca
            }
            _ => false,
        }
    }

    /// Whether a call takes what is left in the hand.
    pub(super) fn is_handed_over(&self, call: &Call) -> bool {
        matches!(call.callee, CalleeRef::Function(id) if self.is_handed(id))
    }

    /// A number that is a constant.
    pub(super) fn number(&self, value: Value) -> Option<i64> {
        let Value::Constant(id) = value else { return None };
        self.module().constants[id].text.parse().ok()
    }

    /// Whether it is the call by which a question stops the program.
    pub(super) fn is_stop(&self, at: InstructionId) -> bool {
        let call = self.function.call(at).filter(|_| self.is_metering(at));
        matches!(call.map(|call| call.callee), Some(CalleeRef::Declaration(id))
            if self.module().declarations[id].name == USED_UP)
    }

    /// Whether it ends the program where it must not come.
    pub(super) fn is_trap(&self, at: InstructionId) -> bool {
        let call = self.function.call(at).filter(|_| self.is_metering(at));
        call.and_then(|call| self.module().intrinsic_name(call.callee)) == Some("llvm.trap")
    }

    /// Whether the frame no longer exists while the callee runs, if its work says so: a tail call
    /// with its `ret` directly after it.
    pub(super) fn return_behind(&self, at: InstructionId) -> Option<InstructionId> {
        let call = self.function.call(at)?;
        let is_tail = matches!(call.tail, opcost_ir::TailKind::Tail | opcost_ir::TailKind::MustTail);
        let end = self.function.terminator_of(self.function.block_of(at));
        let is_ret = self.function.instructions[end].opcode == Opcode::Ret;
        let is_behind = end.index() - at.index() <= 2;
        (is_tail && is_ret && is_behind).then_some(end)
    }

    pub(super) fn object(&self, at: InstructionId, what: impl Into<String>) -> Fault {
        let text = FunctionText::new(self.module(), self.function);
        let block = text.block(self.function.block_of(at));
        Fault {
            function: self.function.name.clone(),
            at: format!("'{}' in {block}", text.instruction(at)),
            what: what.into(),
        }
    }

    /// What the callee of a call costs, if that is part of the call.
    pub(super) fn folded_into(&self, callee: CalleeRef) -> Option<i64> {
        match callee {
            CalleeRef::Function(id) => self.folded[id],
            _ => None,
        }
    }
}

/// The first instruction of the program on the way from here that leads over
/// metering alone; the ways of a question meet again before it.
pub(super) fn next_of_program(before: &Before<'_>, at: InstructionId) -> Option<InstructionId> {
    let function = before.function;
    let mut block = function.block_of(at);
    let mut from = at.index() + 1;
    for _ in 0..function.blocks.len() {
        let rest = function.instructions_of(block).filter(|id| id.index() >= from);
        if let Some(found) = rest.into_iter().find(|&id| !before.is_metering(id)) {
            return Some(found);
        }
        block = *function.blocks[block].successors.last()?;
        from = 0;
    }
    None
}

//! Which bytes does a pointer point to, under the calls that led here?
//!
//! From a pointer back along the only way that it can have come: constant steps, casts, the
//! argument at the call that is known, the only return of a function, the only store to a variable
//! that holds it. So two calls of one function with two variables are distinguished, which a search
//! that knows no calls cannot do. Where there are several ways the answer is [`Placed::Several`],
//! and memory's own points-to sets are asked. Cost: the length of the way, bounded.

use opcost_ir::{ConstantValue, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use super::asked::{Asked, Origin, Point, is_opaque};
use super::calls::returns_of;
use super::contexts::ContextId;
use super::memory::{Cell, MemoryQueries, Object};
use super::placed::{Index, IndexedWay, Placed};
use super::search::{Ask, Search};
use super::steps::{Way, way_of};
use opcost_library::effect::ResultKind;

/// Steps of one way back.
const LONGEST: u32 = 64;

/// A pointer on the way back.
#[derive(Clone, Copy)]
struct At {
    function: FunctionId,
    value: Value,
    context: ContextId,
}

enum Next {
    /// In the same activation.
    Go(At),
    /// In another one, or perhaps.
    Leave(At),
    Stop(Placed),
}

impl<M: MemoryQueries> Search<'_, '_, M>
where
    Self: Ask,
{
    /// The way back of a pointer, step by step.
    pub(super) fn way_back(&mut self, function: FunctionId, value: Value, context: ContextId) -> Placed {
        let mut at = At { function, value, context };
        let mut way = IndexedWay::default();
        let mut is_home = true;
        for _ in 0..LONGEST {
            if !self.burn() {
                return Placed::Several;
            }
            match self.step_back(at, &mut way) {
                Some(Next::Go(next)) => at = next,
                Some(Next::Leave(next)) => (at, is_home) = (next, false),
                Some(Next::Stop(placed)) => return finish(placed, way, is_home),
                None => return Placed::Several,
            }
        }
        Placed::Several
    }

    fn step_back(&mut self, at: At, way: &mut IndexedWay) -> Option<Next> {
        let module = self.shared.module;
        let here = |object| Some(Next::Stop(Placed::At { object, offset: 0, is_own: false }));
        match at.value {
            Value::Constant(id) => match module.constants[id].value {
                ConstantValue::Global { global, offset } => {
                    Some(Next::Stop(Placed::At { object: Object::Global(global), offset, is_own: false }))
                }
                ConstantValue::Null => Some(Next::Stop(Placed::Null)),
                _ => None,
            },
            Value::Argument(position) => self.argument_back(at, position),
            Value::Instruction(id) => {
                let function = self.shared.function(at.function);
                let operand = |position: usize| {
                    let value = *function.operands_of(id).get(position)?;
                    Some(Next::Go(At { value, ..at }))
                };
                match function.instructions[id].opcode {
                    Opcode::Alloca => here(Object::Local(at.function, id)),
                    Opcode::BitCast | Opcode::AddrSpaceCast | Opcode::Freeze => operand(0),
                    Opcode::GetElementPtr => {
                        let found = way_of(module, &self.shared.layout, function, id)?;
                        self.add(way, found, at)?;
                        operand(0)
                    }
                    Opcode::Phi => self.only_incoming(at, id).map(|value| Next::Go(At { value, ..at })),
                    Opcode::Load => self.loaded_pointer(at, id),
                    opcode if opcode.is_call() => self.called_pointer(at, id),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Adds a way, whose indices may be known here.
    fn add(&mut self, way: &mut IndexedWay, found: Way, at: At) -> Option<()> {
        way.bytes = way.bytes.checked_add(found.bytes)?;
        for (value, stride) in found.indices {
            let number = self.number(at.function, value, at.context);
            match number {
                Some(number) => {
                    let index = i64::try_from(number).ok()?;
                    let bytes = index.checked_mul(i64::try_from(stride).ok()?)?;
                    way.bytes = way.bytes.checked_add(bytes)?;
                }
                None => {
                    way.indices.push(Index { function: at.function, context: at.context, value, stride });
                }
            }
        }
        Some(())
    }

    /// The value that a phi always has, if it is one.
    pub(super) fn only_incoming_of(&self, function: FunctionId, id: InstructionId) -> Option<Value> {
        let own = Value::Instruction(id);
        let operands = self.shared.function(function).operands_of(id);
        let mut values = operands.iter().step_by(2).filter(|&&value| value != own);
        let first = *values.next()?;
        values.all(|&value| value == first).then_some(first)
    }

    fn only_incoming(&self, at: At, id: InstructionId) -> Option<Value> {
        self.only_incoming_of(at.function, id)
    }

    fn argument_back(&mut self, at: At, position: u32) -> Option<Next> {
        let function = self.shared.function(at.function);
        let facts = function.parameter_facts.get(position as usize);
        if facts.is_some_and(|facts| facts.byval.is_some()) {
            let object = Object::Copy(at.function, position);
            return Some(Next::Stop(Placed::At { object, offset: 0, is_own: false }));
        }
        let top = self.shared.contexts.borrow().top(at.context);
        if let Some(frame) = top {
            let value = self.shared.passed(at.function, position, frame.function, frame.call)?;
            return Some(Next::Leave(At { function: frame.function, value, context: frame.parent }));
        }
        let callers = &self.shared.calls.callers[at.function];
        if callers.sites.is_empty() && (callers.is_start || callers.from_outside) {
            return Some(Next::Stop(Placed::Foreign));
        }
        let stop = Placed::Parameter { function: at.function, position, offset: 0 };
        let only = match callers.sites.as_slice() {
            [site] if !callers.from_outside && !callers.is_start && !callers.by_itself => site,
            _ => return Some(Next::Stop(stop)),
        };
        let (function, call) = (only.function, only.call);
        let value = self.shared.passed(at.function, position, function, call)?;
        Some(Next::Leave(At { function, value, context: ContextId::empty() }))
    }

    /// The pointer that the only store of the variable stored.
    fn loaded_pointer(&mut self, at: At, load: InstructionId) -> Option<Next> {
        let (function, value, context) = self.only_stored(at.function, load, at.context)?;
        Some(Next::Leave(At { function, value, context }))
    }

    /// The value that a load certainly reads, where it was stored.
    pub(super) fn only_stored(
        &mut self,
        function: FunctionId,
        load: InstructionId,
        context: ContextId,
    ) -> Option<(FunctionId, Value, ContextId)> {
        let code = self.shared.function(function);
        let instruction = &code.instructions[load];
        if is_opaque(instruction.flags) {
            return None;
        }
        let size = self.shared.layout.size(instruction.ty)?;
        let address = *code.operands_of(load).first()?;
        let Placed::At { object, offset, is_own } = self.place(function, address, context) else {
            return None;
        };
        let cell = Cell { object, offset, size };
        let point = Point { function, before: Some(load), context };
        let found = self.definitions(point, Asked { cell, is_own, tag: None });
        let [only] = found.list.as_slice() else { return None };
        let Origin::Write(writer, store) = only.origin else { return None };
        let code = self.shared.function(writer);
        if only.is_possible || code.instructions[store].opcode != Opcode::Store {
            return None;
        }
        let &[value, address] = code.operands_of(store) else { return None };
        let written = self.shared.layout.size(code.instructions[store].second_type?)?;
        let is_exact = written == size
            && matches!(self.place(writer, address, only.context),
                Placed::At { object, offset, .. } if object == cell.object && offset == cell.offset);
        is_exact.then_some((writer, value, only.context))
    }

    fn called_pointer(&mut self, at: At, call: InstructionId) -> Option<Next> {
        let function = self.shared.function(at.function);
        if let Some(callees) = self.shared.calls.callees(at.function, call) {
            let [callee] = *callees.functions.as_slice() else { return None };
            if !callees.is_direct {
                return None;
            }
            let mut returns = returns_of(self.shared.module, callee);
            let (_, value) = returns.next()?;
            if returns.next().is_some() {
                return None;
            }
            let context = self.shared.enter(at.context, at.function, call, callee);
            return Some(Next::Leave(At { function: callee, value: value?, context }));
        }
        let effect = self.shared.memory.effect(at.function, call)?;
        match effect.result {
            ResultKind::Fresh { .. } => {
                let object = Object::Fresh(at.function, call);
                Some(Next::Stop(Placed::At { object, offset: 0, is_own: false }))
            }
            ResultKind::Parameter(position) => {
                let value = *function.arguments_of(call).get(position as usize)?;
                Some(Next::Go(At { value, ..at }))
            }
            _ => None,
        }
    }
}

/// The place at the end of the way.
fn finish(placed: Placed, way: IndexedWay, is_home: bool) -> Placed {
    match placed {
        Placed::At { object, offset, .. } => {
            let Some(offset) = offset.checked_add(way.bytes) else { return Placed::Several };
            if way.indices.is_empty() {
                let is_own = is_home && matches!(object, Object::Local(..));
                return Placed::At { object, offset, is_own };
            }
            Placed::Elements { object, way: IndexedWay { bytes: offset, ..way } }
        }
        Placed::Parameter { function, position, offset } if way.indices.is_empty() => {
            let Some(offset) = offset.checked_add(way.bytes) else { return Placed::Several };
            Placed::Parameter { function, position, offset }
        }
        Placed::Parameter { .. } => Placed::Several,
        other => other,
    }
}

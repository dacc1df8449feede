//! Is a value one number, under the calls that led here?
//!
//! For indices and lengths on the way: constants through registers, through
//! the argument of a call that is known, and through a variable that certainly
//! holds one stored value. Numbers are signed at the width of their type.
//! Cost: bounded; each value once.

use opcost_ir::{ConstantValue, Opcode, Value};
use opcost_key::FunctionId;

use super::contexts::ContextId;
use super::evaluate::{Number, operate};
use super::memory::MemoryQueries;
use super::search::{Ask, Search};

/// How deep values may be nested.
const DEEPEST: u32 = 12;

impl<M: MemoryQueries> Search<'_, '_, M>
where
    Self: Ask,
{
    /// The number of a value that is so deep in others.
    pub(super) fn whole(
        &mut self,
        function: FunctionId,
        value: Value,
        context: ContextId,
        depth: u32,
    ) -> Option<Number> {
        let module = self.shared.module;
        if let Value::Constant(id) = value {
            let constant = &module.constants[id];
            let bits = u32::try_from(self.shared.layout.bits(constant.ty)?).ok()?;
            return match constant.value {
                ConstantValue::Integer(value) => Some(Number { value, bits }),
                _ => None,
            };
        }
        let key = (function, value, context);
        if let Some(&known) = self.shared.numbers.borrow().get(&key) {
            return known;
        }
        if depth >= DEEPEST || !self.burn() {
            return None;
        }
        self.shared.numbers.borrow_mut().insert(key, None);
        let found = match value {
            Value::Argument(position) => self.passed_number(function, position, context, depth),
            Value::Instruction(id) => {
                let code = self.shared.function(function);
                match code.instructions[id].opcode {
                    Opcode::Phi => self
                        .only_incoming_of(function, id)
                        .and_then(|value| self.whole(function, value, context, depth + 1)),
                    Opcode::Load => {
                        let found = self.only_stored(function, id, context);
                        found.and_then(|(function, value, context)| {
                            self.whole(function, value, context, depth + 1)
                        })
                    }
                    _ => {
                        let operands: Option<Vec<Number>> = code
                            .operands_of(id)
                            .iter()
                            .map(|&operand| self.whole(function, operand, context, depth + 1))
                            .collect();
                        operands.and_then(|operands| operate(module, &code.instructions[id], &operands))
                    }
                }
            }
            _ => None,
        };
        match self.fuel {
            0 => _ = self.shared.numbers.borrow_mut().remove(&key),
            _ => _ = self.shared.numbers.borrow_mut().insert(key, found),
        }
        found
    }

    fn passed_number(
        &mut self,
        function: FunctionId,
        position: u32,
        context: ContextId,
        depth: u32,
    ) -> Option<Number> {
        let top = self.shared.contexts.borrow().top(context);
        if let Some(frame) = top {
            let value = self.shared.passed(function, position, frame.function, frame.call)?;
            return self.whole(frame.function, value, frame.parent, depth + 1);
        }
        let callers = &self.shared.calls.callers[function];
        let is_entered = callers.from_outside || callers.is_start || callers.by_itself;
        let [site] = callers.sites.as_slice() else { return None };
        if is_entered {
            return None;
        }
        let value = self.shared.passed(function, position, site.function, site.call)?;
        self.whole(site.function, value, ContextId::empty(), depth + 1)
    }
}

//! Which file does a unit represent? The `OPEN` statements of a module.
//!
//! A statement begins with a call whose result, the cookie, represents it in the calls that follow.
//! The unit is followed as a number, the file's name as a constant string. Cost: linear in the
//! calls of the runtime, once.

use opcost_ir::{CalleeRef, ConstantValue, Value};
use opcost_key::{FunctionId, InstructionId};

use super::contexts::ContextId;
use super::memory::{MemoryQueries, Object};
use super::placed::Placed;
use super::search::{Ask, Search};
use super::steps::signed;
use crate::memory::contents::text_at;
use opcost_library::effect::Statement;

/// An `OPEN` statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Open {
    /// The unit, if it is one number.
    pub(super) unit: Option<i128>,
    /// The file, if its name is known.
    pub(super) file: Option<String>,
}

impl<M: MemoryQueries> Search<'_, '_, M> {
    /// All `OPEN` statements.
    pub(super) fn opens(&mut self) -> Vec<Open> {
        let module = self.shared.module;
        let mut opens = Vec::new();
        for (id, code) in module.functions.iter() {
            for &(at, ref call) in &code.calls {
                let CalleeRef::Declaration(_) = call.callee else { continue };
                let statement = self.shared.memory.effect(id, at).and_then(|effect| effect.statement);
                if let Some(Statement::Open(position)) = statement {
                    let unit = code.arguments_of(at).get(position as usize).copied();
                    let unit = unit.and_then(|unit| self.number(id, unit, ContextId::empty()));
                    opens.push(Open { unit, file: self.file_of(id, at) });
                }
            }
        }
        opens
    }

    /// The name that a statement is given.
    fn file_of(&mut self, function: FunctionId, open: InstructionId) -> Option<String> {
        let module = self.shared.module;
        let code = &module.functions[function];
        let cookie = Value::Instruction(open);
        for &(at, _) in &code.calls {
            let statement = self.shared.memory.effect(function, at).and_then(|effect| effect.statement);
            let Some(Statement::File(name, length)) = statement else { continue };
            let arguments = code.arguments_of(at);
            if arguments.first() != Some(&cookie) {
                continue;
            }
            let length = u64::try_from(signed(module, *arguments.get(length as usize)?)?).ok()?;
            let name = self.place(function, *arguments.get(name as usize)?, ContextId::empty());
            let Placed::At { object: Object::Global(global), offset, .. } = name else { return None };
            let mut constants = module.constants.iter();
            let value = ConstantValue::Global { global, offset };
            let (id, _) = constants.find(|(_, constant)| constant.value == value)?;
            return text_at(module, Value::Constant(id), length).map(|text| text.trim_end().to_owned());
        }
        None
    }
}

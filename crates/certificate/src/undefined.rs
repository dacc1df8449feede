//! Which values may be undefined, another word at each use?
//!
//! Constants `undef`, what is loaded from where perhaps nothing was written, and
//! what is made of them. Results of code that is not seen and parameters that
//! are promised not to be (`noundef`) are none; a `freeze` is none. What lies in
//! data is none if nothing undefined is ever stored there. Where the certificate
//! says that it takes what is loaded or given for one word, that is none either.
//! Cost: rounds over the module until nothing is news.

use std::collections::HashSet;

use opcost_index::IdMap;
use opcost_ir::{CalleeRef, ConstantValue, Module, Opcode, ScalarValue, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::origins::{AllOrigins, Object, ObjectId};

/// A set of values, by function.
type Values = HashSet<(FunctionId, Value)>;

/// Values that may be undefined.
#[derive(Debug)]
pub(crate) struct Undefined {
    values: Values,
    returned: IdMap<FunctionId, bool>,
    objects: IdMap<ObjectId, bool>,
    /// Whether what is loaded or given is one word at all its uses.
    one_word: bool,
}

impl Undefined {
    /// Of a module.
    pub(crate) fn of(module: &Module, origins: &AllOrigins<'_>, one_word: bool) -> Undefined {
        let objects = origins.objects.iter().map(|(id, object)| match object {
            Object::Data(global) => {
                let contents = module.globals[*global].contents.as_ref();
                let is_constant = module.globals[*global].is_constant;
                let holds_none = contents.is_some_and(|contents| {
                    contents.is_complete
                        && contents
                            .scalars
                            .iter()
                            .all(|&(_, _, scalar)| scalar != ScalarValue::Constant(ConstantValue::Undef))
                });
                !holds_none || origins.is_open(id) && !is_constant
            }
            _ => true,
        });
        let mut undefined = Undefined {
            values: Values::new(),
            returned: IdMap::filled(module.functions.len(), false),
            objects: objects.collect(),
            one_word,
        };
        while undefined.run_pass(module, origins) {}
        undefined
    }

    /// Whether a value may be.
    pub(crate) fn contains(&self, function: FunctionId, value: Value) -> bool {
        self.values.contains(&(function, value))
    }

    fn is(&self, module: &Module, function: FunctionId, value: Value) -> bool {
        match value {
            Value::Constant(id) => matches!(
                module.constants[id].value,
                ConstantValue::Undef | ConstantValue::Poison | ConstantValue::Other
            ),
            _ => self.contains(function, value),
        }
    }

    fn run_pass(&mut self, module: &Module, origins: &AllOrigins<'_>) -> bool {
        let mut is_news = false;
        for (id, function) in module.functions.iter() {
            for position in 0..function.parameters {
                let facts = function.parameter_facts.get(position as usize);
                let is_promised = facts.is_some_and(|facts| facts.is_noundef);
                if !is_promised && !self.one_word && !origins.is_called_here_only[id] {
                    is_news |= self.values.insert((id, Value::Argument(position)));
                }
            }
            for (at, _) in function.instructions.iter() {
                if self.makes(module, origins, id, at) {
                    is_news |= self.values.insert((id, Value::Instruction(at)));
                }
                is_news |= self.hand_over(module, origins, id, at);
            }
        }
        is_news
    }

    /// Whether an instruction may give one.
    fn makes(&self, module: &Module, origins: &AllOrigins<'_>, id: FunctionId, at: InstructionId) -> bool {
        let function = &module.functions[id];
        let operands = function.operands_of(at);
        match function.instructions[at].opcode {
            Opcode::Freeze | Opcode::Alloca => false,
            Opcode::Load if self.one_word => false,
            Opcode::Load => {
                let from = origins.origins(id, operands[0]);
                from.is_unknown || from.targets.keys().any(|&object| self.objects[object])
            }
            Opcode::Call | Opcode::Invoke => match function.call(at).map(|call| call.callee) {
                Some(CalleeRef::Function(callee)) if origins.is_final(callee) => self.returned[callee],
                Some(callee @ CalleeRef::Declaration(_)) => {
                    module.intrinsic_name(callee).is_some()
                        && function.arguments_of(at).iter().any(|&value| self.is(module, id, value))
                }
                _ => false,
            },
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg => true,
            _ => operands.iter().any(|&value| self.is(module, id, value)),
        }
    }

    /// What is stored, given and returned.
    fn hand_over(
        &mut self,
        module: &Module,
        origins: &AllOrigins<'_>,
        id: FunctionId,
        at: InstructionId,
    ) -> bool {
        let function = &module.functions[id];
        let operands = function.operands_of(at);
        let mut is_news = false;
        match function.instructions[at].opcode {
            Opcode::Store if self.is(module, id, operands[0]) => {
                for object in origins.origins(id, operands[1]).targets.into_keys() {
                    is_news |= !std::mem::replace(&mut self.objects[object], true);
                }
            }
            Opcode::Ret if operands.first().is_some_and(|&value| self.is(module, id, value)) => {
                is_news |= !std::mem::replace(&mut self.returned[id], true);
            }
            Opcode::Call | Opcode::Invoke => {
                let callee = function.call(at).map(|call| call.callee);
                if let Some(CalleeRef::Function(callee)) = callee {
                    for (position, &value) in (0..module.functions[callee].parameters).zip(operands) {
                        let facts = module.functions[callee].parameter_facts.get(position as usize);
                        let is_promised = facts.is_some_and(|facts| facts.is_noundef);
                        if !is_promised && self.is(module, id, value) {
                            is_news |= self.values.insert((callee, Value::Argument(position)));
                        }
                    }
                }
                // A copy brings along what lies in its source.
                let name = callee.and_then(|callee| module.intrinsic_name(callee)).unwrap_or("");
                let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
                if copies || (name.starts_with("llvm.memset.") && self.is(module, id, operands[1])) {
                    let from = origins.origins(id, operands[1]);
                    let brings =
                        !copies || from.is_unknown || from.targets.keys().any(|&object| self.objects[object]);
                    for object in origins.origins(id, operands[0]).targets.into_keys().filter(|_| brings) {
                        is_news |= !std::mem::replace(&mut self.objects[object], true);
                    }
                }
            }
            _ => {}
        }
        is_news
    }
}

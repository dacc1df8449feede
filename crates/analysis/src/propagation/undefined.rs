//! Which values may be undefined, another word at each use?
//!
//! `undef` is any word, and another one at each use; so is what is computed from
//! it, up to a `freeze`. What is loaded, and what code that is not seen gives or
//! returns, is taken for one word ([`propagation`](super)). So what is left are
//! constants of which it is not known that they are words, and what they lead to:
//! results, parameters of functions that are called with them, results of calls
//! that return them. Poison is none: whatever is computed from it is poison.
//!
//! What a call gives to a parameter that is promised to be defined (`noundef`)
//! does not count. Atomic operations and `va_arg` may give any word.
//!
//! Input: a module and whom calls may call. Output: [`UndefinedValues`]. Cost:
//! each function once, and again when one of its parameters or callees is news.

use opcost_index::{IdMap, IdSet};
use opcost_ir::{ConstantValue, Function, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::memory::MemoryModel;

/// Values that may be undefined.
pub(super) struct UndefinedValues<'a> {
    program: &'a MemoryModel<'a>,
    functions: IdMap<FunctionId, UndefinedOf>,
}

/// Those of a function.
#[derive(Clone, Debug, Default)]
struct UndefinedOf {
    results: IdSet<InstructionId>,
    /// By position.
    arguments: Vec<u32>,
    returned: bool,
}

impl<'a> UndefinedValues<'a> {
    /// Of a module.
    pub(super) fn of(program: &'a MemoryModel<'a>) -> UndefinedValues<'a> {
        let module = program.module;
        let functions = IdMap::filled(module.functions.len(), UndefinedOf::default());
        let mut found = UndefinedValues { program, functions };
        let mut work: Vec<FunctionId> = module.functions.ids().collect();
        let mut is_waiting = IdMap::filled(module.functions.len(), true);
        while let Some(id) = work.pop() {
            is_waiting[id] = false;
            for other in found.scan(id) {
                if !std::mem::replace(&mut is_waiting[other], true) {
                    work.push(other);
                }
            }
        }
        found
    }

    /// Whether a value may be.
    pub(super) fn contains(&self, id: FunctionId, value: Value) -> bool {
        let known = &self.functions[id];
        match value {
            Value::Instruction(at) => known.results.contains(at),
            Value::Argument(position) => known.arguments.contains(&position),
            Value::Constant(constant) => {
                let value = self.program.module.constants[constant].value;
                matches!(value, ConstantValue::Undef | ConstantValue::Other)
            }
            _ => false,
        }
    }

    /// Goes over a function until nothing in it is news, and returns which others must be looked at
    /// again.
    fn scan(&mut self, id: FunctionId) -> Vec<FunctionId> {
        let program = self.program;
        let function = &program.module.functions[id];
        let mut is_news = true;
        while std::mem::take(&mut is_news) {
            for (at, _) in function.instructions.iter() {
                if !self.functions[id].results.contains(at) && self.makes(id, at) {
                    self.functions[id].results.insert(at);
                    is_news = true;
                }
            }
        }
        let mut others = Vec::new();
        for (at, instruction) in function.instructions.iter() {
            if instruction.opcode.is_call() {
                self.give(id, at, &mut others);
            }
        }
        if !self.functions[id].returned && self.returns(id, function) {
            self.functions[id].returned = true;
            others.extend(program.calls.callers(id).iter().map(|site| site.function));
        }
        others
    }

    /// Whether an instruction gives one.
    fn makes(&self, id: FunctionId, at: InstructionId) -> bool {
        let program = self.program;
        let function = &program.module.functions[id];
        let opcode = function.instructions[at].opcode;
        match opcode {
            Opcode::Freeze | Opcode::Alloca | Opcode::Load => false,
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg => true,
            _ if opcode.is_call() => {
                let callee = function.call(at).map(|call| call.callee);
                let computes = callee.is_some_and(|callee| program.module.intrinsic_name(callee).is_some());
                let called = program.addresses.callees(id, at).map_or(&[][..], |called| &called.functions);
                computes && function.arguments_of(at).iter().any(|&value| self.contains(id, value))
                    || called.iter().any(|&callee| self.functions[callee].returned)
            }
            _ => function.operands_of(at).iter().any(|&value| self.contains(id, value)),
        }
    }

    fn returns(&self, id: FunctionId, function: &Function) -> bool {
        function.instructions.iter().any(|(at, instruction)| {
            let returned = function.operands_of(at).first();
            instruction.opcode == Opcode::Ret && returned.is_some_and(|&value| self.contains(id, value))
        })
    }

    /// What a call gives to its callees.
    fn give(&mut self, id: FunctionId, at: InstructionId, others: &mut Vec<FunctionId>) {
        let program = self.program;
        let Some(callees) = program.addresses.callees(id, at) else { return };
        let arguments = program.module.functions[id].arguments_of(at);
        for (position, &argument) in (0..).zip(arguments) {
            if !self.contains(id, argument) {
                continue;
            }
            for &callee in &callees.functions {
                let facts = program.module.functions[callee].parameter_facts.get(position as usize);
                let is_promised = facts.is_some_and(|facts| facts.is_noundef);
                let known = &mut self.functions[callee].arguments;
                if !is_promised && !known.contains(&position) {
                    known.push(position);
                    others.push(callee);
                }
            }
        }
    }
}

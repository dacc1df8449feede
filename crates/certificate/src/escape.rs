//! Into which objects may code write that is not followed?
//!
//! Into those whose address is stored, turned into a number, given to code that
//! may keep or write it, returned to unseen callers, exported, or lies in data.
//! Cost: linear in the operands of the module.

use std::collections::BTreeMap;

use opcost_ir::{
    CalleeRef, ConstantValue, Function, Global, GlobalKind, Linkage, Opcode, ScalarValue, Type, Value,
};
use opcost_key::{FunctionId, InstructionId};

use crate::origins::{AllOrigins, Object, ObjectId, ValueOrigins};
use crate::places::Places;

impl AllOrigins<'_> {
    /// Opens all objects whose address goes where it is not followed.
    pub(crate) fn find_open(&mut self) {
        let mut opened: Vec<ValueOrigins> = Vec::new();
        for (id, function) in self.module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                // Several pointers at once (a vector of them) are not followed.
                let is_followed = self.is_pointer(instruction.ty);
                for &value in function.operands_of(at) {
                    let leaves = matches!(
                        instruction.opcode,
                        Opcode::GetElementPtr
                            | Opcode::Phi
                            | Opcode::Select
                            | Opcode::Freeze
                            | Opcode::BitCast
                    );
                    let keeps = leaves && !is_followed
                        || !matches!(
                            instruction.opcode,
                            Opcode::Load
                                | Opcode::GetElementPtr
                                | Opcode::Phi
                                | Opcode::Select
                                | Opcode::Freeze
                                | Opcode::BitCast
                                | Opcode::ICmp
                        );
                    if keeps && self.gets_away(id, function, at, value) {
                        opened.push(self.origins(id, value));
                    }
                }
            }
        }
        for id in self.module.globals.ids() {
            let global = &self.module.globals[id];
            let is_own = (global.linkage == Linkage::Local || self.is_closed())
                && !global.is_declared
                && !global.is_thread_local
                && !self.module.has_module_assembly
                && global.kind == GlobalKind::Variable;
            if !is_own || self.outside.globals.contains(id) {
                opened.push(ValueOrigins::only(self.ids[&Object::Data(id)], Places::exact(0)));
            }
            // Its address lies in data that may be read.
            for &(_, _, scalar) in global.contents.iter().flat_map(|contents| &contents.scalars) {
                if let ScalarValue::Constant(ConstantValue::Global { global, .. }) = scalar {
                    opened.push(ValueOrigins::only(self.ids[&Object::Data(global)], Places::exact(0)));
                }
            }
            let is_told = global.contents.as_ref().is_some_and(|contents| contents.is_complete);
            if !is_told && global.kind != GlobalKind::Variable {
                opened.push(ValueOrigins { targets: self.all_data(), is_unknown: true });
            }
        }
        if self.has_untold_addresses() {
            opened.push(ValueOrigins { targets: self.all_data(), is_unknown: true });
        }
        for object in opened.iter().flat_map(|origins| origins.targets.keys()) {
            self.open[*object] = true;
        }
    }

    fn all_data(&self) -> BTreeMap<ObjectId, Places> {
        let data = self.objects.iter().filter(|(_, object)| matches!(object, Object::Data(_)));
        data.map(|(id, _)| (id, Places::exact(0))).collect()
    }

    /// A constant of code or data that is not described may hold any address of data.
    fn has_untold_addresses(&self) -> bool {
        let untold = |global: &Global| {
            let contents = global.contents.as_ref();
            let has_other = contents.is_some_and(|contents| {
                !contents.is_complete
                    || contents.scalars.iter().any(|&(_, ty, scalar)| {
                        self.is_pointer(ty) && scalar == ScalarValue::Constant(ConstantValue::Other)
                    })
            });
            global.kind == GlobalKind::Variable && has_other
        };
        let is_address = |text: &str| text.contains('@');
        let others = self
            .module
            .constants
            .values()
            .any(|constant| matches!(constant.value, ConstantValue::Other) && is_address(&constant.text));
        others || self.module.globals.values().any(untold)
    }

    /// Whether an instruction may keep the address, or write through it in a way
    /// that is not followed.
    fn gets_away(&self, id: FunctionId, function: &Function, at: InstructionId, value: Value) -> bool {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        match instruction.opcode {
            // As an address only.
            Opcode::Store => operands[0] == value,
            Opcode::Ret => !self.is_called_here_only[id] || !self.is_pointer_value(function, value),
            Opcode::Call | Opcode::Invoke => self.call_preserves(function, at, value),
            _ => true,
        }
    }

    fn is_pointer_value(&self, function: &Function, value: Value) -> bool {
        match value {
            Value::Instruction(at) => self.is_pointer(function.instructions[at].ty),
            Value::Constant(id) => self.is_pointer(self.module.constants[id].ty),
            Value::Argument(position) => match &self.module.types[function.ty] {
                Type::Function(_, parameters, _) => {
                    parameters.get(position as usize).is_some_and(|&ty| self.is_pointer(ty))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn call_preserves(&self, function: &Function, at: InstructionId, value: Value) -> bool {
        let Some(call) = function.call(at) else { return true };
        let positions = function.operands_of(at).iter().enumerate().filter(|&(_, &other)| other == value);
        let positions: Vec<usize> = positions.map(|(position, _)| position).collect();
        match call.callee {
            CalleeRef::Function(callee) => {
                let parameters = self.module.functions[callee].parameters as usize;
                !self.is_final(callee) || positions.iter().any(|&position| position >= parameters)
            }
            CalleeRef::Declaration(declared) => {
                let declaration = &self.module.declarations[declared];
                if is_harmless(&declaration.name) {
                    return false;
                }
                // What it gives may be what it was given, whatever it says.
                if declaration.is_intrinsic && self.is_pointer(function.instructions[at].ty) {
                    return true;
                }
                // It neither keeps it nor writes through it.
                positions.iter().any(|&position| match declaration.parameter_facts.get(position) {
                    Some(facts) => {
                        !facts.is_nocapture
                            || !(facts.is_readonly || facts.is_readnone || !call.memory.argument.writes)
                    }
                    None => true,
                })
            }
            CalleeRef::Indirect | CalleeRef::Assembly => true,
        }
    }
}

/// Intrinsics whose writes are followed, or that do nothing.
fn is_harmless(name: &str) -> bool {
    ["llvm.memset.", "llvm.memcpy.", "llvm.memmove.", "llvm.lifetime.", "llvm.dbg.", "llvm.assume"]
        .iter()
        .any(|known| name.starts_with(known))
}

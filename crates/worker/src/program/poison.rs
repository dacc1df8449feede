//! Which values may be poison in an execution that does nothing undefined?
//!
//! A result is poison if a promise is broken: of its own flags, of how far it shifts, of what an
//! intrinsic or a conversion takes. So is what is computed from poison. Poison is passed to
//! functions and returned by them, where no attribute forbids it. What memory holds, and what code
//! that is not seen gives, counts as sound.
//! Input: a module. Cost: rounds over it until nothing is new.

use opcost_index::IdMap;
use opcost_ir::{CalleeRef, ConstantValue, Flags, Function, Module, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

/// Intrinsics whose last argument says that one word gives poison.
const WITH_PROMISE: [&str; 3] = ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."];
/// Intrinsics that compute from their arguments and nothing else.
const COMPUTING: [&str; 24] = [
    "llvm.ctlz.",
    "llvm.cttz.",
    "llvm.abs.",
    "llvm.ctpop.",
    "llvm.bswap.",
    "llvm.bitreverse.",
    "llvm.fshl.",
    "llvm.fshr.",
    "llvm.smin.",
    "llvm.smax.",
    "llvm.umin.",
    "llvm.umax.",
    "llvm.sadd.",
    "llvm.uadd.",
    "llvm.ssub.",
    "llvm.usub.",
    "llvm.smul.",
    "llvm.umul.",
    "llvm.sshl.",
    "llvm.ushl.",
    "llvm.scmp.",
    "llvm.ucmp.",
    "llvm.vector.",
    "llvm.expect.",
];

/// Values that may be poison.
pub(crate) struct MayBePoison {
    results: IdMap<FunctionId, IdMap<InstructionId, bool>>,
    arguments: IdMap<FunctionId, Vec<bool>>,
    returned: IdMap<FunctionId, bool>,
}

impl MayBePoison {
    /// Of a module.
    pub(crate) fn of(module: &Module) -> MayBePoison {
        let functions = || module.functions.values();
        let mut found = MayBePoison {
            results: functions().map(|body| IdMap::filled(body.instructions.len(), false)).collect(),
            arguments: functions().map(|body| vec![false; body.parameters as usize]).collect(),
            returned: IdMap::filled(module.functions.len(), false),
        };
        while found.visit_all(module) {}
        found
    }

    /// The results of a function.
    pub(crate) fn results(&self, id: FunctionId) -> &IdMap<InstructionId, bool> {
        &self.results[id]
    }

    /// Whether a parameter or result may be.
    pub(crate) fn contains(&self, id: FunctionId, value: Value) -> bool {
        match value {
            Value::Instruction(at) => self.results[id][at],
            Value::Argument(position) => self.arguments[id].get(position as usize) == Some(&true),
            _ => false,
        }
    }

    /// Goes through all functions once; whether anything was new.
    fn visit_all(&mut self, module: &Module) -> bool {
        let mut is_news = false;
        for (id, body) in module.functions.iter() {
            for (at, instruction) in body.instructions.iter() {
                if !self.results[id][at] && self.makes(module, id, at) {
                    self.results[id][at] = true;
                    is_news = true;
                }
                let operands = body.operands_of(at);
                let is = |value: &Value| self.contains(id, *value) || is_poison(module, *value);
                if instruction.opcode == Opcode::Ret && !self.returned[id] && operands.iter().any(is) {
                    self.returned[id] = true;
                    is_news = true;
                }
                is_news |= self.pass(module, id, at);
            }
        }
        is_news
    }

    /// What a call gives to a function that is seen.
    fn pass(&mut self, module: &Module, id: FunctionId, at: InstructionId) -> bool {
        let body = &module.functions[id];
        let Some(CalleeRef::Function(callee)) = body.call(at).map(|call| call.callee) else { return false };
        let facts = &module.functions[callee].parameter_facts;
        let mut is_news = false;
        for (position, &value) in body.arguments_of(at).iter().enumerate() {
            let is_sound = facts.get(position).is_some_and(|facts| facts.is_noundef);
            let is = !is_sound && (self.contains(id, value) || is_poison(module, value));
            if let Some(known) = self.arguments[callee].get_mut(position).filter(|known| is && !**known) {
                *known = true;
                is_news = true;
            }
        }
        is_news
    }

    /// Whether a result may be poison.
    fn makes(&self, module: &Module, id: FunctionId, at: InstructionId) -> bool {
        let body = &module.functions[id];
        let (instruction, operands) = (&body.instructions[at], body.operands_of(at));
        let opcode = instruction.opcode;
        let name = body.call(at).and_then(|call| module.intrinsic_name(call.callee));
        if let Some(CalleeRef::Function(callee)) = body.call(at).map(|call| call.callee) {
            return self.returned[callee];
        }
        let is_one = |value: Value| matches!(value, Value::Constant(id) if module.constants[id].value == ConstantValue::Integer(1));
        let promises = name.is_some_and(|name| WITH_PROMISE.iter().any(|start| name.starts_with(start)))
            && body.arguments_of(at).get(1).is_some_and(|&value| is_one(value));
        promises
            || has_promise(body, at)
            || inherits(opcode, name)
                && operands.iter().any(|&value| self.contains(id, value) || is_poison(module, value))
    }
}

fn is_poison(module: &Module, value: Value) -> bool {
    matches!(value, Value::Constant(id) if module.constants[id].value == ConstantValue::Poison)
}

/// Promises of flags, shifts and conversions.
fn has_promise(body: &Function, at: InstructionId) -> bool {
    let instruction = &body.instructions[at];
    let opcode = instruction.opcode;
    let has = |flag: Flags| flag != Flags::RELAXED && instruction.flags.has(flag);
    let by_flags = !matches!(opcode, Opcode::Load | Opcode::Store)
        && Flags::words(opcode).iter().any(|&(flag, _)| has(flag));
    let shifts = matches!(opcode, Opcode::Shl | Opcode::LShr | Opcode::AShr)
        && !matches!(body.operands_of(at)[1], Value::Constant(_));
    by_flags
        || shifts
        || matches!(opcode, Opcode::FPToSI | Opcode::FPToUI | Opcode::ExtractElement | Opcode::InsertElement)
}

/// Whether an operation gives poison if an operand is poison.
fn inherits(opcode: Opcode, intrinsic: Option<&str>) -> bool {
    match opcode.is_call() {
        true => intrinsic.is_some_and(|name| COMPUTING.iter().any(|start| name.starts_with(start))),
        false => !matches!(opcode, Opcode::Load | Opcode::Freeze),
    }
}

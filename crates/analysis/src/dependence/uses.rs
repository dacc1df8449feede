//! Which stores and calls use a pointer? Tables that the weaker rules look things up in.
//!
//! Made when they are asked for. Cost: linear in the instructions of a function, once.

use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::rc::Rc;

use opcost_ir::{ConstantValue, GlobalId, Module, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use super::rule_set::StoreLoadProfile;

/// Stores and calls by what they are given.
type LocalUses = Rc<HashMap<Value, Vec<InstructionId>>>;

/// Stores by data and offset.
type GlobalUses = Rc<HashMap<(GlobalId, i64), Vec<(FunctionId, InstructionId)>>>;

/// What rules look things up in.
pub(super) struct Tables<'a> {
    pub(super) uses: Uses<'a>,
    pub(super) profile: StoreLoadProfile,
}

/// Uses of pointers.
pub(super) struct Uses<'a> {
    module: &'a Module,
    local: RefCell<HashMap<FunctionId, LocalUses>>,
    global: RefCell<Option<GlobalUses>>,
}

impl<'a> Uses<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        Uses { module, local: RefCell::default(), global: RefCell::default() }
    }

    /// Stores and calls of a function by the pointers that they are given.
    pub(super) fn of(&self, id: FunctionId) -> LocalUses {
        if let Some(known) = self.local.borrow().get(&id) {
            return known.clone();
        }
        let function = &self.module.functions[id];
        let mut uses: HashMap<Value, Vec<InstructionId>> = HashMap::default();
        for (at, instruction) in function.instructions.iter() {
            let given = match instruction.opcode {
                Opcode::Store => function.operands_of(at).get(1..2).unwrap_or_default(),
                opcode if opcode.is_call() => function.arguments_of(at),
                _ => continue,
            };
            for &pointer in given {
                uses.entry(self.root(id, pointer)).or_default().push(at);
            }
        }
        let uses = Rc::new(uses);
        self.local.borrow_mut().insert(id, uses.clone());
        uses
    }

    /// Stores to global data by their constant address.
    pub(super) fn of_globals(&self) -> GlobalUses {
        if let Some(known) = &*self.global.borrow() {
            return known.clone();
        }
        let mut uses: HashMap<_, Vec<_>> = HashMap::default();
        for (id, function) in self.module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                if instruction.opcode != Opcode::Store {
                    continue;
                }
                let address = function.operands_of(at).get(1).and_then(|&value| self.address(value));
                if let Some(address) = address {
                    uses.entry(address).or_default().push((id, at));
                }
            }
        }
        let uses = Rc::new(uses);
        *self.global.borrow_mut() = Some(uses.clone());
        uses
    }

    /// The constant address of data.
    pub(super) fn address(&self, value: Value) -> Option<(GlobalId, i64)> {
        let Value::Constant(id) = value else { return None };
        match self.module.constants[id].value {
            ConstantValue::Global { global, offset } => Some((global, offset)),
            _ => None,
        }
    }

    /// The pointer without casts.
    pub(super) fn root(&self, function: FunctionId, mut pointer: Value) -> Value {
        let function = &self.module.functions[function];
        for _ in 0..64 {
            let Value::Instruction(id) = pointer else { return pointer };
            let is_cast = matches!(function.instructions[id].opcode, Opcode::BitCast | Opcode::AddrSpaceCast);
            match function.operands_of(id).first() {
                Some(&inner) if is_cast => pointer = inner,
                _ => return pointer,
            }
        }
        pointer
    }
}

//! What do the module and the certificate say of a value?
//!
//! Claims by value, types, what a pointer was before it was moved, who calls a
//! function. Cost: a look into a table, but for calls, which are searched.

use std::collections::{HashMap, HashSet};

use opcost_ir::{CalleeRef, ConstantValue, Flags, GlobalId, Module, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::checker::Checker;
use crate::claims::{DifferenceClaim, FunctionClaims};
use crate::names::ValueName;
use crate::range::RangeClaim;
use crate::verdict::ClaimId;

/// How a value is claimed to relate to another.
pub(crate) struct DifferenceOf {
    /// Who says so.
    pub(crate) id: ClaimId,
    /// The other.
    pub(crate) base: ValueName,
    /// Of the value and so many times the other.
    pub(crate) range: RangeClaim,
    /// Whether it is so only if both are words.
    pub(crate) if_both: bool,
    /// How many times; -1: a distance.
    pub(crate) times: i64,
}

impl<'c> Checker<'c> {
    /// Of what is claimed of a function.
    pub(crate) fn claims(&self, place: usize) -> &FunctionClaims {
        &self.certificate.functions[place]
    }

    pub(crate) fn place(&self, function: FunctionId) -> Option<usize> {
        self.places.get(&function).copied()
    }

    /// Ranges that are claimed of a value.
    pub(crate) fn claims_of(&self, function: FunctionId, value: ValueName) -> Vec<(ClaimId, RangeClaim)> {
        let Some(place) = self.place(function) else { return Vec::new() };
        let ids = self.by_value.get(&(place, value)).map_or(&[][..], Vec::as_slice);
        let claims = &self.certificate.functions[place];
        let range = |&id: &ClaimId| match id {
            ClaimId::Value(_, at) => Some((id, claims.values[at].range.clone())),
            ClaimId::Sum(_, at) if claims.sums[at].base.is_none() => Some((id, claims.sums[at].result())),
            ClaimId::Given(_, at) => Some((id, claims.given[at].range.clone())),
            _ => None,
        };
        ids.iter().filter_map(range).collect()
    }

    /// What is claimed of a value together with another.
    pub(crate) fn differences_of(&self, function: FunctionId, value: ValueName) -> Vec<DifferenceOf> {
        let Some(place) = self.place(function) else { return Vec::new() };
        let ids = self.by_value.get(&(place, value)).map_or(&[][..], Vec::as_slice);
        let claims = &self.certificate.functions[place];
        let range = |&id: &ClaimId| match id {
            ClaimId::Difference(_, at) => {
                let DifferenceClaim { base, ref range, if_both, times, .. } = claims.differences[at];
                Some(DifferenceOf { id, base, range: range.clone(), if_both, times })
            }
            ClaimId::Sum(_, at) => {
                let (base, range) = (claims.sums[at].base?, claims.sums[at].result());
                Some(DifferenceOf { id, base, range, if_both: false, times: -1 })
            }
            _ => None,
        };
        ids.iter().filter_map(range).collect()
    }

    pub(crate) fn type_of(&self, function: FunctionId, value: Value) -> Option<TypeId> {
        self.module.type_of(&self.module.functions[function], value)
    }

    pub(crate) fn is_pointer(&self, function: FunctionId, value: Value) -> bool {
        self.type_of(function, value).is_some_and(|ty| matches!(self.module.types[ty], Type::Pointer(_)))
    }

    pub(crate) fn may_be_undefined(&self, function: FunctionId, value: Value) -> bool {
        self.undefined.contains(function, value)
    }

    /// What a pointer was before it was moved. A phi all of whose values are moved from one other
    /// is moved from that. It dominates the phi, and so it is the same one all the time.
    pub(crate) fn root(&self, function: FunctionId, pointer: Value) -> Value {
        let body = &self.module.functions[function];
        let unmoved = |mut at: Value| {
            while let Value::Instruction(id) = at
                && matches!(body.instructions[id].opcode, Opcode::GetElementPtr | Opcode::BitCast)
            {
                at = body.operands_of(id)[0];
            }
            at
        };
        let mut at = unmoved(pointer);
        while let Value::Instruction(phi) = at
            && body.instructions[phi].opcode == Opcode::Phi
        {
            let each = body.operands_of(phi).iter().step_by(2).map(|&value| unmoved(value));
            let others: HashSet<Value> = each.filter(|&value| value != at).collect();
            let dominates = |other: Value| match other {
                Value::Instruction(other) => {
                    let shape = &self.shapes[function];
                    shape.dominates(shape.block_of[other], shape.block_of[phi])
                }
                _ => true,
            };
            match others.into_iter().collect::<Vec<_>>()[..] {
                [only] if dominates(only) => at = only,
                _ => break,
            }
        }
        at
    }

    /// The constant that represents all addresses in data; none of data of which every thread has
    /// its own.
    pub(crate) fn data_name(&self, global: GlobalId) -> Option<Value> {
        (!self.module.globals[global].is_thread_local)
            .then(|| self.data_names.get(&global).copied())
            .flatten()
    }

    pub(crate) fn intrinsic_name(&self, function: FunctionId, at: InstructionId) -> Option<&'c str> {
        let call = self.module.functions[function].call(at)?;
        self.module.intrinsic_name(call.callee)
    }

    /// Calls of a function, with the functions that they are in.
    pub(crate) fn calls_of(&self, wanted: FunctionId) -> Vec<(FunctionId, InstructionId)> {
        let mut all = Vec::new();
        for (id, function) in self.module.functions.iter() {
            let calls = function.calls.iter().filter(|(_, call)| call.callee == CalleeRef::Function(wanted));
            all.extend(calls.map(|&(at, _)| (id, at)));
        }
        all
    }

    /// Bits of the words of a value; 0 of what has none.
    pub(crate) fn word_width_of(&self, function: FunctionId, value: Value) -> u32 {
        self.type_of(function, value).map_or(0, |ty| self.word_width(ty))
    }

    /// Bits of the words of a type; 0 of what has none.
    pub(crate) fn word_width(&self, ty: TypeId) -> u32 {
        match self.module.types[ty] {
            Type::Integer(width) => width,
            Type::Pointer(_) => 64,
            _ => 0,
        }
    }

    /// Whether control may return a second time out of a call.
    pub(crate) fn comes_again(&self, id: FunctionId) -> bool {
        let function = &self.module.functions[id];
        function.is_naked
            || function.is_coroutine
            || function
                .calls
                .iter()
                .any(|(_, call)| call.returns_twice || self.is_known_to_return_twice(call))
    }

    /// By its name, where the declaration does not say it.
    fn is_known_to_return_twice(&self, call: &opcost_ir::Call) -> bool {
        const ALL: [&str; 9] = [
            "setjmp",
            "_setjmp",
            "sigsetjmp",
            "__sigsetjmp",
            "savectx",
            "vfork",
            "getcontext",
            "setjmp_syscall",
            "llvm.eh.sjlj.setjmp",
        ];
        match call.callee {
            CalleeRef::Declaration(declared) => ALL.contains(&&*self.module.declarations[declared].name),
            _ => false,
        }
    }

    /// Whether an access is seen from outside, so that it may read anything.
    pub(crate) fn is_shared(&self, id: FunctionId, at: InstructionId) -> bool {
        let flags = self.module.functions[id].instructions[at].flags;
        flags.has(Flags::VOLATILE) || flags.has(Flags::ATOMIC)
    }
}

/// Bits of an integer type; none of another.
pub(crate) fn integer_width(module: &Module, ty: TypeId) -> Option<u32> {
    match module.types[ty] {
        Type::Integer(width) => Some(width),
        _ => None,
    }
}

/// The first constant that is an address in each global.
pub(crate) fn data_names(module: &Module) -> HashMap<GlobalId, Value> {
    let mut names = HashMap::new();
    for (id, constant) in module.constants.iter() {
        if let ConstantValue::Global { global, .. } = constant.value {
            names.entry(global).or_insert(Value::Constant(id));
        }
    }
    names
}

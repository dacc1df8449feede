//! What may be said of a random module beside its code: values, data, effects,
//! flags, calls.

use opcost_index::Id;
use opcost_ir::{
    Access, Call, CalleeRef, ConstantValue, Contents, Declaration, DeclarationId, Flags, Global, GlobalId,
    GlobalKind, LatchFacts, MemoryEffects, Module, Opcode, ParameterFacts, ScalarValue, TailKind, Type,
    TypeId, Value,
};
use opcost_key::FunctionId;

use crate::{Choices, DOUBLE, I1, I32, LAST_VALUE_TYPE, LINKAGES, PTR, place};

fn access(choices: &mut Choices<'_>) -> Access {
    Access { reads: choices.yes(), writes: choices.yes() }
}

pub(crate) fn effects(choices: &mut Choices<'_>) -> MemoryEffects {
    let argument = access(choices);
    let other = access(choices);
    let inaccessible = access(choices);
    choices.of(&[
        MemoryEffects::UNKNOWN,
        MemoryEffects { argument, inaccessible, errno: other, other },
        MemoryEffects { argument: other, inaccessible: other, errno: argument, other },
    ])
}

pub(crate) fn parameter(choices: &mut Choices<'_>) -> ParameterFacts {
    ParameterFacts {
        is_noalias: choices.yes(),
        is_nocapture: choices.yes(),
        is_readonly: choices.yes(),
        is_writeonly: choices.yes(),
        is_readnone: choices.yes(),
        is_noundef: choices.yes(),
        is_sret: choices.yes(),
        byval: choices.yes().then(|| TypeId::new(1 + choices.below(LAST_VALUE_TYPE))),
    }
}

pub(crate) fn declaration(choices: &mut Choices<'_>, name: &str) -> Declaration {
    let parameters = choices.below(3);
    Declaration {
        name: name.into(),
        is_intrinsic: choices.yes(),
        is_nounwind: choices.yes(),
        is_willreturn: choices.yes(),
        is_noreturn: choices.yes(),
        is_address_taken: choices.yes(),
        memory: effects(choices),
        returns_noalias: choices.yes(),
        parameter_facts: (0..parameters).map(|_| parameter(choices)).collect(),
    }
}

/// One that this type can have, of a module with so many globals.
pub(crate) fn constant_value(choices: &mut Choices<'_>, ty: &Type, globals: usize) -> ConstantValue {
    let own = match ty {
        Type::Integer(1) => ConstantValue::Integer(choices.below(2) as u128),
        Type::Integer(_) => ConstantValue::Integer(choices.below(9) as u128 * 0x1234_5678),
        Type::Pointer(_) if globals > 0 => {
            let global = GlobalId::new(choices.below(globals));
            ConstantValue::Global { global, offset: choices.below(5) as i64 * 8 - 16 }
        }
        Type::Pointer(_) => ConstantValue::Null,
        Type::Array(..) | Type::Vector { .. } | Type::Struct { .. } => ConstantValue::Zero,
        _ => ConstantValue::Undef,
    };
    choices.of(&[own, own, ConstantValue::Undef, ConstantValue::Poison, ConstantValue::Other])
}

fn contents(choices: &mut Choices<'_>, module: &Module, globals: usize) -> Contents {
    let scalars = (0..choices.below(3) as u64).map(|position| {
        let ty = TypeId::new(choices.of(&[I1, I32, PTR, DOUBLE]));
        let value = match (&module.types[ty], choices.below(3)) {
            (Type::Pointer(_), 0) => ScalarValue::Function(Value::Function(FunctionId::new(0))),
            (Type::Pointer(_), 1) => ScalarValue::Function(Value::Declaration(DeclarationId::new(1))),
            (Type::Float(_), _) => ScalarValue::Constant(ConstantValue::Float(f64::to_bits(-1.5))),
            (ty, _) => ScalarValue::Constant(constant_value(choices, ty, globals)),
        };
        (position * 8, ty, value)
    });
    Contents { scalars: scalars.collect(), is_complete: choices.yes() }
}

pub(crate) fn global(choices: &mut Choices<'_>, module: &Module, name: &str, globals: usize) -> Global {
    let kinds = [GlobalKind::Variable, GlobalKind::Alias, GlobalKind::Resolver];
    Global {
        name: name.into(),
        kind: choices.of(&kinds),
        linkage: choices.of(LINKAGES),
        section: choices.yes().then(|| "a \"b".into()),
        place: place(choices, module),
        leads_into_code: choices.yes(),
        gives_away_blocks: choices.yes(),
        ty: TypeId::new(1 + choices.below(LAST_VALUE_TYPE)),
        is_constant: choices.yes(),
        is_thread_local: choices.yes(),
        is_declared: choices.yes(),
        is_given_away: choices.yes(),
        contents: choices.yes().then(|| contents(choices, module, globals)),
        source_name: choices.yes().then(|| "a \"b".into()),
        members: choices.of(&[vec![], vec![(0, "first".into()), (8, "a \"b".into())]]),
    }
}

pub(crate) fn latch(choices: &mut Choices<'_>) -> LatchFacts {
    LatchFacts { must_progress: choices.yes(), is_vectorized: choices.yes(), is_unrolled: choices.yes() }
}

pub(crate) fn flags(choices: &mut Choices<'_>, opcode: Opcode) -> Flags {
    let mut flags = Flags::implied(opcode);
    for &(flag, _) in Flags::words(opcode) {
        if choices.yes() {
            flags = flags.with(flag);
        }
    }
    if flags.has(Flags::INBOUNDS) { flags.with(Flags::NSW) } else { flags }
}

pub(crate) fn call(choices: &mut Choices<'_>, opcode: Opcode) -> Call {
    let callees = [
        CalleeRef::Function(FunctionId::new(0)),
        CalleeRef::Declaration(DeclarationId::new(1)),
        CalleeRef::Indirect,
        CalleeRef::Assembly,
    ];
    let tails = [TailKind::None, TailKind::Tail, TailKind::MustTail, TailKind::NoTail];
    Call {
        callee: choices.of(&callees),
        is_nounwind: choices.yes(),
        is_willreturn: choices.yes(),
        is_noreturn: choices.yes(),
        returns_twice: choices.yes(),
        tail: if opcode == Opcode::Call { choices.of(&tails) } else { TailKind::None },
        is_empty_assembly: choices.yes(),
        assembly_may_leave: choices.yes(),
        assembly_may_round: choices.yes(),
        is_nobuiltin: choices.yes(),
        copied_bytes: choices.below(3) as u64,
        memory: effects(choices),
    }
}

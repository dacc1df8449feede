//! How is the function of a circuit called, and which bits of its words mean something?
//!
//! A struct by value is one or two numbers in registers, and a number of more than 64 bits two of
//! them. The head of the module says which bits are which member. The driver passes these numbers, of
//! which a `bool` is 0 or 1, and only the members of a result are compared.
//!
//! Input: the function, and what debug data says of it. Output: plain data. Cost: linear in members.
//! Limit: without debug data nothing is known of members; the words are handed over all the same.

use opcost_circuit::{CalledByWords, CircuitRefusal, Design, Kernel, MemoryKind, Passed, PassedResult};
use opcost_ir::{Function, Layout, Module, Type, TypeId, Value};
use opcost_llvm::{FunctionShape, ShapeMember};

/// How it is called, if its parameters and result are not all plain numbers and pointers.
pub(crate) fn by_words(module: &Module, body: &Function, shape: &FunctionShape) -> Option<CalledByWords> {
    let Type::Function(result, types, _) = &module.types[body.ty] else { return None };
    let is_number =
        |ty: TypeId| matches!(module.types[ty], Type::Integer(..=64) | Type::Pointer(_) | Type::Void);
    let is_plain = body.parameter_facts.iter().all(|facts| facts.byval.is_none() && !facts.is_sret)
        && types.iter().chain([result]).all(|&ty| is_number(ty))
        && shape.words.is_empty()
        && !shape.is_dropped
        && shape.result.is_none();
    if is_plain {
        return None;
    }
    let layout = Layout::of(module);
    let passed = |(position, &ty): (u32, &TypeId)| match &module.types[ty] {
        Type::Pointer(_) => {
            let facts = body.parameter_facts.get(position as usize);
            match facts.and_then(|facts| layout.size(facts.byval?)) {
                Some(bytes) => Passed::Copy { bytes },
                None => Passed::Pointer,
            }
        }
        &Type::Integer(bits) => Passed::Number { bits, signed: shape.extended.get(&position) == Some(&true) },
        _ => Passed::Number { bits: 64, signed: false },
    };
    Some(CalledByWords {
        symbol: body.name.clone(),
        parameters: (0..).zip(types).map(passed).collect(),
        result: returned(module, &layout, *result),
    })
}

fn returned(module: &Module, layout: &Layout, ty: TypeId) -> PassedResult {
    match &module.types[ty] {
        &Type::Integer(bits) => PassedResult::Numbers(vec![(0, bits)]),
        Type::Struct { fields, .. } => {
            let one = |(position, &field): (usize, &TypeId)| {
                let Type::Integer(bits) = module.types[field] else { return None };
                Some((u32::try_from(8 * layout.field_offset(ty, position)?).ok()?, bits))
            };
            PassedResult::Numbers(fields.iter().enumerate().filter_map(one).collect())
        }
        _ => PassedResult::Nothing,
    }
}

/// Bits of the result that mean something.
pub(crate) fn result_mask(shape: &FunctionShape) -> u128 {
    let Some(members) = &shape.result else { return u128::MAX };
    members.iter().fold(0, |all, member| all | ones(member.bits, member.offset))
}

/// Bits of each number of the design that may be one: of a `bool` only the lowest.
pub(crate) fn allowed(design: &Design, shape: &FunctionShape) -> Vec<u128> {
    let of_one = |parameter: u32| {
        let members = shape.words.get(&parameter).into_iter().flatten();
        let zeros = members.filter(|member| member.is_boolean && member.bits > 1);
        zeros.fold(u128::MAX, |all, member| all & !ones(member.bits - 1, member.offset + 1))
    };
    design.scalars.iter().map(|scalar| of_one(scalar.parameter)).collect()
}

fn ones(bits: u32, offset: u32) -> u128 {
    let low = u128::MAX.checked_shr(128 - bits.min(128)).unwrap_or(0);
    low.checked_shl(offset).unwrap_or(0)
}

/// What the circuit calls a parameter, but for letters that Verilog does not have.
fn port(body: &Function, position: u32) -> String {
    let value = Value::Argument(position);
    let name = body.source_names.get(&value).or_else(|| body.names.get(&value));
    name.map_or_else(|| format!("p{position}"), ToString::to_string)
}

/// What the words of structs are, in words.
pub(crate) fn explained(body: &Function, shape: &FunctionShape) -> Vec<String> {
    let line = |name: &str, members: &[ShapeMember]| {
        let one = |member: &ShapeMember| {
            let (low, high) = (member.offset, member.offset + member.bits.max(1) - 1);
            let bits = if low == high { low.to_string() } else { format!("{high}:{low}") };
            format!("{} is {name}[{bits}]", member.name)
        };
        let all: Vec<String> = members.iter().map(one).collect();
        match all.is_empty() {
            true => format!("{name} has no members: its bits mean nothing"),
            false => format!("{name} is a word of a struct: {}; other bits mean nothing", all.join(", ")),
        }
    };
    let words = shape.words.iter();
    let mut all: Vec<String> =
        words.map(|(&position, members)| line(&port(body, position), members)).collect();
    all.extend(shape.result.as_deref().map(|members| line("result", members)));
    let facts = (0..).zip(&body.parameter_facts);
    for (position, facts) in facts {
        let name = port(body, position);
        if facts.byval.is_some() {
            all.push(format!(
                "{name} is a struct that is passed by value: its memory holds the caller's copy"
            ));
        } else if facts.is_sret {
            all.push(format!("{name} is the memory of the result, a struct"));
        }
    }
    all
}

/// A struct that was passed by value is the caller's copy, which is not written back.
pub(crate) fn refuse_written(kernel: &Kernel, body: &Function) -> Result<(), CircuitRefusal> {
    use opcost_circuit::Action;
    for node in kernel.nodes.values() {
        let Action::Store(memory) = node.action else { continue };
        let memory = &kernel.memories[memory];
        let MemoryKind::Port { parameter: Some(position) } = memory.kind else { continue };
        if body.parameter_facts.get(position as usize).is_some_and(|facts| facts.byval.is_some()) {
            return Err(CircuitRefusal::new(
                node.location.clone(),
                format!("{}, a struct that is passed by value, is changed", memory.name),
                "change a local copy of it",
            ));
        }
    }
    Ok(())
}

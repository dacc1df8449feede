//! What does a call of a library function weigh?
//!
//! The room `library` says it ([`charge`](opcost_library::charge)). What becomes such a
//! call when machine code is made weighs the same as the call, on every machine: `llvm.sin.f64` as
//! `sin`, `frem double` as `fmod`, a vector as many of them as it has elements. So it does not
//! matter whether clang was informed that nobody looks at `errno`.
//!
//! Limits: operations that are one instruction everywhere (`llvm.sqrt`,
//! `llvm.fabs`, `llvm.minnum`) are not among them, and `half` and `bfloat` are
//! taken for `float`.

use std::collections::BTreeMap;

use opcost_ir::{CalleeRef, Function, Module, Opcode, Type, TypeId};
use opcost_key::InstructionId;
use opcost_library::unversioned;

/// Intrinsics that may become a call of the function of their name, or of
/// another.
const BECOME_CALLS: &str = "sin cos tan asin acos atan atan2 sinh cosh tanh sincos \
     exp exp2 exp10 log log2 log10 pow powi ldexp frexp modf fma frem \
     floor ceil trunc round roundeven rint nearbyint lround llround lrint llrint";

/// The weight of a call of this name in a table.
pub(super) fn weight(table: &BTreeMap<String, u32>, name: &str) -> Option<u32> {
    table.get(name).or_else(|| table.get(unversioned(name))).copied()
}

/// The function that an instruction may become a call of, and how many calls.
pub(super) fn becomes(module: &Module, function: &Function, id: InstructionId) -> Option<(String, u32)> {
    let instruction = &function.instructions[id];
    let by_width = |name: &str, ty: TypeId| {
        let (width, elements) = elements(module, ty)?;
        Some((with_width(name, width), elements))
    };
    match instruction.opcode {
        Opcode::FRem => by_width("fmod", instruction.ty),
        // Whoever threw: from there, or from the frame before, the unwinder came as far as this.
        Opcode::LandingPad => Some(("_Unwind_Resume".to_owned(), 1)),
        Opcode::FAdd => quadruple("__addtf3", module, instruction.ty),
        Opcode::FSub => quadruple("__subtf3", module, instruction.ty),
        Opcode::FMul => quadruple("__multf3", module, instruction.ty),
        Opcode::FDiv => quadruple("__divtf3", module, instruction.ty),
        Opcode::FCmp => quadruple("__lttf2", module, instruction.second_type?),
        opcode if opcode.is_call() => {
            let CalleeRef::Declaration(callee) = function.call(id)?.callee else { return None };
            of_intrinsic(&module.declarations[callee].name)
        }
        _ => None,
    }
}

/// By the name with its suffixes: `llvm.lround.i64.f64`, `llvm.pow.v4f32`.
fn of_intrinsic(name: &str) -> Option<(String, u32)> {
    let rest = name.strip_prefix("llvm.")?;
    let rest = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
    let (base, suffixes) = rest.split_once('.')?;
    let base = BECOME_CALLS.split(' ').find(|known| *known == base)?;
    let (width, elements) = suffixes.split('.').find_map(|suffix| {
        let vector = suffix.strip_prefix("nx").unwrap_or(suffix).strip_prefix('v');
        let at = vector.and_then(|text| text.find(|letter: char| !letter.is_ascii_digit()));
        let (elements, element) = match (vector, at) {
            (Some(text), Some(at)) => (text[..at].parse().ok()?, &text[at..]),
            _ => (1, suffix),
        };
        Some((width(element)?, elements))
    })?;
    Some((with_width(base, width), elements))
}

#[derive(Clone, Copy)]
enum Width {
    Float,
    Double,
    Long,
}

fn width(name: &str) -> Option<Width> {
    match name {
        "f16" | "bf16" | "f32" | "half" | "bfloat" | "float" => Some(Width::Float),
        "f64" | "double" => Some(Width::Double),
        "f80" | "f128" | "ppcf128" | "x86_fp80" | "fp128" | "ppc_fp128" => Some(Width::Long),
        _ => None,
    }
}

/// As the C library names it.
fn with_width(name: &str, width: Width) -> String {
    match (name, width) {
        ("powi", Width::Float) => "__powisf2".to_owned(),
        ("powi", Width::Double) => "__powidf2".to_owned(),
        ("powi", Width::Long) => "__powixf2".to_owned(),
        ("frem", _) => with_width("fmod", width),
        (_, Width::Float) => format!("{name}f"),
        (_, Width::Double) => name.to_owned(),
        (_, Width::Long) => format!("{name}l"),
    }
}

/// The floating-point type of a type, and how many of them it is.
fn elements(module: &Module, ty: TypeId) -> Option<(Width, u32)> {
    match module.types[ty] {
        Type::Float(name) => Some((width(name)?, 1)),
        Type::Vector { length, element, .. } => match module.types[element] {
            Type::Float(name) => Some((width(name)?, length)),
            _ => None,
        },
        _ => None,
    }
}

/// Arithmetic on 128 bits, which no machine has.
fn quadruple(name: &str, module: &Module, ty: TypeId) -> Option<(String, u32)> {
    let is_quadruple = |ty: TypeId| matches!(module.types[ty], Type::Float("fp128"));
    match module.types[ty] {
        Type::Vector { length, element, .. } if is_quadruple(element) => Some((name.to_owned(), length)),
        _ if is_quadruple(ty) => Some((name.to_owned(), 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_weigh_as_the_calls_that_they_become() {
        let table = opcost_library::weights();
        for name in BECOME_CALLS.split(' ') {
            for (suffix, elements) in [("f32", 1), ("f64", 1), ("f80", 1), ("v4f64", 4), ("nxv2f32", 2)] {
                let (called, times) = of_intrinsic(&format!("llvm.{name}.{suffix}")).expect("known");
                assert!(weight(&table, &called).is_some() && times == elements, "{called}");
            }
        }
        assert_eq!(of_intrinsic("llvm.lround.i64.f64"), Some(("lround".to_owned(), 1)));
        assert_eq!(of_intrinsic("llvm.experimental.constrained.sin.f32"), Some(("sinf".to_owned(), 1)));
        assert_eq!(of_intrinsic("llvm.powi.f64.i32"), Some(("__powidf2".to_owned(), 1)));
        assert!(of_intrinsic("llvm.sqrt.f64").is_none() && of_intrinsic("llvm.va_start.p0").is_none());
    }
}

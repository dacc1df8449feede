//! What does a call of a library function weigh?
//!
//! `calls.txt` says it, measured on the library itself (`cargo xtask calls`). What becomes such a
//! call when machine code is made weighs the same as the call, on every machine: `llvm.sin.f64` as
//! `sin`, `frem double` as `fmod`, a vector as many of them as it has elements. So it does not
//! matter whether clang was informed that nobody looks at `errno`.
//!
//! Limits: operations that are one instruction everywhere (`llvm.sqrt`,
//! `llvm.fabs`, `llvm.minnum`) are not among them, and `half` and `bfloat` are
//! taken for `float`.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use opcost_ir::{CalleeRef, Function, Module, Opcode, Type, TypeId};
use opcost_key::InstructionId;

const TEXT: &str = include_str!("calls.txt");

/// Intrinsics that may become a call of the function of their name, or of
/// another.
const BECOME_CALLS: &str = "sin cos tan asin acos atan atan2 sinh cosh tanh sincos \
     exp exp2 exp10 log log2 log10 pow powi ldexp frexp modf fma frem \
     floor ceil trunc round roundeven rint nearbyint lround llround lrint llrint";

/// How the work of a function is charged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Charge {
    /// By a weight, and by what arguments and memory hold (`lengths`, `opcost_runtime::library`). On the
    /// worst arguments that were found it does this many times of what is charged, if that was measured.
    Weight(u32, Option<f64>),
    /// By a weight that is right when the caller catches what is thrown; opcost's library charges frames between.
    Frames(u32),
    /// By every instruction: it is compiled with the program.
    Compiled,
    /// Once, since it ends the program or a plain address of it is all that is used.
    Once,
}

/// What a call may do at most, in times of what is charged for it.
const MOST_TIMES: f64 = 4.0;

fn rows() -> impl Iterator<Item = (&'static str, Charge)> {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| read_line(line).expect("calls.txt is well-formed"))
}

/// The table, by name.
pub(super) fn known() -> BTreeMap<String, u32> {
    let weighed = rows().filter_map(|(name, charge)| match charge {
        Charge::Weight(weight, _) | Charge::Frames(weight) => Some((name.to_owned(), weight)),
        Charge::Compiled | Charge::Once => None,
    });
    weighed.collect()
}

fn read_line(line: &'static str) -> Option<(&'static str, Charge)> {
    let (name, rest) = line.split_once(' ')?;
    let weight = |text: &str| text.parse().ok().filter(|&weight| weight > 0);
    let charge = match rest.split_once(' ') {
        None if rest == "compiled" => Charge::Compiled,
        None if rest == "once" => Charge::Once,
        None => Charge::Weight(weight(rest)?, None),
        Some((number, "frames")) => Charge::Frames(weight(number)?),
        Some((number, found)) => {
            let (worst, made) = found.split_once(' ')?;
            made.parse::<u64>().ok()?;
            Charge::Weight(weight(number)?, Some(worst.parse().ok()?))
        }
    };
    Some((name, charge))
}

/// Names of functions whose work is charged, whatever their arguments are.
static CHARGED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let is_held = |charge: &Charge| match *charge {
        Charge::Weight(_, worst) => worst.is_some_and(|worst| worst <= MOST_TIMES),
        Charge::Frames(_) | Charge::Compiled | Charge::Once => true,
    };
    rows().filter(|(_, charge)| is_held(charge)).map(|(name, _)| name).collect()
});

/// Whether a function of this name does no more than four times of what `fuel/1` charges for it.
pub(crate) fn is_charged(name: &str) -> bool {
    let plain = || name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_"));
    CHARGED.contains(name) || plain().is_some_and(|plain| CHARGED.contains(plain))
}

/// The weight of a call of this name.
pub(super) fn weight(table: &BTreeMap<String, u32>, name: &str) -> Option<u32> {
    let plain = || name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_"));
    table.get(name).or_else(|| table.get(plain()?)).copied()
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
    use crate::library::{LibraryFact, known as known_of};

    #[test]
    fn every_line_reads_and_names_a_function_that_may_be_called() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let mut seen = 0;
        for line in lines {
            let (name, _) = read_line(line).unwrap_or_else(|| panic!("{line}"));
            let known = known_of(name);
            let is_called = !matches!(
                known,
                None | Some(LibraryFact::Data | LibraryFact::Refused(_) | LibraryFact::Outside(_))
            );
            assert!(is_called, "{name}: {known:?}");
            seen += 1;
        }
        let names: HashSet<&str> = rows().map(|(name, _)| name).collect();
        assert!(seen > 500 && seen == names.len(), "{seen} lines");
    }

    #[test]
    fn what_was_not_measured_or_does_more_is_not_charged() {
        assert_eq!(read_line("a 5"), Some(("a", Charge::Weight(5, None))));
        assert_eq!(read_line("a 5 frames"), Some(("a", Charge::Frames(5))));
        assert_eq!(read_line("a 5 3.9 7"), Some(("a", Charge::Weight(5, Some(3.9)))));
        assert!(
            ["a", "a 0", "a 0 1.0 7", "a -", "a 5 x", "a 5 3.9", "a 5 3.9 x"]
                .iter()
                .all(|line| read_line(line).is_none())
        );
        assert!(is_charged("malloc") && is_charged("__isoc99_scanf") && is_charged("qsort"));
        assert!(is_charged("exit") && !is_charged("regexec") && !is_charged("strxfrm"));
    }

    #[test]
    fn intrinsics_weigh_as_the_calls_that_they_become() {
        let table = known();
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

    #[test]
    fn the_names_of_newer_standards_are_the_same_functions() {
        let table = known();
        assert_eq!(weight(&table, "__isoc23_scanf"), weight(&table, "scanf"));
        assert!(weight(&table, "__isoc99_scanf").is_some_and(|weight| weight > 100));
        assert_eq!(weight(&table, "no_such_function"), None);
    }
}

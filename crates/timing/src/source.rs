//! Which sources of time are there, and what do they say of an operation?
//!
//! An operation is an opcode of LLVM and a type: `fadd double`. `irinst` has what it takes where each
//! waits for the one before, `irinst-max` where none does, `lmbench` knows four operations of
//! arithmetic on four types and takes all else for nothing. `schedule` prices machine blocks by the
//! processor's model and knows no operations.
//!
//! A type that a table does not have is looked for in wider ones, and a vector by its elements. What a
//! table has in no type has no price, which is said.

use std::collections::BTreeMap;

/// Prices of things by name, in nanoseconds.
pub type Table = BTreeMap<String, f64>;

/// A way to price blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeSource {
    /// Machine blocks, by the model of the processor.
    Schedule,
    /// Operations of the IR that wait for each other.
    Irinst,
    /// Those that do not; of a block the costlier of its integer and its floating-point part.
    IrinstMax,
    /// Arithmetic alone.
    Lmbench,
}

impl TimeSource {
    /// All of them; the first is the best.
    pub const ALL: [TimeSource; 4] =
        [TimeSource::Schedule, TimeSource::Irinst, TimeSource::IrinstMax, TimeSource::Lmbench];

    /// Its name in files and answers.
    pub fn name(self) -> &'static str {
        match self {
            TimeSource::Schedule => "schedule",
            TimeSource::Irinst => "irinst",
            TimeSource::IrinstMax => "irinst-max",
            TimeSource::Lmbench => "lmbench",
        }
    }

    /// The source of this name.
    pub fn from_name(name: &str) -> Option<TimeSource> {
        TimeSource::ALL.into_iter().find(|source| source.name() == name)
    }
}

/// Operations that become no code of their own.
const FREE: [&str; 13] = [
    "phi",
    "alloca",
    "freeze",
    "bitcast",
    "ptrtoint",
    "ptrtoaddr",
    "inttoptr",
    "addrspacecast",
    "extractvalue",
    "insertvalue",
    "landingpad",
    "unreachable",
    "cleanuppad",
];

/// What another name is looked for under.
fn alias(opcode: &str) -> &str {
    match opcode {
        "switch" | "ret" | "indirectbr" | "resume" => "br",
        "invoke" | "callbr" => "call",
        "uitofp" => "sitofp",
        "fptoui" => "fptosi",
        "frem" => "fdiv",
        "extractelement" | "insertelement" | "shufflevector" => "and",
        other => other,
    }
}

/// Whether the operation is one of floating-point numbers.
pub(crate) fn is_floating(operation: &str) -> bool {
    let (opcode, ty) = operation.split_once(' ').unwrap_or((operation, ""));
    let is_arithmetic = ["fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp", "fpext", "fptrunc"];
    is_arithmetic.contains(&opcode)
        || (opcode == "select" && (ty.contains("float") || ty.contains("double")))
        || opcode.ends_with("tofp")
}

/// Bits of a scalar type; pointers as on machines of 64 bits.
fn width(ty: &str) -> u32 {
    match ty {
        "half" | "bfloat" => 16,
        "float" => 32,
        "double" | "ptr" => 64,
        "x86_fp80" => 80,
        _ => ty.strip_prefix('i').and_then(|bits| bits.parse().ok()).unwrap_or(64),
    }
}

/// A vector's length and the type of its elements: `<4 x float>`.
fn vector(ty: &str) -> Option<(u32, &str)> {
    let (length, element) = ty.strip_prefix('<')?.strip_suffix('>')?.split_once(" x ")?;
    Some((length.parse().ok()?, element))
}

/// What a table says of an operation; `None` where it says nothing.
pub(crate) fn nanoseconds(table: &Table, operation: &str) -> Option<f64> {
    let (opcode, ty) = operation.split_once(' ').unwrap_or((operation, ""));
    if FREE.contains(&opcode) {
        return Some(0.0);
    }
    if let Some(&found) = table.get(operation) {
        return Some(found);
    }
    let opcode = alias(opcode);
    let look = |ty: &str| {
        let name = if ty.is_empty() { opcode.to_owned() } else { format!("{opcode} {ty}") };
        table.get(&name).copied()
    };
    if let Some((length, element)) = vector(ty) {
        // As many operations on registers of 128 bits as it takes.
        let pieces = f64::from((length * width(element)).div_ceil(128));
        let one = look(&format!("<{} x {element}>", 128 / width(element).max(1)))
            .or_else(|| scalar(&look, element));
        return one.map(|one| one * pieces);
    }
    scalar(&look, ty)
}

/// An operation on a scalar type, or on the next wider one.
fn scalar(look: &dyn Fn(&str) -> Option<f64>, ty: &str) -> Option<f64> {
    let integers = ["i8", "i16", "i32", "i64"];
    let wider = integers.into_iter().filter(|other| ty.starts_with('i') && width(other) >= width(ty));
    let others = ["double", "i64", "ptr", "i8", ""];
    std::iter::once(ty).chain(wider).chain(others).find_map(look)
}

#[cfg(test)]
mod tests {
    use super::{Table, TimeSource, is_floating, nanoseconds};

    fn table(rows: &[(&str, f64)]) -> Table {
        rows.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn types_that_are_missing_are_taken_from_wider_ones() {
        let all = table(&[
            ("add i32", 1.0),
            ("add i64", 2.0),
            ("br", 0.5),
            ("fadd <2 x double>", 3.0),
            ("call", 7.0),
        ]);
        assert_eq!(nanoseconds(&all, "add i32"), Some(1.0));
        assert_eq!(nanoseconds(&all, "add i17"), Some(1.0));
        assert_eq!(nanoseconds(&all, "add i128"), Some(2.0));
        assert_eq!(nanoseconds(&all, "switch i32"), Some(0.5));
        assert_eq!(nanoseconds(&all, "fadd <4 x double>"), Some(6.0));
        assert_eq!(nanoseconds(&all, "add <8 x i32>"), Some(2.0));
        assert_eq!(nanoseconds(&all, "invoke"), Some(7.0));
        assert_eq!(nanoseconds(&all, "phi double"), Some(0.0));
        assert_eq!(nanoseconds(&all, "fmul double"), None);
    }

    #[test]
    fn the_two_streams_of_a_block_are_told_apart() {
        assert!(is_floating("fadd double") && is_floating("sitofp float") && is_floating("select double"));
        assert!(!is_floating("add i32") && !is_floating("load double") && !is_floating("select i32"));
    }

    #[test]
    fn sources_have_one_name_each() {
        for source in TimeSource::ALL {
            assert_eq!(TimeSource::from_name(source.name()), Some(source));
        }
        assert_eq!(TimeSource::from_name("mpbench"), None);
    }
}

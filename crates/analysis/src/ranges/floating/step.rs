//! Which operations on floating point numbers are there, and who knows them?

use opcost_ir::Opcode;

use super::{FloatRange, Format};

/// An operation on floating point numbers whose result is one of their format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of LLVM's language reference")]
pub enum FloatOperation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    /// `minnum`: of a number and NaN the number (or, of a signaling one, NaN).
    MinNum,
    MaxNum,
    /// `minimum`: NaN if either is.
    Minimum,
    Maximum,
    /// `minimumnum`: the number, if one is.
    MinimumNum,
    MaximumNum,
    /// `fma` and `fmuladd`: a product and a sum, rounded once or twice.
    MulAdd,
}

/// An operation and whether it may compute another number than it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatStep {
    /// What is done.
    pub operation: FloatOperation,
    /// The format of operands and result.
    pub format: Format,
    /// A flag lets another number be computed: `reassoc`, `contract`, `arcp`,
    /// `afn`.
    pub is_relaxed: bool,
}

impl FloatOperation {
    /// The operation of an opcode.
    pub fn of_opcode(opcode: Opcode) -> Option<FloatOperation> {
        Some(match opcode {
            Opcode::FAdd => FloatOperation::Add,
            Opcode::FSub => FloatOperation::Sub,
            Opcode::FMul => FloatOperation::Mul,
            Opcode::FDiv => FloatOperation::Div,
            Opcode::FRem => FloatOperation::Rem,
            Opcode::FNeg => FloatOperation::Neg,
            _ => return None,
        })
    }

    /// The operation of an intrinsic by its name (`llvm.fabs.f64`).
    pub fn of_intrinsic(name: &str) -> Option<FloatOperation> {
        let (base, ty) = name.strip_prefix("llvm.")?.rsplit_once('.')?;
        if ty != "f32" && ty != "f64" {
            return None;
        }
        Some(match base {
            "fabs" => FloatOperation::Abs,
            "sqrt" => FloatOperation::Sqrt,
            "floor" => FloatOperation::Floor,
            "ceil" => FloatOperation::Ceil,
            "trunc" => FloatOperation::Trunc,
            "round" => FloatOperation::Round,
            "roundeven" | "rint" | "nearbyint" => FloatOperation::RoundEven,
            "minnum" => FloatOperation::MinNum,
            "maxnum" => FloatOperation::MaxNum,
            "minimum" => FloatOperation::Minimum,
            "maximum" => FloatOperation::Maximum,
            "minimumnum" => FloatOperation::MinimumNum,
            "maximumnum" => FloatOperation::MaximumNum,
            "fma" | "fmuladd" => FloatOperation::MulAdd,
            _ => return None,
        })
    }

    /// How many operands it has.
    pub fn operands(self) -> usize {
        use FloatOperation::*;
        match self {
            Neg | Abs | Sqrt | Floor | Ceil | Trunc | Round | RoundEven => 1,
            MulAdd => 3,
            _ => 2,
        }
    }
}

impl FloatRange {
    /// The range of the results of a step. Anything if operands are missing or
    /// of another format.
    pub fn apply(step: &FloatStep, operands: &[FloatRange]) -> FloatRange {
        use FloatOperation::*;
        let fits = operands.len() == step.operation.operands()
            && operands.iter().all(|operand| operand.format == step.format);
        if !fits {
            return FloatRange::full(step.format);
        }
        if operands.iter().any(FloatRange::is_empty) {
            return FloatRange::empty(step.format);
        }
        if step.is_relaxed && matches!(step.operation, Add | Sub | Mul | Div | Rem | Sqrt | MulAdd) {
            return FloatRange::full(step.format);
        }
        match (step.operation, operands) {
            (Add, &[left, right]) => left.sum(right),
            (Sub, &[left, right]) => left.sum(right.negated()),
            (Mul, &[left, right]) => left.product(right),
            (Div, &[left, right]) => left.quotient(right),
            (Rem, &[left, right]) => left.remainder(right),
            (MulAdd, &[left, right, added]) => left.product(right).perhaps_exact().sum(added),
            (Neg, &[only]) => only.negated(),
            (Abs, &[only]) => only.absolute(),
            (Sqrt, &[only]) => only.square_root(),
            (Floor, &[only]) => only.integers(f64::floor),
            (Ceil, &[only]) => only.integers(f64::ceil),
            (Trunc, &[only]) => only.integers(f64::trunc),
            (Round, &[only]) => only.integers(f64::round),
            (RoundEven, &[only]) => only.integers(f64::round_ties_even),
            (operation, &[left, right]) => left.extreme(right, operation),
            _ => FloatRange::full(step.format),
        }
    }
}

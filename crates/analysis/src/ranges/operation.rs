//! Which operations on integers are there?
//!
//! LLVM's integer opcodes and the intrinsics that compute, under one name each,
//! and a [`RangeStep`]: an operation with its flags and the width of its result.
//! Words of LLVM lead here by [`Operation::of_opcode`] and
//! [`Operation::of_intrinsic`]; what is not found is no integer arithmetic.

use opcost_ir::{Flags, Opcode, Predicate};

/// An operation on integers whose result is one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of LLVM's language reference")]
pub enum Operation {
    Add,
    Sub,
    Mul,
    /// The product of a word with itself: a `mul` of one value that is the same
    /// word at both its uses.
    Square,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Trunc,
    ZExt,
    SExt,
    Select,
    /// `icmp`: one bit.
    Compare(Predicate),
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
    UShlSat,
    SShlSat,
    /// The second result of `uadd.with.overflow`; the first is an `add`.
    UAddOverflow,
    USubOverflow,
    UMulOverflow,
    SAddOverflow,
    SSubOverflow,
    SMulOverflow,
    /// `ucmp`: -1, 0 or 1.
    UCmp,
    SCmp,
    /// `abs`: the second operand says whether the least number gives poison.
    Abs {
        minimum_is_poison: bool,
    },
    PopulationCount,
    LeadingZeros {
        zero_is_poison: bool,
    },
    TrailingZeros {
        zero_is_poison: bool,
    },
    ByteSwap,
    BitReverse,
    FShl,
    FShr,
}

/// An operation with all that decides what it does but its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeStep {
    /// What is done.
    pub operation: Operation,
    /// What is promised.
    pub flags: Flags,
    /// Bits of the result, 1 to 128.
    pub width: u32,
}

impl Operation {
    /// The operation of an opcode. `icmp` needs its predicate.
    pub fn of_opcode(opcode: Opcode, predicate: Option<Predicate>) -> Option<Operation> {
        Some(match opcode {
            Opcode::Add => Operation::Add,
            Opcode::Sub => Operation::Sub,
            Opcode::Mul => Operation::Mul,
            Opcode::UDiv => Operation::UDiv,
            Opcode::SDiv => Operation::SDiv,
            Opcode::URem => Operation::URem,
            Opcode::SRem => Operation::SRem,
            Opcode::Shl => Operation::Shl,
            Opcode::LShr => Operation::LShr,
            Opcode::AShr => Operation::AShr,
            Opcode::And => Operation::And,
            Opcode::Or => Operation::Or,
            Opcode::Xor => Operation::Xor,
            Opcode::Trunc => Operation::Trunc,
            Opcode::ZExt => Operation::ZExt,
            Opcode::SExt => Operation::SExt,
            Opcode::Select => Operation::Select,
            Opcode::ICmp => Operation::Compare(predicate.filter(|predicate| !predicate.is_float())?),
            _ => return None,
        })
    }

    /// The operation of an intrinsic by its name (`llvm.umin.i32`); `promise`
    /// is the constant operand of `abs`, `ctlz` and `cttz` that makes one case
    /// poison. Of those with overflow this is the second result.
    pub fn of_intrinsic(name: &str, promise: bool) -> Option<Operation> {
        let (base, ty) = name.strip_prefix("llvm.")?.rsplit_once('.')?;
        // The last of two types is that of an operand.
        let base = if base.ends_with(|last: char| last.is_ascii_digit()) {
            base.rsplit_once('.').map_or(base, |(base, _)| base)
        } else {
            base
        };
        ty.strip_prefix('i')?.parse::<u32>().ok()?;
        Some(match base {
            "umin" => Operation::UMin,
            "umax" => Operation::UMax,
            "smin" => Operation::SMin,
            "smax" => Operation::SMax,
            "uadd.sat" => Operation::UAddSat,
            "usub.sat" => Operation::USubSat,
            "sadd.sat" => Operation::SAddSat,
            "ssub.sat" => Operation::SSubSat,
            "ushl.sat" => Operation::UShlSat,
            "sshl.sat" => Operation::SShlSat,
            "uadd.with.overflow" => Operation::UAddOverflow,
            "usub.with.overflow" => Operation::USubOverflow,
            "umul.with.overflow" => Operation::UMulOverflow,
            "sadd.with.overflow" => Operation::SAddOverflow,
            "ssub.with.overflow" => Operation::SSubOverflow,
            "smul.with.overflow" => Operation::SMulOverflow,
            "ucmp" => Operation::UCmp,
            "scmp" => Operation::SCmp,
            "abs" => Operation::Abs { minimum_is_poison: promise },
            "ctpop" => Operation::PopulationCount,
            "ctlz" => Operation::LeadingZeros { zero_is_poison: promise },
            "cttz" => Operation::TrailingZeros { zero_is_poison: promise },
            "bswap" => Operation::ByteSwap,
            "bitreverse" => Operation::BitReverse,
            "fshl" => Operation::FShl,
            "fshr" => Operation::FShr,
            _ => return None,
        })
    }

    /// Of the overflow of a sum, difference or product: that itself, the first
    /// result of the intrinsic (without flags: it wraps).
    pub fn that_overflows(self) -> Option<Operation> {
        Some(match self {
            Operation::UAddOverflow | Operation::SAddOverflow => Operation::Add,
            Operation::USubOverflow | Operation::SSubOverflow => Operation::Sub,
            Operation::UMulOverflow | Operation::SMulOverflow => Operation::Mul,
            _ => return None,
        })
    }

    /// How many operands it has.
    pub fn operands(self) -> usize {
        use Operation::*;
        match self {
            Trunc
            | ZExt
            | SExt
            | Square
            | Abs { .. }
            | PopulationCount
            | LeadingZeros { .. }
            | TrailingZeros { .. }
            | ByteSwap
            | BitReverse => 1,
            Select | FShl | FShr => 3,
            _ => 2,
        }
    }
}

impl RangeStep {
    /// A step without promises.
    pub fn new(operation: Operation, width: u32) -> RangeStep {
        RangeStep { operation, flags: Flags::NONE, width }
    }

    /// The step of an instruction whose result has so many bits; none if it is no
    /// integer arithmetic. A `freeze` is none: of poison it makes anything.
    pub fn of_opcode(
        opcode: Opcode,
        predicate: Option<Predicate>,
        flags: Flags,
        width: u32,
    ) -> Option<RangeStep> {
        let operation = Operation::of_opcode(opcode, predicate)?;
        (1..=128).contains(&width).then_some(RangeStep { operation, flags, width })
    }

    /// Whether the step can be taken on operands of these widths.
    pub fn fits(&self, widths: &[u32]) -> bool {
        use Operation::*;
        let known = |width: u32| (1..=128).contains(&width);
        if widths.len() != self.operation.operands() || !known(self.width) {
            return false;
        }
        let (first, result) = (widths[0], self.width);
        let alike = widths.iter().all(|&width| width == first && known(width));
        match self.operation {
            Select => first == 1 && widths[1..].iter().all(|&width| width == result),
            Trunc => alike && result < first,
            ZExt | SExt => alike && result > first,
            ByteSwap => alike && result == first && first.is_multiple_of(16),
            UCmp | SCmp => alike && result > 1,
            Compare(_) | UAddOverflow | USubOverflow | UMulOverflow | SAddOverflow | SSubOverflow
            | SMulOverflow => alike && result == 1,
            _ => alike && result == first,
        }
    }
}

#[cfg(test)]
mod tests {
    use opcost_ir::{Flags, Opcode, Predicate};

    use super::{Operation, RangeStep};

    #[test]
    fn names_of_intrinsics_lead_to_operations() {
        let of = |name| Operation::of_intrinsic(name, true);
        assert_eq!(of("llvm.umin.i32"), Some(Operation::UMin));
        assert_eq!(of("llvm.abs.i8"), Some(Operation::Abs { minimum_is_poison: true }));
        assert_eq!(of("llvm.uadd.with.overflow.i64"), Some(Operation::UAddOverflow));
        assert_eq!(Operation::UAddOverflow.that_overflows(), Some(Operation::Add));
        assert_eq!(of("llvm.scmp.i8.i64"), Some(Operation::SCmp));
        assert_eq!(of("llvm.umin.v4i32"), None);
        assert_eq!(of("llvm.fabs.f64"), None);
    }

    #[test]
    fn opcodes_lead_to_operations() {
        assert_eq!(Operation::of_opcode(Opcode::ICmp, None), None);
        let less = Operation::of_opcode(Opcode::ICmp, Some(Predicate::Ult));
        assert_eq!(less, Some(Operation::Compare(Predicate::Ult)));
        assert_eq!(Operation::of_opcode(Opcode::FAdd, None), None);
        assert_eq!(RangeStep::of_opcode(Opcode::Add, None, Flags::NUW, 129), None);
        let step = RangeStep { operation: Operation::Add, flags: Flags::NUW, width: 8 };
        assert_eq!(RangeStep::of_opcode(Opcode::Add, None, Flags::NUW, 8), Some(step));
    }
}

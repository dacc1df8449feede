//! Every step there is on operands of a width: each operation with each set of
//! flags that it can have.

use opcost_ir::{Flags, Predicate};

use crate::ranges::{Operation, RangeStep};

fn with(operation: Operation, width: u32, flags: &[Flags]) -> Vec<RangeStep> {
    (0..1 << flags.len())
        .map(|chosen: usize| {
            let chosen = flags.iter().enumerate().filter(|&(bit, _)| chosen >> bit & 1 == 1);
            let flags = chosen.fold(Flags::NONE, |all, (_, &flag)| all.with(flag));
            RangeStep { operation, flags, width }
        })
        .collect()
}

/// Steps of two operands of this width.
pub(super) fn binary(width: u32) -> Vec<RangeStep> {
    use Operation::*;
    let wraps: &[Flags] = &[Flags::NUW, Flags::NSW];
    let mut steps = Vec::new();
    for operation in [Add, Sub, Mul, Shl] {
        steps.extend(with(operation, width, wraps));
    }
    for operation in [UDiv, SDiv, LShr, AShr] {
        steps.extend(with(operation, width, &[Flags::EXACT]));
    }
    steps.extend(with(Or, width, &[Flags::DISJOINT]));
    let plain =
        [URem, SRem, And, Xor, UMin, UMax, SMin, SMax, UAddSat, USubSat, SAddSat, SSubSat, UShlSat, SShlSat];
    steps.extend(plain.map(|operation| RangeStep::new(operation, width)));
    let overflows = [UAddOverflow, USubOverflow, UMulOverflow, SAddOverflow, SSubOverflow, SMulOverflow];
    steps.extend(overflows.map(|operation| RangeStep::new(operation, 1)));
    // -1, 0 and 1 need two bits, whatever the operands have.
    steps.extend([UCmp, SCmp].map(|operation| RangeStep::new(operation, 2)));
    for predicate in predicates() {
        steps.extend(with(Compare(predicate), 1, &[Flags::SAMESIGN]));
    }
    steps
}

/// The predicates of `icmp`.
pub(super) fn predicates() -> impl Iterator<Item = Predicate> {
    Predicate::ALL.iter().copied().filter(|predicate| !predicate.is_float())
}

/// Steps of one operand of this width.
pub(super) fn unary(width: u32) -> Vec<RangeStep> {
    let mut steps: Vec<RangeStep> = [false, true]
        .into_iter()
        .flat_map(|poison| {
            [
                Operation::Abs { minimum_is_poison: poison },
                Operation::LeadingZeros { zero_is_poison: poison },
                Operation::TrailingZeros { zero_is_poison: poison },
            ]
        })
        .chain([Operation::PopulationCount, Operation::BitReverse])
        .map(|operation| RangeStep::new(operation, width))
        .collect();
    if width.is_multiple_of(16) {
        steps.push(RangeStep::new(Operation::ByteSwap, width));
    }
    for narrow in (1..width).filter(|narrow| width <= 6 || [1, 8, 16, 32, 64].contains(narrow)) {
        steps.extend(with(Operation::Trunc, narrow, &[Flags::NUW, Flags::NSW]));
    }
    // Six bits are as many as the judge can count in a word.
    for wide in (width + 1..=128).filter(|&wide| wide <= 6 || width > 6 && wide % 32 == 0) {
        steps.extend(with(Operation::ZExt, wide, &[Flags::NNEG]));
        steps.push(RangeStep::new(Operation::SExt, wide));
    }
    steps
}

/// Products of a word of this width with itself.
pub(super) fn squares(width: u32) -> Vec<RangeStep> {
    with(Operation::Square, width, &[Flags::NUW, Flags::NSW])
}

/// Steps of three operands whose results have this width.
pub(super) fn funnels(width: u32) -> [RangeStep; 2] {
    [Operation::FShl, Operation::FShr].map(|operation| RangeStep::new(operation, width))
}

/// The operation and its flags in words.
pub(super) fn name(step: &RangeStep) -> String {
    let words = [
        (Flags::NUW, " nuw"),
        (Flags::NSW, " nsw"),
        (Flags::EXACT, " exact"),
        (Flags::DISJOINT, " disjoint"),
    ];
    let words: String =
        words.iter().filter(|(flag, _)| step.flags.has(*flag)).map(|(_, word)| *word).collect();
    format!("{:?}{words}", step.operation)
}

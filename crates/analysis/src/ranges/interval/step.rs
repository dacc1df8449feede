//! What does a step make of arcs?
//!
//! Chooses the file that knows the operation. Where results leave gaps, pairs
//! of members are tried one by one as long as there are few.

use super::{Hull, Interval};
use crate::ranges::concrete::evaluate;
use crate::ranges::operation::{Operation, RangeStep};

/// How many pairs of members may be tried one by one.
#[derive(Clone, Copy, Debug)]
pub struct Effort(pub u32);

impl Effort {
    /// As many as there are pairs of 4 bits.
    pub const PAIRS: Effort = Effort(256);
    /// None: only what is computed from the ends.
    pub const ENDS: Effort = Effort(0);
}

impl Interval {
    /// The arc of the results of a step. Everything if the step does not fit
    /// the widths of the operands.
    pub fn apply(step: &RangeStep, operands: &[Interval]) -> Interval {
        Interval::apply_with(step, operands, Effort::PAIRS)
    }

    /// The same, trying so many pairs.
    pub fn apply_with(step: &RangeStep, operands: &[Interval], effort: Effort) -> Interval {
        if !fits(step, operands) {
            return Interval::full(step.width);
        }
        // What is not chosen may be anything.
        let needed = if step.operation == Operation::Select { &operands[..1] } else { operands };
        if needed.iter().any(|operand| operand.is_empty()) {
            return Interval::empty(step.width);
        }
        if leaves_gaps(step)
            && let Some(exact) = tried(step, operands, effort)
        {
            return exact;
        }
        match *operands {
            [only] => Interval::unary(step, only),
            [left, right] => Interval::binary(step, left, right),
            [first, second, third] => Interval::ternary(step, first, second, third),
            _ => Interval::full(step.width),
        }
    }

    fn unary(step: &RangeStep, only: Interval) -> Interval {
        match step.operation {
            Operation::Trunc => only.truncated(step),
            Operation::ZExt => only.zero_extended(step),
            Operation::SExt => only.sign_extended(step),
            Operation::Square => only.square(step.flags),
            Operation::Abs { minimum_is_poison } => only.absolute(minimum_is_poison),
            Operation::PopulationCount => only.population_counts(),
            Operation::LeadingZeros { zero_is_poison } => only.leading_zeros(zero_is_poison),
            Operation::TrailingZeros { zero_is_poison } => only.trailing_zeros(zero_is_poison),
            Operation::ByteSwap => only.reversed(8),
            Operation::BitReverse => only.reversed(1),
            _ => Interval::full(step.width),
        }
    }

    fn binary(step: &RangeStep, left: Interval, right: Interval) -> Interval {
        use Operation::*;
        match step.operation {
            Add => left.sum(right, step.flags),
            Sub => left.difference(right, step.flags),
            Mul => left.product(right, step.flags),
            UDiv | SDiv | URem | SRem => left.division(right, step),
            Shl | LShr | AShr | UShlSat | SShlSat => left.shifted(right, step),
            And | Or | Xor => left.bitwise(right, step.operation),
            UMin | UMax | SMin | SMax | UAddSat | USubSat | SAddSat | SSubSat => {
                left.monotone(right, step.operation)
            }
            UAddOverflow | USubOverflow | UMulOverflow | SAddOverflow | SSubOverflow | SMulOverflow => {
                left.overflows(right, step.operation)
            }
            UCmp | SCmp | Compare(_) => left.compared(right, step),
            _ => Interval::full(step.width),
        }
    }

    fn ternary(step: &RangeStep, first: Interval, second: Interval, third: Interval) -> Interval {
        match step.operation {
            Operation::Select => match first.as_constant() {
                Some(0) => third,
                Some(_) => second,
                None => second.join(third),
            },
            Operation::FShl => first.funnel(second, third, false),
            Operation::FShr => first.funnel(second, third, true),
            _ => Interval::full(step.width),
        }
    }
}

fn fits(step: &RangeStep, operands: &[Interval]) -> bool {
    match *operands {
        [only] => step.fits(&[only.width]),
        [left, right] => step.fits(&[left.width, right.width]),
        [first, second, third] => step.fits(&[first.width, second.width, third.width]),
        _ => false,
    }
}

/// Whether results are not everywhere dense in the pieces that are computed.
fn leaves_gaps(step: &RangeStep) -> bool {
    use Operation::*;
    matches!(
        step.operation,
        Mul | Square
            | UDiv
            | SDiv
            | URem
            | SRem
            | Shl
            | And
            | Or
            | Xor
            | UShlSat
            | SShlSat
            | ByteSwap
            | BitReverse
            | FShl
            | FShr
    )
}

/// The best arc around all results, if there are few enough to be computed.
fn tried(step: &RangeStep, operands: &[Interval], effort: Effort) -> Option<Interval> {
    let pairs = operands.iter().try_fold(1u128, |pairs, operand| {
        let members = operand.span?.checked_add(1)?;
        pairs.checked_mul(members).filter(|&pairs| pairs <= u128::from(effort.0))
    })?;
    let from = operands[0].width;
    let mut hull = Hull::new(step.width);
    let mut words = [0; 3];
    for pair in 0..pairs {
        let mut rest = pair;
        for (word, operand) in words.iter_mut().zip(operands) {
            let members = operand.span? + 1;
            *word = Interval::arc(operand.width, operand.low.wrapping_add(rest % members), 0).low;
            rest /= members;
        }
        if let Some(result) = evaluate(step, from, &words[..operands.len()]) {
            hull.add_value(result);
        }
    }
    Some(hull.best())
}

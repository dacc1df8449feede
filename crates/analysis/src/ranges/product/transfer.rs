//! What does a step make of what is known of its operands?
//!
//! Each part takes the step; sets value by value. Where arcs see that nothing wraps, residues learn
//! that and keep their modulus. Then the parts exchange what they found.

use opcost_ir::Flags;

use super::ValueRange;
use crate::ranges::congruence::Congruence;
use crate::ranges::interval::{Hull, Interval};
use crate::ranges::known_bits::KnownBits;
use crate::ranges::operation::{Operation, RangeStep};
use crate::ranges::small_set::SmallSet;

impl ValueRange {
    /// The results of a step. Everything if it does not fit the widths of the
    /// operands. Operands are taken as unrelated.
    pub fn transfer(step: &RangeStep, operands: &[ValueRange]) -> ValueRange {
        let widths: Vec<u32> = operands.iter().map(ValueRange::type_width).collect();
        if !step.fits(&widths) {
            return ValueRange::full(step.width);
        }
        // What is not chosen may be anything.
        let needed = if step.operation == Operation::Select { &operands[..1] } else { operands };
        if needed.iter().any(ValueRange::is_empty) {
            return ValueRange::empty(step.width);
        }
        if step.operation == Operation::Select {
            return match operands[0].as_constant() {
                Some(0) => operands[2].clone(),
                Some(_) => operands[1].clone(),
                None => operands[1].join(&operands[2]),
            };
        }
        let sets: Option<Vec<&SmallSet>> = operands.iter().map(ValueRange::set).collect();
        if let Some(results) = sets.and_then(|sets| SmallSet::results(step, &sets)) {
            return ValueRange::of_values(step.width, &results);
        }
        let arcs: Vec<Interval> = operands.iter().map(|operand| operand.interval).collect();
        let bits: Vec<KnownBits> = operands.iter().map(|operand| operand.bits).collect();
        let classes: Vec<Congruence> = operands.iter().map(|operand| operand.congruence).collect();
        ValueRange {
            interval: Interval::apply(step, &arcs),
            bits: KnownBits::apply(step, &bits),
            congruence: Congruence::apply(&told(step, &arcs), &classes),
            set: None,
        }
        .reduced()
    }

    /// The parts, each around all of these values; no set.
    pub(super) fn around(width: u32, values: &[u128]) -> ValueRange {
        let mut hull = Hull::new(width);
        values.iter().for_each(|&value| hull.add_value(value));
        let bits = values.iter().map(|&value| KnownBits::constant(width, value));
        let classes = values.iter().map(|&value| Congruence::constant(width, value));
        ValueRange {
            interval: hull.best(),
            bits: bits.fold(KnownBits::empty(width), KnownBits::join),
            congruence: classes.fold(Congruence::empty(width), Congruence::join),
            set: None,
        }
    }
}

/// The step, with `nuw` where the arcs of the operands say it.
fn told(step: &RangeStep, arcs: &[Interval]) -> RangeStep {
    let overflow = match step.operation {
        Operation::Add => Operation::UAddOverflow,
        Operation::Sub => Operation::USubOverflow,
        Operation::Mul | Operation::Square => Operation::UMulOverflow,
        Operation::Shl | Operation::Trunc => {
            let wide = arcs[0].unsigned_range().map_or(128, |(_, most)| 128 - most.leading_zeros());
            let more = match arcs.get(1).map(|amount| amount.unsigned_range()) {
                Some(Some((_, most))) => most.min(128) as u32,
                Some(None) => 128,
                None => 0,
            };
            let keeps = wide + more <= step.width;
            return if keeps { RangeStep { flags: step.flags.with(Flags::NUW), ..*step } } else { *step };
        }
        _ => return *step,
    };
    let overflow = RangeStep::new(overflow, 1);
    let overflows = match *arcs {
        [only] => Interval::apply(&overflow, &[only, only]),
        _ => Interval::apply(&overflow, arcs),
    };
    if overflows.as_constant() == Some(0) {
        return RangeStep { flags: step.flags.with(Flags::NUW), ..*step };
    }
    *step
}

//! How often can a loop go back at most, where that is constant in its code?
//!
//! Unlike a counted loop (`trips`) such a loop may be left anywhere and earlier. It has one exit
//! that every iteration passes (its block dominates all latches), where a counter is compared with
//! a number; the counter starts at numbers and moves by one number each iteration:
//!
//! ```text
//! header:  i = phi [number, outside], [i + step, latch]
//! exit:    br (i + k) < bound, on, out        any integer comparison
//! ```
//!
//! With v(n) = v(0) + n·step for what is compared in iteration n (from 0), the loop goes back at
//! most as often as the first n at which the comparison leads out, and n is found in closed form:
//! signed comparisons become unsigned ones by moving both sides by half the range, falling counters
//! become rising ones by mirroring it. Arithmetic wraps and no flag is believed: where a counter
//! could step over its bound and wrap round, nothing is said, but for one that falls from its last
//! values to the very top, which leaves there.
//!
//! Input: a function, its dominators and loops. Output: the most back edges, by the exit that says
//! the least. Cost: exits, blocks and latches of the loop. Limits: the step is one number; a bound
//! that is in memory or comes in as an argument is none.

use opcost_ir::{Function, Module, Opcode, Predicate, Type, Value};
use opcost_key::{BlockId, InstructionId};

use opcost_graph::dominators::Dominators;
use opcost_graph::edge::Edge;
use opcost_graph::loops::{LoopForest, LoopId};

/// The most back edges that are taken each time the loop is entered; none if
/// the code does not say.
pub fn most_back_edges(
    module: &Module,
    function: &Function,
    dominators: &Dominators<BlockId>,
    forest: &LoopForest<BlockId>,
    id: LoopId,
) -> Option<u64> {
    let latches = forest.loops[id].latches();
    let exits = forest.loops[id].exits.iter();
    let passed = exits.filter(|exit| latches.iter().all(|&latch| dominators.dominates(exit.from, latch)));
    let counters = Counters { module, function, forest, id };
    passed.filter_map(|&exit| counters.turns_until(exit)).min()
}

struct Counters<'a> {
    module: &'a Module,
    function: &'a Function,
    forest: &'a LoopForest<BlockId>,
    id: LoopId,
}

/// What is compared, iteration by iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sequence {
    first: u64,
    step: u64,
    width: u32,
}

impl Counters<'_> {
    /// The first iteration, from 0, at whose test the loop is left by this exit.
    fn turns_until(&self, exit: Edge<BlockId>) -> Option<u64> {
        let function = self.function;
        let branch = function.terminator_of(exit.from);
        let Some(&Value::Instruction(test)) = function.operands_of(branch).first() else { return None };
        let comparison = &function.instructions[test];
        let is_test = function.instructions[branch].opcode == Opcode::Br && comparison.opcode == Opcode::ICmp;
        let &[left, right] = function.operands_of(test) else { return None };
        let predicate = comparison.predicate.filter(|_| is_test)?;
        // The first successor is taken where the comparison holds.
        let stays = if exit.slot == 0 { inverse(predicate)? } else { predicate };
        let (moving, bound, stays) = match (self.number(left), self.number(right)) {
            (None, Some(bound)) => (left, bound, stays),
            (Some(bound), None) => (right, bound, swapped(stays)?),
            _ => return None,
        };
        let (phi, ahead) = self.counter_behind(moving)?;
        let (step, width) = self.step_of(phi)?;
        let starts = self.starts_of(phi)?;
        let turns = starts.into_iter().map(|start| {
            let first = start.wrapping_add(ahead);
            first_turn_out(Sequence { first, step, width }, stays, bound)
        });
        turns.collect::<Option<Vec<u64>>>()?.into_iter().max()
    }

    /// The counter that a value is a number away from, and the number.
    fn counter_behind(&self, value: Value) -> Option<(InstructionId, u64)> {
        let Value::Instruction(at) = value else { return None };
        if self.is_counter(at) {
            return Some((at, 0));
        }
        let (from, by) = self.sum(at)?;
        self.is_counter(from).then_some((from, by))
    }

    fn is_counter(&self, at: InstructionId) -> bool {
        self.function.instructions[at].opcode == Opcode::Phi
            && self.function.block_of(at) == self.forest.loops[self.id].header
    }

    /// `x + number`
    fn sum(&self, at: InstructionId) -> Option<(InstructionId, u64)> {
        let &[Value::Instruction(from), by] = self.function.operands_of(at) else { return None };
        let is_sum = self.function.instructions[at].opcode == Opcode::Add;
        Some((from, self.number(by).filter(|_| is_sum)?))
    }

    /// What the counter moves by in every iteration, and its width in bits.
    fn step_of(&self, phi: InstructionId) -> Option<(u64, u32)> {
        let Type::Integer(width @ 1..=64) = self.module.types[self.function.instructions[phi].ty] else {
            return None;
        };
        let mut steps = self.incoming(phi, true).map(|next| {
            let Value::Instruction(next) = next else { return None };
            self.sum(next).filter(|(from, _)| *from == phi).map(|(_, step)| step)
        });
        let step = steps.next()??;
        steps.all(|other| other == Some(step)).then_some((step, width))
    }

    fn starts_of(&self, phi: InstructionId) -> Option<Vec<u64>> {
        self.incoming(phi, false).map(|start| self.number(start)).collect()
    }

    /// What a phi of the header is when control comes from inside, or from outside.
    fn incoming(&self, phi: InstructionId, is_inside: bool) -> impl Iterator<Item = Value> {
        let pairs = self.function.operands_of(phi).chunks_exact(2);
        pairs
            .filter(move |pair| match pair[1] {
                Value::Block(from) => self.forest.contains(self.id, from) == is_inside,
                _ => false,
            })
            .map(|pair| pair[0])
    }

    fn number(&self, value: Value) -> Option<u64> {
        let Value::Constant(id) = value else { return None };
        self.module.constants[id].text.parse().ok().map(|number: i64| number as u64)
    }
}

/// The predicate that holds where this one does not.
fn inverse(predicate: Predicate) -> Option<Predicate> {
    use Predicate::*;
    Some(match predicate {
        Eq => Ne,
        Ne => Eq,
        Ugt => Ule,
        Uge => Ult,
        Ult => Uge,
        Ule => Ugt,
        Sgt => Sle,
        Sge => Slt,
        Slt => Sge,
        Sle => Sgt,
        _ => return None,
    })
}

/// The predicate with its sides changed.
fn swapped(predicate: Predicate) -> Option<Predicate> {
    use Predicate::*;
    Some(match predicate {
        Eq | Ne => predicate,
        Ugt => Ult,
        Uge => Ule,
        Ult => Ugt,
        Ule => Uge,
        Sgt => Slt,
        Sge => Sle,
        Slt => Sgt,
        Sle => Sge,
        _ => return None,
    })
}

/// The least n at which `stays` does not hold between v(n) and the bound, or a
/// greater n at which it does not hold either.
fn first_turn_out(sequence: Sequence, stays: Predicate, bound: u64) -> Option<u64> {
    let mask = u64::MAX >> (64 - sequence.width);
    let half = 1 << (sequence.width - 1);
    let Sequence { first, step, .. } = sequence;
    let (first, step, bound) = (first & mask, step & mask, bound & mask);
    let mirrored = |value: u64| mask - value;
    let moved = |value: u64| value ^ half;
    match stays {
        Predicate::Eq => {
            if first != bound {
                Some(0)
            } else {
                (step != 0).then_some(1)
            }
        }
        Predicate::Ne => {
            let up = Distance { way: bound.wrapping_sub(first) & mask, step };
            let down = Distance { way: first.wrapping_sub(bound) & mask, step: step.wrapping_neg() & mask };
            up.turns().into_iter().chain(down.turns()).min()
        }
        Predicate::Ult => until_not_below(first, step, u128::from(bound), mask),
        Predicate::Ule => until_not_below(first, step, u128::from(bound) + 1, mask),
        Predicate::Ugt => {
            until_not_below(mirrored(first), step.wrapping_neg() & mask, mirrored(bound).into(), mask)
        }
        Predicate::Uge => {
            let end = u128::from(mirrored(bound)) + 1;
            until_not_below(mirrored(first), step.wrapping_neg() & mask, end, mask)
        }
        Predicate::Slt => until_not_below(moved(first), step, moved(bound).into(), mask),
        Predicate::Sle => until_not_below(moved(first), step, u128::from(moved(bound)) + 1, mask),
        Predicate::Sgt => {
            let (first, bound) = (mirrored(moved(first)), mirrored(moved(bound)));
            until_not_below(first, step.wrapping_neg() & mask, bound.into(), mask)
        }
        Predicate::Sge => {
            let (first, bound) = (mirrored(moved(first)), mirrored(moved(bound)));
            until_not_below(first, step.wrapping_neg() & mask, u128::from(bound) + 1, mask)
        }
        _ => None,
    }
}

/// A way that steps cover.
struct Distance {
    way: u64,
    step: u64,
}

impl Distance {
    /// How many steps cover the way exactly.
    fn turns(&self) -> Option<u64> {
        let is_met = self.way == 0 || (self.step != 0 && self.way.is_multiple_of(self.step));
        is_met.then(|| self.way.checked_div(self.step).unwrap_or(0))
    }
}

/// The least n with first + n·step not below `end`, where values go from 0 to
/// `mask` and wrap.
fn until_not_below(first: u64, step: u64, end: u128, mask: u64) -> Option<u64> {
    let (first, range) = (u128::from(first), u128::from(mask) + 1);
    if first >= end {
        return Some(0);
    }
    let rising = u128::from(step);
    // The last value that stays, and one step on.
    if rising != 0 && end - 1 + rising < range {
        return u64::try_from((end - first).div_ceil(rising)).ok();
    }
    let falling = range - rising;
    // One step down from any value that is too small for it lands above the end.
    (rising != 0 && range - falling >= end).then(|| (first / falling) as u64 + 1)
}

#[cfg(test)]
mod tests {
    use opcost_ir::Predicate;
    use proptest::prelude::*;

    use super::{Sequence, first_turn_out};

    /// By going round.
    fn walked(sequence: Sequence, stays: Predicate, bound: u64) -> Option<u64> {
        let mask = u64::MAX >> (64 - sequence.width);
        let mut value = sequence.first & mask;
        for turn in 0..=mask + 1 {
            if stays.holds(value, bound, sequence.width) == Some(false) {
                return Some(turn);
            }
            value = value.wrapping_add(sequence.step) & mask;
        }
        None
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// What is said is an upper bound, and with comparisons of order the number itself.
        #[test]
        fn never_less_than_by_going_round(
            first: u64, step in -20_i64..20, bound: u64, width in 1_u32..9, which in 0_usize..10,
        ) {
            let sequence = Sequence { first, step: step as u64, width };
            let predicate = Predicate::ALL[which];
            let told = first_turn_out(sequence, predicate, bound);
            let walked = walked(sequence, predicate, bound);
            if let Some(told) = told {
                let walked = walked.expect("what never ends has no bound");
                prop_assert!(walked <= told);
                prop_assert!(predicate == Predicate::Ne || walked == told);
            }
        }
    }

    #[test]
    fn common_loops_are_told() {
        let told = |first: i64, step: i64, stays, bound: i64, width| {
            first_turn_out(Sequence { first: first as u64, step: step as u64, width }, stays, bound as u64)
        };
        assert_eq!(told(1, 1, Predicate::Ne, 1024, 64), Some(1023));
        assert_eq!(told(0, 3, Predicate::Ne, 12, 32), Some(4));
        assert_eq!(told(0, 3, Predicate::Ne, 13, 32), None);
        assert_eq!(told(0, 1, Predicate::Slt, 1000, 32), Some(1000));
        assert_eq!(told(-5, 2, Predicate::Sle, 5, 32), Some(6));
        assert_eq!(told(1000, -1, Predicate::Sgt, -1, 32), Some(1001));
        assert_eq!(told(1000, -1, Predicate::Ult, 2000, 32), Some(1001));
        assert_eq!(told(0, 0, Predicate::Ult, 2000, 32), None);
        assert_eq!(told(0, 1, Predicate::Ule, -1, 32), None);
        assert_eq!(told(0, 7, Predicate::Ult, -3, 32), None);
        assert_eq!(told(3, 5, Predicate::Eq, 3, 32), Some(1));
        assert_eq!(told(0, 1, Predicate::Ult, i64::MAX, 64), Some(i64::MAX as u64));
    }
}

//! How often does a counted loop go round, predicted before it begins?
//!
//! A counted loop leaves by one edge, at its latch, when a counter that moves
//! by one power of two each time meets a bound that the loop does not change:
//!
//! ```text
//! preheader:  br header
//! header:     i = phi [start, preheader], [next, latch]
//! latch:      next = i ± 2^k ;  br (i or next) == bound, exit, header
//! ```
//!
//! Arithmetic wraps: no flag is believed (`nuw`, `nsw`), because the machine
//! goes round whatever was promised. With D = ±(bound - start) modulo 2^w, the
//! test that is number n (from 0) meets the bound when n·2^k = D where `i` is
//! tested, and when (n + 1)·2^k = D where `next` is. So back edges are taken
//!
//! ```text
//! B = D >> k  or  (D - 2^k) >> k     (modulo 2^w, before the shift)
//! ```
//!
//! times, or for ever if D is no multiple of 2^k. Input: a function, its loops.
//! Cost: the blocks of the loop. Limits: tests of order, loops that are left
//! elsewhere and other steps are not counted here.

use opcost_ir::{Function, Module, Opcode, Predicate, Trips, Type, Value};
use opcost_key::{BlockId, InstructionId};

use opcost_graph::loops::{LoopForest, LoopId};

/// A loop of which it is known before it begins how often it goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedLoop {
    /// The only block that leads into it; its end is a plain branch.
    pub preheader: BlockId,
    /// What counts, how, and what ends it.
    pub trips: Trips,
    /// B, where start and bound are constants.
    pub back_edges: Option<u64>,
}

impl CountedLoop {
    /// The loop, if it is one.
    pub fn recognise(
        module: &Module,
        function: &Function,
        forest: &LoopForest<BlockId>,
        id: LoopId,
    ) -> Option<CountedLoop> {
        Recogniser { module, function, forest, id }.run()
    }
}

/// How a counter moves, and when it is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// Bits of the counter.
    pub width: u32,
    /// It moves by so many bits' power of two.
    pub step_bits: u32,
    /// Whether it moves down.
    pub is_down: bool,
    /// Whether it is tested after its step.
    pub is_next_tested: bool,
}

impl Counting {
    /// B from a start to a bound; none if the loop never ends.
    pub fn back_edges(self, start: u64, bound: u64) -> Option<u64> {
        let Counting { width, step_bits, is_down, is_next_tested } = self;
        let mask = u64::MAX >> (64 - width);
        let distance = if is_down { start.wrapping_sub(bound) } else { bound.wrapping_sub(start) };
        let step = 1_u64 << step_bits;
        let first = if is_next_tested { distance.wrapping_sub(step) } else { distance };
        (distance & (step - 1) == 0).then_some((first & mask) >> step_bits)
    }
}

struct Recogniser<'a> {
    module: &'a Module,
    function: &'a Function,
    forest: &'a LoopForest<BlockId>,
    id: LoopId,
}

impl Recogniser<'_> {
    fn run(&self) -> Option<CountedLoop> {
        let function = self.function;
        let natural = &self.forest.loops[self.id];
        let (&[back], &[exit]) = (&natural.back_edges[..], &natural.exits[..]) else { return None };
        let latch = function.terminator_of(back.from);
        if back.from != exit.from || function.instructions[latch].opcode != Opcode::Br {
            return None;
        }
        let Some(&Value::Instruction(test)) = function.operands_of(latch).first() else { return None };
        let comparison = &function.instructions[test];
        // The first successor is taken where the comparison holds.
        let leaves_if_true = function.blocks[back.from].successors.first() != Some(&natural.header);
        let wanted = if leaves_if_true { Predicate::Eq } else { Predicate::Ne };
        if comparison.opcode != Opcode::ICmp || comparison.predicate != Some(wanted) {
            return None;
        }
        let preheader = self.preheader()?;
        let sides = function.operands_of(test);
        [0, 1].into_iter().find_map(|bound| {
            self.is_invariant(sides[bound as usize]).then_some(())?;
            self.counter(preheader, back.from, test, bound)
        })
    }

    /// The one block outside that leads to the header, and nowhere else.
    fn preheader(&self) -> Option<BlockId> {
        let natural = &self.forest.loops[self.id];
        let mut outside = self.function.blocks.iter().filter(|(block, facts)| {
            facts.successors.contains(&natural.header) && !self.forest.contains(self.id, *block)
        });
        let (preheader, facts) = outside.next().filter(|_| outside.next().is_none())?;
        let end = self.function.terminator_of(preheader);
        let is_plain = self.function.instructions[end].opcode == Opcode::Br && facts.successors.len() == 1;
        is_plain.then_some(preheader)
    }

    fn counter(
        &self,
        preheader: BlockId,
        latch: BlockId,
        test: InstructionId,
        bound: u32,
    ) -> Option<CountedLoop> {
        let sides = self.function.operands_of(test);
        let Value::Instruction(tested) = sides[1 - bound as usize] else { return None };
        let is_next_tested = self.function.instructions[tested].opcode != Opcode::Phi;
        let counter = if is_next_tested { self.step_of(tested)?.0 } else { tested };
        let facts = &self.function.instructions[counter];
        let is_of_header = facts.opcode == Opcode::Phi
            && self.function.block_of(counter) == self.forest.loops[self.id].header;
        let incoming = |from: BlockId| {
            let mut pairs = self.function.operands_of(counter).chunks_exact(2);
            pairs.find(|pair| pair[1] == Value::Block(from)).map(|pair| pair[0])
        };
        let Value::Instruction(next) = incoming(latch).filter(|_| is_of_header)? else { return None };
        let (stepped, step) = self.step_of(next)?;
        if stepped != counter || (is_next_tested && next != tested) {
            return None;
        }
        let width = match self.module.types[facts.ty] {
            Type::Integer(bits) if bits <= 64 => bits,
            Type::Pointer(0) => 64,
            _ => return None,
        };
        let (size, is_down) = (step.unsigned_abs(), step < 0);
        let step_bits = size.trailing_zeros();
        if !size.is_power_of_two() || step_bits >= width {
            return None;
        }
        let ends = [incoming(preheader)?, sides[bound as usize]];
        let numbers = ends.map(|end| self.number(end));
        if ends[0] == ends[1] && numbers[0].is_none() {
            return None;
        }
        let is_readable = |(end, number): (&Value, &Option<i64>)| match end {
            Value::Instruction(_) | Value::Argument(_) => true,
            _ => number.is_some(),
        };
        if !ends.iter().zip(&numbers).all(is_readable) {
            return None;
        }
        let known = match numbers {
            [Some(start), Some(bound)] => {
                // A loop without end is none that is counted.
                let counting = Counting { width, step_bits, is_down, is_next_tested };
                Some(counting.back_edges(start as u64, bound as u64)?)
            }
            _ => None,
        };
        Some(CountedLoop {
            preheader,
            trips: Trips {
                counter,
                test,
                bound,
                is_next_tested,
                step_bits,
                is_down,
                is_divisible: ends.into_iter().all(|end| self.low_zeros(end) >= step_bits),
            },
            back_edges: known,
        })
    }

    fn step_of(&self, at: InstructionId) -> Option<(InstructionId, i64)> {
        step_of(self.module, self.function, at)
    }

    fn is_invariant(&self, value: Value) -> bool {
        match value {
            Value::Instruction(at) => !self.forest.contains(self.id, self.function.block_of(at)),
            Value::Argument(_) | Value::Constant(_) => true,
            _ => false,
        }
    }

    fn number(&self, value: Value) -> Option<i64> {
        number(self.module, value)
    }

    /// How many of its lowest bits are zero whatever happens.
    fn low_zeros(&self, value: Value) -> u32 {
        if let Some(number) = self.number(value) {
            return number.trailing_zeros();
        }
        let Value::Instruction(at) = value else { return 0 };
        match (self.function.instructions[at].opcode, self.function.operands_of(at)) {
            (Opcode::And, &[_, mask]) => self.number(mask).map_or(0, i64::trailing_zeros),
            (Opcode::Shl, &[_, by]) => self.number(by).map_or(0, |by| by.clamp(0, 63) as u32),
            _ => 0,
        }
    }
}

/// What is stepped, and by how much: `x + constant`, or an address so many bytes on. Cost: a few lookups.
pub fn step_of(module: &Module, function: &Function, at: InstructionId) -> Option<(InstructionId, i64)> {
    let instruction = &function.instructions[at];
    let &[Value::Instruction(from), by] = function.operands_of(at) else { return None };
    let is_step = match instruction.opcode {
        Opcode::Add => true,
        Opcode::GetElementPtr => {
            // An index of fewer bits than an address would be widened first; one is as good.
            let is_bytes = instruction.second_type.map(|ty| &module.types[ty]) == Some(&Type::Integer(8));
            is_bytes && !module.triple.starts_with("wasm32")
        }
        _ => false,
    };
    Some((from, number(module, by).filter(|_| is_step)?))
}

/// The number that a constant is, if it fits 64 bits.
pub fn number(module: &Module, value: Value) -> Option<i64> {
    let Value::Constant(id) = value else { return None };
    module.constants[id].text.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Counting;

    /// By going round.
    fn walked(start: u64, bound: u64, step: i64, is_next_tested: bool, width: u32) -> Option<u64> {
        let mask = u64::MAX >> (64 - width);
        let mut counter = start & mask;
        for turn in 0..=1_u64 << width {
            let next = counter.wrapping_add(step as u64) & mask;
            if (if is_next_tested { next } else { counter }) == bound & mask {
                return Some(turn);
            }
            counter = next;
        }
        None
    }

    proptest! {
        #[test]
        fn as_often_as_by_going_round(
            start: u64, bound: u64, width in 1_u32..9, step_bits in 0_u32..8,
            is_down: bool, is_next_tested: bool,
        ) {
            let step_bits = step_bits % width;
            let step = if is_down { -(1_i64 << step_bits) } else { 1 << step_bits };
            let told = Counting { width, step_bits, is_down, is_next_tested }.back_edges(start, bound);
            prop_assert_eq!(told, walked(start, bound, step, is_next_tested, width));
        }
    }

    #[test]
    fn from_end_to_end_of_64_bits() {
        let counting =
            |step_bits, is_down, is_next_tested| Counting { width: 64, step_bits, is_down, is_next_tested };
        assert_eq!(counting(0, false, true).back_edges(0, 0), Some(u64::MAX));
        assert_eq!(counting(0, false, false).back_edges(0, 0), Some(0));
        assert_eq!(counting(0, false, true).back_edges(0, 10), Some(9));
        assert_eq!(counting(0, true, true).back_edges(10, 0), Some(9));
        assert_eq!(counting(3, false, true).back_edges(0, 12), None);
    }
}

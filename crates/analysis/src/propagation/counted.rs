//! How often does a loop go back that counts until it meets a number?
//!
//! A counter that goes up or down by one in each iteration meets every number in the end. If each
//! iteration that goes back asked whether it is `bound`, a value from before the loop, and the loop
//! is left there if it is, then the loop goes back at most `bound - start` times, as the machine
//! subtracts: it needs no promise that nothing wraps. Both are from before the loop, so that the
//! number is proven by nothing that rests on it. Of the bound all is used that a branch said
//! before the loop was entered, such as `0 < bound`. Steps other than one may jump over the bound;
//! of them nothing is said here.
//!
//! Input: a phi at a loop's head. Output: a variable of 64 bits. Cost: the
//! loop's blocks.

use opcost_ir::{Flags, Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::heads::Turns;
use super::range::Kind;
use super::transfer::plain;
use super::variables::{Definition, VariableId};
use super::walker::Walker;
use crate::ranges::word::mask;
use crate::ranges::{Operation, ValueRange};
use opcost_graph::loops::LoopId;

/// Which way it counts, and what is compared.
struct Met {
    is_upwards: bool,
    /// What it is compared to.
    bound: Value,
    /// Whether that is asked of the next turn's value.
    is_next: bool,
}

impl Walker<'_, '_> {
    /// How often a loop goes back at most, from one counter and an equality.
    pub(super) fn turns_until_met(
        &mut self,
        turns: &Turns<'_>,
        phi: InstructionId,
        id: LoopId,
    ) -> Option<VariableId> {
        let result = self.all.values[self.id].results[opcost_index::Id::index(phi)]?;
        let Kind::Integer(width @ 1..=64) = self.all.variables.get(result).kind else { return None };
        let Met { is_upwards, bound, is_next } = self.met(turns, phi, id, width)?;
        self.number(Value::Instruction(phi))?;
        let kind = Kind::Integer(width);
        let header = turns.forest.loops[id].header;
        let bound = self.on_entry(header, bound).filter(|&it| self.all.variables.get(it).kind == kind)?;
        let start = self.start(turns, phi, id, kind);
        let (from, to) = if is_upwards { (start, bound) } else { (bound, start) };
        let sub = |one, two| Definition::Step(plain(Operation::Sub, width), [one, two].into());
        let mut distance = self.add(kind, sub(to, from));
        if is_next {
            let one = self.all.variables.word(width, 1);
            distance = self.add(kind, sub(distance, one));
        }
        if width < 64 {
            let wide = Definition::Step(plain(Operation::ZExt, 64), [distance].into());
            distance = self.add(Kind::Integer(64), wide);
        }
        // It may be left earlier: any number of turns up to the greatest distance.
        let wide = Kind::Integer(64);
        let source = self.fixed(ValueRange::full(64));
        let flags = Flags::NONE;
        let refined = Definition::Refined { source, predicate: Predicate::Ule, other: distance, flags };
        Some(self.add(wide, refined))
    }

    fn met(&self, turns: &Turns<'_>, phi: InstructionId, id: LoopId, width: u32) -> Option<Met> {
        let function = self.function;
        let natural = &turns.forest.loops[id];
        let [latch] = natural.latches()[..] else { return None };
        let mut pairs = function.operands_of(phi).chunks_exact(2);
        let Value::Instruction(next) = pairs.find(|pair| pair[1] == Value::Block(latch))?[0] else {
            return None;
        };
        let operands = function.operands_of(next);
        let step = self.word(*operands.get(1)?)?;
        if operands[0] != Value::Instruction(phi) {
            return None;
        }
        let is_upwards = match (function.instructions[next].opcode, step) {
            (Opcode::Add, 1) => true,
            (Opcode::Sub, 1) => false,
            (Opcode::Add, step) if step == mask(width) => false,
            _ => return None,
        };
        let exits = natural.exits.iter().filter(|exit| self.dominators.dominates(exit.from, latch));
        for exit in exits {
            let Some((value, bound)) = self.equality_that_leaves(turns, id, exit.from, exit.to) else {
                continue;
            };
            let is_next = value == next;
            if is_next || value == phi {
                return Some(Met { is_upwards, bound, is_next });
            }
        }
        None
    }

    /// Both sides of an equality that leads out: one in the loop, and one from before.
    fn equality_that_leaves(
        &self,
        turns: &Turns<'_>,
        id: LoopId,
        from: BlockId,
        to: BlockId,
    ) -> Option<(InstructionId, Value)> {
        let function = self.function;
        let terminator = function.terminator_of(from);
        let &[Value::Instruction(test), Value::Block(yes), Value::Block(no)] =
            function.operands_of(terminator)
        else {
            return None;
        };
        let leaves_if = match function.instructions[test].predicate? {
            Predicate::Eq => yes,
            Predicate::Ne => no,
            _ => return None,
        };
        let is_asked = function.instructions[terminator].opcode == Opcode::Br
            && function.instructions[test].opcode == Opcode::ICmp
            && turns.forest.contains(id, self.blocks[test])
            && leaves_if == to
            && yes != no;
        let is_inside = |value: Value| match value {
            Value::Instruction(at) => turns.forest.contains(id, self.blocks[at]),
            _ => false,
        };
        match *function.operands_of(test) {
            [Value::Instruction(value), bound] if is_asked && !is_inside(bound) => Some((value, bound)),
            [bound, Value::Instruction(value)] if is_asked && !is_inside(bound) => Some((value, bound)),
            _ => None,
        }
    }
}
